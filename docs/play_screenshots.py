"""Draws the screenshots of `scorpion play`: ``python -m docs.play_screenshots``."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import NamedTuple

from playwright.sync_api import sync_playwright
from rich.terminal_theme import TerminalTheme

from scorpion_env.game import Game
from scorpion_env.play.app import PlayApp
from scorpion_env.play.saved import Chosen
from scorpion_env.play.session import Session
from scorpion_env.solver import solve
from tests.chromium import ARGUMENTS, MISSING, find_chromium

IMAGES = Path(__file__).with_name("images")
SIZE = (80, 24)
# the colours of a dark terminal
TANGO = TerminalTheme(
    (30, 30, 30),
    (211, 215, 207),
    [
        (46, 52, 54),
        (204, 0, 0),
        (78, 154, 6),
        (196, 160, 0),
        (52, 101, 164),
        (117, 80, 123),
        (6, 152, 154),
        (211, 215, 207),
    ],
    [
        (85, 87, 83),
        (239, 61, 61),
        (138, 226, 52),
        (252, 233, 79),
        (114, 159, 207),
        (173, 127, 168),
        (52, 226, 226),
        (238, 238, 236),
    ],
)


class Scene(NamedTuple):
    """What a picture shows: a game some moves into its win, and the keys pressed then."""

    rules: str
    seed: int
    moves: int
    keys: tuple[str, ...]


SCENES = {
    "play_classic": Scene("classic", 3, 14, ("tab", "enter")),
    "play_three_blind_mice": Scene("three_blind_mice", 1, 9, ("tab", "enter")),
    "play_double_scorpion": Scene("double_scorpion", 1, 12, ("tab", "enter")),
}


async def draw(scene: Scene) -> str:
    """Return a picture of a scene as SVG."""
    game = Game(scene.seed, scene.rules)
    for action in solve(game).actions[: scene.moves]:
        game.play(action)
    app = PlayApp(Chosen(Session(game, scene.seed), Path("unused.jsonl")))
    app.ansi_color = False  # a picture has no terminal that would choose the colours
    app.ansi_theme_dark = TANGO
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press(*scene.keys)
        return app.export_screenshot(title="scorpion play")


def main() -> int:
    """Draw all pictures into docs/images; return the exit code."""
    executable = find_chromium()
    if executable is None:
        print(MISSING, file=sys.stderr)
        return 1
    IMAGES.mkdir(exist_ok=True)
    pictures = {name: asyncio.run(draw(scene)) for name, scene in SCENES.items()}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1000, "height": 800})
        for name, svg in pictures.items():
            page.set_content(f"<style>svg {{ width: 960px }}</style>{svg}")
            page.locator("svg").first.screenshot(path=IMAGES / f"{name}.png", omit_background=True)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
