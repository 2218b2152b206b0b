"""``python -m benchmarks.training``: MaskablePPO on our games and on games that cost nothing."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sb3_contrib import MaskablePPO

from train.config import Config, load_config
from train.ppo import make_games, make_model
from train.vec_env import ScorpionVecEnv


class TimedGames(ScorpionVecEnv):
    """The training games, noting the time that steps and masks take."""

    spent = 0.0

    def step_wait(self) -> tuple[Any, npt.NDArray[Any], npt.NDArray[Any], list[dict[str, Any]]]:
        """Step every game."""
        start = time.perf_counter()
        result = super().step_wait()
        self.spent += time.perf_counter() - start
        return result

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions."""
        start = time.perf_counter()
        masks = super().action_masks()
        self.spent += time.perf_counter() - start
        return masks


class FreeGames(ScorpionVecEnv):
    """A bare environment of zeros: the same spaces, one mask for ever, nothing computed."""

    def reset(self) -> Any:
        """Return the first observations, which every step returns again."""
        self.observation = super().reset()
        self.masks = super().action_masks()
        self.rewards = np.zeros(self.num_envs, np.float32)
        self.dones = np.zeros(self.num_envs, np.bool_)
        self.infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        return self.observation

    def step_wait(self) -> tuple[Any, npt.NDArray[Any], npt.NDArray[Any], list[dict[str, Any]]]:
        """Return the same again."""
        return self.observation, self.rewards, self.dones, self.infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the masks of the first deals."""
        return self.masks


def learn(model: MaskablePPO, config: Config, rollouts: int) -> float:
    """Return steps a second over some rollouts and their updates."""
    steps = config.num_envs * config.ppo.n_steps
    model.learn(steps)
    start = time.perf_counter()
    model.learn(rollouts * steps, reset_num_timesteps=False)
    return rollouts * steps / (time.perf_counter() - start)


def main() -> None:
    """Measure both in turns and print the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--config", type=Path, default=Path("configs/ppo_quickstart.yaml"))
    parser.add_argument("--rollouts", type=int, default=6)
    options = parser.parse_args()
    config = load_config(options.config)
    rates: dict[str, list[float]] = {"ours": [], "free": []}
    shares = []
    for _ in range(3):
        for name, kind in (("ours", TimedGames), ("free", FreeGames)):
            games = make_games(config, kind)
            model = make_model(config, games)
            rates[name].append(learn(model, config, options.rollouts))
            if isinstance(games, TimedGames):
                steps = (options.rollouts + 1) * config.num_envs * config.ppo.n_steps
                shares.append(games.spent / (steps / rates[name][-1]))
    ours, free = max(rates["ours"]), max(rates["free"])
    print(f"our games {ours:.0f} steps/s, games that cost nothing {free:.0f} steps/s")
    print(f"of the ceiling {100 * ours / free:.1f} %, time in our games {100 * min(shares):.1f} %")


if __name__ == "__main__":
    main()
