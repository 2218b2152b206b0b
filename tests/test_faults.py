"""A full disk, a folder that takes no files, a killed worker: one line, and nothing is lost.

A limit on the size of files stands for the full disk: the system refuses the write, whoever asks.
"""

import multiprocessing
import os
import resource
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents import leaderboard
from agents.__main__ import main as agents
from agents.evaluation import evaluate
from agents.registry import make_agent
from scorpion_env.cli import main as scorpion
from scorpion_env.solver import sweep as sweeping
from scorpion_env.solver.answers import Answer, Question, SeedSolver
from scorpion_env.solver.sweep_file import read_answers
from scorpion_env.suites import find_suite
from tests.test_train import metrics, start, write_config
from train.__main__ import main as train
from train.checkpoint import checkpoints

SUITE = find_suite("classic-winnable")


@contextmanager
def full_disk(room: int) -> Iterator[None]:
    """Let no file grow beyond ``room`` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder that takes no files; root is kept out by none of its own."""
    if os.geteuid() == 0:
        yield Path("/sys")
        return
    folder = tmp_path / "read_only"
    folder.mkdir(mode=0o500)
    yield folder
    folder.chmod(0o700)


def said_last(capsys: pytest.CaptureFixture[str]) -> str:
    """The last line of what was said of a mistake, where no line is a traceback's."""
    lines = capsys.readouterr().err.splitlines()
    assert not any(line.startswith(("Traceback", "Exception")) for line in lines)
    return lines[-1]


WHOLE: list[tuple[Callable[[list[str]], int], list[str], str]] = [
    (agents, ["random", "--seeds", "0:9", "--json"], "table.json"),
    (agents, ["random", "--seeds", "0:9", "--record"], "games.jsonl"),
    (scorpion, ["solve", "--seed", "3", "--nodes", "20000", "--record"], "games.jsonl"),
    (scorpion, ["replay", "{games}", "-o"], "page.html"),
]


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "recorded" / "games.jsonl"
    path.parent.mkdir()
    assert agents(["random", "--seeds", "0:1", "--record", str(path)]) == 0
    return path


@pytest.mark.parametrize(("main", "words", "name"), WHOLE)
def test_a_full_disk_leaves_the_older_file(
    main: Callable[[list[str]], int],
    words: list[str],
    name: str,
    games: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / "out" / name
    path.parent.mkdir()
    command = [*(word.replace("{games}", str(games)) for word in words), str(path)]
    assert main(command) == 0
    before = path.read_bytes()
    with full_disk(100):
        assert main(command) == 2
    assert str(path) in said_last(capsys)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("main", "words"),
    [
        *((main, [*words, "{}/" + name]) for main, words, name in WHOLE),
        (agents, ["--leaderboard", "random", "--episodes", "5", "--folder", "{}/board"]),
        (agents, ["--leaderboard", "random", "--episodes", "5", "--plot", "{}/plot.png"]),
        (scorpion, ["solve", "--seeds", "0:9", "--output", "{}/deals.jsonl"]),
        (scorpion, ["suites", "--rules", "wasp", "--output", "{}/suites"]),
        (train, ["{config}", "--no-progress", "--runs", "{}/runs"]),
    ],
)
def test_a_read_only_folder_is_told_in_a_line(
    main: Callable[[list[str]], int],
    words: list[str],
    games: Path,
    read_only: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    places = {"{games}": str(games), "{config}": str(write_config(tmp_path)), "{}": str(read_only)}
    for mark, place in places.items():
        words = [word.replace(mark, place) for word in words]
    capsys.readouterr()
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert str(read_only) in said


class HereAlone:
    """Solves in this process, as `scorpion_env.solver.workers.Workers` does in others."""

    def __init__(self, question: Question, count: int, chunks: Iterator[Sequence[int]]) -> None:
        self._solver, self._chunks = SeedSolver(question), chunks

    def answers(self) -> Iterator[Answer]:
        for chunk in self._chunks:
            yield from map(self._solver.answer, chunk)


@pytest.mark.parametrize("name", ["deals.jsonl", "deals.csv"])
def test_a_sweep_goes_on_after_a_full_disk(
    name: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sweeping, "Workers", HereAlone)
    path = tmp_path / name
    command = ["solve", "--nodes", "1000", "--output", str(path), "--seeds"]
    assert scorpion([*command, "0:3"]) == 0
    before = path.read_bytes()
    with full_disk(len(before) + 50):
        assert scorpion([*command, "0:6"]) == 2
    assert str(path) in said_last(capsys)
    assert path.read_bytes()[: len(before)] == before
    assert scorpion([*command, "0:6"]) == 0
    assert [answer.seed for answer in read_answers(path)] == list(range(6))


class PoolHere:
    """Does in this process what a pool of processes does, in the same order."""

    def __init__(self, workers: int, mp_context: Any) -> None:
        self.map = map

    def shutdown(self, wait: bool, cancel_futures: bool) -> None:
        """Leave nothing behind, as it began nothing."""


def test_a_leaderboard_goes_on_after_a_full_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaderboard, "ProcessPoolExecutor", PoolHere)
    path = tmp_path / "classic-winnable_random.jsonl"
    command = ["--leaderboard", "random", "--folder", str(tmp_path), "--episodes"]
    assert agents([*command, "50"]) == 0
    before = path.read_bytes()
    with full_disk(len(before) + 50):
        assert agents([*command, "120"]) == 2
    assert str(path) in said_last(capsys)
    assert path.read_bytes()[: len(before)] == before
    assert agents([*command, "120"]) == 0
    played = [seed for chunk in leaderboard.read_chunks(path) for seed in chunk["seeds"]]
    assert sorted(played) == SUITE.seeds[:120].tolist()


