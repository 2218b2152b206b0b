"""Sweeps on a Ray cluster of this machine."""

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from scorpion_env import VARIANTS
from scorpion_env.solver.answers import Question, SeedSolver
from scorpion_env.solver.sweep_file import read_answers

ROOT = Path(__file__).parents[1]
DEALS, NODES = 1500, 20_000

pytestmark = pytest.mark.skipif(
    find_spec("ray") is None, reason="Ray is not installed: pip install 'scorpion-env[distributed]'"
)


def descendants(process: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    found = [int(child) for child in children]
    return found + [below for child in found for below in descendants(child)]


def workers_of(process: int) -> list[int]:
    """The Ray workers among a process's descendants that solve a chunk."""
    return [
        pid
        for pid in descendants(process)
        if "solve_chunk" in Path(f"/proc/{pid}/cmdline").read_text()
    ]


def test_a_killed_worker_s_chunk_is_done_again_and_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    command = [sys.executable, "-m", "scorpion_env.cli", "solve", "--seeds", f"0:{DEALS}"]
    command += ["--nodes", str(NODES), "--output", str(path), "--ray"]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 200
    while not (path.exists() and path.read_bytes().count(b"\n") and workers_of(process.pid)):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    assert path.read_bytes().count(b"\n") < DEALS
    said, _ = process.communicate(timeout=200)
    assert process.returncode == 0
    assert f"{DEALS} deals: " in said
    answers = list(read_answers(path))
    assert sorted(answer.seed for answer in answers) == list(range(DEALS))
    solver = SeedSolver(Question(VARIANTS["classic"], NODES))
    for answer in answers[:: DEALS // 20]:
        assert answer._replace(seconds=0) == solver.answer(answer.seed)._replace(seconds=0)


def test_a_cluster_that_is_not_there_is_told(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "scorpion_env.cli", "solve", "--seeds", "0:9"]
    command += ["--output", str(tmp_path / "deals.jsonl"), "--ray", "nowhere"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "scorpion: no Ray cluster answers at nowhere" in done.stderr
    assert "Traceback" not in done.stderr
