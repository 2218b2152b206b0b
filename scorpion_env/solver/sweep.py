"""Solving the deals of many seeds into a file that can be continued."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from scorpion_env.solver.answers import Answer, Question
from scorpion_env.solver.on_ray import answers_on_ray
from scorpion_env.solver.progress import Progress
from scorpion_env.solver.sweep_file import SweepFile, read_answers
from scorpion_env.solver.tally import Tally
from scorpion_env.solver.workers import Workers

CHUNK = 8  # seeds that a process is given at a time
RAY_CHUNK = 64


def sweep(
    question: Question,
    seeds: range,
    output: Path,
    workers: int | None = None,
    ray: str | None = None,
    silent: bool = False,
) -> Tally:
    """Solve the deals of ``seeds`` that ``output`` does not hold yet; return the tally of all.

    Each answer is a line of the file as soon as it is known. Killed at any moment the sweep loses
    the deals at hand; called again it goes on, and no deal is counted twice.

    Parameters
    ----------
    question : Question
        What is asked of each deal.
    seeds : range
        Seed ``s`` is the deal of ``ScorpionEnv.reset(seed=s)``.
    output : Path
        See `SweepFile`.
    workers : int, optional
        How many processes share the work, one for each core by default.
    ray : str, optional
        The address of a Ray cluster to work on instead, or `on_ray.HERE`.
    silent : bool
        Whether nothing is said of the progress.

    Raises
    ------
    SweepError
        If the sweep cannot begin or go on; the message says why.
    ValueError
        If there are less than one worker.
    """
    count = (os.cpu_count() or 1) if workers is None else workers
    if count < 1:
        raise ValueError(f"workers={workers} must be at least 1")
    with SweepFile(output, question) as file:
        done, tally = bytearray(len(seeds)), Tally()
        for answer in read_answers(output):
            if answer.seed in seeds and not done[answer.seed - seeds.start]:
                done[answer.seed - seeds.start] = 1
                tally.add(answer)
        left = len(seeds) - tally.deals
        if ray is not None:
            answers = answers_on_ray(question, _chunks(seeds, done, RAY_CHUNK), ray)
        else:
            count = min(count, -(-left // CHUNK))
            answers = Workers(question, count, _chunks(seeds, done, CHUNK)).answers()
        if left:
            _collect(answers, file, tally, None if silent else Progress(len(seeds), tally))
    return tally


def sweep_path(folder: Path, name: str, nodes: int) -> Path:
    """Return where a folder of sweeps without certificates keeps that of named rules."""
    return folder / f"{name}-{nodes}.jsonl"


def tally_of(path: Path) -> Tally:
    """Return the tally of a sweep's file.

    Raises
    ------
    SweepError
        If a line is no answer.
    OSError
        If the file cannot be read.
    """
    tally, seen = Tally(), set()
    for answer in read_answers(path):
        if answer.seed not in seen:
            seen.add(answer.seed)
            tally.add(answer)
    return tally


def _collect(
    answers: Generator[Answer, None, None], file: SweepFile, tally: Tally, progress: Progress | None
) -> None:
    try:
        with closing(answers):
            for answer in answers:
                file.append(answer)
                tally.add(answer)
                if progress is not None:
                    progress.update()
    finally:
        if progress is not None:
            progress.close()


def _chunks(seeds: range, done: bytearray, size: int) -> Iterator[Sequence[int]]:
    """Yield the seeds that are not done, some at a time."""
    chunk: list[int] = []
    for place, seed in enumerate(seeds):
        if not done[place]:
            chunk.append(seed)
            if len(chunk) == size:
                yield tuple(chunk)
                chunk = []
    if chunk:
        yield tuple(chunk)
