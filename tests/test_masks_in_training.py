"""Masks from the environment through Stable-Baselines3's wrappers to MaskablePPO's distribution."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from gymnasium.wrappers import TimeLimit
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.distributions import MaskableCategorical
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.callbacks import EvalCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecCheckNan,
    VecEnv,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)
from torch.distributions import Distribution

from scorpion_env import VARIANTS
from scorpion_env.env import ScorpionEnv
from tests.solver_cases import number
from train import ppo
from train.__main__ import main
from train.config import Config
from train.ppo import make_games, make_model
from train.vec_env import ScorpionVecEnv

GAMES = 2
SMALL = {
    "num_envs": 8,
    "ppo": {"n_steps": 8, "batch_size": 32, "n_epochs": 2, "learning_rate": 0.01, "ent_coef": 0},
}
FLAT = {**SMALL, "network": {"hidden": [16]}}
SIZES = {"width": 8, "rounds": 1, "column_width": 4, "hidden": 8, "hidden_2": 8}
CARDS = {**SMALL, "observation": "cards", "network": {"kind": "cards", "sizes": SIZES}}


@pytest.fixture
def validating() -> Iterator[None]:
    """Let torch check every distribution, which training leaves out for speed."""
    before = Distribution._validate_args
    Distribution.set_default_validate_args(True)
    yield
    Distribution.set_default_validate_args(before)


def batch() -> ScorpionVecEnv:
    return ScorpionVecEnv(GAMES, observation="planes", training=False)


def singles(kind: Callable[..., VecEnv] = DummyVecEnv) -> VecEnv:
    makers = [lambda: Monitor(TimeLimit(ScorpionEnv(observation="planes"), 150))] * GAMES
    return kind(makers)


STACKS: dict[str, Callable[[], VecEnv]] = {
    "batch": batch,
    "batch, wrapped": lambda: VecCheckNan(VecFrameStack(VecMonitor(batch()), 2)),
    "batch, normalised": lambda: VecNormalize(batch(), norm_obs=False),
    "singles": singles,
    "singles, wrapped": lambda: VecNormalize(VecFrameStack(VecMonitor(singles()), 2)),
    "processes": lambda: VecMonitor(singles(partial(SubprocVecEnv, start_method="spawn"))),
}


@pytest.mark.filterwarnings("ignore:The environment is already wrapped with a `Monitor`")
@pytest.mark.parametrize("stack", STACKS)
def test_masks_reach_sb3_through_its_wrappers(stack: str) -> None:
    """Reported elsewhere: masks are lost in a wrapper or in a vector of processes."""
    games, plain = STACKS[stack](), [ScorpionEnv() for _ in range(GAMES)]
    try:
        assert is_masking_supported(games)
        games.seed(50)
        games.reset()
        for seed, env in enumerate(plain, start=50):
            env.reset(seed=seed)
        rng, ends = np.random.default_rng(0), 0
        for _ in range(60):
            masks = get_action_masks(games)
            assert np.array_equal(masks, [env.action_masks() for env in plain])
            actions = (rng.random(masks.shape) * masks).argmax(axis=1)
            dones = games.step(actions)[2]
            for env, action, done in zip(plain, actions, dones, strict=True):
                *_, terminated, truncated, _ = env.step(action)
                assert (terminated or truncated) == done
                if done:
                    env.reset()
                    ends += 1
        assert ends >= GAMES
    finally:
        games.close()


@pytest.mark.parametrize("name", VARIANTS)
def test_no_row_of_masks_is_empty(name: str) -> None:
    """Reported elsewhere: given a mask of zeros, MaskablePPO plays any action without a word."""
    games = ScorpionVecEnv(32, rules=name, step_limit=30, observation="planes")
    games.reset()
    rng, ends = np.random.default_rng(0), 0
    for _ in range(70):
        masks = get_action_masks(games)
        assert masks.any(axis=1).all()
        ends += games.step((rng.random(masks.shape) * masks).argmax(axis=1))[2].sum()
    assert ends > 32


def test_statistics_of_sb3s_own_monitor_are_right() -> None:
    """Reported elsewhere: lengths and returns of episodes are off by one."""
    games = VecMonitor(ScorpionVecEnv(8, observation="planes", step_limit=30))
    games.reset()
    rng, seen = np.random.default_rng(0), 0
    returns, lengths = np.zeros(8), np.zeros(8)
    for _ in range(100):
        masks = get_action_masks(games)
        _, rewards, dones, infos = games.step((rng.random(masks.shape) * masks).argmax(axis=1))
        returns, lengths = returns + rewards, lengths + 1
        for game in np.flatnonzero(dones):
            told = infos[game]["episode"]
            assert (told["r"], told["l"]) == (returns[game], lengths[game])
            assert told["r"] == infos[game]["score"]
            seen += 1
        returns[dones], lengths[dones] = 0, 0
    assert seen > 8


# Beside an evaluation


def evaluation(kind: str) -> Any:
    """One of SB3's callbacks; the one that knows no masks plays games that bear illegal actions."""
    options: dict[str, Any] = {"observation": "planes", "training": False, "step_limit": 20}
    given: dict[str, Any] = {"eval_freq": 8, "n_eval_episodes": 2, "verbose": 0}
    if kind == "unmasked":
        return EvalCallback(ScorpionVecEnv(2, **options), **given)
    return MaskableEvalCallback(ScorpionVecEnv(2, illegal_action="raise", **options), **given)


