"""A share of the damaged inputs of ``python -m tests.fuzz``, and what they have found."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agents.__main__ import main as agents
from agents.leaderboard import FIELDS, read_chunks
from scorpion_env import __version__
from scorpion_env.cli import main as scorpion
from scorpion_env.solver.sweep import tally_of
from scorpion_env.solver.sweep_file import SweepError
from tests.fuzz import KINDS, fuzz
from train.__main__ import main as train
from train.config import ConfigError, load_config

INPUTS = range(2000)


def test_damaged_inputs_are_refused_or_come_back() -> None:
    outcomes, failures = fuzz(INPUTS, seed=1)
    assert not failures, failures[0]
    assert outcomes.total() == len(INPUTS)
    for name in KINDS:
        assert outcomes[name, "refused"] > 10, name
        assert outcomes[name, "accepted"] > 0, name


def test_a_failure_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Guards the fuzzer: an error that is not documented is a failure."""

    def broken(given: Any) -> None:
        raise KeyError(given[0])

    monkeypatch.setitem(KINDS, "moves", KINDS["moves"]._replace(check=broken))
    outcomes, failures = fuzz(range(len(KINDS)), seed=1)
    assert outcomes["moves", "failed"] == len(failures) == 1
    assert "KeyError" in failures[0]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("seed: 2020-13-45\n", "a value is none: month must be in 1..12"),
        ("seed: !!int ''\n", "a value is none"),
        ("seed: !!bool x\n", "a value is none"),
        ("seed: !!timestamp x\n", "a value is none"),
        ("[" * 3000, "nested too deeply"),
        ("seed: &a [*a]\n", "write the value out, not *"),
        ("a: &a [x, x]\nb: [*a, *a]\n", "write the value out, not *"),
        ("seed: 0x" + "f" * 5000, "a number of too many digits"),
    ],
)
def test_yaml_that_is_none(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(ConfigError) as refusal:
        load_config(path)
    assert said in str(refusal.value)
    assert train([str(path), "--runs", str(tmp_path)]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("deals.csv", b"3,1,winnable,4,0.1,1 2,\x00\n"),
        ("deals.csv", b'3,1,winnable,4,0.1,1 2,"' + b"x" * 200_000 + b'"\n'),
        ("deals.csv", b"3,1,winnable,4,nan,1 2,\n"),
        ("deals.jsonl", b"\xff\n"),
        ("deals.jsonl", b"[" * 100_000 + b"\n"),
        ("deals.jsonl", b'{"seed":3,"deal":1,"status":"winnable","nodes":"4","seconds":0.1,'
                        b'"moves":[],"certificate":null}\n'),
    ],
)  # fmt: skip
def test_lines_that_are_no_answers(name: str, line: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(line)
    with pytest.raises(SweepError, match="line 1 is no answer of a sweep: delete the line"):
        tally_of(tmp_path / name)


@pytest.mark.parametrize(
    "changed",
    [{"seeds": [3, 3]}, {"seeds": [[3], 4]}, {"won": [2, 0]}, {"cpu_seconds": "1"}, {"seeds": []}],
)
def test_chunks_that_are_none(changed: dict[str, Any], tmp_path: Path) -> None:
    columns = {field: [1, 0] for field in FIELDS}
    chunk = {"seeds": [3, 4], **columns, "cpu_seconds": 1, "version": __version__}
    path = tmp_path / "chunks.jsonl"
    path.write_text(json.dumps(chunk) + "\n")
    assert list(read_chunks(path)) == [chunk]
    path.write_text(json.dumps(chunk | changed) + "\n")
    with pytest.raises(ValueError, match="line 1 is damaged"):
        list(read_chunks(path))
    path.write_text(2 * (json.dumps(chunk) + "\n"))
    with pytest.raises(ValueError, match="line 2 is damaged"):  # nothing is counted twice
        list(read_chunks(path))


def test_what_asks_for_too_much_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    for main, words in (
        (scorpion, ["solve", "--seed", "3", "--nodes", str(10**14)]),
        (scorpion, ["solve", "--seed", "3", "--nodes", str(10**30)]),
        (agents, [f"search:worlds={10**30}", "--seeds", "0:1"]),
    ):
        assert main(words) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_the_command_prints_a_table() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--only", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "| policy files | 1 | 0 | 0 |" in done.stdout or "| policy files | 0 | 1" in done.stdout
