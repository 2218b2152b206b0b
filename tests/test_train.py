"""Training runs: configs, run folders, checkpoints, the SB3 adapter."""

import csv
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env

from agents.policy import PolicyAgent
from agents.registry import make_agent
from scorpion_env import ENV_IDS, VARIANTS
from scorpion_env.env import ScorpionEnv
from train import ppo
from train.__main__ import main
from train.checkpoint import checkpoints
from train.config import Config, ConfigError, load_config
from train.metrics import METRICS_CSV
from train.ppo import make_games, make_model
from train.run_folder import create_run
from train.vec_env import ScorpionVecEnv

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("ppo_*.yaml"))
SMALL = """
total_steps: 2048
num_envs: 16
checkpoint_every: 512
end_lost: true
network:
  hidden: [16]
ppo:
  n_steps: 16
  batch_size: 64
  n_epochs: 2
  final_learning_rate: 1.0e-5
  final_ent_coef: 1.0e-3
evaluation:
  every: 512
  seeds: 0:16
"""


def write_config(folder: Path, text: str = SMALL) -> Path:
    path = folder / "small.yaml"
    path.write_text(text)
    return path


def metrics(run: Path) -> list[dict[str, str]]:
    """Rows of the metrics without the one column that measures time."""
    with (run / METRICS_CSV).open() as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        del row["steps_per_second"]
    return rows


def start(folder: Path, name: str, *more: str) -> tuple[int, Path]:
    code = main(
        [str(write_config(folder)), "--runs", str(folder / "runs"), "--name", name,
         "--no-progress", *more]
    )  # fmt: skip
    return code, folder / "runs" / name


def test_run_leaves_a_policy_and_its_records(tmp_path: Path) -> None:
    code, run = start(tmp_path, "whole")
    assert code == 0
    rows = metrics(run)
    assert [int(row["steps"]) for row in rows] == list(range(256, 2049, 256))
    assert rows[-1]["evaluation_win_rate"] != "" or rows[-2]["evaluation_win_rate"] != ""
    assert (run / "learning_curve.png").read_bytes()[:4] == b"\x89PNG"
    assert json.loads((run / "summary.json").read_text())["steps"] == 2048
    assert json.loads((run / "versions.json").read_text())["torch"] == torch.__version__
    assert list((run / "tensorboard").iterdir())
    agent = PolicyAgent.load(run, "classic")
    assert agent.description.actions == 365


@pytest.mark.parametrize("stop_at", [256, 1024])
def test_stopped_and_resumed_equals_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int
) -> None:
    _, whole = start(tmp_path, "whole")
    before = ppo.RunCallback._on_rollout_start

    def stop(callback: ppo.RunCallback) -> None:
        callback.stop_asked = callback.stop_asked or callback.model.num_timesteps >= stop_at
        before(callback)

    monkeypatch.setattr(ppo.RunCallback, "_on_rollout_start", stop)
    code, stopped = start(tmp_path, "stopped")
    assert code == 130
    assert checkpoints(stopped)[-1].name == f"{stop_at:012d}"
    monkeypatch.setattr(ppo.RunCallback, "_on_rollout_start", before)
    assert main(["--resume", str(stopped), "--no-progress"]) == 0
    for row, expected in zip(metrics(stopped), metrics(whole), strict=True):
        assert row == expected
    files = ["policy.safetensors", "policy.json", "summary.json"]
    assert [(stopped / f).read_bytes() for f in files] == [(whole / f).read_bytes() for f in files]


def test_run_without_a_checkpoint_begins_anew_in_its_folder(tmp_path: Path) -> None:
    _, whole = start(tmp_path, "whole")
    _, killed = start(tmp_path, "killed")
    shutil.rmtree(killed / "checkpoints")
    assert main(["--resume", str(killed), "--no-progress"]) == 0
    assert metrics(killed) == metrics(whole)


def test_resume_passes_over_foreign_files(tmp_path: Path) -> None:
    _, run = start(tmp_path, "run", "--set", "total_steps=512")
    (run / "checkpoints" / "zzz").mkdir()
    (run / METRICS_CSV).write_bytes((run / METRICS_CSV).read_bytes() + b"\xff\x00,\n")
    assert main(["--resume", str(run), "--no-progress"]) == 0
    assert [row["steps"] for row in metrics(run)] == ["256", "512"]


@pytest.mark.parametrize(
    ("change", "message"),
    [("rules: classic", "rules: wasp"), ("seed: 10000000", "seed: 10000001")],
)
def test_resume_with_another_config_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, message: str
) -> None:
    _, run = start(tmp_path, "run", "--set", "total_steps=256")
    path = run / "config.yaml"
    path.write_text(path.read_text().replace(change, message))
    assert main(["--resume", str(run), "--no-progress"]) == 2
    assert f"the config has another {change.split(':')[0]} now" in capsys.readouterr().err