def test_a_training_run_goes_on_after_a_full_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, whole = start(tmp_path, "whole", "--set", "evaluation.every=0")
    shorter = ["--set", "evaluation.every=0", "--set", "total_steps=512"]
    _, run = start(tmp_path, "run", *shorter)
    (run / "config.yaml").write_text((whole / "config.yaml").read_text())
    for checkpoint in checkpoints(run)[1:]:  # its learning rate fell faster
        for path in checkpoint.iterdir():
            path.unlink()
        checkpoint.rmdir()
    first = checkpoints(run)[0]
    files = {path: path.read_bytes() for path in [*first.iterdir(), run / "policy.safetensors"]}
    with full_disk(len(files[first / "model.zip"]) // 2):
        assert train(["--resume", str(run), "--no-progress"]) == 2
    assert "model.zip cannot be written: " in said_last(capsys)
    assert {path: path.read_bytes() for path in files} == files
    assert train(["--resume", str(run), "--no-progress"]) == 0
    assert metrics(run) == metrics(whole)
    assert (run / "policy.safetensors").read_bytes() == (whole / "policy.safetensors").read_bytes()


def test_a_killed_worker_of_a_leaderboard_costs_no_deal(tmp_path: Path) -> None:
    def kill(agent: str, done: int) -> None:
        for child in multiprocessing.active_children():
            os.kill(child.pid or 0, signal.SIGKILL)

    path = tmp_path / "classic-winnable_random.jsonl"
    seeds = SUITE.seeds[:2000]
    with pytest.raises(RuntimeError, match="a process died; what was played is kept: the same"):
        leaderboard.play(["random"], SUITE, len(seeds), tmp_path, 1, kill)
    before = path.read_bytes()
    assert 1 <= before.count(b"\n") < len(seeds) / leaderboard.CHUNK
    (standing,) = leaderboard.play(["random"], SUITE, len(seeds), tmp_path, 1)
    assert path.read_bytes()[: len(before)] == before
    alone = evaluate(make_agent("random", "classic"), "classic", seeds)
    assert standing.results.seeds.tolist() == seeds.tolist()
    np.testing.assert_array_equal(standing.results.won, alone.won)
