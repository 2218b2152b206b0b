"""Sweeps: every deal once, whatever dies on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.winnable import main as winnable
from scorpion_env import VARIANTS
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.solver import Solver
from scorpion_env.solver.answers import (
    Answer,
    Question,
    SeedSolver,
    read_csv,
    read_json,
    write_csv,
    write_json,
)
from scorpion_env.solver.sweep import sweep, tally_of
from scorpion_env.solver.sweep_file import SweepError, SweepFile, options_path, read_answers
from scorpion_env.solver.tally import Tally
from scorpion_env.solver.workers import MOST_DEATHS, Workers

ROOT = Path(__file__).parents[1]
CLASSIC = VARIANTS["classic"]
QUESTION = Question(CLASSIC, nodes=20_000)
SEEDS = range(30)
SOLVE = [sys.executable, "-m", "scorpion_env.cli", "solve"]


@pytest.fixture(scope="module")
def answers() -> dict[int, Answer]:
    """What the solver says of each seed, without any sweep."""
    solver = SeedSolver(QUESTION)
    return {seed: solver.answer(seed)._replace(seconds=0) for seed in SEEDS}


def held(path: Path) -> dict[int, Answer]:
    """The answers that a file holds; no seed twice."""
    found = list(read_answers(path))
    by_seed = {answer.seed: answer._replace(seconds=0) for answer in found}
    assert len(by_seed) == len(found)
    return by_seed


def write(path: Path, answers: list[Answer], question: Question = QUESTION) -> None:
    with SweepFile(path, question) as file:
        for answer in answers:
            file.append(answer)


def run_until(command: list[str], output: Path, lines: int, number: int) -> tuple[int, str]:
    """Start a sweep, send it a signal when its file has some lines; return code and stderr."""
    process = subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    deadline = time.monotonic() + 120
    while not (output.exists() and output.read_bytes().count(b"\n") >= lines):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    # the terminal sends Ctrl-C to all; a kill hits one process
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    _, said = process.communicate(timeout=60)
    return process.returncode, said


def test_answers_are_those_of_the_environment_s_deals(answers: dict[int, Answer]) -> None:
    env, solver = ScorpionEnv(), Solver(CLASSIC, QUESTION.nodes)
    for seed, answer in answers.items():
        _, info = env.reset(seed=seed)
        assert info["deal"] == answer.deal
        assert solver.solve(Game(seed)).status == answer.status
        game = Game(deal=answer.deal)
        for action in answer.moves:
            game.play(action)
        assert game.is_won == (answer.status == "winnable")


@pytest.mark.parametrize(
    ("write_line", "read_line"), [(write_json, read_json), (write_csv, read_csv)]
)
def test_lines_read_back(
    answers: dict[int, Answer],
    write_line: Callable[[Answer], str],
    read_line: Callable[[str], Answer],
) -> None:
    for answer in answers.values():
        line = write_line(answer)
        assert "\n" not in line
        assert read_line(line) == answer


@pytest.mark.parametrize("name", ["deals.jsonl", "deals.csv"])
def test_a_sweep_goes_on_where_it_stopped(
    answers: dict[int, Answer], tmp_path: Path, name: str
) -> None:
    path = tmp_path / name
    write(path, [answers[seed] for seed in (3, 4, 11)])
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"seed":5,"deal"')  # torn by a kill
    tally = sweep(QUESTION, SEEDS, path, workers=2, silent=True)
    assert path.read_bytes().startswith(whole)
    assert held(path) == answers
    assert tally.deals == len(SEEDS)
    assert tally.winnable == sum(answer.status == "winnable" for answer in answers.values())
    before = path.read_bytes()
    assert sweep(QUESTION, SEEDS, path, silent=True).text() == tally_of(path).text()
    assert path.read_bytes() == before


def test_seeds_that_were_not_asked_for_are_not_counted(
    answers: dict[int, Answer], tmp_path: Path
) -> None:
    path = tmp_path / "deals.jsonl"
    write(path, list(answers.values()))
    assert sweep(QUESTION, range(10, 20), path, silent=True).deals == 10


def test_a_seed_is_counted_once(answers: dict[int, Answer], tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    write(path, [answers[0], answers[1], answers[0]])
    assert tally_of(path).deals == 2
    assert sweep(QUESTION, range(2), path, silent=True).deals == 2


@pytest.mark.parametrize("length", [0, 5, 60])
def test_a_torn_first_line_is_cut(answers: dict[int, Answer], tmp_path: Path, length: int) -> None:
    path = tmp_path / "deals.csv"
    write(path, [answers[0]])
    path.write_bytes(path.read_bytes()[:length])
    write(path, [answers[1]])
    assert held(path) == {1: answers[1]}


@pytest.mark.parametrize(
    ("other", "named"),
    [
        (replace(QUESTION, nodes=7), "nodes=20000, now asked is nodes=7"),
        (replace(QUESTION, certificates=False), "certificates=true, now asked is certificates="),
        (Question(VARIANTS["wasp"], QUESTION.nodes), 'rules.empty_column="king", now asked is'),
    ],
)
def test_other_options_are_refused(
    answers: dict[int, Answer], tmp_path: Path, other: Question, named: str
) -> None:
    path = tmp_path / "deals.jsonl"
    write(path, [answers[0]])
    with pytest.raises(SweepError, match=named):
        sweep(other, SEEDS, path, silent=True)
    assert held(path) == {0: answers[0]}


def test_files_of_others_are_refused(answers: dict[int, Answer], tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    path.write_text("my notes\n")
    with pytest.raises(SweepError, match="does not say what it holds: name another output"):
        sweep(QUESTION, SEEDS, path, silent=True)
    assert path.read_text() == "my notes\n"
    path.unlink()
    write(path, [answers[0]])
    with path.open("a") as file:
        file.write("my notes\n")
    with pytest.raises(SweepError, match="line 2 is no answer"):
        sweep(QUESTION, SEEDS, path, silent=True)
    with SweepFile(tmp_path / "used.jsonl", QUESTION), pytest.raises(SweepError, match="another"):
        SweepFile(tmp_path / "used.jsonl", QUESTION)


def test_a_file_begun_without_an_answer_takes_other_options(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    write(path, [])
    write(path, [], replace(QUESTION, nodes=7))
    assert json.loads(options_path(path).read_text())["nodes"] == 7


def test_killed_at_any_moment(tmp_path: Path) -> None:
    path = tmp_path / "deals.jsonl"
    command = [*SOLVE, "--seeds", "0:100000", "--output", str(path), "--workers", "2"]
    code, _ = run_until([*command, "--nodes", "20000"], path, 20, signal.SIGKILL)
    assert code == -signal.SIGKILL
    time.sleep(0.2)
    before = path.read_bytes()
    whole = before[: before.rfind(b"\n") + 1]
    end = max(answer.seed for answer in read_answers(path)) + 10
    tally = sweep(QUESTION, range(end), path, workers=2, silent=True)
    assert path.read_bytes().startswith(whole)
    assert sorted(held(path)) == list(range(end))
    assert tally.deals == end


def test_ctrl_c_says_how_to_go_on(tmp_path: Path) -> None:
    path = tmp_path / "deals.csv"
    command = [*SOLVE, "--seeds", "0:100000", "--output", str(path), "--workers", "2"]
    code, said = run_until(command, path, 5, signal.SIGINT)
    assert code == 130
    assert "the same command goes on from there" in said
    assert "Traceback" not in said
    assert path.read_bytes().endswith(b"\n")


def test_a_dead_worker_is_replaced(answers: dict[int, Answer]) -> None:
    workers = Workers(QUESTION, 2, iter([tuple(SEEDS[:10]), tuple(SEEDS[10:20]), (20,)]))
    found = []
    for answer in workers.answers():
        found.append(answer._replace(seconds=0))
        if len(found) in (3, 9):
            os.kill(workers._pool[0].process.pid or 0, signal.SIGKILL)
    assert sorted(found) == [answers[seed] for seed in range(21)]


def test_a_deal_that_always_ends_its_worker_ends_the_sweep() -> None:
    workers = Workers(QUESTION, 1, iter([(7,)]))
    workers._hire(1)
    for death in range(1, MOST_DEATHS + 1):
        worker = workers._pool[0]
        worker.give((7,))
        worker.process.kill()
        if death < MOST_DEATHS:
            workers._replace(worker)
    with pytest.raises(SweepError, match=f"{MOST_DEATHS} processes ended at seed 7"):
        workers._replace(worker)


def test_too_little_memory_is_told(tmp_path: Path) -> None:
    with pytest.raises(SweepError, match="the solver cannot be set up: "):
        sweep(Question(CLASSIC, 10**14), SEEDS, tmp_path / "a.jsonl", workers=1, silent=True)


def test_unknown_deals_widen_the_interval() -> None:
    nothing = Answer(0, 1, "unknown", 10, 0.5, (), None)
    tally = Tally(winnable=20, unwinnable=80)
    low, high = tally.interval
    assert (low, high) == pytest.approx((0.1334, 0.2888), abs=1e-4)
    tally.add(nothing)
    tally.add(nothing)
    assert tally.interval[0] < low
    assert tally.interval[1] > high
    assert tally.rates == (20 / 102, 22 / 102)
    assert "2 unknown" in tally.text()
    assert Tally().text() == "0 deals"


def test_the_table_never_solves_twice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plot = tmp_path / "plot.png"
    command = ["classic:20", "--nodes", "1000", "--folder", str(tmp_path), "--plot", str(plot)]
    winnable(command)
    said = capsys.readouterr().out
    assert said.count("\n") == 3
    assert "| `classic` | " in said
    assert plot.stat().st_size > 1000
    before = {path: path.read_bytes() for path in tmp_path.glob("*.jsonl")}
    winnable(["classic:10", *command[1:]])
    assert capsys.readouterr().out.count(" | 10 | ") == 1
    assert {path: path.read_bytes() for path in tmp_path.glob("*.jsonl")} == before
    for wrong in ("chess:5", "classic", "classic:0", "classic:-1"):
        with pytest.raises(SystemExit):
            winnable([wrong])
