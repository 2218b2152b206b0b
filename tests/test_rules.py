"""Rules as data: what is refused and why, and what the engine is given to read."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from scorpion_env import ENV_IDS, VARIANTS, Layout, Rules
from scorpion_env.cards import RANKS, SUITS, parse_card
from scorpion_env.notation import name_card
from scorpion_env.rules import RESERVE_DEAL, RESERVE_DEAL_WHEN_IDLE, RESERVE_PLAY, is_whole
from scorpion_env.variants import find_rules
from tests.lockstep import RULE_SETS

SEVENS, FLAT = (7,) * 7, (0,) * 7

# What is wrong with a layout, and what the message says of it.
WRONG_LAYOUTS: list[tuple[dict[str, Any], str]] = [
    ({"columns": (8, *SEVENS[1:])}, "50 cards in columns and 3 in reserve make 53, the pack has"),
    ({"reserve_cards": 4}, "49 cards in columns and 4 in reserve make 53"),
    ({"reserve_cards": -3, "columns": (13, *SEVENS[1:])}, "and -3 in reserve make 52"),
    ({"decks": 2}, "make 52, the pack has 104"),
    ({"face_down": (7, *FLAT[1:])}, "column 1 has 7 cards and 7 of them face-down: its top"),
    ({"face_down": (*FLAT[1:], 8)}, "column 7 has 7 cards and 8 of them face-down"),
    ({"face_down": FLAT[1:]}, "face_down names 6 columns, there are 7"),
    ({"face_down": (0, -1, *FLAT[2:])}, "column 2 has a negative number of cards"),
    ({"columns": (-7, 21, *SEVENS[2:])}, "column 1 has a negative number of cards"),
    ({"columns": (49,), "face_down": (0,)}, "1 columns, where 2 to 31 are possible"),
    ({"columns": (1,) * 32, "face_down": (0,) * 32}, "32 columns, where 2 to 31 are possible"),
    ({"reserve_columns": (0, 1, 7)}, "reserve column 7 is out of range 0 to 6"),
    ({"reserve_columns": (-1, 0, 1)}, "reserve column -1 is out of range 0 to 6"),
    ({"reserve_columns": (0, 1, 1)}, "two reserve cards fall on one column"),
    ({"decks": 0}, "at least 1 deck"),
    ({"suits": 0}, "1 to 4 suits"),
    ({"suits": 5}, "1 to 4 suits"),
    ({"ranks": 1}, "2 to 13 ranks"),
    ({"ranks": 14}, "2 to 13 ranks"),
    ({"decks": 5}, "260 cards are more than 208"),
    ({"columns": "7777777"}, "columns holds '7', which is no whole number"),
    ({"columns": (7.0,) * 7}, "columns holds 7.0, which is no whole number"),
    ({"columns": 7}, "columns is 7, where a row of whole numbers belongs"),
    ({"columns": np.array(7)}, r"columns is array\(7\), where a row"),
    ({"face_down": None}, "face_down is None, where a row"),
    ({"face_down": (True, *FLAT[1:])}, "face_down holds True"),
    ({"reserve_columns": ("0", 1, 2)}, "reserve_columns holds '0'"),
    ({"reserve_columns": ((0,), 1, 2)}, r"reserve_columns holds \(0,\)"),
    ({"reserve_cards": 3.0}, "reserve_cards holds 3.0"),
    ({"reserve_cards": None}, "reserve_cards holds None"),
    ({"decks": "1"}, "decks holds '1'"),
    ({"suits": True}, "suits holds True"),
    ({"ranks": np.float64(13)}, r"ranks holds np.float64\(13.0\)"),
]
PLAYED = VARIANTS["three_blind_mice"].layout
OPTIONS = {
    "build": "'same_suit', 'any_suit', 'alternate_colour'",
    "empty_column": "'king', 'any'",
    "reserve": "'deal', 'deal_when_idle', 'play'",
    "sequences": "'removed', 'stay'",
    "pattern": "'same_suit', 'alternate_colour'",
    "loss": "'stuck', 'sheet'",
}
WRONG_RULES: list[tuple[dict[str, Any], str]] = [
    ({"layout": None}, "layout must be a Layout, got None"),
    ({"layout": "classic"}, "layout must be a Layout, got 'classic'"),
    ({"reserve": "play"}, "reserve='play' with 3 reserve cards needs 0 reserve columns, got 3"),
    ({"layout": PLAYED}, "reserve='deal' with 2 reserve cards needs 2 reserve columns, got 0"),
    (
        {"layout": Layout((7, 6), (0, 0), 0, (), suits=1), "build": "alternate_colour"},
        "at least 2 suits",
    ),
    (
        {"layout": Layout((7, 6), (0, 0), 0, (), suits=1), "pattern": "alternate_colour"},
        "at least 2 suits",
    ),
    (
        {"layout": replace(PLAYED, face_down=(0,) * 10), "reserve": "play", "loss": "sheet"},
        "loss='sheet' needs face-down cards to turn or a reserve to deal",
    ),
    *[
        ({name: "King"}, f"{name}='King' is unknown: choose one of {OPTIONS[name]}")
        for name in OPTIONS
    ],
    *[
        ({"build": value}, "build=.* is unknown: choose")
        for value in (None, 0, ["same_suit"], b"any_suit", np.array(["same_suit", "any_suit"]))
    ],
    *[
        ({"undo_limit": value}, "undo_limit=.* must be a whole number from 0 to 2147483647, or No")
        for value in (-1, 3.0, "3", True, 2**31, (), np.float64(1))
    ],
    *[
        ({"step_limit": value}, "step_limit=.* must be a whole number from 1 to 2147483647, or No")
        for value in (0, -200, 200.0, "200", False, 2**31, [200])
    ],
]


@pytest.mark.parametrize(("wrong", "reason"), WRONG_LAYOUTS)
def test_wrong_layouts_are_refused_with_the_reason(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^these rules cannot be dealt: .*{reason}"):
        Layout(**wrong)


@pytest.mark.parametrize(("wrong", "reason"), WRONG_RULES)
def test_wrong_rules_are_refused_with_the_reason(wrong: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Rules(**wrong)


@pytest.mark.parametrize("wrong", ["Classic", "", None, 0, ["classic"], Layout()])
def test_unknown_variant_is_refused_with_the_names(wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"is unknown: .* classic, flexible, .*pysol_farmers_wife"):
        find_rules(wrong)


def test_whole_numbers() -> None:
    assert all(is_whole(value) for value in (0, -3, 2**70, np.int8(1), np.uint64(1)))
    assert not any(is_whole(value) for value in (True, np.True_, 1.0, "1", None, [1], np.array(1)))


def test_limits_at_their_edges() -> None:
    assert Rules(undo_limit=0, step_limit=1).max_steps == 1
    most = Rules(undo_limit=2**31 - 1, step_limit=2**31 - 1)
    assert (most.undo_limit, most.max_steps) == (2**31 - 1, 2**31 - 1)
    assert most.compiled.actions == Rules(undo_limit=None).compiled.actions == 366


def test_numpy_numbers_and_lists_are_read_as_plain_ones() -> None:
    layout = Layout(
        columns=np.full(7, 7, np.int8),  # type: ignore[arg-type]
        face_down=[np.uint8(3)] * 4 + [0] * 3,  # type: ignore[arg-type]
        decks=np.int8(1),  # type: ignore[arg-type]
    )
    rules = Rules(layout, step_limit=np.int64(9), undo_limit=np.uint8(4))  # type: ignore[arg-type]
    assert rules == Rules(step_limit=9, undo_limit=4)
    numbers = (*layout.columns, *layout.face_down, layout.decks, rules.step_limit, rules.undo_limit)
    assert {type(number) for number in numbers} == {int}


def test_rules_are_values() -> None:
    assert len({*RULE_SETS.values()}) == len(RULE_SETS)
    for rules in RULE_SETS.values():
        twin = Rules(**{name: getattr(rules, name) for name in Rules.__dataclass_fields__})
        assert twin == rules
        assert hash(twin) == hash(rules)
        assert find_rules(twin) is twin
        for other in (replace(rules, step_limit=7), replace(rules, undo_limit=8)):
            assert other != rules
    with pytest.raises(FrozenInstanceError):
        Rules().build = "any_suit"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Layout().decks = 2  # type: ignore[misc]


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_copies_and_pickles_are_equal_and_leave_the_compiled_form_behind(rules: Rules) -> None:
    compiled = rules.compiled
    for other in (copy.copy(rules), copy.deepcopy(rules), pickle.loads(pickle.dumps(rules))):
        assert other == rules
        assert hash(other) == hash(rules)
        assert "compiled" not in vars(other)
        for name in compiled._fields:
            assert np.array_equal(getattr(compiled, name), getattr(other.compiled, name)), name
    assert rules.compiled is compiled


# actions, face-down cards, sequences, step limit
SIZES = {
    "classic": (365, 12, 4, 200),
    "flexible": (365, 12, 4, 200),
    "traditional": (365, 12, 4, 200),
    "wasp": (365, 12, 4, 200),
    "scorpion_ii": (365, 0, 4, 200),
    "open_scorpion": (366, 12, 4, 500),
    "three_blind_mice": (521, 9, 4, 200),
    "three_blind_mice_dealt": (521, 30, 4, 200),
    "double_scorpion": (1457, 24, 8, 400),
    "pysol_scorpion_ii": (365, 9, 4, 200),
    "pysol_wasp_ii": (365, 9, 4, 200),
    "pysol_double_scorpion": (1041, 20, 8, 400),
    "pysol_triple_scorpion": (2029, 25, 12, 600),
    "pysol_scorpion_tail": (365, 12, 4, 200),
    "pysol_farmers_wife": (521, 9, 4, 200),
}


def test_sizes_of_the_variants() -> None:
    sizes = {
        name: (
            rules.actions,
            sum(rules.layout.face_down),
            rules.layout.sequences,
            rules.max_steps,
        )
        for name, rules in VARIANTS.items()
    }
    assert sizes == SIZES


@pytest.mark.parametrize("rules", RULE_SETS.values(), ids=RULE_SETS)
def test_an_action_for_each_card_and_column_and_deal_and_undo(rules: Rules) -> None:
    cards, columns = rules.layout.cards, len(rules.layout.columns)
    assert rules.deal_action == rules.compiled.deal_action == cards * columns
    assert (
        rules.actions == rules.compiled.actions == cards * columns + (1, 2)[rules.undo_limit != 0]
    )


def cards_named(rules: Rules, text: str) -> set[int]:
    """Every copy of the cards that a text names."""
    layout = rules.layout
    faces = [parse_card(word, layout.suits, layout.ranks) for word in text.split()]
    pack = layout.suits * layout.ranks
    return {face + pack * deck for face in faces for deck in range(layout.decks)}


SOURCES = {
    "classic": {"5H": "4H", "KS": "QS", "2C": "AC", "AD": ""},
    "flexible": {"5H": "4C 4D 4H 4S", "KS": "QC QD QH QS", "AD": ""},
    "pysol_scorpion_tail": {"5H": "4C 4S", "5D": "4C 4S", "KS": "QD QH", "2C": "AD AH", "AC": ""},
    "double_scorpion": {"5H": "4H", "AD": ""},
    "pysol_triple_scorpion": {"TC": "9C"},
    "small_any": {"3H": "2C 2D 2H", "4C": "3C 3D 3H", "AC": ""},
    "small_alternate": {"3H": "2C", "3C": "2D 2H"},
}


@pytest.mark.parametrize("name", SOURCES)
def test_compiled_sources_are_the_cards_that_build_on_a_card(name: str) -> None:
    rules = RULE_SETS[name]
    for target_text, texts in SOURCES[name].items():
        for target in cards_named(rules, target_text):
            row = rules.compiled.sources[target].tolist()
            cards = [card for card in row if card >= 0]
            assert row == cards + [-1] * (len(row) - len(cards))
            assert len(cards) == len(set(cards))
            assert set(cards) == cards_named(rules, texts), target_text


@pytest.mark.parametrize("name", RULE_SETS)
def test_compiled_leaders_are_kings_or_every_card(name: str) -> None:
    rules = RULE_SETS[name]
    layout = rules.layout
    king = RANKS[layout.ranks - 1]
    kings = cards_named(rules, " ".join(king + suit for suit in SUITS[: layout.suits]))
    leaders = rules.compiled.leaders.tolist()
    assert len(leaders) == len(set(leaders))
    assert set(leaders) == (set(range(layout.cards)) if rules.empty_column == "any" else kings)


def test_compiled_options() -> None:
    options = {
        "classic": (RESERVE_DEAL, 0, 0, 0),
        "traditional": (RESERVE_DEAL_WHEN_IDLE, 1, 0, 0),
        "three_blind_mice": (RESERVE_PLAY, 0, 0, 0),
        "pysol_farmers_wife": (RESERVE_PLAY, 0, 0, 1),
        "sheet_stay": (RESERVE_DEAL_WHEN_IDLE, 1, 1, 0),
    }
    for name, expected in options.items():
        c = RULE_SETS[name].compiled
        found = (c.reserve, c.sequences_stay, c.sheet_loss, c.alternating_sequence)
        assert found == expected, name


def test_compiled_ids_are_rank_and_suit() -> None:
    rules = VARIANTS["double_scorpion"]
    for card, (rank, suit) in enumerate(rules.compiled.ids.tolist()):
        assert name_card(rules, card) == "A23456789TJQK"[rank] + "CDHS"[suit] + "2" * (card >= 52)


def test_every_variant_has_an_id_in_gymnasium() -> None:
    assert set(ENV_IDS) == set(VARIANTS)
    assert ENV_IDS["classic"] == "Scorpion-v0"
    assert len(set(ENV_IDS.values())) == len(ENV_IDS)
    for name, env_id in ENV_IDS.items():
        env = gym.make(env_id, disable_env_checker=True)
        assert env.unwrapped.rules is VARIANTS[name]  # type: ignore[attr-defined]
        assert isinstance(env.action_space, gym.spaces.Discrete)
        assert env.action_space.n == VARIANTS[name].actions
        assert gym.spec(env_id).vector_entry_point == "scorpion_env.vector_env:ScorpionVectorEnv"
