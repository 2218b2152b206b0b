"""Steps a second of our environments and of copying the bytes that they write."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import njit

from scorpion_env import VARIANTS
from scorpion_env.batch import NEXT_STEP, empty_batch, make_settings
from scorpion_env.engine.deal import FIRST_DEAL
from scorpion_env.env import ScorpionEnv
from scorpion_env.handle import Handle
from scorpion_env.vector_env import ScorpionVectorEnv

ROUNDS = 5


@njit(cache=True)
def choose(
    mask: npt.NDArray[np.int8], actions: npt.NDArray[np.int64], state: np.uint64
) -> np.uint64:
    """Choose a uniformly random legal action for each game; return the generator's next state."""
    for game in range(mask.shape[0]):
        legal = np.uint64(0)
        for action in range(mask.shape[1]):
            legal += np.uint64(mask[game, action])
        state = state * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
        left = np.int64(((state >> np.uint64(33)) * legal) >> np.uint64(31))
        for action in range(mask.shape[1]):
            if mask[game, action]:
                if left == 0:
                    actions[game] = action
                    break
                left -= 1
    return state


def best(rounds: Iterator[float]) -> float:
    """Return the shortest of the rounds: what the machine can do when it is left alone."""
    return min(rounds)


def vector_seconds(games: int, threads: int = 1, **options: Any) -> float:
    """Return the seconds a game's step takes in a vector environment, resets included."""
    env = ScorpionVectorEnv(games, copy=False, num_threads=threads, **options)
    env.reset(seed=0)
    return stepping_seconds(env.step, env.action_masks().view(np.int8))


def unseen_seconds(games: int, threads: int = 1, rules: str = "classic") -> float:
    """Return the seconds a game's step takes in the engine alone, with tensors of no columns.

    Actions, rewards, masks and resets, but neither observations nor infos.
    """
    chosen = VARIANTS[rules]
    settings = make_settings(chosen, autoreset=NEXT_STEP)
    batch = empty_batch(chosen, games, "planes", settings)
    nothing = batch.seen._replace(planes=batch.seen.planes[:, :0].copy())
    batch = batch._replace(seen=nothing)
    batch.episodes.stream[:] = FIRST_DEAL + np.arange(games, dtype=np.uint64)
    handle = Handle(chosen, batch, settings, threads)
    handle.reset(np.ones(games, np.bool_))
    return stepping_seconds(handle.step, batch.episodes.mask)


def stepping_seconds(
    step: Callable[[npt.NDArray[np.int64]], Any], masks: npt.NDArray[np.int8]
) -> float:
    """Return the seconds a game's ``step`` takes with random actions that the masks allow."""
    games = len(masks)
    actions = np.zeros(games, np.int64)
    state = np.uint64(1)
    steps = max(30, 100_000 // games)

    def round_() -> float:
        nonlocal state
        spent = 0.0
        for _ in range(steps):
            state = np.uint64(choose(masks, actions, state))
            start = time.perf_counter()
            step(actions)
            spent += time.perf_counter() - start
        return spent / steps / games

    round_()
    return best(round_() for _ in range(ROUNDS))


def copy_seconds(games: int, **options: Any) -> float:
    """Return the seconds it takes to copy what a game's step writes: observation and mask."""
    env = ScorpionVectorEnv(games, copy=False, **options)
    observation, info = env.reset(seed=0)
    parts = list(observation.values()) if isinstance(observation, dict) else [observation]
    parts.append(info["action_mask"])
    copies = [part.copy() for part in parts]
    repeats = max(30, 200_000 // games)

    def round_() -> float:
        start = time.perf_counter()
        for _ in range(repeats):
            for part, copy in zip(parts, copies, strict=True):
                np.copyto(copy, part)
        return (time.perf_counter() - start) / repeats / games

    round_()
    return best(round_() for _ in range(ROUNDS))


def single_seconds(make: Callable[[], Any], steps: int = 4000) -> float:
    """Return the seconds a step takes in a single environment that tells an action mask."""
    env = make()
    rng = np.random.default_rng(0)

    def round_() -> float:
        spent = 0.0
        _, info = env.reset(seed=0)
        for _ in range(steps):
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            start = time.perf_counter()
            _, _, terminated, truncated, info = env.step(action)
            spent += time.perf_counter() - start
            if terminated or truncated:
                _, info = env.reset()
        return spent / steps

    round_()
    return best(round_() for _ in range(ROUNDS))


def sb3_seconds(games: int) -> float:
    """Return the seconds a game's step takes in the SB3 adapter, masks included."""
    from train.vec_env import ScorpionVecEnv

    env = ScorpionVecEnv(games, observation="cards")
    env.reset()
    actions = np.zeros(games, np.int64)
    state = np.uint64(1)
    masks = env.action_masks()

    def round_() -> float:
        nonlocal state, masks
        spent = 0.0
        for _ in range(30):
            state = np.uint64(choose(masks.view(np.int8), actions, state))
            start = time.perf_counter()
            env.step(actions)
            masks = env.env_method("action_masks")
            spent += time.perf_counter() - start
        return spent / 30 / games

    round_()
    return best(round_() for _ in range(ROUNDS))


def single_env() -> ScorpionEnv:
    """Make the single environment without Gymnasium's wrappers."""
    return ScorpionEnv()
