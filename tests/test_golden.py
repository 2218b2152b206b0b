"""What an id did when it was made it does still."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

from scorpion_env import ENV_IDS
from tests import golden


@pytest.mark.parametrize("name", golden.CASES)
def test_games_are_as_recorded(name: str) -> None:
    wrong = golden.difference(name, golden.recorded()[name], golden.played(name))
    assert not wrong, wrong


def test_every_case_is_recorded_and_every_end_occurs() -> None:
    record = golden.recorded()
    assert record.keys() == golden.CASES.keys()
    assert set(golden.CASES) >= set(ENV_IDS.values())
    games = [game for case in record.values() for game in case]
    assert {game["end"] for game in games} == {"won", "stuck", "truncated"}
    assert sum(game["illegal"] for game in games) > len(games)


def test_a_difference_asks_for_a_new_version() -> None:
    was = golden.recorded()["ScorpionFlexible-v0"]
    now = deepcopy(was)
    now[2]["chunks"][1:] = ["0"] * len(now[2]["chunks"][1:])
    now[2]["score"] += 5
    told = golden.difference("ScorpionFlexible-v0", was, now)
    assert told.startswith("ScorpionFlexible-v0: seed 2: other from steps 20 to 39 on, score was ")
    assert "register ScorpionFlexible-v1" in told
    assert golden.difference("ScorpionFlexible-v0", was, was) == ""
    assert "not recorded yet" in golden.difference("ScorpionFlexible-v0", [], now)


def test_command_compares_and_writes_only_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    record, path = golden.recorded(), tmp_path / "golden.json"
    record["Scorpion-v0"][0]["chunks"][0] = "0"
    path.write_text(json.dumps(record))
    whole = golden.RECORD.read_bytes()
    monkeypatch.setattr(golden, "RECORD", path)
    assert golden.main([]) == 1
    said = capsys.readouterr()
    assert said.err.startswith("Scorpion-v0: seed 0: other from steps 0 to 19 on. ")
    assert said.err.count("\n") == 1
    assert path.read_text() == json.dumps(record)
    assert golden.main(["--write"]) == 0
    assert path.read_bytes() == whole
    assert [*tmp_path.iterdir()] == [path]
