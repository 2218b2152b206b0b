"""Agents on fixed deals: what became of each game, and what that says of the agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, Mask, Rows
from scorpion_env.rules import Rules
from scorpion_env.variants import find_rules
from scorpion_env.vector_env import ScorpionVectorEnv

Z95 = 1.959963984540054  # the normal quantile of a two-sided 95 % interval


class EpisodeResults(NamedTuple):
    """What became of N deals, each played once, in the order of the seeds."""

    seeds: npt.NDArray[np.uint64]  # (N,) seeds of the deals
    won: npt.NDArray[np.bool_]  # (N,)
    score: npt.NDArray[np.int64]  # (N,) the app's points
    sequences: npt.NDArray[np.int64]  # (N,) complete sequences at the end
    cards_turned: npt.NDArray[np.int64]  # (N,) face-down cards at the deal less those at the end
    moves: npt.NDArray[np.int64]  # (N,) actions that count as moves, those undone left out
    steps: npt.NDArray[np.int64]  # (N,) actions taken
    seconds: float  # wall time of all games together


class Summary(NamedTuple):
    """An agent's results in a few numbers; intervals are 95 % ones."""

    episodes: int
    wins: int
    win_rate: float
    ci_low: float
    ci_high: float
    mean_score: float
    score_ci_low: float
    score_ci_high: float
    mean_sequences: float
    mean_cards_turned: float
    mean_moves: float
    games_per_second: float


class Difference(NamedTuple):
    """How much more one agent achieves than another on the same deals, with 95 % intervals."""

    win_rate: float
    win_rate_low: float
    win_rate_high: float
    mean_score: float
    mean_score_low: float
    mean_score_high: float


def evaluate(
    agent: Agent,
    rules: str | Rules,
    seeds: Sequence[int] | npt.NDArray[np.integer],
    batch_size: int = 1024,
    progress: Callable[[int], None] | None = None,
) -> EpisodeResults:
    """Play the deal of each seed exactly once.

    Parameters
    ----------
    agent : Agent
        Who plays; sees what a player sees, never a hidden card.
    rules : str or Rules
        What is played; the rules' step limit ends a game.
    seeds : sequence of int
        Seed ``s`` is the deal of ``ScorpionEnv.reset(seed=s)``.
    batch_size : int
        How many games are played side by side; the results do not depend on it.
    progress : callable, optional
        Called with the number of games finished, whenever some have finished.

    Raises
    ------
    ValueError
        If there is no seed, one is negative or from 2**63 up, the batch size is below 1, or the
        agent chooses an illegal action.
    """
    played = find_rules(rules)
    numbers = _checked_seeds(seeds)
    if batch_size < 1:
        raise ValueError(f"batch_size must be at least 1, got {batch_size}")
    start = time.perf_counter()
    table = np.zeros((len(numbers), 6), np.int64)
    for first in range(0, len(numbers), batch_size):
        rows = slice(first, first + batch_size)

        def finished(games: int, first: int = first) -> None:
            if progress is not None:
                progress(first + games)

        _play_batch(agent, played, numbers[rows], table[rows], finished)
    won, score, sequences, cards_turned, moves, steps = table.T.copy()
    return EpisodeResults(
        numbers.astype(np.uint64),
        won.astype(np.bool_),
        score,
        sequences,
        cards_turned,
        moves,
        steps,
        time.perf_counter() - start,
    )


