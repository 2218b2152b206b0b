"""The command line: one deal in words, mistakes in a line, bars only on terminals."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from scorpion_env.cli import main
from scorpion_env.game import Game
from scorpion_env.records import read_records
from scorpion_env.solver.progress import Progress
from scorpion_env.solver.tally import Tally
from scorpion_env.suites import find_suite

ROOT = Path(__file__).parents[1]


def test_a_lost_deal_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["solve", "--deal", "ms1"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("This deal cannot be won. The face-down 9S can never be turned.")
    assert "A blocking cycle: " in said


def test_a_winnable_deal_comes_with_its_moves(capsys: pytest.CaptureFixture[str]) -> None:
    seed = next(seed for seed in range(100) if _is_winnable(seed, capsys))
    number = str(Game(seed).deal_number)
    assert main(["solve", "--number", number]) == 0
    said = capsys.readouterr().out
    head, _, moves = said.partition(" moves: ")
    game = Game(deal=int(number))
    for move in moves.split():
        game.play(move)
    assert game.is_won
    assert head == f"This deal can be won in {len(moves.split())}"
    assert main(["solve", "--number", number, "--nodes", "2"]) == 0
    assert "Not decided after 2 positions" in capsys.readouterr().out


def _is_winnable(seed: int, capsys: pytest.CaptureFixture[str]) -> bool:
    main(["solve", "--seed", str(seed)])
    return "can be won" in capsys.readouterr().out


def test_won_games_are_recorded(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    games, deals = tmp_path / "games.jsonl", tmp_path / "deals.jsonl"
    solve = ["solve", "--nodes", "20000", "--record", str(games)]
    assert main([*solve, "--seeds", "3:14", "--output", str(deals), "--workers", "1"]) == 0
    assert f"2 won games recorded in {games}" in capsys.readouterr().out
    records = list(read_records(games))
    assert [record.seed for record in records] == find_suite("classic-winnable").seeds[:2].tolist()
    assert {(record.player, record.ended) for record in records} == {("solver", "won")}
    assert main([*solve, "--seed", "3"]) == 0
    assert list(read_records(games)) == records[:1]
    assert main([*solve, "--deal", "ms1"]) == 0
    assert list(read_records(games)) == []
    assert "0 won games recorded" in capsys.readouterr().out


def test_boards_and_other_rules(capsys: pytest.CaptureFixture[str]) -> None:
    board = Game(5, "wasp").to_text(reveal=True)
    assert main(["solve", "--deal", board, "--rules", "wasp"]) == 0
    assert capsys.readouterr().out.startswith("This deal can")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--seeds", "5"], "seeds '5' are no range: write first:end"),
        (["--seeds", "9:3", "--output", "{}"], "seeds '9:3' name 0 games"),
        (["--seeds", "0:9"], "--seeds needs --output"),
        (["--seeds", "0:9", "--output", "{}", "--rules", "chess"], "rules='chess' is unknown"),
        (["--seeds", "0:9", "--output", "{}", "--nodes", "0"], "--nodes must be at least 1"),
        (["--seeds", "0:9", "--output", "{}", "--workers", "0"], "workers=0 must be at least 1"),
        (["--seeds", "0:9", "--output", "{}/no/a.jsonl"], "No such file or directory"),
        (["--deal", "nothing"], "'nothing' is no deal"),
        (["--seed", "-1"], "seed=-1 must be a whole number from 0 up"),
        (["--summary", "{}"], "No such file or directory"),
        (["--summary", "{}", "--record", "{}"], "--record goes with deals to solve"),
        (["--seeds", "0:9", "--output", "{}", "--record", "{}"], "name the same file"),
        (["--seed", "1", "--record", "{}/no/games.jsonl"], "cannot be written"),
    ],
)
def test_mistakes_take_a_line(
    arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(tmp_path / "deals.jsonl")
    assert main(["solve", *(argument.replace("{}", path) for argument in arguments)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("scorpion: ")
    assert said in error
    assert error.count("\n") == 1
    assert not list(tmp_path.iterdir())


def test_exactly_one_thing_is_asked(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in ([], ["--deal", "1", "--seeds", "0:9"]):
        with pytest.raises(SystemExit, match="2"):
            main(["solve", *arguments])
        assert capsys.readouterr().err.startswith("scorpion solve: ")


def test_ray_is_asked_for_where_it_is_missing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    path = tmp_path / "deals.jsonl"
    assert main(["solve", "--seeds", "0:9", "--output", str(path), "--ray"]) == 2
    assert "pip install 'scorpion-env[distributed]'" in capsys.readouterr().err


def test_no_bar_without_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scorpion_env.solver.progress.SECONDS_BETWEEN_LINES", 0)
    progress = Progress(10, Tally(winnable=1, unwinnable=3))
    progress.update()
    progress.close()
    said = capsys.readouterr().err
    assert said.startswith("4/10 deals")
    assert "25.00% won [" in said
    assert said.count("\n") == 1


def test_a_terminal_gets_a_bar_or_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    progress = Progress(10, Tally(winnable=1, unwinnable=3))
    progress.update()
    progress.close()
    assert "\r" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm", None)
    monkeypatch.setattr("scorpion_env.solver.progress.SECONDS_BETWEEN_LINES", 0)
    Progress(10, Tally(winnable=1, unwinnable=3)).update()
    assert capsys.readouterr().err.startswith("4/10 deals")


def test_the_script_is_the_module() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    assert scripts == {"scorpion": "scorpion_env.cli:main"}
    command = [sys.executable, "-m", "scorpion_env.cli", "--version"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("scorpion ")
