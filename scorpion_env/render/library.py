"""pygame, or the word that it is missing."""

from __future__ import annotations

import os

from gymnasium.error import DependencyNotInstalled

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # its greeting would go to stdout
try:
    import pygame
except ImportError as problem:
    raise DependencyNotInstalled(
        "pictures are drawn with pygame-ce: pip install 'scorpion-env[render]'"
    ) from problem

__all__ = ["pygame"]