def _checked_seeds(seeds: Sequence[int] | npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    try:
        numbers = np.array(seeds, np.int64)
    except OverflowError:
        raise ValueError("a seed is out of range: use whole numbers below 2**63") from None
    if numbers.ndim != 1 or len(numbers) == 0 or numbers.min() < 0:
        raise ValueError("give at least one seed, each a whole number from 0 up")
    return numbers


def _play_batch(
    agent: Agent,
    rules: Rules,
    seeds: npt.NDArray[np.int64],
    table: npt.NDArray[np.int64],
    finished: Callable[[int], None],
) -> None:
    """Play one game a seed to its end; fills ``table`` (N, 6)."""
    # A game that is over goes on with deals that nobody looks at until the last one has ended.
    env = ScorpionVectorEnv(len(seeds), rules=rules, observation=agent.observation, copy=False)
    observation, info = env.reset(seed=seeds.tolist())
    dealt_down = info["face_down_cards"]
    agent.begin(seeds.astype(np.uint64))
    playing = np.arange(len(seeds))
    steps = 0
    while len(playing):
        mask = info["action_mask"][playing]
        chosen = agent.act(_rows_of(observation, playing), mask)
        _check_legal(agent, chosen, mask, seeds[playing])
        actions = np.zeros(len(seeds), np.int64)
        actions[playing] = chosen
        observation, _, terminated, truncated, info = env.step(actions)
        steps += 1
        ended = (terminated | truncated)[playing]
        if ended.any():
            games = playing[ended]
            table[games, 0] = info["is_success"][games]
            table[games, 1] = info["score"][games]
            table[games, 2] = info["sequences"][games]
            table[games, 3] = dealt_down[games] - info["face_down_cards"][games]
            table[games, 4] = info["moves"][games]
            table[games, 5] = steps
            agent.keep(np.flatnonzero(~ended))
            playing = playing[~ended]
            finished(len(seeds) - len(playing))


def _rows_of(observation: Any, rows: Rows) -> Any:
    if isinstance(observation, dict):
        return {name: array[rows] for name, array in observation.items()}
    return observation[rows]


def _check_legal(agent: Agent, chosen: Actions, mask: Mask, seeds: npt.NDArray[np.int64]) -> None:
    rows = np.arange(len(mask))
    if chosen.shape != rows.shape or not np.issubdtype(chosen.dtype, np.integer):
        raise ValueError(
            f"agent {agent.name} returned {chosen.dtype} of shape {chosen.shape} for {len(mask)} "
            "games: act() returns one whole number a game"
        )
    outside = (chosen < 0) | (chosen >= mask.shape[1])
    illegal = outside | (mask[rows, np.where(outside, 0, chosen)] == 0)
    if illegal.any():
        game = int(np.flatnonzero(illegal)[0])
        raise ValueError(
            f"agent {agent.name} chose the illegal action {chosen[game]} in the game of seed "
            f"{seeds[game]}: act() must heed the mask"
        )


def wilson_interval(wins: int, games: int) -> tuple[float, float]:
    """Return the 95 % Wilson interval of the win rate behind ``wins`` of ``games``."""
    rate = wins / games
    shrink = 1 + Z95**2 / games
    middle = (rate + Z95**2 / (2 * games)) / shrink
    half = Z95 * np.sqrt(rate * (1 - rate) / games + Z95**2 / (4 * games**2)) / shrink
    return max(0.0, float(middle - half)), min(1.0, float(middle + half))


def mean_interval(values: npt.NDArray) -> tuple[float, float]:
    """Return the normal 95 % interval of the mean behind ``values``; NaNs where it is but one."""
    if len(values) < 2:
        return float("nan"), float("nan")
    middle = float(np.mean(values))
    half = Z95 * float(np.std(values, ddof=1)) / len(values) ** 0.5
    return middle - half, middle + half


def summarise(results: EpisodeResults) -> Summary:
    """Return an agent's results in a few numbers."""
    episodes, wins = len(results.won), int(results.won.sum())
    ci_low, ci_high = wilson_interval(wins, episodes)
    score_ci_low, score_ci_high = mean_interval(results.score)
    return Summary(
        episodes=episodes,
        wins=wins,
        win_rate=wins / episodes,
        ci_low=ci_low,
        ci_high=ci_high,
        mean_score=float(results.score.mean()),
        score_ci_low=score_ci_low,
        score_ci_high=score_ci_high,
        mean_sequences=float(results.sequences.mean()),
        mean_cards_turned=float(results.cards_turned.mean()),
        mean_moves=float(results.moves.mean()),
        games_per_second=episodes / results.seconds,
    )


def paired_difference(results: EpisodeResults, base: EpisodeResults) -> Difference:
    """Return how much more ``results`` achieve than ``base`` on the same deals.

    The interval of the win rates is Bonett and Price's adjusted Wald interval for paired
    proportions (2012); the one of the scores is normal.

    Raises
    ------
    ValueError
        If the two did not play the same deals.
    """
    if not np.array_equal(results.seeds, base.seeds):
        raise ValueError("the two agents played different deals: give both the same seeds")
    games = len(results.won)
    more = int((results.won & ~base.won).sum())
    less = int((base.won & ~results.won).sum())
    p_more, p_less = (more + 1) / (games + 2), (less + 1) / (games + 2)
    middle = p_more - p_less
    half = Z95 * float(np.sqrt((p_more + p_less - middle**2) / (games + 2)))
    gained = results.score - base.score
    low, high = mean_interval(gained)
    return Difference(
        win_rate=(more - less) / games,
        win_rate_low=max(-1.0, middle - half),
        win_rate_high=min(1.0, middle + half),
        mean_score=float(gained.mean()),
        mean_score_low=low,
        mean_score_high=high,
    )
