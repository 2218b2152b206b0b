"""One run of MaskablePPO from a config, from its start or from a checkpoint."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from torch.distributions import Distribution

from scorpion_env import VARIANTS
from scorpion_env.whole_file import write_whole
from train.checkpoint import checkpoints, load_checkpoint, save_checkpoint
from train.config import Config
from train.export import export_policy
from train.interrupt import first_interrupt
from train.metrics import draw_curve, log_evaluation, make_logger, run_summary
from train.network_export import usable_network
from train.network_policy import NetworkPolicy
from train.run_folder import RunError
from train.vec_env import ScorpionVecEnv

STATISTICS_WINDOW = 1000
ACTIVATIONS = {"relu": torch.nn.ReLU, "tanh": torch.nn.Tanh}


class StopAskedError(Exception):
    """Raised at the edge of a rollout when the person asked the run to stop."""


def make_games(config: Config, kind: type[ScorpionVecEnv] = ScorpionVecEnv) -> ScorpionVecEnv:
    """Return the training games that a config asks for."""
    return kind(
        config.num_envs,
        reward_scale=config.reward_scale,
        rules=config.rules,
        observation=config.observation,
        reward=config.reward,
        win_bonus=config.win_bonus,
        deals=config.deals,
        deal_nodes=config.deal_nodes,
        end_lost=config.end_lost,
    )


def make_model(config: Config, games: ScorpionVecEnv) -> MaskablePPO:
    """Return an untrained MaskablePPO as the config describes it."""
    torch.set_num_threads(config.threads)
    # the masked logits are always valid; checking them costs an eighth of the training time
    Distribution.set_default_validate_args(False)
    scheduled = {"learning_rate", "final_learning_rate", "final_ent_coef"}
    options = config.ppo.model_dump(exclude=scheduled)
    kind, policy_kwargs = policy_of(config)
    return MaskablePPO(
        kind,
        games,
        learning_rate=learning_rate(config),
        seed=config.seed,
        device=config.device,
        stats_window_size=STATISTICS_WINDOW,
        policy_kwargs=policy_kwargs,
        **options,
    )


def policy_of(config: Config) -> tuple[Any, dict[str, Any]]:
    """Return the policy class that a config asks for, or SB3's name of it, and its arguments.

    Raises
    ------
    RunError
        If the network to start from cannot be used.
    """
    asked = config.network
    if asked.kind == "flat":
        width = {"pi": asked.hidden, "vf": asked.hidden}
        return "MlpPolicy", {"net_arch": width, "activation_fn": ACTIVATIONS[asked.activation]}
    sizes = asked.sizes.model_dump()
    start = None
    if asked.start is not None:
        start = usable_network("network.start", asked.start, sizes)
    return NetworkPolicy, {"rules": VARIANTS[config.rules], "sizes": sizes, "start": start}


def learning_rate(config: Config) -> Any:
    """Return the learning rate, or its linear schedule over the part of the run that is left."""
    first, last = config.ppo.learning_rate, config.ppo.final_learning_rate
    if last is None:
        return first
    return lambda left: last + (first - last) * left


class RunCallback(BaseCallback):
    """At the edge of rollouts: evaluates, saves checkpoints, stops when asked to."""

    def __init__(self, config: Config, run: Path, games: ScorpionVecEnv) -> None:
        super().__init__()
        self.config = config
        self.run = run
        self.games = games
        self.stop_asked = False

    def _init_callback(self) -> None:
        self.next_evaluation = self._next(self.config.evaluation.every)
        self.next_checkpoint = self._next(self.config.checkpoint_every)

    def _next(self, every: int) -> int:
        if every == 0:
            return sys.maxsize
        return (self.model.num_timesteps // every + 1) * every

    def _on_rollout_start(self) -> None:
        self.set_entropy_coefficient()
        at_start = self.model.num_timesteps == 0
        if self.model.num_timesteps >= self.next_evaluation:
            self.evaluate()
            self.next_evaluation = self._next(self.config.evaluation.every)
        if self.model.num_timesteps >= self.next_checkpoint or at_start or self.stop_asked:
            self.save()
            self.next_checkpoint = self._next(self.config.checkpoint_every)
        if self.stop_asked:
            raise StopAskedError

    def set_entropy_coefficient(self) -> None:
        """Set the entropy coefficient as its schedule says."""
        first, last = self.config.ppo.ent_coef, self.config.ppo.final_ent_coef
        if last is not None:
            left = max(1 - self.model.num_timesteps / self.config.total_steps, 0)
            self.model.ent_coef = last + (first - last) * left

    def _on_step(self) -> bool:
        return True

    def ask_to_stop(self) -> None:
        """Stop at the edge of the rollout at hand."""
        self.stop_asked = True

    def evaluate(self) -> None:
        """Play the evaluation seeds with the policy as it is now."""
        export_policy(self.model, self.config, self.run)
        log_evaluation(self.logger, self.config, self.run)

    def save(self) -> None:
        """Save a checkpoint and the policy as it is now."""
        save_checkpoint(self.model, self.games, self.config, self.run)
        export_policy(self.model, self.config, self.run)


def train(config: Config, run: Path, resume: bool = False, progress: bool = True) -> bool:
    """Train into the run folder; return whether the run is finished.

    Ctrl-C ends the run after the rollout at hand, with a checkpoint; a second one at once.

    Raises
    ------
    RunError
        If the newest checkpoint cannot be used, or there is no GPU to train on.
    """
    if config.device == "cuda" and not torch.cuda.is_available():
        raise RunError("device is cuda, but torch finds no GPU: set device to auto or cpu")
    games = make_games(config)
    model = make_model(config, games)
    # a run that was killed before its first checkpoint begins anew in its folder
    saved = checkpoints(run) if resume else []
    if saved:
        model.set_logger(make_logger(run, int(saved[-1].name)))
        load_checkpoint(model, games, config, saved[-1])
    else:
        model.set_logger(make_logger(run, 0))
    callback = RunCallback(config, run, games)
    finished = _learn(model, config, callback, progress)
    if finished:
        callback.init_callback(model)
        callback.evaluate()
        callback.save()
        summary = run_summary(model.logger, config, model.num_timesteps, model._n_updates)
        write_whole(run / "summary.json", json.dumps(summary, indent=2) + "\n")
    draw_curve(run)
    model.logger.close()
    return finished


def _learn(model: MaskablePPO, config: Config, callback: RunCallback, progress: bool) -> bool:
    try:
        with first_interrupt(callback.ask_to_stop, "rollout"):
            left = config.total_steps - model.num_timesteps
            if left > 0:
                model.learn(
                    left,
                    callback=callback,
                    reset_num_timesteps=model._last_obs is None,
                    progress_bar=progress,
                )
    except (StopAskedError, KeyboardInterrupt):
        return False
    return True
