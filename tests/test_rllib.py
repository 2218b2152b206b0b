"""Training on Ray RLlib: the adapter, the module, whole runs on a Ray of this machine."""

import csv
import gc
import json
import os
import shutil
import signal
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.policy import PolicyAgent
from scorpion_env.vector_env import ScorpionVectorEnv
from train import rllib
from train.checkpoint import checkpoints
from train.config import ConfigError, load_section
from train.rllib import main
from train.rllib_config import RllibConfig
from train.rllib_env import ACTION_MASK, OBSERVATIONS, WON, RllibVectorEnv
from train.run_folder import RunError

CONFIG = Path(__file__).parents[1] / "configs" / "rllib_classic.yaml"
# every fourth game is won by chance
SMALL = """
rules: scorpion_ii
total_steps: 1500
num_envs: 16
env_runners: 0
checkpoint_every: 1000
network:
  hidden: [16]
  activation: tanh
ppo:
  n_steps: 64
  batch_size: 64
  n_epochs: 2
  final_learning_rate: 1.0e-5
evaluation:
  every: 0
  seeds: 0:8
"""

needs_rllib = pytest.mark.skipif(
    any(find_spec(name) is None for name in rllib.NEEDED),
    reason="RLlib is not installed: make oldest-gymnasium tests it",
)
# of Ray, RLlib and what they import
pytestmark = pytest.mark.filterwarnings("ignore")


def write_config(folder: Path, text: str = SMALL) -> Path:
    path = folder / "small.yaml"
    path.write_text(text)
    return path


def small_config(folder: Path, *overrides: str) -> RllibConfig:
    return load_section(RllibConfig, write_config(folder), list(overrides))


