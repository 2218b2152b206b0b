"""Draws the pictures in docs/images: ``python -m docs.screenshots``.

Each shows a fixed deal after some moves of the greedy agent, which sees no hidden card.
"""

from __future__ import annotations

from pathlib import Path

import gymnasium as gym
import numpy as np

from agents.greedy import GreedyAgent
from scorpion_env import ENV_IDS
from scorpion_env.render.library import pygame

FOLDER = Path(__file__).parent / "images"
# name of the rules, seed, moves
PICTURES = [
    ("classic", 8, 40),
    ("three_blind_mice", 8, 27),
    ("double_scorpion", 63, 79),
]


def draw(name: str, seed: int, moves: int) -> Path:
    """Write the picture of one game; return where it is."""
    env = gym.make_vec(ENV_IDS[name], render_mode="rgb_array")
    agent = GreedyAgent(name)
    observation, info = env.reset(seed=seed)
    agent.begin(np.array([seed], np.uint64))
    for _ in range(moves):
        actions = agent.act(observation, info["action_mask"])
        observation, _, _, _, info = env.step(actions)
    frames = env.render()
    assert frames is not None
    height, width, _ = frames[0].shape
    path = FOLDER / f"rgb_{name}.png"
    pygame.image.save(pygame.image.frombuffer(frames[0].tobytes(), (width, height), "RGB"), path)
    return path


def main() -> None:
    """Draw all pictures."""
    FOLDER.mkdir(exist_ok=True)
    for name, seed, moves in PICTURES:
        path = draw(name, seed, moves)
        print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
