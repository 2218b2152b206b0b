"""The planes and the card tensors against a slow reading of the position; nothing hidden leaks."""

from dataclasses import replace

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given

from scorpion_env import Rules
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.notation import write_board
from scorpion_env.observation import Tensors, empty_tensors, observation_space, observe
from scorpion_env.planes import CARD_PLANES, plane_count, plane_names
from scorpion_env.position import Position
from tests.lockstep import RULE_SETS
from tests.random_games import RULE_NAMES, SEEDS, random_game, some, without_undo
from tests.reference_games import games
from tests.slow_planes import SlowPlanes
from tests.test_reference import EngineGame, play_along, rules_of


def seen(game: Game, reveal: int = 0) -> Tensors:
    """All tensors of one game."""
    tensors = Tensors(*(array[0] for array in empty_tensors(game.rules, 1, "both")))
    observe(game.rules.compiled, game.state, tensors, reveal)
    return tensors


def assert_planes(game: Game) -> dict[str, int]:
    """Compare all planes of a position, hidden cards shown or not; return those of the player."""
    names = plane_names(game.rules)
    for reveal in (1, 0):
        slow = SlowPlanes(game.rules, game.position, game.state.completed.tolist(), bool(reveal))
        planes = dict(zip(names, seen(game, reveal).planes.tolist(), strict=True))
        assert list(slow.values) == names
        wrong = {name for name in names if planes[name] != slow.values[name]}
        assert not wrong, f"{sorted(wrong)[:5]}\n{game.to_text(reveal=True)}"
    return planes


@pytest.mark.parametrize("name", RULE_SETS)
def test_a_name_for_every_plane(name: str) -> None:
    rules = RULE_SETS[name]
    names = plane_names(rules)
    assert len(names) == len(set(names)) == plane_count(rules)
    space = observation_space(rules, "planes")
    assert isinstance(space, spaces.Box)
    assert space.shape == (len(names),)
    observation, _ = ScorpionEnv(rules, observation="planes").reset(seed=1)
    assert observation.shape == (len(names),)
    assert observation in space


def test_names_of_planes() -> None:
    names = plane_names(RULE_SETS["classic"])
    assert names[:3] == ["AC.column_1", "AC.column_2", "AC.column_3"]
    assert names[7 : 7 + len(CARD_PLANES)] == [f"AC.{name}" for name, _ in CARD_PLANES]
    assert names[-8:-4] == [
        "column_7.face_down_3",
        "reserve_1.present",
        "reserve_2.present",
        "reserve_3.present",
    ]
    assert "KS/2.uncovered" in plane_names(RULE_SETS["double_scorpion"])


@some
@given(RULE_NAMES, SEEDS)
def test_planes_are_what_the_position_says(name: str, seed: int) -> None:
    assert_planes(random_game(RULE_SETS[name], seed))


def test_planes_of_won_games() -> None:
    said = set()
    for stem in ("scorpion_won", "farmers_wife_won"):
        for reference in games(stem)[:2]:
            for point in play_along(reference, rules_of(stem), EngineGame):
                assert isinstance(point.ours, EngineGame)
                planes = assert_planes(point.ours.game)
                said |= {plane.split(".")[1] for plane, value in planes.items() if value}
    assert said >= {name for name, _ in CARD_PLANES} - {"is_known_down"}
    assert said >= {"empty", "completed", "present"}


def test_planes_of_a_board_by_hand() -> None:
    board = """
        1: #QC #JD KH AD 2D
        2: TC 9C KD 8C
        3: QH
        4: KC JC TD TH 9D 9H 8D 8H 7C 7D JH
        5: KS QS JS TS 9S 8S 7S 6S 5S 4S 3S 2S
        6: AS
        7: QD 7H 6C 5C 4C 3C 2C AC 6D 5D 4D 3D 6H 5H 4H 3H 2H AH
    """
    planes = assert_planes(Game(deal=board))
    said = {
        "QC": "unseen",
        "KH": "face_up column_1 on_face_down under_other depth_2",
        "9C": "face_up column_2 on_next_higher under_king depth_2 target_below",
        "TC": "face_up column_2 at_bottom under_next_lower depth_2",
        "QH": "face_up column_3 at_bottom uncovered",
        "AS": "face_up column_6 at_bottom uncovered target_uncovered",
        "JC": "face_up column_4 under_other depth_2 depth_4 depth_8 target_unseen",
        "JH": "face_up column_4 uncovered target_uncovered",
        "AD": "face_up column_1 under_other",
        "2H": "face_up column_7 on_next_higher under_next_lower target_below",
    }
    for card, texts in said.items():
        found = {
            name.split(".")[1] for name, value in planes.items() if value and card + "." in name
        }
        assert found == set(texts.split()), card


@some
@given(RULE_NAMES, SEEDS)
def test_card_tensors_are_what_the_position_says(name: str, seed: int) -> None:
    game = random_game(RULE_SETS[name], seed)
    rules, position = game.rules, game.position
    hidden = rules.layout.cards + 1
    for reveal in (0, 1):
        tensors = seen(game, reveal)
        for column, cards in enumerate(position.columns):
            down = 0 if reveal else position.face_down[column]
            row = [hidden] * down + [card + 1 for card in cards[down:]]
            assert tensors.tableau[column].tolist() == row + [0] * (hidden - 1 - len(row))
        is_open = reveal or rules.reserve == "play"
        shown = [0 if c is None else c + 1 if is_open else hidden for c in position.reserve]
        assert tensors.reserve.tolist() == shown
        assert tensors.face_down.tolist() == list(position.face_down)
        assert tensors.completed.tolist() == game.state.completed.tolist()


# Nothing hidden leaks


def permuted(rules: Rules, position: Position) -> Position:
    """The position with every hidden card at another's place; itself if that is not possible."""
    hidden = [
        card
        for cards, down in zip(position.columns, position.face_down, strict=True)
        for card in cards[:down]
    ]
    if rules.reserve != "play":
        hidden += [card for card in position.reserve if card is not None]
    other = dict(zip(hidden, hidden[1:] + hidden[:1], strict=True))
    return replace(
        position,
        columns=tuple(tuple(other.get(card, card) for card in cards) for cards in position.columns),
        reserve=tuple(card if card is None else other.get(card, card) for card in position.reserve),
    )


@pytest.mark.parametrize("name", RULE_SETS)
def test_hidden_cards_change_nothing_that_the_player_gets(name: str) -> None:
    rules = without_undo(name)
    compared = 0
    for seed in range(12):
        game = random_game(rules, seed, steps=40)
        position = permuted(rules, game.position)
        if position == game.position:
            continue
        other = Game(rules=rules, deal=write_board(rules, position, reveal=True))
        for one, two in zip(seen(game), seen(other), strict=True):
            assert np.array_equal(one, two)
        assert np.array_equal(game.action_mask(), other.action_mask())
        assert str(game) == str(other)
        shown, other_shown = seen(game, reveal=1), seen(other, reveal=1)
        assert not np.array_equal(shown.planes, other_shown.planes)
        if any(game.position.face_down):
            assert not np.array_equal(shown.tableau, other_shown.tableau)
        elif rules.reserve != "play":
            assert not np.array_equal(shown.reserve, other_shown.reserve)
        compared += 1
    assert compared > 0
