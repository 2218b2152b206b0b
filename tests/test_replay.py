"""The replay page in a real browser: what it shows is what the engine says, move by move."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, sync_playwright

from scorpion_env import VARIANTS, Rules
from scorpion_env.game import Game
from scorpion_env.position import Position
from scorpion_env.records import GameRecord, record_actions, record_game
from scorpion_env.render.page import write_page
from scorpion_env.solver import Solver
from scorpion_env.suites import find_suite
from tests.chromium import ARGUMENTS, MISSING, find_chromium
from tests.random_games import random_actions

HOSTILE = "</script><img src=x onerror=\"document.title='owned'\">&amp;<b>'\"`${1}\u2028\u202e"
DESKTOP, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=360, height=740)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    executable = find_chromium()
    if executable is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(MISSING)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield opened
        opened.close()


Show = Callable[..., Page]


@pytest.fixture
def show(browser: Browser, tmp_path: Path) -> Iterator[Show]:
    """Opens the page of a record; nothing may be asked of the network or said on the console."""
    complaints: list[str] = []
    contexts = []

    def opened(
        record: GameRecord,
        size: ViewportSize = DESKTOP,
        verdicts: list[Any] | None = None,
        motion: str = "reduce",
        scheme: str = "light",
    ) -> Page:
        file = tmp_path / f"{len(contexts)}.html"
        file.write_text(write_page(record, 2, 3, verdicts), encoding="utf-8")
        context = browser.new_context(
            viewport=size,
            reduced_motion=motion,
            color_scheme=scheme,
            offline=True,
        )
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append(dialog.message))
        page.on("request", lambda request: check_request(request.url, file))
        page.goto(file.as_uri())
        return page

    def check_request(url: str, file: Path) -> None:
        if url != file.as_uri() and not url.startswith("data:"):
            complaints.append(f"asked for {url}")

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def played(name: str, steps: int, seed: int = 4) -> GameRecord:
    rules = VARIANTS[name]
    actions = random_actions(rules, seed, steps)
    return record_actions(rules, Game(seed, rules).deal_number, actions, "random", seed=seed)


@cache
def won() -> GameRecord:
    """Return a won Classic game with choices for each move."""
    seed = int(find_suite("classic-winnable").seeds[0])
    game = Game(seed)
    for action in Solver(game.rules, 20_000).solve(game).actions:
        game.play(action)
    choices = [[(action, 0.75)] for action in game.actions]
    return record_game(game, "solver", choices=choices)


def table(page: Page) -> tuple[int, str, dict[str, list[tuple[int, bool]]]]:
    """Return the moves played, the score, and each pile's cards with whether they lie face-down."""
    step, score, cards = page.evaluate(
        """() => [Number(document.getElementById("slider").value),
            document.getElementById("score").textContent,
            [...document.querySelectorAll(".card")].map((card) => [
                card.dataset.pile, Number(card.dataset.index), Number(card.dataset.card),
                card.classList.contains("down")])]"""
    )
    piles: dict[str, list[tuple[int, bool]]] = {}
    for pile, _, card, down in sorted(cards):
        piles.setdefault(pile, []).append((card, down))
    return step, score, piles


def expected_piles(rules: Rules, position: Position) -> dict[str, list[tuple[int, bool]]]:
    found = {}
    for number, (cards, down) in enumerate(zip(position.columns, position.face_down, strict=True)):
        found[f"column-{number}"] = [(card, i < down) for i, card in enumerate(cards)]
    for number, card in enumerate(position.reserve):
        if card is not None:
            found[f"reserve-{number}"] = [(card, rules.reserve != "play")]
    for number, sequence in enumerate(position.removed):
        found[f"completed-{number}"] = [(card, False) for card in reversed(sequence)]
    return {pile: cards for pile, cards in found.items() if cards}


def at_step(page: Page) -> int:
    return int(page.locator("#slider").input_value())


