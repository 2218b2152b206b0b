"""Records of games: what is written is read back and played again; anything else is refused."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from scorpion_env import VARIANTS
from scorpion_env.deals import read_deal
from scorpion_env.game import Game
from scorpion_env.notation import name_card
from scorpion_env.records import (
    GameRecord,
    RecordError,
    append_record,
    read_records,
    record_actions,
    record_game,
    write_records,
)
from scorpion_env.solver import solve
from scorpion_env.suites import find_suite
from tests.lockstep import RULE_SETS
from tests.random_games import (
    RULE_NAMES,
    SEEDS,
    few,
    play_on,
    random_actions,
    random_game,
    some,
)
from tests.random_rules import random_rules


@cache
def scratch_file() -> Path:
    """Return a file for properties, which take no fixture anew for every example."""
    return Path(tempfile.mkdtemp()) / "games.jsonl"


def written(tmp_path: Path, *records: GameRecord) -> Path:
    path = tmp_path / "games.jsonl"
    write_records(path, records)
    return path


def read_back(tmp_path: Path, *records: GameRecord) -> list[GameRecord]:
    return list(read_records(written(tmp_path, *records)))


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_random_games_of_every_variant_come_back(name: str, tmp_path: Path) -> None:
    records = []
    for seed in range(5):
        game = Game(seed, name)
        actions = random_actions(game.rules, seed, 60)
        if seed:
            shares = [[(action, 0.5)] for action in actions]
            records.append(
                record_actions(
                    game.rules, game.deal_number, actions, "jo", seed=seed, choices=shares
                )
            )
        else:
            play_on(game, seed, 300)
            records.append(record_game(game))
    assert read_back(tmp_path, *records) == records
    for record in records:
        game = record.replay()
        assert game.score == (record.scores[-1] if record.scores else 0)
        assert record.replay(0).actions == []


@few
@given(st.integers(0, 10_000))
def test_rules_of_ones_own_come_back(seed: int) -> None:
    path = scratch_file()
    try:
        game = random_game(random_rules(seed), seed)
    except ValueError:  # rules that no deal of can be begun
        return
    record = record_game(game)
    write_records(path, [record])
    (read,) = read_records(path)
    assert read == record
    assert read.replay().position == game.position


@few
@given(RULE_NAMES, SEEDS)
def test_games_from_boards_and_cards_come_back(name: str, seed: int) -> None:
    rules = RULE_SETS[name]
    board = random_game(replace(rules, undo_limit=0), seed).to_text(reveal=True)
    game = Game(rules=rules, deal=board)
    play_on(game, seed, 20)
    deck = read_deal(Game(seed, rules).deal_number, rules).deck.tolist()
    cards = tuple(name_card(rules, card) for card in deck)
    records = [record_game(game), record_actions(rules, cards, random_actions(rules, seed, 9))]
    write_records(scratch_file(), records)
    first, second = read_records(scratch_file())
    assert first.replay().to_text(reveal=True) == game.to_text(reveal=True)
    assert first.scores[-1:] == tuple([game.score] if game.actions else [])
    assert second.deal == cards
    assert second == records[1]


def test_undo_is_recorded_where_the_rules_allow_it(tmp_path: Path) -> None:
    rules = VARIANTS["open_scorpion"]
    game = Game(3, rules)
    move = int(np.flatnonzero(game.action_mask())[0])
    undo = rules.deal_action + 1
    (record,) = read_back(tmp_path, record_actions(rules, game.deal_number, [move, undo, move]))
    assert record.actions == (move, undo, move)
    assert record.scores[0] == record.scores[2]
    assert record.scores[1] == 0
    assert record.replay(2).to_text() == game.to_text()
    with pytest.raises(ValueError, match="undo is illegal here"):
        record_actions(rules, game.deal_number, [undo])


def test_a_person_takes_back_what_the_record_leaves_out(tmp_path: Path) -> None:
    game = Game(deal="ms1")
    game.play("7D>1")
    game.undo()
    game.play("deal")
    record = record_game(game, "a person")
    assert record.deal == 1
    assert [record.rules.deal_action] == list(record.actions)
    assert read_back(tmp_path, record) == [record]
    assert game.actions == list(record.actions)


def test_endings(tmp_path: Path) -> None:
    won = solved_game()
    lost = Game(1)
    while not lost.is_stuck:
        lost.play(int(np.flatnonzero(lost.action_mask())[-1]))
    records = [record_game(game) for game in (won, lost, Game(1))]
    assert [record.ended for record in records] == ["won", "lost", "stopped"]
    assert read_back(tmp_path, *records) == records


def solved_game() -> Game:
    game = Game(find_suite("classic-winnable").seed(0))
    for action in solve(game).actions:
        game.play(action)
    return game


def test_records_are_added_one_by_one(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    first, second = (record_game(random_game("wasp", seed)) for seed in (1, 2))
    append_record(path, first)
    append_record(path, second)
    assert list(read_records(path)) == [first, second]
    path.write_bytes(path.read_bytes()[:-30])
    append_record(path, first)
    lines = read_records(path)
    assert next(lines) == first
    with pytest.raises(RecordError, match=r"games.jsonl, line 2: no JSON"):
        next(lines)
    assert path.read_bytes().endswith(b"\n")


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    record = record_game(random_game("classic", 1))
    path = written(tmp_path, record)
    with pytest.raises(AttributeError):
        write_records(path, [record, None])  # type: ignore[list-item]
    assert list(read_records(path)) == [record]
    assert [file.name for file in tmp_path.iterdir()] == ["games.jsonl"]


# what is damaged or untrue


@cache
def good_line() -> str:
    path = scratch_file()
    game = Game(5)
    actions = random_actions(game.rules, 5, 30)
    choices = [[(action, 0.75)] for action in actions]
    record = record_actions(game.rules, game.deal_number, actions, "jo", seed=5, choices=choices)
    write_records(path, [record])
    return path.read_text()


def refused(path: Path, line: str | bytes) -> str:
    """Return why the third of four lines is refused."""
    good = good_line().encode()
    damaged = line.encode() if isinstance(line, str) else line
    path.write_bytes(good + b"\n" + damaged.rstrip(b"\n") + b"\n" + good)
    with pytest.raises(RecordError) as error:
        list(read_records(path))
    text = str(error.value)
    assert text.startswith(f"{path}, line 3: ")
    assert text.count("\n") == 0
    assert len(text) < 600
    return text


def changed(**fields: Any) -> str:
    return json.dumps({**json.loads(good_line()), **fields})


def deep(depth: int) -> str:
    return good_line().replace('"actions":', '"actions":' + "[" * depth, 1)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (lambda: "{}", "format None version None is unknown"),
        (lambda: "[]", "a record is an object"),
        (lambda: "7", "a record is an object"),
        (lambda: "nonsense", "no JSON: Expecting value at character 1"),
        (lambda: good_line()[:200], "no JSON: "),
        (lambda: b"\xff\xfe", "byte 1 is no UTF-8"),
        (lambda: changed(version=2), "version 2 is unknown"),
        (lambda: changed(extra=1), "'extra' is no name of a record"),
        (lambda: changed(rules="chess"), "rules='chess' is unknown"),
        (lambda: changed(rules=[1]), "rules=[1] is unknown"),
        (lambda: changed(rules={"layout": 3}), "are no fields of Rules"),
        (lambda: changed(rules={"colour": 3}), "are no fields of Rules"),
        (lambda: changed(rules={"layout": {"decks": 10**300}}), "are more than 208"),
        (lambda: changed(deal="1"), "deal='1' is no number as text, name, cards or board"),
        (lambda: changed(deal={"number": 5}), "is no number as text"),
        (lambda: changed(deal={"number": "9" * 20}, seed=None), "out of range"),
        (lambda: changed(deal={"name": "ms123"}), "a seed goes with the number of a deal"),
        (lambda: changed(deal={"name": "x"}, seed=None), "'x' is no deal"),
        (lambda: changed(deal={"name": "1:"}, seed=None), "is no number as text"),
        (lambda: changed(deal={"cards": [7]}, seed=None), "a deal needs 52 cards"),
        (lambda: changed(deal={"cards": [[]] * 52}, seed=None), "card 1 of the deal is of type"),
        (lambda: changed(deal={"board": "1: ##"}, seed=None), "column 2: is missing"),
        (lambda: changed(seed=6), "seed 6 deals number"),
        (lambda: changed(seed=-1), "seed=-1 is no whole number"),
        (lambda: changed(seed=True), "seed=True is no whole number"),
        (lambda: changed(player=5), "player=5 is no text"),
        (lambda: changed(player="\ud800"), "half of a character"),
        (lambda: changed(actions=None), "actions is no list"),
        (lambda: changed(actions=[1.5]), "actions holds 1.5, which is no whole number"),
        (lambda: changed(actions=[True]), "actions holds True"),
        (lambda: changed(actions=[10**4000]), "1 actions and "),
        (lambda: changed(actions=[0] * 20_001), "20001 actions, where 20000 are the most"),
        (lambda: changed(scores=[]), " actions and 0 scores"),
        (lambda: changed(ended="won"), "the game is said to be won, it is "),
        (lambda: changed(ended=["won"]), "ended=['won']"),
        (lambda: changed(choices=5), "choices is no list"),
        (lambda: changed(choices=[[]]), "actions and choices for 1"),
        (lambda: changed(choices=[5]), "the choices of move 1 are no list"),
        (lambda: changed(choices=[[[1]]]), "[1] is no [action, probability]"),
        (lambda: changed(choices=[[[1, "x"]]]), "'x' is no probability"),
        (lambda: changed(choices=[[[1, float("nan")]]]), "NaN is no number"),
        (lambda: good_line().replace("0.75", "1e999", 1), "inf is no probability"),
        (lambda: good_line().replace("0.75", "9" * 5000, 1), "Exceeds the limit"),
        (lambda: good_line().replace("0.75", "-1", 1), "move 1: -1 is no probability"),
        (lambda: good_line().replace('"player"', '"seed":5,"player"'), "'seed' is there twice"),
        (lambda: deep(100_000), "nested too deeply"),
        (lambda: b" " * 2**24 + b"{}", "longer than 16777216 bytes"),
    ],
)
def test_damaged_lines_are_refused(
    line: Callable[[], str | bytes], why: str, tmp_path: Path
) -> None:
    assert why in refused(tmp_path / "games.jsonl", line())


@pytest.mark.parametrize("name", ["format", "rules", "deal", "actions", "scores", "ended"])
def test_needed_names(name: str, tmp_path: Path) -> None:
    fields = json.loads(good_line())
    del fields[name]
    why = refused(tmp_path / "games.jsonl", json.dumps(fields))
    assert f"{name!r} is missing" in why or "is unknown" in why


@some
@given(st.data())
def test_an_illegal_move_is_found_where_it_is(data: st.DataObject) -> None:
    fields = json.loads(good_line())
    number = data.draw(st.integers(0, len(fields["actions"]) - 1))
    game = Game(5)
    for action in fields["actions"][:number]:
        game.play(action)
    legal = set(np.flatnonzero(game.action_mask()).tolist())
    wrong = data.draw(st.integers(-5, 400).filter(lambda action: action not in legal))
    fields["actions"][number] = wrong
    del fields["choices"]
    why = refused(scratch_file(), json.dumps(fields))
    assert f", line 3: move {number + 1}: " in why
    assert "illegal" in why or "outside the action space" in why


@some
@given(st.data())
def test_an_untrue_score_or_choice_is_found_where_it_is(data: st.DataObject) -> None:
    fields = json.loads(good_line())
    number = data.draw(st.integers(0, len(fields["actions"]) - 1))
    if data.draw(st.booleans()):
        more = data.draw(st.integers(-(10**30), 10**30).filter(bool))
        fields["scores"][number] += more
        why = "the score is said to be"
    else:
        action = fields["actions"][number]
        wrong, why = data.draw(
            st.sampled_from(
                [
                    ([[999, 0.1]], "the choice of action 999 is illegal"),
                    ([[-1, 0.1]], "the choice of action -1 is illegal"),
                    ([[action, 0.1], [action, 0.1]], "named twice"),
                    ([[action, 1.01]], "no probability from 0 to 1"),
                ]
            )
        )
        fields["choices"][number] = wrong
    said = refused(scratch_file(), json.dumps(fields))
    assert f", line 3: move {number + 1}: " in said
    assert why in said


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=9,
)


@some
@given(st.sampled_from(["rules", "deal", "actions", "scores", "ended"]), JSON_VALUES)
@example("scores", float("nan"))
def test_wrong_values_are_refused(name: str, value: Any) -> None:
    if name == "rules" and value == {}:  # Classic, the default of every field
        return
    refused(scratch_file(), changed(**{name: value}))


@some
@given(st.data())
def test_flipped_bytes_never_do_more_than_refuse(data: st.DataObject) -> None:
    line = bytearray(good_line().encode())
    for _ in range(data.draw(st.integers(1, 3))):
        line[data.draw(st.integers(0, len(line) - 2))] = data.draw(st.integers(0, 255))
    scratch_file().write_bytes(bytes(line))
    try:
        records = list(read_records(scratch_file()))
    except RecordError:
        return
    for record in records:
        record.check()


def test_a_missing_file_is_an_oserror(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        list(read_records(tmp_path / "none.jsonl"))


def test_rules_are_written_by_name_or_in_full(tmp_path: Path) -> None:
    own = replace(VARIANTS["wasp"], step_limit=50)
    path = written(tmp_path, record_game(Game(1, "wasp")), record_game(Game(1, own)))
    first, second = (json.loads(line)["rules"] for line in path.read_text().splitlines())
    assert first == "wasp"
    assert second == json.loads(json.dumps(asdict(own)))
