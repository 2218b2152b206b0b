"""One run of RLlib's PPO from a config, from its start or from a checkpoint."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import ray
import ray.exceptions
import torch
import tree
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core import DEFAULT_MODULE_ID
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.utils.metrics import (
    ENV_RUNNER_RESULTS,
    LEARNER_RESULTS,
    NUM_ENV_STEPS_SAMPLED_LIFETIME,
)
from ray.tune.registry import register_env
from stable_baselines3.common.logger import Logger

from scorpion_env.whole_file import write_whole
from train.checkpoint import (
    MAY_CHANGE,
    check_config,
    checkpoints,
    damaged,
    write_checkpoint,
)
from train.export import write_policy
from train.interrupt import first_interrupt
from train.metrics import draw_curve, log_evaluation, make_logger, run_summary
from train.ppo import ACTIVATIONS, STATISTICS_WINDOW
from train.rllib_cluster import cluster
from train.rllib_config import RllibConfig
from train.rllib_env import WON, log_win, make_games
from train.rllib_module import MaskedModule
from train.run_folder import RunError, read_json

GAMES = "scorpion"
PATIENCE = 600  # seconds
PROCESSES_MAY_CHANGE = ("num_envs", "env_runners", "learners", "num_gpus")
STATE, CONFIG = "state.pt", "config.json"
# what is logged under a name of `train.metrics.COLUMNS` -> where RLlib's result has it
PLAYED = {
    "rollout/ep_rew_mean": "episode_return_mean",
    "rollout/ep_len_mean": "episode_len_mean",
    "rollout/success_rate": WON,
}
LEARNT = {
    "train/loss": "total_loss",
    "train/policy_gradient_loss": "policy_loss",
    "train/value_loss": "vf_loss",
    "train/entropy_loss": "entropy",
    "train/explained_variance": "vf_explained_var",
    "train/learning_rate": "default_optimizer_learning_rate",
}


def games_of(config: RllibConfig) -> dict[str, Any]:
    """Return the arguments of `train.rllib_env.RllibVectorEnv` that a config has, but for num_envs.

    Raises
    ------
    RunError
        If no such game can be dealt: an env runner that cannot would be started for ever anew.
    """
    names = {"rules", "reward", "win_bonus", "reward_scale", "deals", "deal_nodes"}
    options = config.model_dump(include=names)
    try:
        make_games({"num_envs": 1, **options}).reset(seed=config.seed)
    except ValueError as error:
        raise RunError(f"these games cannot be dealt: {error}") from error
    return options


def _schedule(first: float, last: float | None, steps: int) -> Any:
    """Return a number, or RLlib's list of the points between which it changes linearly."""
    return first if last is None else [[0, first], [steps, last]]


def algorithm_config(config: RllibConfig, steps_done: int = 0) -> PPOConfig:
    """Return what RLlib needs to know; a run that goes on after some steps deals other games."""
    ppo, steps = config.ppo, config.total_steps
    network = {
        "hidden": config.network.hidden,
        "activation": ACTIVATIONS[config.network.activation],
    }
    return (
        PPOConfig()
        .environment(GAMES, env_config=games_of(config))
        .env_runners(
            num_env_runners=config.env_runners,
            num_envs_per_env_runner=config.num_envs,
            rollout_fragment_length=ppo.n_steps,
            gym_env_vectorize_mode="vector_entry_point",
        )
        .learners(num_learners=config.learners, num_gpus_per_learner=config.num_gpus)
        .rl_module(rl_module_spec=RLModuleSpec(MaskedModule, model_config=network))
        .training(
            lr=_schedule(ppo.learning_rate, ppo.final_learning_rate, steps),
            train_batch_size_per_learner=config.rollout // max(config.learners, 1),
            minibatch_size=ppo.batch_size,
            num_epochs=ppo.n_epochs,
            gamma=ppo.gamma,
            lambda_=ppo.gae_lambda,
            clip_param=ppo.clip_range,
            entropy_coeff=_schedule(ppo.ent_coef, ppo.final_ent_coef, steps),
            vf_loss_coeff=ppo.vf_coef,
            vf_clip_param=math.inf,
            grad_clip=ppo.max_grad_norm,
            use_kl_loss=False,
        )
        .callbacks(on_episode_end=log_win)
        .reporting(metrics_num_episodes_for_smoothing=STATISTICS_WINDOW)
        .debugging(seed=config.seed + steps_done, log_level="ERROR")
    )


@contextmanager
def algorithm(settings: PPOConfig) -> Iterator[PPO]:
    """Have the algorithm with its processes."""
    register_env(GAMES, make_games)
    built = settings.build_algo()
    # RLlib makes a folder for logs and writes none
    with suppress(OSError):
        Path(built.logdir).rmdir()
    try:
        yield built
    finally:
        built.stop()


