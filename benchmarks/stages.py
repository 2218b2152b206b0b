"""``python -m benchmarks.stages``: what each stage of a step costs, timed over whole batches.

Each figure holds some 15 microseconds of calling a kernel with the arrays of a batch.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit

from benchmarks.ours import choose
from scorpion_env.batch import begin_next
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import PLAYING, game_row
from scorpion_env.observation import observe_action, tensors_row
from scorpion_env.vector_env import ScorpionVectorEnv

STEPS = 300
compiled = njit(error_model="numpy", _nrt=False)


@compiled
def apply_actions(rules: Any, batch: Any, actions: Any, settings: Any) -> None:
    """Play every game's action; where its cards came from replaces the episode's step count."""
    for game in range(actions.shape[0]):
        source = apply(rules, game_row(batch.state, game), actions[game])
        batch.episodes.steps[game] = source


@compiled
def settle_games(rules: Any, batch: Any, actions: Any, settings: Any) -> None:
    """Write every game's legal mask and outcome."""
    for game in range(actions.shape[0]):
        status = settle(rules, game_row(batch.state, game), batch.episodes.mask[game])
        batch.episodes.over[game] = status != PLAYING


@compiled
def observe_games(rules: Any, batch: Any, actions: Any, settings: Any) -> None:
    """Bring every game's observation up to date."""
    for game in range(actions.shape[0]):
        state, seen = game_row(batch.state, game), tensors_row(batch.seen, game)
        source = np.int64(batch.episodes.steps[game])
        observe_action(rules, state, seen, 0, actions[game], source)


@compiled
def begin_games(rules: Any, batch: Any, actions: Any, settings: Any) -> None:
    """Begin a new game where one is over."""
    for game in range(actions.shape[0]):
        if batch.episodes.over[game]:
            begin_next(rules, batch, game, settings)


STAGES: dict[str, Callable[..., None]] = {
    "apply the action": apply_actions,
    "legal mask and outcome": settle_games,
    "bring the observation up to date": observe_games,
    "begin new games, a step's share": begin_games,
}


def main() -> None:
    """Print nanoseconds a game for each stage and two sizes of the batch."""
    columns = []
    for games in (1024, 16384):
        env = ScorpionVectorEnv(games, copy=False)
        env.reset(seed=0)
        batch, actions = env._batch, np.zeros(games, np.int64)
        spent = dict.fromkeys(STAGES, 0.0)
        for step in range(-3, STEPS):
            choose(batch.episodes.mask, actions, np.uint64(step + 10))
            for name, stage in STAGES.items():
                start = time.perf_counter()
                stage(env.rules.compiled, batch, actions, env._settings)
                spent[name] += (time.perf_counter() - start) * (step >= 0)
        columns.append({name: 1e9 * total / STEPS / games for name, total in spent.items()})
    print("| stage | ns a game, N = 1,024 | N = 16,384 |\n|---|---|---|")
    for name in STAGES:
        print(f"| {name} | {columns[0][name]:.0f} | {columns[1][name]:.0f} |")


if __name__ == "__main__":
    main()
