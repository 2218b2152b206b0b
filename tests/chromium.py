"""Where a browser is for pages to be looked at."""

from __future__ import annotations

import shutil

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--no-first-run"),
]
MISSING = "Chromium is needed: install it, on Debian with apt-get install chromium"


def find_chromium() -> str | None:
    """Return the path of Chromium or Chrome, None if there is none."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return next(filter(None, map(shutil.which, names)), None)