@pytest.mark.parametrize(
    "name", ["classic", "three_blind_mice", "double_scorpion", "open_scorpion", "traditional"]
)
def test_the_table_is_the_engines_after_each_move(name: str, show: Show) -> None:
    record = won() if name == "classic" else played(name, 40)
    page = show(record)
    game = record.replay(0)
    for step in range(len(record.actions) + 1):
        if step:
            page.keyboard.press("ArrowRight")
            game.play(record.actions[step - 1])
        piles = expected_piles(record.rules, game.position)
        assert table(page) == (step, f"Score {game.score}", piles)
    page.keyboard.press("ArrowRight")
    assert at_step(page) == len(record.actions)
    page.keyboard.press("Home")
    assert table(page) == (0, "Score 0", expected_piles(record.rules, record.replay(0).position))


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_every_card_lies_in_its_column_and_on_the_page(name: str, show: Show) -> None:
    page = show(played(name, 60))
    page.keyboard.press("End")
    for size in (DESKTOP, PHONE):
        page.set_viewport_size(size)
        page.evaluate(
            "() => new Promise((drawn) => setTimeout(() => requestAnimationFrame(drawn)))"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
        columns = columns_on_screen(page)
        lefts = [rows[0]["x"] for rows in columns]
        assert lefts == sorted(set(lefts))
        for rows in columns:
            assert len({round(card["x"], 1) for card in rows}) == 1
            assert all(lower["y"] < upper["y"] for lower, upper in pairwise(rows))


def columns_on_screen(page: Page) -> list[list[dict[str, Any]]]:
    """Return where the cards of each column that holds any are; all cards must be on the table."""
    boxes = page.locator(".card").evaluate_all(
        """(cards) => cards.map((card) => {
            const { x, y, right, bottom } = card.getBoundingClientRect();
            return { x, y, right, bottom, ...card.dataset };
        })"""
    )
    board = page.locator("#board").bounding_box()
    assert board is not None
    columns: dict[int, list[dict[str, Any]]] = {}
    for box in sorted(boxes, key=lambda box: int(box["index"])):
        assert board["x"] - 1 <= box["x"] < box["right"] <= board["x"] + board["width"] + 1
        assert board["y"] - 1 <= box["y"] < box["bottom"] <= board["y"] + board["height"] + 1
        kind, number = box["pile"].split("-")
        if kind == "column":
            columns.setdefault(int(number), []).append(box)
    return [columns[number] for number in sorted(columns)]


def test_a_phone_shows_table_and_controls_on_one_screen(show: Show) -> None:
    page = show(won(), PHONE, ["winnable"] * (len(won().actions) + 1))
    page.keyboard.press("ArrowRight")
    for control in ("#board", "#slider", "#first", "#play", "#last", "#speed", "#reveal"):
        box = page.locator(control).bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
        assert box["y"] + box["height"] <= PHONE["height"]


def test_controls(show: Show) -> None:
    page = show(won())
    end = len(won().actions)
    for name, expected in [
        ("One move on", 1),
        ("One move on", 2),
        ("One move back", 1),
        ("To the end", end),
        ("One move on", end),
        ("To the deal", 0),
        ("One move back", 0),
    ]:
        # at either end a button stays where it is, for the keyboard's sake, but does nothing
        page.get_by_role("button", name=name, exact=True).click(force=True)
        assert at_step(page) == expected
    page.get_by_role("slider").fill("7")
    assert page.locator("#where").inner_text() == f"Move 7 of {end}"
    page.get_by_role("button", name="Move 9: ").click()
    assert at_step(page) == 9
    current = page.locator("[aria-current=step]")
    assert current.count() == 1
    assert str(current.get_attribute("aria-label")).startswith("Move 9: ")


def stop_clock(page: Page) -> None:
    page.clock.install(time=0)
    page.clock.pause_at(1000)


def test_playing_and_speed(show: Show) -> None:
    page = show(won())
    stop_clock(page)
    page.get_by_label("Speed").select_option("4")
    page.get_by_role("button", name="Play", exact=True).click()
    for step in (1, 2, 3):
        page.clock.run_for(275)
        assert at_step(page) == step
    page.get_by_label("Speed").select_option("0.5")
    page.clock.run_for(2199)
    assert at_step(page) == 3
    page.clock.run_for(1)
    assert at_step(page) == 4
    page.get_by_role("button", name="Pause").click()
    page.clock.run_for(10_000)
    assert at_step(page) == 4
    page.get_by_role("button", name="To the end").click()
    page.get_by_role("button", name="Play", exact=True).click()
    assert at_step(page) == 0
    page.clock.run_for(2200 * (len(won().actions) + 1))
    assert at_step(page) == len(won().actions)
    assert page.get_by_role("button", name="Play", exact=True).count() == 1


def test_keyboard_alone(show: Show) -> None:
    page = show(won())
    stop_clock(page)
    end = len(won().actions)
    for key, expected in [
        ("ArrowRight", 1),
        ("ArrowRight", 2),
        ("ArrowLeft", 1),
        ("End", end),
        ("Home", 0),
    ]:
        page.keyboard.press(key)
        assert at_step(page) == expected
    page.keyboard.press("Space")
    page.clock.run_for(1100)
    assert at_step(page) == 1
    page.keyboard.press("Space")
    page.clock.run_for(5000)
    assert at_step(page) == 1
    reached = []
    for _ in range(9):
        page.keyboard.press("Tab")
        focused = page.evaluate("document.activeElement.id")
        reached.append(focused)
        if focused == "slider":
            page.keyboard.press("ArrowRight")
            assert at_step(page) == 2
        if focused == "next":
            page.keyboard.press("Space")
            assert at_step(page) == 3
            style = "getComputedStyle(document.activeElement).outlineStyle"
            assert page.evaluate(style) == "solid"
        if focused == "reveal":
            page.keyboard.press("Space")
            assert page.locator("#reveal").is_checked()
    assert reached[:8] == [
        *("slider", "first", "back", "play", "next", "last", "speed", "reveal"),
    ]
    page.keyboard.press("Enter")  # on the first row of the list
    assert at_step(page) == 0


def test_moves_are_said(show: Show) -> None:
    record = played("three_blind_mice", 5)
    page = show(record)
    said = page.locator("#said")
    assert said.get_attribute("aria-live") == "polite"
    assert said.inner_text() == "The game is dealt."
    heard = set()
    for _ in record.actions:
        page.keyboard.press("ArrowRight")
        heard.add(said.inner_text())
    assert len(heard) == 5
    assert all(" column " in sentence for sentence in heard)
    assert said.inner_text().endswith("The game was stopped here.")


def test_hidden_cards_stay_hidden_until_asked_for(show: Show) -> None:
    record = played("classic", 0)
    page = show(record)
    hidden = record.replay(0).position.columns[0][0]
    card = page.locator(f".card[data-card='{hidden}']")
    words = page.locator("#board-words li").first
    assert not card.locator(".rank").is_visible()
    assert words.text_content().split(", ")[:3] == ["face-down card"] * 3
    page.get_by_label("Show hidden cards").check()
    assert card.locator(".rank").is_visible()
    assert words.text_content().startswith("face-down ")
    assert "face-down card" not in words.text_content()
    page.get_by_label("Show hidden cards").uncheck()
    assert not card.locator(".rank").is_visible()


def test_choices_and_verdicts_stand_beside_each_move(show: Show) -> None:
    rules = VARIANTS["classic"]
    game = Game(4)
    first, second = game.legal_moves()[0], game.legal_moves()[-1]
    start = game.copy()
    game.play(first)
    record = record_game(game, choices=[[(rules.deal_action, 0.75), (game.actions[0], 0.002)]])
    assert start.legal_moves()[-1] == second == "deal"
    page = show(record, verdicts=["winnable", "unwinnable"])
    assert page.locator("#verdict").inner_text() == "✓ can still be won"
    row = page.locator("#moves > li").nth(1)
    choices = row.locator(".choices li")
    assert [text.split("\n")[-1] for text in choices.all_inner_texts()] == ["75 %", "< 1 %"]
    assert choices.nth(0).locator(".label").inner_text() == "deal"
    assert choices.nth(1).get_attribute("class") == "played"
    widths = [bar.bounding_box() for bar in choices.locator(".bar, .bar span").all()]
    assert widths[1]["width"] / widths[0]["width"] == pytest.approx(0.75, abs=0.02)
    assert str(row.get_by_role("button").get_attribute("aria-label")).endswith(" lost")
    page.keyboard.press("End")
    assert page.locator("#verdict").inner_text() == "✗ lost"
    assert page.locator("#curve rect.unwinnable").count() == 1


def test_without_choices_and_verdicts_nothing_is_said_of_them(show: Show) -> None:
    page = show(played("classic", 3))
    assert page.locator(".choices").count() == 0
    assert not page.locator("#verdict").is_visible()
    assert page.locator(".verdict:visible").count() == 0


def test_hostile_names_stay_text(show: Show) -> None:
    game = Game(4)
    page = show(record_game(game, HOSTILE))
    assert page.locator("#player").text_content() == HOSTILE
    assert page.title().startswith("</script><img")
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 2
    assert page.evaluate("document.documentElement.scrollWidth") <= DESKTOP["width"]


def test_nothing_else_is_run_or_loaded(browser: Browser, tmp_path: Path) -> None:
    text = write_page(played("classic", 3))
    file = tmp_path / "page.html"
    added = '<script>document.title = "owned"</script><img src="file:///etc/hostname">'
    file.write_text(text.replace("</main>", added + "</main>"), encoding="utf-8")
    context = browser.new_context(offline=True)
    page = context.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(file.as_uri())
    assert page.title() != "owned"
    assert len([text for text in refused if "Content Security Policy" in text]) == 2
    context.close()


@pytest.mark.parametrize(
    ("motion", "expected"), [("reduce", "none"), ("no-preference", "transform")]
)
def test_less_motion_is_heeded(motion: str, expected: str, show: Show) -> None:
    page = show(played("classic", 3), motion=motion)
    style = "getComputedStyle(document.querySelector('.card')).transitionProperty"
    assert page.evaluate(style) == expected


def test_dark_and_light(show: Show) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        page = show(played("classic", 3), scheme=scheme)
        style = "getComputedStyle(document.body)"
        colours.add(page.evaluate(f"[{style}.backgroundColor, {style}.color].join()"))
    assert len(colours) == 2


def test_moved_cards_are_marked(show: Show) -> None:
    record = played("classic", 6)
    page = show(record)
    assert page.locator(".card.moved").count() == 0
    for number in range(1, 7):
        page.keyboard.press("ArrowRight")
        before, after = (record.replay(step).position for step in (number - 1, number))
        where = [
            {card: i for i, column in enumerate(p.columns) for card in column}
            for p in (before, after)
        ]
        moved = {card for card in where[1] if where[0].get(card) != where[1][card]}
        marked = page.locator(".card.moved").evaluate_all(
            "cards => cards.map((card) => Number(card.dataset.card))"
        )
        assert set(marked) == moved
