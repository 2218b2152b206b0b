"""Games played at random, as a source of positions."""

from dataclasses import replace

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st

from scorpion_env import Rules
from scorpion_env.engine.state import State
from scorpion_env.game import Game
from tests.lockstep import RULE_SETS

SEEDS = st.integers(0, 2**32)
RULE_NAMES = st.sampled_from(sorted(RULE_SETS))
# kernels are compiled in the first example
few, some = (settings(max_examples=n, deadline=None) for n in (30, 150))


def play_on(game: Game, seed: int, steps: int) -> list[int]:
    """Play up to ``steps`` random legal actions; return the points of each."""
    rng = np.random.default_rng(seed)
    points = []
    for _ in range(steps):
        legal = np.flatnonzero(game.action_mask())
        if not len(legal):
            break
        points.append(game.play(int(rng.choice(legal))))
    return points


def random_game(rules: str | Rules, seed: int, steps: int = 80) -> Game:
    """Return the game of ``seed``, some number of random moves up to ``steps`` later."""
    game = Game(seed, rules)
    play_on(game, seed, int(np.random.default_rng(seed).integers(steps + 1)))
    return game


def random_actions(rules: Rules, seed: int, steps: int) -> list[int]:
    """Play random legal actions in the game of a seed, undo among them; return them."""
    game, rng, actions = Game(seed, rules), np.random.default_rng(seed), []
    for _ in range(steps):
        legal = np.flatnonzero(game.action_mask())
        if not len(legal):
            break
        actions.append(int(rng.choice(legal)))
        game.play(actions[-1])
    return actions


def without_undo(name: str) -> Rules:
    """The rules of that name, without what a position does not hold."""
    return replace(RULE_SETS[name], undo_limit=0)


def assert_same_state(first: State, second: State) -> None:
    """Compare two states, but for the former places of cards that are off the tableau."""
    for name in State._fields:
        one, other = getattr(first, name), getattr(second, name)
        if name == "height_of":
            one, other = (
                np.where(state.column_of == -2, 0, state.height_of) for state in (first, second)
            )
        assert np.array_equal(one, other), name