def test_resume_after_a_kill_repeats_no_row(tmp_path: Path) -> None:
    """Rows written after the last checkpoint, and half a row, are written again, not twice."""
    _, whole = start(tmp_path, "whole")
    _, killed = start(tmp_path, "killed", "--set", "total_steps=1024")
    (killed / "config.yaml").write_text((whole / "config.yaml").read_text())
    newest = checkpoints(killed)[-1]
    for path in newest.iterdir():
        path.unlink()
    newest.rmdir()
    with (killed / METRICS_CSV).open("a") as file:
        file.write("1280,90.5,")
    # the learning rate of the shortened run fell faster: only the rows' steps can be compared
    assert main(["--resume", str(killed), "--no-progress"]) == 0
    assert [row["steps"] for row in metrics(killed)] == [row["steps"] for row in metrics(whole)]


def test_run_folder_is_never_overwritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, run = start(tmp_path, "mine", "--set", "total_steps=256")
    before = {path: path.stat().st_mtime_ns for path in run.rglob("*")}
    second, _ = start(tmp_path, "mine", "--set", "total_steps=256")
    assert (first, second) == (0, 2)
    assert "never overwritten" in capsys.readouterr().err
    assert {path: path.stat().st_mtime_ns for path in run.rglob("*")} == before
    names = [create_run(tmp_path / "runs", "mine", Config(), chosen=False).name for _ in range(2)]
    assert names == ["mine-2", "mine-3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ppo:\n  gama: 0.9\n", r"line 2: ppo.gama is unknown: did you mean gamma\? allowed here"),
        ("total_stepz: 1\n", "line 1: total_stepz is unknown: did you mean total_steps"),
        ("reward: money\n", "line 1: reward='money': input should be 'score', 'progress' or 'win'"),
        ("rules: klondike\n", "line 1: rules='klondike': unknown: choose one of classic"),
        ("seed: 5\n", "line 1: seed=5: input should be greater than or equal to 10000000"),
        ("\nevaluation:\n  seeds: 5:4\n", "line 3: evaluation.seeds='5:4'"),
        ("evaluation:\n  seeds: 9999990:10000010\n", "evaluation seeds lie below"),
        ("num_envs: 2\n", "ppo.batch_size 1024 is more than a rollout has"),
        ("num_envs: many\n", "line 1: num_envs='many'"),
        ("network: [1]\n", "line 1: network="),
        ("a: [\n", "not valid YAML"),
        ("- 1\n", "must hold keys and values"),
        ("ppo:\n  n_steps: 0\n", "line 2: ppo.n_steps=0"),
        ("num_envs: 16\nppo:\n  n_steps: 16\n  batch_size: 85\n", "leaves a batch of 1"),
        ("seed: 4294967296\n", "seed=4294967296: input should be less than"),
        ("win_bonus: .inf\n", "win_bonus=inf: input should be a finite number"),
        ("ppo:\n  learning_rate: 1e6\n", "less than or equal to 1"),
        ("threads: 10000\n", "less than or equal to 256"),
    ],
)
def test_wrong_config_names_key_line_and_choice(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(write_config(tmp_path, text))


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("gamma", "write it as key=value"),
        ("ppo.gamma=2", "--set ppo.gamma=2: ppo.gamma=2: input should be less than"),
        ("seed.x=1", "seed has no keys below it"),
        ("ppo.gama=1", "did you mean gamma"),
    ],
)
def test_wrong_override(tmp_path: Path, override: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load_config(write_config(tmp_path, "seed: 10000000\n"), [override])


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_shipped_configs_train(path: Path, tmp_path: Path) -> None:
    short = ["total_steps=64", "num_envs=4", "ppo.n_steps=16", "ppo.batch_size=32"]
    short += ["evaluation.every=64", "evaluation.seeds=0:4", "network.hidden=[8]"]
    overrides = [word for change in short for word in ("--set", change)]
    assert main([str(path), "--runs", str(tmp_path), "--no-progress", *overrides]) == 0
    rules = load_config(path).rules
    run = tmp_path / path.stem
    assert json.loads((run / "policy.json").read_text())["rules"] == rules
    assert make_agent(str(run), rules).name == str(run)


def test_every_variant_has_a_config() -> None:
    assert {load_config(path).rules for path in CONFIGS} == set(VARIANTS)


def test_command_line_errors_take_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "not_a_run"
    folder.mkdir()
    for arguments in (["missing.yaml"], ["--resume", str(folder)], [str(folder)]):
        assert main(arguments) == 2
        error = capsys.readouterr().err
        assert error.startswith("error: ")
        assert error.count("\n") == 1


def test_damaged_checkpoint_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, run = start(tmp_path, "damaged", "--set", "total_steps=512")
    for name in ("state.npz", "model.zip", "state.json"):
        path = checkpoints(run)[-1] / name
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        assert main(["--resume", str(run), "--no-progress"]) == 2
        assert "damaged" in capsys.readouterr().err
        path.write_bytes(whole)


@pytest.mark.filterwarnings("ignore:.*unconventional shape.*")
@pytest.mark.parametrize("kind", ["cards", "planes"])
@pytest.mark.parametrize("env_id", ENV_IDS)
def test_sb3_checker(env_id: str, kind: Any) -> None:
    """Reported elsewhere: the checker's illegal actions break the environment."""
    check_env(ScorpionEnv(rules=env_id, observation=kind))


def test_adapter_passes_options_and_tells_infos() -> None:
    env = ScorpionVecEnv(2, observation="planes", illegal_action="ignore")
    env.set_options({"deal": "ms5"})
    first = env.reset()
    assert np.array_equal(first[0], first[1])
    assert env.reset_infos[0]["face_down_cards"] == 12
    assert not np.array_equal(env.reset()[0], first[0])
    illegal = int(np.flatnonzero(~env.action_masks()[1])[0])
    *_, infos = env.step(np.array([364, illegal]))
    assert infos == [{}, {"illegal_action": True}]
    env.set_options([{"deal": "ms5"}, {"deal": "ms6"}])
    with pytest.raises(ValueError, match="same options"):
        env.reset()


@pytest.mark.parametrize("make", [make_vec_env, lambda name: PPO("MultiInputPolicy", name)])
def test_sb3_makes_the_environment_by_its_name(make: Any) -> None:
    assert make("Scorpion-v0") is not None


def test_total_steps_may_be_written_as_1e6(tmp_path: Path) -> None:
    assert load_config(write_config(tmp_path, "total_steps: 1e6\n")).total_steps == 1_000_000


def test_name_is_no_path(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        start(tmp_path, "../elsewhere")


def test_missing_gpu_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if torch.cuda.is_available():
        return
    assert start(tmp_path, "gpu", "--set", "device=cuda")[0] == 2
    assert "finds no GPU" in capsys.readouterr().err


def test_adapter_gives_terminal_observations_and_statistics() -> None:
    env = ScorpionVecEnv(8, reward_scale=0.5, observation="planes", step_limit=30)
    env.seed(10_000_000)
    env.reset()
    rng = np.random.default_rng(0)
    returns, lengths, seen = np.zeros(8), np.zeros(8), 0
    for _ in range(100):
        masks = env.env_method("action_masks")
        assert masks.shape == (8, 365)
        actions = (rng.random(masks.shape) * masks).argmax(axis=1)
        _, rewards, dones, infos = env.step(actions)
        returns += rewards / 0.5
        lengths += 1
        for game in np.flatnonzero(dones):
            info = infos[game]
            assert info["episode"]["r"] == returns[game] == info["score"]
            assert info["episode"]["l"] == lengths[game]
            assert not info["TimeLimit.truncated"] or lengths[game] == 30
            assert info["terminal_observation"].shape == env.observation_space.shape
            seen += 1
        returns[dones], lengths[dones] = 0, 0
    assert seen > 8


def test_evaluation_seeds_are_refused_for_training() -> None:
    with pytest.raises(ValueError, match="kept for evaluation"):
        ScorpionVecEnv(2).seed(9_999_999)
    ScorpionVecEnv(2, training=False).seed(0)


def test_exported_policy_chooses_as_sb3_does(tmp_path: Path) -> None:
    config = load_config(write_config(tmp_path))
    games = make_games(config)
    model = make_model(config, games)
    ppo.export_policy(model, config, tmp_path)
    observation = games.reset()
    masks = games.action_masks()
    expected, _ = model.predict(observation, action_masks=masks, deterministic=True)
    assert np.array_equal(PolicyAgent.load(tmp_path, "classic").act(observation, masks), expected)


def test_masked_evaluation_of_sb3_contrib_works() -> None:
    games = ScorpionVecEnv(4, observation="planes", training=False)
    model = MaskablePPO("MlpPolicy", games, n_steps=8, batch_size=32)
    mean, _ = evaluate_policy(model, games, n_eval_episodes=4, warn=False)
    assert np.isfinite(mean)


@pytest.mark.parametrize("algorithm", [PPO, DQN])
def test_unmasked_algorithms_run(algorithm: Any) -> None:
    """They learn from blind choices: an illegal action costs a step and brings nothing."""
    env = ScorpionEnv(observation="planes", step_limit=50)
    options = {"n_steps": 32, "batch_size": 32} if algorithm is PPO else {"learning_starts": 10}
    model = algorithm("MlpPolicy", env, **options).learn(64)
    observation, _ = env.reset(seed=0)
    action, _ = model.predict(observation)
    assert env.action_space.contains(int(action))


def test_entropy_coefficient_falls_linearly(tmp_path: Path) -> None:
    ppo_config = {"ent_coef": 0.1, "final_ent_coef": 0.02, "batch_size": 64}
    config = Config(total_steps=1000, num_envs=8, ppo=ppo_config)
    games = make_games(config)
    callback = ppo.RunCallback(config, tmp_path, games)
    callback.model = make_model(config, games)
    for steps, expected in ((0, 0.1), (500, 0.06), (1000, 0.02), (1500, 0.02)):
        callback.model.num_timesteps = steps
        callback.set_entropy_coefficient()
        assert callback.model.ent_coef == pytest.approx(expected)
