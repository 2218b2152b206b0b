"""The leaderboard: agents on one suite of winnable deals, each deal played once and kept in a file.

A deal that is proven lost is won by nobody, so what an agent wins of the winnable deals also says
what it wins of all deals of the seeds they were found among.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from functools import lru_cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from agents.base import Agent
from agents.evaluation import EpisodeResults, evaluate
from agents.registry import make_agent
from scorpion_env import __version__
from scorpion_env.suites import WINNABLE, Suite, find_suite, whole_suite
from scorpion_env.whole_file import naming

CHUNK = 50  # deals played between two writes
FIELDS = ("won", "score", "sequences", "cards_turned", "moves", "steps")
Chunk = dict[str, Any]  # a line of a file: "seeds", ... as in EpisodeResults, and "cpu_seconds"


class Standing(NamedTuple):
    """One agent's results on the leaderboard."""

    agent: str
    results: EpisodeResults
    milliseconds: float  # CPU time of a decision

    @property
    def wins(self) -> int:
        """Deals won."""
        return int(self.results.won.sum())


def play(
    agents: Sequence[str],
    suite: Suite,
    episodes: int,
    folder: Path,
    workers: int,
    report: Callable[[str, int], None] | None = None,
) -> list[Standing]:
    """Play what the folder's files lack of the suite's first deals; return the agents, best first.

    Parameters
    ----------
    agents : sequence of str
        Names or paths, see `agents.registry.make_agent`.
    suite : Suite
        Of winnable deals.
    episodes : int
        How many of its deals, from the first one on.
    folder : Path
        Where each agent has a file of JSON lines. Deals in it are not played again.
    workers : int
        Processes.
    report : callable, optional
        Called with an agent and how many of its deals are played, whenever some are.

    Raises
    ------
    ValueError
        If an agent is unknown, or a file holds something else.
    RuntimeError
        If a process died; what was played is kept.
    """
    for name in agents:
        make_agent(name, suite.rules)
    seeds = suite.seeds[:episodes].tolist()
    chunks = [seeds[first : first + CHUNK] for first in range(0, episodes, CHUNK)]
    folder.mkdir(parents=True, exist_ok=True)
    # interrupted or broken, the pool is left without waiting for deals nobody will look at
    pool = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    try:
        kept = {name: _play_agent(pool, name, suite, chunks, folder, report) for name in agents}
    except BrokenProcessPool:
        raise RuntimeError(
            "a process died; what was played is kept: the same command goes on from there"
        ) from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    table = [_standing(name, kept[name], seeds) for name in agents]
    return sorted(table, key=lambda standing: -standing.wins)


def _play_agent(
    pool: ProcessPoolExecutor,
    name: str,
    suite: Suite,
    chunks: list[list[int]],
    folder: Path,
    report: Callable[[str, int], None] | None,
) -> list[Chunk]:
    path = folder / f"{suite.name}_{name.replace('/', '_')}.jsonl"
    kept = list(read_chunks(path))
    played = {seed for chunk in kept for seed in chunk["seeds"]}
    missing = [left for chunk in chunks if (left := [s for s in chunk if s not in played])]
    with naming(path), path.open("a", encoding="utf-8") as file:
        for chunk in pool.map(partial(_play_chunk, name, suite.name), missing):
            file.write(json.dumps(chunk) + "\n")
            file.flush()
            kept.append(chunk)
            if report is not None:
                report(name, sum(len(c["seeds"]) for c in kept))
    return kept


def read_chunks(path: Path) -> Iterator[Chunk]:
    """Yield the chunks of a file, none if there is none; cuts off a line that was not finished.

    Raises
    ------
    ValueError
        If a line is damaged, plays a deal again or is of another version.
    """
    if not path.exists():
        return
    data = path.read_bytes()
    end = data.rfind(b"\n") + 1
    if end < len(data):
        os.truncate(path, end)
    seen: set[int] = set()
    for number, line in enumerate(data[:end].splitlines(), 1):
        try:
            chunk = json.loads(line)
            version = chunk["version"]
            is_sound = _is_sound(chunk) and seen.isdisjoint(chunk["seeds"])
        except (ValueError, KeyError, TypeError, RecursionError):
            is_sound = False
        if not is_sound:
            raise ValueError(f"{path}, line {number} is damaged: remove it, or the file")
        if version != __version__:
            raise ValueError(f"{path} is of version {str(version)[:20]!r}: remove it")
        seen.update(chunk["seeds"])
        yield chunk


def _is_sound(chunk: Chunk) -> bool:
    columns = [chunk[field] for field in ("seeds", *FIELDS)]
    numbers = [number for column in columns for number in column]
    return (
        {len(column) for column in columns} == {len(set(chunk["seeds"]))} != {0}
        and all(type(number) is int and 0 <= number < 2**63 for number in numbers)
        and set(chunk["won"]) <= {0, 1}
        and type(chunk["cpu_seconds"]) in (int, float)
        and 0 <= chunk["cpu_seconds"] < math.inf
    )


def _play_chunk(name: str, suite: str, seeds: list[int]) -> Chunk:
    agent = _ready_agent(name, suite)
    start = time.process_time()
    results = evaluate(agent, find_suite(suite).rules, seeds, batch_size=len(seeds))
    seconds = time.process_time() - start
    columns = {field: getattr(results, field).astype(int).tolist() for field in FIELDS}
    return {"seeds": seeds, **columns, "cpu_seconds": seconds, "version": __version__}


@lru_cache
def _ready_agent(name: str, suite: str) -> Agent:
    """Return an agent that has played a game, so that nothing is left to compile."""
    found = find_suite(suite)
    agent = make_agent(name, found.rules)
    evaluate(agent, found.rules, found.seeds[:1])
    return agent


def _standing(name: str, chunks: list[Chunk], seeds: list[int]) -> Standing:
    order = np.argsort(np.concatenate([chunk["seeds"] for chunk in chunks]))
    columns = {
        field: np.concatenate([chunk[field] for chunk in chunks])[order]
        for field in ("seeds", *FIELDS)
    }
    seconds = sum(chunk["cpu_seconds"] for chunk in chunks)
    milliseconds = 1000 * seconds / int(columns["steps"].sum())
    asked = np.isin(columns["seeds"], seeds)
    kept = {field: column[asked] for field, column in columns.items()}
    kept["won"] = kept["won"].astype(np.bool_)
    return Standing(name, EpisodeResults(**kept, seconds=seconds), milliseconds)


def share_of_all(standing: Standing, suite: Suite) -> tuple[int, int] | None:
    """Return how many an agent wins of all deals of the variant's suite, and how many these are.

    None if it has not played all of them that can be won.
    """
    whole = whole_suite(suite.variant)
    winnable = whole.seeds[np.array(list(whole.statuses)) == WINNABLE]
    among = np.isin(standing.results.seeds, winnable)
    if among.sum() < len(winnable):
        return None
    return int(standing.results.won[among].sum()), len(whole.seeds)
