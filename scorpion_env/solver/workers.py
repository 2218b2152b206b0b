"""Solving many deals in processes of this machine; one that dies is replaced."""

from __future__ import annotations

import signal
import threading
from collections import Counter, deque
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait

from scorpion_env.solver.answers import Answer, Question, SeedSolver
from scorpion_env.solver.sweep_file import SweepError

MOST_DEATHS = 3  # so many processes may die of one deal

_READY = "ready"
_NO_SEED = -1  # where a process died before it was given one


def work(pipe: Connection, question: Question) -> None:
    """Answer the seeds that come through a pipe, one by one, until it closes."""
    try:
        solver = SeedSolver(question)
        pipe.send(_READY)
        while True:
            for seed in pipe.recv():
                pipe.send(solver.answer(seed))
    except (EOFError, OSError):
        return  # the process that leads is gone
    except Exception as problem:
        pipe.send(problem)


class _Worker:
    """A process and the seeds that it has not answered yet."""

    def __init__(self, question: Question) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=work, args=(theirs, question), daemon=True)
        with _deaf_to_interrupts():
            self.process.start()
        theirs.close()  # else its end would not be noticed here
        self.waiting: deque[int] = deque()

    @property
    def seed(self) -> int:
        """The seed at hand."""
        return self.waiting[0] if self.waiting else _NO_SEED

    def give(self, seeds: Sequence[int]) -> None:
        """Let it answer these seeds; if it is dead, that is noticed at the next look."""
        self.waiting.extend(seeds)
        try:
            self.pipe.send(tuple(seeds))
        except OSError:
            return

    def end(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes started here ignore Ctrl-C: it is for the one that leads, which ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


class Workers:
    """Processes that answer a question for chunks of seeds.

    Parameters
    ----------
    question : Question
        What is asked.
    count : int
        How many processes. The first one compiles alone where nothing is compiled yet.
    chunks : iterator of sequences of int
        What to answer it for.
    """

    def __init__(self, question: Question, count: int, chunks: Iterator[Sequence[int]]) -> None:
        self._question, self._count, self._chunks = question, count, chunks
        self._pool: list[_Worker] = []
        self._again: deque[Sequence[int]] = deque()
        self._deaths: Counter[int] = Counter()

    def answers(self) -> Generator[Answer, None, None]:
        """Yield the answer for each seed, in the order in which they come.

        Raises
        ------
        SweepError
            If a deal cannot be solved.
        """
        try:
            self._hire(1)
            while self._pool:
                for pipe in wait([worker.pipe for worker in self._pool]):
                    worker = next(w for w in self._pool if w.pipe is pipe)
                    answer = self._hear(worker)
                    if answer is not None:
                        yield answer
        finally:
            for worker in self._pool:
                worker.end()
            self._pool.clear()

    def _hire(self, count: int) -> None:
        self._pool += [_Worker(self._question) for _ in range(count)]

    def _hear(self, worker: _Worker) -> Answer | None:
        """Take what a worker says and see to what follows from it."""
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            self._replace(worker)
            return None
        if isinstance(said, Exception):
            place = (
                "the solver cannot be set up" if worker.seed == _NO_SEED else f"seed {worker.seed}"
            )
            raise SweepError(f"{place}: {said}")
        answer = None if said == _READY else said
        if answer is None:
            self._hire(self._count - 1)
            self._count = 1
        else:
            worker.waiting.popleft()
        if not worker.waiting:
            self._employ(worker)
        return answer

    def _employ(self, worker: _Worker) -> None:
        """Give a worker more to do, or let it go."""
        chunk = self._again.popleft() if self._again else next(self._chunks, None)
        if chunk is None:
            self._pool.remove(worker)
            worker.end()
        else:
            worker.give(chunk)

    def _replace(self, worker: _Worker) -> None:
        """Hire another for a dead worker, and have its seeds done again."""
        self._pool.remove(worker)
        worker.end()
        self._deaths[worker.seed] += 1
        if self._deaths[worker.seed] == MOST_DEATHS:
            place = "at their start" if worker.seed == _NO_SEED else f"at seed {worker.seed}"
            raise SweepError(
                f"{MOST_DEATHS} processes ended {place}: is there too little memory for so many "
                "workers or nodes?"
            )
        if worker.waiting:
            self._again.append(tuple(worker.waiting))
        self._hire(1)
