"""Agents on fixed deals: what became of each game, and what that says of the agent."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, Mask, Rows, Seeds
from agents.recorder import Recorder
from scorpion_env.intervals import Z95, wilson_interval
from scorpion_env.rules import Rules
from scorpion_env.variants import find_rules
from scorpion_env.vector_env import ScorpionVectorEnv

_COUNTED = ("is_success", "score", "sequences", "face_down_cards", "moves")


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
    recorder: Recorder | None = None,
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
    recorder : Recorder, optional
        Is told of every action; it must be new and of these seeds.

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
    size = min(batch_size, len(numbers))
    table = _play(agent, played, numbers, size, progress, recorder)
    won, score, sequences, down, moves, steps = table.T.copy()
    return EpisodeResults(
        seeds=numbers,
        won=won.astype(np.bool_),
        score=score,
        sequences=sequences,
        cards_turned=sum(played.layout.face_down) - down,
        moves=moves,
        steps=steps,
        seconds=time.perf_counter() - start,
    )


def _checked_seeds(seeds: Sequence[int] | npt.NDArray[np.integer]) -> Seeds:
    try:
        numbers = np.array(seeds, np.int64)
    except OverflowError:
        raise ValueError("a seed is out of range: use whole numbers below 2**63") from None
    if numbers.ndim != 1 or len(numbers) == 0 or numbers.min() < 0:
        raise ValueError("give at least one seed, each a whole number from 0 up")
    return numbers.astype(np.uint64)


def _play(
    agent: Agent,
    rules: Rules,
    seeds: Seeds,
    size: int,
    progress: Callable[[int], None] | None,
    recorder: Recorder | None,
) -> npt.NDArray[np.int64]:
    """Return won, score, sequences, face-down cards, moves, steps (N, 6) of each seed's game.

    A row of the environment whose game has ended is dealt the next seed. When no seed is left it
    plays deals that nobody looks at, while the agent plays the other rows alone.
    """
    env = ScorpionVectorEnv(size, rules=rules, observation=agent.observation, copy=False)
    table = np.zeros((len(seeds), 6), np.int64)
    observation, info = env.reset(seed=seeds[:size].tolist())
    agent.begin(seeds[:size])
    playing = np.arange(size)  # rows of the environment, in the agent's order
    deal = np.arange(size)  # (size,) the deal that each row plays
    steps = np.zeros(size, np.int64)
    begun = size
    while len(playing):
        mask = info["action_mask"][playing]
        chosen = agent.act(_rows_of(observation, playing), mask)
        _check_legal(agent, chosen, mask, seeds[deal[playing]])
        if recorder is not None:
            recorder.note(deal[playing], chosen, agent.probabilities())
        actions = np.zeros(size, np.int64)
        actions[playing] = chosen
        observation, _, terminated, truncated, info = env.step(actions)
        steps += 1
        ended = (terminated | truncated)[playing]
        if not ended.any():
            continue
        over = playing[ended]
        for number, name in enumerate(_COUNTED):
            table[deal[over], number] = info[name][over]
        table[deal[over], len(_COUNTED)] = steps[over]
        coming = np.arange(begun, min(begun + len(over), len(seeds)))
        begun += len(coming)
        agent.keep(np.flatnonzero(~ended), seeds[coming])
        freed = over[: len(coming)]
        playing = np.concatenate([playing[~ended], freed])
        deal[freed], steps[freed] = coming, 0
        if len(freed):
            observation, info = _deal(env, freed, seeds[coming])
        if progress is not None:
            progress(begun - len(playing))
    return table


def _deal(env: ScorpionVectorEnv, rows: Rows, seeds: Seeds) -> tuple[Any, dict[str, Any]]:
    """Begin the deals of these seeds in these rows of the environment."""
    asked: list[int | None] = [None] * env.num_envs
    chosen = np.zeros(env.num_envs, np.bool_)
    chosen[rows] = True
    for row, seed in zip(rows, seeds.tolist(), strict=True):
        asked[row] = seed
    return env.reset(seed=asked, options={"reset_mask": chosen})


def _rows_of(observation: Any, rows: Rows) -> Any:
    if isinstance(observation, dict):
        return {name: array[rows] for name, array in observation.items()}
    return observation[rows]


def _check_legal(agent: Agent, chosen: Actions, mask: Mask, seeds: Seeds) -> None:
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


def mean_interval(values: npt.NDArray[np.integer]) -> tuple[float, float]:
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
