"""Solving many deals on a Ray cluster; Ray is imported only here."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from functools import lru_cache
from typing import Any

from scorpion_env.solver.answers import Answer, Question, SeedSolver
from scorpion_env.solver.sweep_file import SweepError

HERE = "here"  # no address: the cluster that Ray finds, else one of this machine
MOST_DEATHS = 3  # so often a chunk is done again if its worker dies
_AHEAD = 2  # chunks given out for each core


def solve_chunk(question: Question, seeds: Sequence[int]) -> list[Answer]:
    """Answer a question for some seeds; runs on a worker of the cluster."""
    solver = _solver(question)
    return [solver.answer(seed) for seed in seeds]


@lru_cache(maxsize=1)
def _solver(question: Question) -> SeedSolver:
    return SeedSolver(question)


def answers_on_ray(
    question: Question, chunks: Iterator[Sequence[int]], address: str
) -> Generator[Answer, None, None]:
    """Yield the answer for each seed of ``chunks``, a chunk at a time, in the order they come.

    A chunk is counted when all of it has arrived. If its worker dies, Ray has another do it.

    Parameters
    ----------
    question : Question
        What is asked. All nodes of the cluster need this library in this version.
    chunks : iterator of sequences of int
        The seeds.
    address : str
        Where the cluster is (``ray start --head`` prints it), or `HERE`.

    Raises
    ------
    SweepError
        If Ray is not installed, no cluster answers, or a chunk cannot be solved.
    """
    ray = _import_ray()
    try:
        ray.init(
            address=None if address == HERE else address,
            logging_level="warning",
            log_to_driver=False,
            configure_logging=False,
        )
    except (ConnectionError, ValueError, RuntimeError) as problem:
        raise SweepError(f"no Ray cluster answers at {address}: {problem}") from None
    try:
        remote = ray.remote(max_retries=MOST_DEATHS)(solve_chunk)
        yield from _collected(ray, remote, question, chunks)
    except ray.exceptions.RayError as problem:
        raise SweepError(f"a chunk cannot be solved on Ray: {problem}") from None
    finally:
        ray.shutdown()


def _collected(
    ray: Any, remote: Any, question: Question, chunks: Iterator[Sequence[int]]
) -> Iterator[Answer]:
    """Yield answers while the cluster always has some chunks ahead."""
    waiting: list[Any] = []
    shared = ray.put(question)
    while True:
        ahead = _AHEAD * int(ray.cluster_resources().get("CPU", 1)) + 1
        while len(waiting) < ahead and (chunk := next(chunks, None)) is not None:
            waiting.append(remote.remote(shared, chunk))
        if not waiting:
            return
        done, waiting = ray.wait(waiting, num_returns=1)
        yield from ray.get(done[0])


def _import_ray() -> Any:
    try:
        import ray
        import ray.exceptions
    except ImportError:
        raise SweepError(
            "Ray is not installed: pip install 'scorpion-env[distributed]', or leave --ray out"
        ) from None
    return ray
