"""Draws the screenshots of the replay page: ``python -m docs.replay_screenshots``.

Agents play the games anew, so a picture shows what the agents of this checkout do.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, NamedTuple

from playwright.sync_api import Browser, ViewportSize, sync_playwright

from agents.__main__ import main as play
from scorpion_env.cli import main as scorpion
from tests.chromium import ARGUMENTS, MISSING, find_chromium

IMAGES = Path(__file__).with_name("images")
DESKTOP, PHONE = ViewportSize(width=1280, height=800), ViewportSize(width=360, height=740)


class Shot(NamedTuple):
    """One picture."""

    name: str
    agent: str
    rules: str
    seed: int
    step: int  # moves played
    options: tuple[str, ...] = ()  # of scorpion replay
    size: ViewportSize = DESKTOP
    scheme: Literal["light", "dark"] = "light"
    revealed: bool = False


SHOTS = (
    Shot("replay_classic", "classic-network", "classic", 3, 23, ("--verdicts",)),
    Shot(
        "replay_three_blind_mice",
        "classic-network",
        "three_blind_mice",
        14,
        20,
        ("--verdicts",),
        scheme="dark",
    ),
    Shot(
        "replay_double_scorpion", "greedy", "double_scorpion", 0, 45, ("--verdicts",), revealed=True
    ),
    Shot("replay_phone", "classic-network", "classic", 3, 23, ("--verdicts",), PHONE),
)


def main() -> int:
    """Draw all pictures into docs/images; return the exit code."""
    executable = find_chromium()
    if executable is None:
        print(MISSING, file=sys.stderr)
        return 1
    IMAGES.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        for shot in SHOTS:
            draw(browser, shot, Path(folder))
        browser.close()
    return 0


def draw(browser: Browser, shot: Shot, folder: Path) -> None:
    """Play the game, make its page and take the picture."""
    games, page_file = folder / "games.jsonl", folder / "game.html"
    seeds = f"{shot.seed}:{shot.seed + 1}"
    arguments = [shot.agent, "--rules", shot.rules, "--seeds", seeds]
    replay = ["replay", str(games), "-o", str(page_file), *shot.options]
    if play([*arguments, "--record", str(games)]) or scorpion(replay):
        raise SystemExit(f"{shot.name} could not be made")
    scale = 1 if shot.size == DESKTOP else 2
    page = browser.new_page(
        viewport=shot.size,
        color_scheme=shot.scheme,
        reduced_motion="reduce",
        device_scale_factor=scale,
    )
    page.goto(page_file.as_uri())
    page.locator("#slider").fill(str(shot.step))
    if shot.revealed:
        page.locator("#reveal").check()
    page.screenshot(path=IMAGES / f"{shot.name}.png")
    page.close()


if __name__ == "__main__":
    sys.exit(main())
