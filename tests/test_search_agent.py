"""The search agent sees nothing hidden, repeats itself, plays every variant, wins what is known."""

from __future__ import annotations

import numpy as np
import pytest

from agents.evaluation import evaluate
from agents.network import Network, network_shapes
from agents.search import Budget, SearchAgent
from scorpion_env import VARIANTS
from scorpion_env.game import Game
from scorpion_env.solver import Solver
from scorpion_env.suites import find_suite
from scorpion_env.vector_env import ScorpionVectorEnv

SMALL = Budget(worlds=6, draws=4000, nodes=400, iterations=12)


def some_network(seed: int = 0) -> Network:
    generator = np.random.default_rng(seed)
    shapes = network_shapes(width=8, rounds=1, column_width=4, hidden=8, hidden_2=8)
    arrays = {name: generator.normal(0, 0.3, shape) for name, shape in shapes.items()}
    return Network(**{name: array.astype(np.float32) for name, array in arrays.items()})


def agent_of(name: str = "classic", valued: bool = False, **budget: float) -> SearchAgent:
    valuer = some_network(1) if valued else None
    limits = SMALL._replace(**budget)
    return SearchAgent(VARIANTS[name], some_network(), valuer, seed=5, budget=limits)


def first_choice(agent: SearchAgent, deals: list[str], name: str = "classic") -> list[int]:
    """Return the agent's choice in each of these positions, given as board texts."""
    env = ScorpionVectorEnv(1, rules=VARIANTS[name], copy=False)
    chosen = []
    for deal in deals:
        observation, info = env.reset(options={"deal": deal})
        agent.begin(np.zeros(1, np.uint64))
        chosen.append(int(agent.act(observation, info["action_mask"])[0]))
        assert info["action_mask"][0, chosen[-1]]
    return chosen


@pytest.mark.parametrize("valued", [False, True])
@pytest.mark.parametrize("name", ["classic", "scorpion_ii", "three_blind_mice"])
def test_choices_do_not_depend_on_hidden_cards(name: str, valued: bool) -> None:
    rules = VARIANTS[name]
    seed = int(find_suite(f"{name}-winnable").seeds[0])
    seen = str(Game(seed=seed, rules=rules))
    games = [Game(deal=seen, seed=seed, rules=rules) for seed in range(20)]
    worlds = sorted({game.to_text(reveal=True) for game in games})[:6]
    assert len(worlds) > 3
    agent = agent_of(name, valued)
    assert len(set(first_choice(agent, worlds, name))) == 1
    assert agent.iterations == SMALL.iterations


@pytest.mark.parametrize("valued", [False, True])
def test_games_are_the_same_alone_and_in_a_batch(valued: bool) -> None:
    seeds = find_suite("classic-winnable").seeds[:6]
    together = evaluate(agent_of(valued=valued), "classic", seeds)
    alone = evaluate(agent_of(valued=valued), "classic", seeds, batch_size=2)
    for field in ("won", "score", "steps"):
        np.testing.assert_array_equal(getattr(together, field), getattr(alone, field))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_is_played(name: str) -> None:
    agent = agent_of(name, valued=True, worlds=2, draws=10, iterations=3)
    env = ScorpionVectorEnv(2, rules=VARIANTS[name])
    observation, info = env.reset(seed=1)
    agent.begin(np.arange(2, dtype=np.uint64))
    for _ in range(4):
        mask = info["action_mask"]
        actions = agent.act(observation, mask)
        assert mask[np.arange(2), actions].all()
        observation, *_, info = env.step(actions)


def test_probabilities_are_shares_of_visits() -> None:
    env = ScorpionVectorEnv(2, rules=VARIANTS["classic"])
    agent = agent_of()
    observation, info = env.reset(seed=find_suite("classic-winnable").seeds[:2].tolist())
    agent.begin(np.arange(2, dtype=np.uint64))
    actions = agent.act(observation, info["action_mask"])
    shares = agent.probabilities()
    assert shares.sum(axis=1) == pytest.approx(1)
    assert not shares[info["action_mask"] == 0].any()
    assert (shares[np.arange(2), actions] == shares.max(axis=1)).all()


def opened(seed: int) -> str:
    """Return a Scorpion II game as a board text, played to where all cards lie open, winnable."""
    rules = VARIANTS["scorpion_ii"]
    game = Game(seed=seed, rules=rules)
    for action in Solver(rules).solve(game).actions:
        if not any("##" in line for line in str(game).splitlines()):
            break
        game.play(action)
    return game.to_text(reveal=True)


@pytest.mark.parametrize("seed", find_suite("scorpion_ii-winnable").seeds[:4])
def test_what_lies_open_is_won(seed: int) -> None:
    env = ScorpionVectorEnv(1, rules=VARIANTS["scorpion_ii"])
    agent = agent_of("scorpion_ii")
    observation, info = env.reset(options={"deal": opened(int(seed))})
    agent.begin(np.array([seed], np.uint64))
    ended = [False]
    while not ended[0]:
        observation, _, ended, _, info = env.step(agent.act(observation, info["action_mask"]))
    assert info["is_success"][0]


def test_more_time_means_more_iterations() -> None:
    deal = Game(seed=3).to_text(reveal=True)
    tried = []
    for milliseconds in (1.0, 300.0):
        agent = agent_of(milliseconds=milliseconds)
        first_choice(agent, [deal])
        tried.append(agent.iterations)
    assert 0 < tried[0] < tried[1]


def constant(value: float) -> Network:
    """Return a network that gives every table this score."""
    network = Network(*(np.zeros_like(array) for array in some_network()))
    return network._replace(last_bias=np.array([value], np.float32))


@pytest.mark.parametrize(("value", "taken"), [(-5.0, 0.0), (0.25, 0.25), (7.0, 1.0)])
def test_new_positions_are_worth_what_the_valuer_says(value: float, taken: float) -> None:
    """Ten iterations get no further than positions that are lost or as unknown as ever."""
    limits = SMALL._replace(worlds=1, iterations=10)
    agent = SearchAgent("classic", some_network(), constant(value), 5, limits)
    seed = int(find_suite("classic-winnable").seeds[0])
    first_choice(agent, [Game(seed=seed).to_text(reveal=True)])
    moves = agent._tools.moves
    tried = moves.visits > 0
    assert (moves.results[tried] / moves.visits[tried]).max() == pytest.approx(taken)


def test_a_valuer_of_other_sizes_is_refused() -> None:
    wider = Network(*(np.repeat(array, 2, -1) for array in some_network()))
    with pytest.raises(ValueError, match="give two networks of one training run"):
        SearchAgent("classic", some_network(), wider)
