"""Games played by numbers that no version of Python or NumPy changes, and their digests.

A digest is of all that a step gives: observation, mask, reward, flags and the counts of the info.
"""

import hashlib
import random
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import gymnasium as gym
import numpy as np

from scorpion_env.notation import name_move
from scorpion_env.vector_env import ScorpionVectorEnv

CHUNK = 20  # steps between two digests that are kept
FIRST = 6  # moves that a summary names
ANY_ACTION = 0.05  # share of actions that are drawn from all, legal or not
COUNTS = ("score", "moves", "face_down_cards", "sequences", "is_success", "illegal_action")


def choose(mask: np.ndarray, rng: random.Random) -> int:
    """Choose an action, nearly always a legal one."""
    if rng.random() < ANY_ACTION:
        return int(rng.random() * len(mask))
    legal = np.flatnonzero(mask)
    return int(legal[int(rng.random() * len(legal))])


class Trace:
    """A running digest of one game; ``chunks`` holds it as it was after each `CHUNK` additions."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._added = 0
        self.chunks: list[str] = []

    def add(
        self, observation: Any, reward: float, terminated: bool, truncated: bool, info: Any
    ) -> None:
        """Add what a step gave; a reset gives no reward and no end."""
        parts = observation if isinstance(observation, dict) else {"": observation}
        for name, part in sorted({**parts, "mask": info["action_mask"]}.items()):
            self._hash.update(f"{name} {part.dtype.str} {part.shape} ".encode())
            self._hash.update(np.ascontiguousarray(part).tobytes())
        counts = [int(info[name]) for name in COUNTS]
        ends = (bool(terminated), bool(truncated))
        self._hash.update(struct.pack("<d2?6q", float(reward), *ends, *counts))
        if self._added % CHUNK == 0:
            self.chunks.append("")
        self.chunks[-1] = self._hash.hexdigest()[:16]
        self._added += 1


@dataclass(frozen=True)
class Episode:
    """One game in short."""

    seed: int
    deal: int
    moves: list[str] = field(repr=False)  # the first of those played
    steps: int
    score: int
    end: str  # "won", "stuck" or "truncated"
    illegal: int  # illegal actions
    chunks: list[str] = field(repr=False)


def play(env: gym.Env[Any, Any], seed: int) -> Episode:
    """Play the game of a seed to its end."""
    rng, trace = random.Random(seed), Trace()
    observation, info = env.reset(seed=seed)
    trace.add(observation, 0, False, False, info)
    deal, actions, illegal, over = int(info["deal"]), [], 0, False
    while not over:
        action = choose(info["action_mask"], rng)
        actions.append(action)
        observation, reward, terminated, truncated, info = env.step(action)
        trace.add(observation, float(reward), terminated, truncated, info)
        illegal += info["illegal_action"]
        over = terminated or truncated
    rules = env.get_wrapper_attr("rules")
    return Episode(
        seed=seed,
        deal=deal,
        moves=[name_move(rules, action) for action in actions[:FIRST]],
        steps=len(actions),
        score=info["score"],
        end="truncated" if truncated else "won" if info["is_success"] else "stuck",
        illegal=illegal,
        chunks=trace.chunks,
    )


def play_vector(rules: str, seeds: Sequence[int], size: int, threads: int = 1) -> list[str]:
    """Play the games of seeds side by side, ``size`` at a time; return the digest of each."""
    digests = []
    for first in range(0, len(seeds), size):
        digests += _play_batch(rules, list(seeds[first : first + size]), threads)
    return digests


def _play_batch(rules: str, seeds: list[int], threads: int) -> list[str]:
    env = ScorpionVectorEnv(
        len(seeds), rules=rules, observation="both", autoreset_mode="Disabled", num_threads=threads
    )
    rngs, traces = [random.Random(seed) for seed in seeds], [Trace() for _ in seeds]
    observation, info = env.reset(seed=seeds)
    ended = nothing = np.zeros(len(seeds), bool)
    rewards, terminated, truncated = nothing, nothing, nothing
    while True:
        for game in np.flatnonzero(~ended):
            told = {name: info[name][game] for name in ("action_mask", *COUNTS)}
            seen = {name: part[game] for name, part in observation.items()}
            traces[game].add(seen, rewards[game], terminated[game], truncated[game], told)
        over = terminated | truncated
        ended = ended | over
        if ended.all():
            return [trace.chunks[-1] for trace in traces]
        masks = info["action_mask"]
        if over.any():
            masks = env.reset(options={"reset_mask": over})[1]["action_mask"]
        actions = np.array([choose(*pair) for pair in zip(masks, rngs, strict=True)])
        observation, rewards, terminated, truncated, info = env.step(actions)


def play_in_pool(method: str, rules: str, seeds: Sequence[int]) -> list[str]:
    """Play the games of seeds in two other processes, after one in this process."""
    play_vector(rules, seeds[:1], 1)
    with get_context(method).Pool(2) as pool:
        halves = [(rules, seeds[0::2], 7), (rules, seeds[1::2], 7)]
        one, other = pool.starmap(play_vector, halves)
    digests = [""] * len(seeds)
    digests[0::2], digests[1::2] = one, other
    return digests
