"""Deals that must never change, and what is no deal."""

import hashlib
import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorpion_env import VARIANTS, Layout, Rules
from scorpion_env.deals import Deal, read_deal
from scorpion_env.engine.deal import FIRST_DEAL, first_deal, mix, shuffle
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.notation import name_card
from tests.random_games import few, some

CLASSIC = VARIANTS["classic"]
PACKS = (CLASSIC, VARIANTS["double_scorpion"], VARIANTS["pysol_triple_scorpion"])
GAMMA = 0x9E3779B97F4A7C15
WRAP = 2**64


def dealt(number: int, cards: int) -> tuple[list[int], int]:
    """The deck of a deal number and the deal that follows."""
    deck = np.empty(cards, np.uint8)
    following = int(shuffle(deck, np.uint64(number)))
    return deck.tolist(), following


def naive_deck(number: int, cards: int) -> tuple[list[int], int]:
    """The same from the papers' formulas, in Python's whole numbers."""
    deck, state = list(range(cards)), number
    for last in range(cards - 1, 0, -1):
        while True:
            state = (state + GAMMA) % WRAP
            z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 % WRAP
            z = (z ^ z >> 27) * 0x94D049BB133111EB % WRAP
            chosen, rest = divmod(((z ^ z >> 31) >> 32) * (last + 1), 2**32)
            if rest >= 2**32 % (last + 1):
                break
        deck[last], deck[chosen] = deck[chosen], deck[last]
    return deck, state if state >= 2**33 else (state + GAMMA) % WRAP


def test_splitmix64_gives_its_published_outputs() -> None:
    outputs = [int(mix(np.uint64((1234567 + n * GAMMA) % WRAP))) % WRAP for n in range(1, 6)]
    assert outputs == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


# by deal number and number of cards, the begin of the deck's SHA-256
DECKS = {
    (2**33, 52): "4862a7e0473661e3",
    (2**33, 104): "10438476646d9277",
    (2**33, 156): "d8eb15810d4751ef",
    (0x123456789ABCDEF0, 52): "19c1a15eed2c0906",
    (0x123456789ABCDEF0, 104): "b97dd6333579b5a0",
    (0x123456789ABCDEF0, 156): "1e23aeb9a1f2a0ee",
    (2**64 - 1, 52): "0d77b259883e7b73",
    (2**64 - 1, 104): "6b4280fbd71c31ac",
    (2**64 - 1, 156): "3980525d2bb95ccb",
}


@pytest.mark.parametrize(("number", "cards"), DECKS)
def test_decks_of_numbers_never_change(number: int, cards: int) -> None:
    deck = bytes(dealt(number, cards)[0])
    assert hashlib.sha256(deck).hexdigest()[:16] == DECKS[number, cards]


@few
@given(st.integers(2**33, WRAP - 1), st.integers(2, 208))
def test_decks_are_what_the_formulas_say(number: int, cards: int) -> None:
    assert dealt(number, cards) == naive_deck(number, cards)


SEEDS = {
    (0, "classic"): (11749869230777074271, "QC KS 8C 6S KC KD 9C", "4H TH 8S"),
    (1, "classic"): (9441442522235856127, "4C 2H 8D TH AC 8S 5S", "QD AD 4S"),
    (2, "classic"): (4825892087074085057, "AD QH QD 6S 5S 3S 4S", "JC 2C 5D"),
    (0, "double_scorpion"): (
        11749869230777074271,
        "AC 4S2 9D2 4D2 6H2 3D2 JS2",
        "4S 2D2 5C 9C2 8D2 2S2",
    ),
}


@pytest.mark.parametrize(("seed", "name"), SEEDS)
def test_deals_of_seeds_never_change(seed: int, name: str) -> None:
    game = Game(seed, name)
    position = game.position
    first = " ".join(name_card(game.rules, card) for card in position.columns[0])
    reserve = " ".join(name_card(game.rules, card) for card in position.reserve if card is not None)
    assert (game.deal_number, first, reserve) == SEEDS[seed, name]


def test_a_deck_is_dealt_row_by_row_and_the_reserve_last() -> None:
    game = Game(seed=0)
    deck = read_deal(game.deal_number, CLASSIC).deck.tolist()
    columns = tuple(tuple(deck[column:49:7]) for column in range(7))
    assert (game.position.columns, game.position.reserve) == (columns, tuple(deck[49:]))


def test_every_card_comes_to_every_place_equally_often() -> None:
    decks = np.empty((52_000, 52), np.uint8)
    number = np.uint64(0x0123456789ABCDEF)
    for deck in decks:
        number = np.uint64(shuffle(deck, number))
    counts = np.stack([np.bincount(cards, minlength=52) for cards in decks.T])
    pairs = decks[:, :-1].astype(int) * 52 + decks[:, 1:]
    follows = np.bincount(pairs.ravel(), minlength=52 * 52).reshape(52, 52)
    for table, freedom in ((counts, 51 * 51), (follows[~np.eye(52, dtype=bool)], 51 * 51 - 1)):
        chi_square = ((table - 1000.0) ** 2 / 1000).sum()
        assert abs(chi_square - freedom) < 5 * (2 * freedom) ** 0.5
    assert (follows.diagonal() == 0).all()


