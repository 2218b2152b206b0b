"""The network over cards: nothing hidden, suits alike, the same however games are put together."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from agents.network import NO_MOVE, Network, make_scratch, network_shapes, score_moves
from agents.network_agent import NetworkAgent
from scorpion_env import VARIANTS
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import PLAYING, STATUS, empty_state, row_of
from scorpion_env.position import Position, read_position, write_position
from scorpion_env.rules import RESERVE_PLAY, Rules
from scorpion_env.solver.relations import relations_of
from scorpion_env.vector_env import ScorpionVectorEnv

SIZES = {"width": 8, "rounds": 1, "column_width": 4, "hidden": 8, "hidden_2": 8}
NAMES = sorted(VARIANTS)


def drawn_network(seed: int = 0) -> Network:
    """A network with random weights."""
    rng = np.random.default_rng(seed)
    shapes = network_shapes(**SIZES)
    return Network(**{k: rng.normal(0, 0.3, s).astype(np.float32) for k, s in shapes.items()})


def positions(name: str, games: int = 4, steps: int = 32) -> Iterator[Position]:
    """Positions of random games, some steps apart."""
    env = ScorpionVectorEnv(games, rules=name)
    _, info = env.reset(seed=5)
    rng = np.random.default_rng(1)
    for step in range(steps):
        if step % 4 == 0:
            for game in range(games):
                yield read_position(row_of(env._batch.state, game))
        masks = info["action_mask"]
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        _, _, _, _, info = env.step(actions)


def scores_of(rules: Rules, position: Position, network: Network) -> npt.NDArray[np.float64]:
    """The scores of a position's actions; all minus infinity where the game is over."""
    state = row_of(empty_state(rules, 1, undoable=0), 0)
    write_position(rules, state, position)
    mask = np.zeros(rules.actions, np.int8)
    scores = np.full(rules.actions, -np.inf)
    if settle(rules.compiled, state, mask) == PLAYING:
        scratch = make_scratch(rules, network)
        relations = relations_of(rules)
        best = score_moves(rules.compiled, relations, state, mask, network, scratch, scores)
        assert best == scores.argmax()
        assert (np.isfinite(scores) == (mask > 0)).all()
    return scores


def with_hidden_shuffled(rules: Rules, position: Position, seed: int) -> Position:
    """The same position to the player's eye, with its hidden cards in other places."""
    rng = np.random.default_rng(seed)
    columns = list(zip(position.columns, position.face_down, strict=True))
    hidden = [card for cards, down in columns for card in cards[:down]]
    dealt = rules.compiled.reserve != RESERVE_PLAY
    hidden += [card for card in position.reserve if card is not None and dealt]
    drawn = iter(rng.permutation(hidden).tolist())
    return Position(
        tuple(tuple(next(drawn) for _ in range(down)) + cards[down:] for cards, down in columns),
        position.face_down,
        tuple(next(drawn) if c is not None and dealt else c for c in position.reserve),
        position.removed,
    )


@pytest.mark.parametrize("name", NAMES)
def test_hidden_cards_are_not_looked_at(name: str) -> None:
    rules = VARIANTS[name]
    network = drawn_network()
    for number, position in enumerate(positions(name)):
        plain = scores_of(rules, position, network)
        other = scores_of(rules, with_hidden_shuffled(rules, position, number), network)
        np.testing.assert_array_equal(plain, other)


def with_suits(rules: Rules, card: int, suits: list[int]) -> int:
    """The card that takes a card's place when the suits are exchanged."""
    layout = rules.layout
    rest, rank = divmod(card, layout.ranks)
    deck, suit = divmod(rest, layout.suits)
    return (deck * layout.suits + suits[suit]) * layout.ranks + rank


@pytest.mark.parametrize("name", NAMES)
def test_suits_are_alike(name: str) -> None:
    rules = VARIANTS[name]
    network = drawn_network()
    # red stays red and black black, or all change, for the rules that ask for it
    suits = [3, 2, 1, 0] if "alternate_colour" in (rules.build, rules.pattern) else [2, 0, 3, 1]
    columns = len(rules.layout.columns)
    order = np.arange(rules.actions)
    for card in range(rules.layout.cards):
        first = with_suits(rules, card, suits) * columns
        order[card * columns : (card + 1) * columns] = first + np.arange(columns)
    for position in positions(name):
        changed = Position(
            tuple(tuple(with_suits(rules, c, suits) for c in row) for row in position.columns),
            position.face_down,
            tuple(None if c is None else with_suits(rules, c, suits) for c in position.reserve),
            tuple(tuple(with_suits(rules, c, suits) for c in row) for row in position.removed),
        )
        plain = scores_of(rules, position, network)
        other = scores_of(rules, changed, network)
        np.testing.assert_allclose(other[order], plain, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", NAMES)
def test_the_agent_sees_what_the_kernel_sees(name: str) -> None:
    """From observations of several games or of one, or from the state: the same scores."""
    rules = VARIANTS[name]
    network = drawn_network()
    env = ScorpionVectorEnv(5, rules=rules)
    seen, info = env.reset(seed=3)
    agent = NetworkAgent("drawn", rules, network)
    relations, scratch = relations_of(rules), make_scratch(rules, network)
    scores = np.zeros(rules.actions)
    for _ in range(30):
        mask = info["action_mask"]
        together = agent.scores(seen, mask)
        actions = together.argmax(axis=1)
        for game in range(5):
            state = row_of(env._batch.state, game)
            if state.counters[STATUS] != PLAYING:
                continue
            best = score_moves(
                rules.compiled, relations, state, mask[game], network, scratch, scores
            )
            np.testing.assert_array_equal(together[game], scores)
            one = {key: value[game : game + 1] for key, value in seen.items()}
            np.testing.assert_array_equal(agent.scores(one, mask[game : game + 1])[0], scores)
            assert actions[game] == best
        actions = np.where(mask[np.arange(5), actions] > 0, actions, mask.argmax(axis=1))
        seen, _, _, _, info = env.step(actions)


def test_no_move_where_nothing_is_legal() -> None:
    rules = VARIANTS["classic"]
    network = drawn_network()
    state = row_of(empty_state(rules, 1, undoable=0), 0)
    write_position(rules, state, next(positions("classic")))
    scores, mask = np.zeros(rules.actions), np.zeros(rules.actions, np.int8)
    scratch = make_scratch(rules, network)
    given = (rules.compiled, relations_of(rules), state, mask, network, scratch, scores)
    assert score_moves(*given) == NO_MOVE
    assert np.isneginf(scores).all()