@pytest.mark.filterwarnings("ignore:.*not wrapped with a.*Monitor")
@pytest.mark.parametrize("kind", ["masked", "unmasked"])
def test_training_stays_masked_beside_an_evaluation(kind: str) -> None:
    """Reported elsewhere: with an evaluation callback, training no longer asks for masks."""
    config = Config.model_validate(FLAT)
    games = make_games(config, partial(ScorpionVecEnv, illegal_action="raise"))
    model = make_model(config, games)
    callback = evaluation(kind)
    model.learn(256, callback=callback)
    assert callback.n_calls == 32
    assert np.isfinite(callback.last_mean_reward)
    buffer = model.rollout_buffer
    masks = buffer.action_masks.reshape(-1, 365).astype(bool)
    actions = buffer.actions.reshape(-1).astype(int)
    assert masks[np.arange(len(actions)), actions].all()
    assert masks.any(axis=1).all()
    assert masks.mean() < 0.2


def test_runs_play_and_evaluate_legally(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reported elsewhere: with an evaluation callback, training no longer asks for masks."""
    strict = partial(make_games, kind=partial(ScorpionVecEnv, illegal_action="raise"))
    monkeypatch.setattr(ppo, "make_games", strict)
    config = tmp_path / "small.yaml"
    config.write_text(
        "total_steps: 256\nnum_envs: 8\nnetwork: {hidden: [16]}\n"
        "ppo: {n_steps: 8, batch_size: 32}\nevaluation: {every: 64, seeds: '0:8'}\n"
    )
    assert main([str(config), "--runs", str(tmp_path), "--name", "run", "--no-progress"]) == 0


# The distribution


def assert_distribution(found: Any, masks: np.ndarray) -> None:
    """The probabilities of legal actions sum to one, and all that training takes is finite."""
    legal = torch.as_tensor(masks)
    assert torch.isfinite(found.probs).all()
    assert (found.probs[~legal] == 0).all()
    assert torch.allclose(found.probs.sum(-1), torch.ones(len(masks)), atol=1e-5)
    chosen = found.sample()
    assert legal[torch.arange(len(masks)), chosen].all()
    assert torch.isfinite(found.log_prob(chosen)).all()
    assert (found.entropy() >= 0).all()
    assert torch.isfinite(found.entropy()).all()


@pytest.mark.usefixtures("validating")
@pytest.mark.parametrize("actions", [365, 2029])
@pytest.mark.parametrize("magnitude", [1, 1e2, 1e4, 1e7])
def test_extreme_logits_give_a_distribution(magnitude: float, actions: int) -> None:
    """Reported elsewhere: after many steps masked probabilities are no simplex and training ends.

    The masks of one distribution are changed after its probabilities were read, as those of a
    rollout are.
    """
    rng = np.random.default_rng(0)
    for _ in range(number(4, 1000)):
        logits = torch.as_tensor(
            magnitude * rng.standard_normal((64, actions)).clip(-4, 4), dtype=torch.float32
        )
        found = MaskableCategorical(logits=logits)
        for share in (0.002, 0.02, 0.5):
            masks = rng.random((64, actions)) < share
            masks[np.arange(64), rng.integers(actions, size=64)] = True
            found.apply_masking(masks)
            assert_distribution(found, masks)


@pytest.mark.usefixtures("validating")
@pytest.mark.parametrize("given", [FLAT, CARDS], ids=["flat", "cards"])
def test_policies_stay_distributions_as_they_are_trained(given: dict[str, Any]) -> None:
    """Reported elsewhere: after many steps masked probabilities are no simplex and training ends.

    The rate of learning is twenty times the usual one, and the network is blown up besides.
    """
    config = Config.model_validate(given)
    games = make_games(config)
    model = make_model(config, games)
    Distribution.set_default_validate_args(True)
    model.learn(number(256, 50_000))
    for factor in (1, 30, 30, 30):
        with torch.no_grad():
            for parameter in last_layer(model).parameters():
                parameter.mul_(factor)
        observation, masks = games.reset(), games.action_masks()
        seen, _ = model.policy.obs_to_tensor(observation)
        found = model.policy.get_distribution(seen, masks).distribution
        assert_distribution(found, masks)
    model.learn(64)
    assert all(torch.isfinite(parameter).all() for parameter in model.policy.parameters())


def last_layer(model: MaskablePPO) -> torch.nn.Module:
    """The layer that gives a policy's logits."""
    policy: Any = model.policy
    return policy.action_net if hasattr(policy, "action_net") else policy.scorer