def test_numbers_of_pysol_deals_are_skipped() -> None:
    for low in (0, 1, 2**33 - 1):
        assert int(first_deal(np.uint64(low))) == low + GAMMA
    for high in (2**33, 2**33 + 1, WRAP - 1):
        assert int(first_deal(np.uint64(high))) == high
    before = (5 - 51 * GAMMA) % WRAP  # whose deck takes 51 draws and ends at state 5
    assert before >= FIRST_DEAL
    assert dealt(before, 52)[1] == 5 + GAMMA


def test_reset_names_its_deal_and_the_number_deals_it_again() -> None:
    env = ScorpionEnv()
    env.reset(seed=7)
    for _ in range(3):
        observation, info = env.reset()
        again, info_again = env.reset(options={"deal": info["deal"]})
        assert all(np.array_equal(observation[key], again[key]) for key in observation)
        assert info_again["deal"] == info["deal"]
        game = Game(deal=info["deal"])
        assert game.deal_number == info["deal"]
        assert np.array_equal(game.state.tableau + 1, env_tableau(env, game))


def env_tableau(env: ScorpionEnv, game: Game) -> Any:
    """What an environment that shows all cards has on the table."""
    shown = ScorpionEnv(reveal_hidden=True).reset(options={"deal": game.deal_number})[0]["tableau"]
    assert np.array_equal(env.action_masks(), game.action_mask())
    return shown


# PySolFC's numbers


def faces(name: str, rules: Rules = CLASSIC) -> list[str]:
    """The cards of a deal as text, without their decks."""
    return [name_card(rules, card)[:2] for card in read_deal(name, rules).deck.tolist()]


def test_ms_deal_1_is_the_well_known_one() -> None:
    well_known = "JD 2D 9H JC 5D 7H 7C 5H KD KC 9S 5S AD QC KH 3H 2S KS 9D QD JS AS AH 3C"
    assert faces("ms1")[:24] == well_known.split()
    for same in (1, "1", " MS1 ", np.int64(1), np.array(1), np.array("ms1"), "ms01"):
        assert read_deal(same, CLASSIC).deck.tolist() == read_deal("ms1", CLASSIC).deck.tolist()


def first_ms_value(number: int) -> int:
    """The first value of the MS generator, from the README of the reference games."""
    start = number if number < 2**32 else number - 2**32
    state = (start * 214013 + 2531011) % 2**33
    if number < 2**31:
        return state >> 16 & 0x7FFF
    return state >> 16 & 0x7FFF | 0x8000 if number < 2**32 else (state >> 16 & 0xFFFF) + 1


EDGES = [1, 31999, 32000, 2**31 - 1, 2**31, 2**31 + 7, 2**32 - 1, 2**32, 2**32 + 7, 2**33 - 1]