def metrics(run: Path) -> list[dict[str, str]]:
    with (run / "metrics.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def a_ray() -> Iterator[None]:
    """A Ray of this machine that the runs use."""
    import ray

    ray.init(
        address="local",
        num_cpus=1,
        object_store_memory=80_000_000,
        include_dashboard=False,
        log_to_driver=False,
        # Ray's own 15 lets other work of the machine starve the processes
        _system_config={"worker_niceness": 0},
    )
    yield
    ray.shutdown()
    gc.collect()


@pytest.fixture(scope="module")
def finished(a_ray: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two iterations, played by a process of its own."""
    folder = tmp_path_factory.mktemp("rllib")
    arguments = [str(write_config(folder)), "--runs", str(folder), "--name", "finished"]
    assert main([*arguments, "--set", "env_runners=1"]) == 0
    return folder / "finished"


@needs_rllib
def test_run_leaves_a_policy_and_its_records(finished: Path) -> None:
    rows = metrics(finished)
    steps = [int(row["steps"]) for row in rows]
    assert len(rows) == 2
    assert 1500 <= steps[1] == json.loads((finished / "summary.json").read_text())["steps"]
    assert 0 < float(rows[0]["win_rate"]) < 1
    assert 50 < float(rows[0]["mean_return"]) < 800
    assert float(rows[1]["learning_rate"]) == pytest.approx(1e-5)
    assert rows[1]["evaluation_mean_score"] != "" == rows[0]["evaluation_mean_score"]
    assert [int(path.name) for path in checkpoints(finished)] == steps
    assert (finished / "learning_curve.png").read_bytes()[:4] == b"\x89PNG"


@needs_rllib
def test_exported_policy_has_the_logits_of_the_module(finished: Path) -> None:
    import torch

    module = make_module("scorpion_ii", [16], torch.nn.Tanh)
    state = torch.load(checkpoints(finished)[-1] / "state.pt", weights_only=True)
    module.set_state(state["learner_group"]["learner"]["rl_module"]["default_policy"])
    games = RllibVectorEnv(32, rules="scorpion_ii")
    seen, _ = games.reset(seed=10_000_000)
    agent = PolicyAgent.load(finished, "scorpion_ii")
    legal = seen[ACTION_MASK].astype(bool)
    expected = masked_logits(module, seen).numpy()[legal]
    np.testing.assert_allclose(agent.logits(seen[OBSERVATIONS])[legal], expected, atol=1e-5)


@needs_rllib
def test_a_run_goes_on_from_its_checkpoint_with_other_processes(
    finished: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(finished, run)
    path = run / "config.yaml"
    text = path.read_text().replace("total_steps: 1500", "total_steps: 2500")
    path.write_text(text.replace("env_runners: 1", "env_runners: 0"))
    assert main(["--resume", str(run)]) == 0
    rows = metrics(run)
    assert rows[:2] == metrics(finished)
    assert len(rows) == 3
    assert int(rows[2]["steps"]) >= 2500


@needs_rllib
def test_a_checkpoint_holds_networks_optimizer_and_counts(a_ray: None, tmp_path: Path) -> None:
    import torch
    import tree

    from train import rllib_ppo

    config = small_config(tmp_path)
    with rllib_ppo.algorithm(rllib_ppo.algorithm_config(config)) as ppo:
        steps, _ = rllib_ppo.next_result(ppo, 0)
        folder = rllib_ppo.save_checkpoint(ppo, config, tmp_path, steps)
        saved = ppo.get_state()
    with rllib_ppo.algorithm(rllib_ppo.algorithm_config(config, steps)) as ppo:
        rllib_ppo.load_checkpoint(ppo, config, folder)
        loaded = ppo.get_state()
        played = ppo.get_module().state_dict()
    for part in ("rl_module", "optimizer"):
        pairs = zip(
            tree.flatten(saved["learner_group"]["learner"][part]),
            tree.flatten(loaded["learner_group"]["learner"][part]),
            strict=True,
        )
        assert all(np.array_equal(left, right) for left, right in pairs)
    weights = saved["learner_group"]["learner"]["rl_module"]["default_policy"]
    assert all(torch.equal(played[name], torch.as_tensor(weights[name])) for name in played)
    assert loaded["training_iteration"] == 1
    other = small_config(tmp_path, "rules=classic")
    with pytest.raises(RunError, match="the config has another rules now"):
        rllib_ppo.load_checkpoint(ppo, other, folder)
    (folder / "state.pt").write_bytes((folder / "state.pt").read_bytes()[:1000])
    with pytest.raises(RunError, match="is damaged or of another config"):
        rllib_ppo.load_checkpoint(ppo, config, folder)


@needs_rllib
def test_an_interrupt_leaves_a_checkpoint(
    a_ray: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from train import rllib_ppo

    log_result = rllib_ppo.log_result

    def interrupt(*arguments: Any) -> None:
        log_result(*arguments)
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(rllib_ppo, "log_result", interrupt)
    arguments = [str(write_config(tmp_path)), "--runs", str(tmp_path), "--name", "stopped"]
    assert main(arguments) == 130
    assert "go on with: python -m train.rllib --resume" in capsys.readouterr().err
    (row,) = metrics(tmp_path / "stopped")
    assert [path.name for path in checkpoints(tmp_path / "stopped")] == [
        f"{int(row['steps']):012d}"
    ]
    assert PolicyAgent.load(tmp_path / "stopped", "scorpion_ii").description.actions == 365


@needs_rllib
def test_env_runners_keep_legal_actions_alone(a_ray: None, tmp_path: Path) -> None:
    """No transition begins at the last observation of a game, whose mask is all ones."""
    from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
    from ray.tune.registry import register_env

    from train.rllib_env import make_games
    from train.rllib_ppo import GAMES, algorithm_config

    register_env(GAMES, make_games)
    settings = algorithm_config(small_config(tmp_path))
    settings.env_config["step_limit"] = 40
    episodes = SingleAgentEnvRunner(config=settings).sample(num_timesteps=2000)
    ended = [episode for episode in episodes if episode.is_done]
    assert {episode.is_truncated for episode in ended} == {False, True}
    assert sum(len(episode) for episode in episodes) >= 2000
    for episode in episodes:
        masks = episode.get_observations()[ACTION_MASK]
        actions = episode.get_actions()
        assert masks[np.arange(len(actions)), actions].all()
        assert not masks[:-1].all(axis=1).any()
        assert masks[-1].all() == episode.is_done
        assert not episode.is_done or WON in episode.get_infos(-1)


@needs_rllib
def test_illegal_actions_have_no_probability() -> None:
    import torch

    module = make_module("classic", [8], torch.nn.ReLU)
    rng = np.random.default_rng(0)
    seen, _ = RllibVectorEnv(64).reset(seed=10_000_000)
    seen[ACTION_MASK][:] = rng.random(seen[ACTION_MASK].shape) < 0.01
    seen[ACTION_MASK][:, 7] = 1
    seen[ACTION_MASK][0] = np.arange(365) == 7
    module.policy[0].weight.data *= 1000
    logits = masked_logits(module, seen, grad=True)
    legal = torch.as_tensor(seen[ACTION_MASK]).bool()
    assert (torch.softmax(logits, 1)[~legal] == 0).all()
    distribution = module.get_train_action_dist_cls().from_logits(logits)
    for _ in range(20):
        assert legal[torch.arange(64), distribution.sample()].all()
    (distribution.entropy().sum() + distribution.logp(torch.full((64,), 7)).sum()).backward()
    assert distribution.entropy()[0] == 0
    assert all(part.grad.isfinite().all() for part in module.policy.parameters())


def make_module(rules: str, hidden: list[int], activation: Any) -> Any:
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    from train.rllib_module import MaskedModule

    games = RllibVectorEnv(1, rules=rules)
    return RLModuleSpec(
        MaskedModule,
        games.single_observation_space,
        games.single_action_space,
        model_config={"hidden": hidden, "activation": activation},
    ).build()


def masked_logits(module: Any, seen: dict[str, np.ndarray], grad: bool = False) -> Any:
    """The inputs of the module's distribution, as its training or its playing computes them."""
    import torch

    batch = {"obs": {name: torch.as_tensor(part) for name, part in seen.items()}}
    forward = module.forward_train if grad else module.forward_inference
    return forward(batch)["action_dist_inputs"]


@needs_rllib
def test_shipped_config_is_one_that_rllib_takes() -> None:
    from train.rllib_ppo import algorithm_config

    config = load_section(RllibConfig, CONFIG)
    settings = algorithm_config(config)
    settings.validate()
    assert settings.total_train_batch_size == config.rollout


@needs_rllib
def test_too_small_a_cluster_is_told_in_one_line(
    a_ray: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(write_config(tmp_path)), "--runs", str(tmp_path)]
    for override, message in (
        ("env_runners=5", "the run needs 5 CPUs, the cluster has 1"),
        ("learners=1", "the run needs 1 GPUs, the cluster has 0"),
    ):
        assert main([*arguments, "--set", override, "--set", "num_gpus=1"]) == 2
        error = capsys.readouterr().err.splitlines()[-1]
        assert error.startswith(f"error: {message}")


@needs_rllib
def test_a_cluster_that_is_not_there_is_told(tmp_path: Path) -> None:
    from train.rllib_cluster import connect

    for address in ("127.0.0.1:1", "nonsense"):
        with pytest.raises(RunError, match=f"no Ray cluster answers at {address}: "):
            connect(small_config(tmp_path), address)


@needs_rllib
def test_deals_that_are_not_found_are_told_before_anything_starts(tmp_path: Path) -> None:
    from train.rllib_ppo import games_of

    config = small_config(tmp_path, "rules=classic", "deals=winnable", "deal_nodes=1")
    with pytest.raises(RunError, match="none is winnable within 1 positions: raise the nodes"):
        games_of(config)


def test_missing_rllib_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rllib, "NEEDED", ("no_such_module",))
    assert main([str(write_config(tmp_path)), "--runs", str(tmp_path / "runs")]) == 2
    assert "pip install -e '.[train,distributed]'" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("seed=5", "greater than or equal to 10000000"),
        ("ppo.target_kl=0.1", "ppo.target_kl is not for RLlib"),
        ("learners=17", "ppo.batch_size 64 is more than a learner has of a rollout: .* = 60"),
        ("network.kind=cards", "network.kind is unknown"),
        ("env_runner=2", "did you mean env_runners"),
        ("num_gpus=2", "less than or equal to 1"),
    ],
)
def test_wrong_config_is_told(tmp_path: Path, override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        small_config(tmp_path, override)


def test_adapter_plays_as_the_vector_environment_does() -> None:
    games = RllibVectorEnv(8, reward_scale=0.5, step_limit=30)
    plain = ScorpionVectorEnv(8, observation="planes", step_limit=30)
    seen, _ = games.reset(seed=10_000_000)
    plain.reset(seed=80_000_000)
    rng = np.random.default_rng(0)
    ends = 0
    for _ in range(60):
        assert games.observation_space.contains(seen)
        actions = (rng.random(seen[ACTION_MASK].shape) * seen[ACTION_MASK]).argmax(axis=1)
        seen, rewards, terminated, truncated, told = games.step(actions)
        planes, points, was_terminated, was_truncated, info = plain.step(actions)
        assert np.array_equal(seen[OBSERVATIONS], planes)
        assert np.array_equal(seen[ACTION_MASK], info["action_mask"])
        assert np.array_equal(rewards, points * 0.5)
        assert np.array_equal(terminated, was_terminated)
        assert np.array_equal(truncated, was_truncated)
        ended = terminated | truncated
        ends += ended.sum()
        assert np.array_equal(told.get(f"_{WON}", np.zeros(8, bool)), ended)
    assert ends > 8


def test_env_runners_deal_different_games() -> None:
    """RLlib seeds its env runners with numbers that follow each other."""
    seen = [RllibVectorEnv(16).reset(seed=10_000_000 + n)[0][OBSERVATIONS] for n in range(3)]
    assert len(np.unique(np.concatenate(seen), axis=0)) == 48


def test_games_are_dealt_as_asked() -> None:
    chosen = RllibVectorEnv(4, deals="not_lost")
    every = RllibVectorEnv(4)
    planes = [games.reset(seed=10_000_000)[0][OBSERVATIONS] for games in (chosen, every)]
    assert not np.array_equal(*planes)