def train(config: RllibConfig, run: Path, resume: bool = False, address: str | None = None) -> bool:
    """Train into the run folder; return whether the run is finished.

    Ctrl-C ends the run after the iteration at hand, with a checkpoint; a second one at once. A run
    that goes on has its networks, optimizer and counts as they were, and begins new games.

    Raises
    ------
    RunError
        If the newest checkpoint cannot be used, or the cluster cannot be, or its processes fail.
    """
    # a run that was killed before its first checkpoint begins anew in its folder
    saved = checkpoints(run) if resume else []
    steps = int(saved[-1].name) if saved else 0
    settings = algorithm_config(config, steps)
    logger = make_logger(run, steps)
    torch.set_num_threads(config.threads)
    try:
        with cluster(config, address), algorithm(settings) as ppo:
            if saved:
                load_checkpoint(ppo, config, saved[-1])
            finished = _learn(ppo, config, run, logger, steps)
    except (ray.exceptions.RayError, RuntimeError) as problem:
        lines = str(problem).strip().splitlines() or [type(problem).__name__]
        said = lines[-1].split(". ")[0]
        raise RunError(f"training on Ray failed: {said}; go on with --resume {run}") from problem
    draw_curve(run)
    logger.close()
    return finished


def _learn(ppo: PPO, config: RllibConfig, run: Path, logger: Logger, steps: int) -> bool:
    """Train until the run is finished, which is True, or somebody asks it to stop."""
    stop = Event()
    try:
        with first_interrupt(stop.set, "iteration"):
            while steps < config.total_steps and not stop.is_set():
                before = steps
                steps, result = next_result(ppo, before)
                log_result(logger, config, result, steps, before)
                is_last = steps >= config.total_steps
                evaluates = is_last or passed(config.evaluation.every, before, steps)
                saves = is_last or stop.is_set() or passed(config.checkpoint_every, before, steps)
                if evaluates or saves:
                    export_policy(ppo, config, run, steps)
                if evaluates:
                    log_evaluation(logger, config, run)
                if is_last:
                    write_summary(logger, config, run, steps, ppo.iteration)
                logger.dump(steps)
                if saves:
                    save_checkpoint(ppo, config, run, steps)
    except KeyboardInterrupt:
        return False
    return steps >= config.total_steps


def next_result(ppo: PPO, before: int) -> tuple[int, dict[str, Any]]:
    """Train for an iteration; return the steps taken in all and what RLlib tells of it.

    An iteration in which all env runners died is passed over, for RLlib starts others.

    Raises
    ------
    RunError
        If none plays for long.
    """
    begun = time.monotonic()
    while time.monotonic() < begun + PATIENCE:
        result = ppo.train()
        steps = result.get(ENV_RUNNER_RESULTS, {}).get(NUM_ENV_STEPS_SAMPLED_LIFETIME, before)
        if steps > before:
            return int(steps), result
    raise RunError(f"no env runner has played for {PATIENCE} seconds: see the errors above")


def passed(every: int, before: int, steps: int) -> bool:
    """Say whether a multiple of ``every``, if that is not 0, lies between two counts of steps."""
    return every > 0 and steps // every > before // every


def log_result(
    logger: Logger, config: RllibConfig, result: dict[str, Any], steps: int, before: int
) -> None:
    """Log what RLlib tells of the iteration that led from ``before`` to ``steps`` steps."""
    played, learnt = result[ENV_RUNNER_RESULTS], result[LEARNER_RESULTS][DEFAULT_MODULE_ID]
    values = {name: played.get(key, math.nan) for name, key in PLAYED.items()}
    values |= {name: learnt.get(key, math.nan) for name, key in LEARNT.items()}
    values["rollout/ep_rew_mean"] /= config.reward_scale
    values["train/entropy_loss"] *= -1
    values["time/total_timesteps"] = steps
    values["time/fps"] = int((steps - before) / result["time_this_iter_s"])
    for name, value in values.items():
        if math.isfinite(value):
            logger.record(name, value)


def write_summary(logger: Logger, config: RllibConfig, run: Path, steps: int, done: int) -> None:
    """Write what a finished run logged last."""
    summary = run_summary(logger, config, steps, done * config.ppo.n_epochs)
    write_whole(run / "summary.json", json.dumps(summary, indent=2) + "\n")


def export_policy(ppo: PPO, config: RllibConfig, run: Path, steps: int) -> None:
    """Write the policy's two files into the run folder."""
    layers = [part for part in ppo.get_module().policy if isinstance(part, torch.nn.Linear)]
    write_policy(layers, config, config.network.activation, run, steps)


def save_checkpoint(ppo: PPO, config: RllibConfig, run: Path, steps: int) -> Path:
    """Write a checkpoint: RLlib's state as tensors and plain data, without the games."""

    def write(folder: Path) -> None:
        torch.save(tree.map_structure(_plain, ppo.get_state()), folder / STATE)
        write_whole(folder / CONFIG, config.model_dump_json())

    return write_checkpoint(run, steps, write)


def _plain(value: Any) -> Any:
    """Return NumPy's arrays and numbers as what torch reads without running code."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    return value.item() if isinstance(value, np.generic) else value


def load_checkpoint(ppo: PPO, config: RllibConfig, folder: Path) -> None:
    """Put a freshly made algorithm back to where the checkpoint was made.

    Raises
    ------
    RunError
        If a file of it is missing, damaged or belongs to another config.
    """
    may_change = (*MAY_CHANGE, *PROCESSES_MAY_CHANGE)
    try:
        check_config(read_json(folder / CONFIG), config.model_dump(mode="json"), may_change)
        ppo.set_state(torch.load(folder / STATE, weights_only=True))
    except Exception as error:
        raise damaged(folder, error) from error