@pytest.mark.parametrize("number", EDGES)
def test_every_branch_of_the_ms_generator(number: int) -> None:
    place = first_ms_value(number) % 52
    assert faces(f"ms{number}")[0] == "A23456789TJQK"[place // 4] + "CDHS"[place % 4]
    for decks, rules in enumerate(PACKS[1:], start=2):
        cards = 52 * decks
        place = first_ms_value(number) % cards % 52
        assert faces(f"ms{number}", rules)[0] == "A23456789TJQK"[place % 13] + "CSHD"[place // 13]
        assert sorted(read_deal(f"ms{number}", rules).deck) == list(range(cards))
    assert sorted(read_deal(f"ms{number}", CLASSIC).deck) == list(range(52))


@pytest.mark.parametrize("number", [32000, 2**33 - 1, 2**33, 10**19, 10**29])
def test_larger_plain_numbers_use_mersenne_twister(number: int) -> None:
    for decks, rules in enumerate(PACKS, start=1):
        place = int(random.Random(number).random() * 52 * decks) % 52
        text = "A23456789TJQK"[place % 13] + "CSHD"[place // 13]
        assert faces(str(number), rules)[0] == text
        assert sorted(read_deal(str(number), rules).deck) == list(range(52 * decks))


def test_a_pysol_number_is_kept_where_it_deals_the_same_as_an_int() -> None:
    for name in ("5", "ms5", "31999", "ms31999", "32000", str(2**33 - 1)):
        deal = read_deal(name, CLASSIC)
        assert read_deal(deal.number, CLASSIC).deck.tolist() == deal.deck.tolist()
    for name in ("ms32000", f"ms{2**33 - 1}", str(2**33)):
        assert read_deal(name, CLASSIC).number == 0
    assert faces("ms32000") != faces("32000")
    assert faces(str(2**33)) != [
        name_card(CLASSIC, card) for card in read_deal(2**33, CLASSIC).deck.tolist()
    ]


WRONG_NUMBERS = [
    (0, "deal number 0 does not exist: use 1 up"),
    ("0", "deal number 0 does not exist: use 1 up"),
    ("ms0", "deal number 0 does not exist: use 1 to 8589934591 for an MS deal"),
    (f"ms{2**33}", "deal number 8589934592 does not exist: use 1 to 8589934591 for an MS deal"),
    (-1, "out of range: use 1 to 18446744073709551615"),
    (2**64, "out of range"),
    (np.int64(-5), "out of range"),
    ("-1", "'-1' is no deal"),
    ("ms-1", "'ms-1' is no deal"),
    ("ms", "'ms' is no deal"),
    ("1" * 31, "is no deal"),
    ("1.0", "is no deal"),
]


@pytest.mark.parametrize(("number", "reason"), WRONG_NUMBERS)
def test_numbers_that_are_no_deal(number: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_deal(number, CLASSIC)


def test_a_number_too_long_to_print_is_no_deal() -> None:
    for huge in (10**5000, -(10**5000)):
        with pytest.raises(ValueError, match="this deal number is out of range: use 1 to"):
            read_deal(huge, CLASSIC)


def test_pysol_numbers_need_whole_packs() -> None:
    small = Rules(Layout((6, 6), (0, 0), 0, (), suits=1, ranks=12))
    for number in (1, "ms1", "40000"):
        with pytest.raises(ValueError, match="PySolFC deals whole packs of 52 cards"):
            read_deal(number, small)
    assert sorted(read_deal(2**33, small).deck) == list(range(12))


# Cards one by one


def test_a_list_of_cards_is_dealt_in_its_order() -> None:
    for rules in PACKS:
        deck = read_deal(2**40, rules).deck.tolist()
        names = [name_card(rules, card) for card in deck]
        for same in (names, tuple(names), np.array(names), [f" {n.lower()}" for n in names]):
            deal = read_deal(same, rules)
            assert (deal.number, deal.deck.tolist()) == (0, deck)
        unmarked = read_deal([name[:2] for name in names], rules).deck.tolist()
        assert [card % 52 for card in unmarked] == [card % 52 for card in deck]
        assert sorted(unmarked) == sorted(deck)


def test_unmarked_twins_take_the_first_deck_that_is_free() -> None:
    rules = Rules(Layout((2, 2), (0, 0), 0, (), decks=2, suits=1, ranks=2))
    for texts, deck in (("AC AC 2C 2C", [0, 2, 1, 3]), ("AC2 AC 2C1 2C2", [2, 0, 1, 3])):
        assert read_deal(texts.split(), rules).deck.tolist() == deck


def changed(place: int, text: Any) -> list[Any]:
    """A deck with one card changed."""
    return [text if n == place else name_card(CLASSIC, n) for n in range(52)]


WRONG_DECKS = [
    ([], "a deal needs 52 cards, got 0"),
    (changed(0, "AC")[:51], "a deal needs 52 cards, got 51"),
    ([*changed(0, "AC"), "AC"], "a deal needs 52 cards, got 53"),
    (changed(3, "1C"), "card 4 of the deal: '1C' is not a card: write a rank of A23456789TJQK"),
    (changed(3, ""), "card 4 of the deal: '' is not a card"),
    (changed(3, "KSS"), "card 4 of the deal: 'KSS' is not a card"),
    (changed(3, "KS2"), "card 4 of the deal: KS2 names deck 2, the rules have 1"),
    (changed(3, "AC"), "card 4 of the deal: AC was already named: card 1 of the deal"),
    (changed(3, 3), "card 4 of the deal is of type int"),
    (changed(3, None), "card 4 of the deal is of type NoneType"),
    (changed(3, ["4C"]), "card 4 of the deal is of type list"),
    (changed(3, b"4C"), "card 4 of the deal is of type bytes"),
    (np.zeros((52, 2)), "card 1 of the deal is of type list"),
    (range(52), "card 1 of the deal is of type int"),
]


@pytest.mark.parametrize(("deck", "reason"), WRONG_DECKS)
def test_decks_that_are_no_deal(deck: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        read_deal(deck, CLASSIC)


NO_DEALS: list[Any] = [
    None, True, False, 1.5, 1.0, float("nan"), 1j, b"ms1", bytearray(52), {}, {"deal": 1}, set(),
    object(), "", " ", "ms 1", "deal", "AC 2C", Deal, np.float64(3), np.True_, np.array(1.5),
]  # fmt: skip


@pytest.mark.parametrize("wrong", NO_DEALS)
def test_what_is_no_deal_is_refused_with_what_would_be_one(wrong: Any) -> None:
    with pytest.raises(ValueError, match="is no deal: give a number from info"):
        read_deal(wrong, CLASSIC)


def test_a_game_needs_a_seed_or_a_deal() -> None:
    with pytest.raises(ValueError, match="give a seed or a deal"):
        Game()


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary()
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8
)
NUMBERS = st.from_regex(r"\s*(ms|MS)?\d+\s*")


@some
@given(JSON | NUMBERS | SCALARS.map(lambda value: [value] * 52))
def test_no_input_raises_anything_but_a_value_error(asked: Any) -> None:
    try:
        deal = read_deal(asked, CLASSIC)
    except ValueError:
        return
    assert isinstance(asked, int | str)
    assert sorted(deal.deck) == list(range(52))
