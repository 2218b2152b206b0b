"""``python -m benchmarks.unmasked``: what SB3's algorithms that know no masks learn here."""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
import torch
from stable_baselines3 import DQN, PPO

from scorpion_env.deals import FIRST_TRAINING_SEED
from scorpion_env.env import ScorpionEnv

STEPS = 50_000
EPISODES = 200
ALGORITHMS: dict[str, dict[str, Any]] = {
    "PPO": {"n_steps": 1024, "batch_size": 256},
    "DQN": {"buffer_size": 20_000, "learning_starts": 1000},
}


def play(model: Any) -> tuple[float, float]:
    """Return the mean score and the share of illegal actions over the evaluation deals."""
    env = ScorpionEnv(observation="planes")
    scores, illegal, steps = [], 0, 0
    for seed in range(EPISODES):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            action, _ = model.predict(observation, deterministic=False)
            observation, _, terminated, truncated, info = env.step(int(action))
            illegal += info["illegal_action"]
            steps += 1
            over = terminated or truncated
        scores.append(info["score"])
    return float(np.mean(scores)), illegal / steps


def main() -> None:
    """Train each algorithm without masks and print how it plays."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=STEPS, help="environment steps of training")
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    for algorithm in (PPO, DQN):
        name = algorithm.__name__
        env = ScorpionEnv(observation="planes")
        options = ALGORITHMS[name]
        model = algorithm("MlpPolicy", env, seed=FIRST_TRAINING_SEED, **options).learn(steps)
        score, illegal = play(model)
        print(f"{name}: mean score {score:.1f}, {100 * illegal:.1f} % of the actions illegal")


if __name__ == "__main__":
    main()
