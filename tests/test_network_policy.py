"""The network over cards in MaskablePPO."""

from pathlib import Path

import numpy as np
import pytest
import torch

from agents.network import UNDO_SCORE
from agents.network_agent import NetworkAgent, load_network
from agents.registry import make_agent
from agents.search import Budget, SearchAgent
from scorpion_env import VARIANTS
from train.__main__ import main
from train.config import Config, ConfigError, load_config
from train.export import VALUE, export_policy
from train.network_policy import NO_LOGIT, NetworkPolicy
from train.ppo import make_games, make_model

SIZES = {"width": 8, "rounds": 1, "column_width": 4, "hidden": 8, "hidden_2": 8}
NETWORK = {"kind": "cards", "sizes": SIZES}
PPO = {"n_steps": 4, "batch_size": 8, "n_epochs": 1}


def small(name: str) -> Config:
    return Config.model_validate(
        {"rules": name, "observation": "cards", "num_envs": 4, "network": NETWORK, "ppo": PPO}
    )


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_it_learns_and_scores_as_the_agent_does(name: str) -> None:
    games = make_games(small(name))
    model = make_model(small(name), games)
    model.learn(32)
    policy = model.policy
    assert isinstance(policy, NetworkPolicy)
    agent = NetworkAgent("trained", name, policy.scorer.weights())
    seen = games.reset()
    masks = games.action_masks()
    obs, _ = policy.obs_to_tensor(seen)
    with torch.no_grad():
        distribution = policy.get_distribution(obs, masks)
        actions, values, _ = policy(obs, action_masks=masks, deterministic=True)
    assert values.shape == (4, 1)
    scores = agent.scores(seen, masks)
    chances = distribution.distribution.probs.numpy()
    wanted = np.exp(scores - scores.max(axis=1, keepdims=True))
    wanted /= wanted.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chances, wanted, atol=1e-4)
    best = scores[np.arange(4), actions.numpy()]
    np.testing.assert_allclose(best, scores.max(axis=1), atol=1e-4)


def test_masks_are_needed() -> None:
    games = make_games(small("classic"))
    model = make_model(small("classic"), games)
    obs, _ = model.policy.obs_to_tensor(games.reset())
    with pytest.raises(ValueError, match="give it action masks"):
        model.policy.get_distribution(obs)


def test_logits_of_illegal_actions_and_undo() -> None:
    games = make_games(small("open_scorpion"))
    model = make_model(small("open_scorpion"), games)
    obs, _ = model.policy.obs_to_tensor(games.reset())
    masks = games.action_masks()
    chances = model.policy.get_distribution(obs, masks).distribution.probs.detach().numpy()
    assert (chances[~masks] == 0).all()
    assert NO_LOGIT < UNDO_SCORE < 0


def test_a_run_starts_from_a_network_and_exports_one(tmp_path: Path) -> None:
    config = tmp_path / "small.yaml"
    text = """
observation: cards
reward: win
reward_scale: 1.0
total_steps: 64
num_envs: 4
network: {kind: cards, sizes: {width: 8, rounds: 0, column_width: 4, hidden: 8, hidden_2: 8}}
ppo: {n_steps: 8, batch_size: 16, n_epochs: 1}
evaluation: {every: 32, seeds: "0:4"}
"""
    config.write_text(text)
    runs = ["--runs", str(tmp_path), "--no-progress"]
    assert main([str(config), "--name", "one", *runs]) == 0
    assert isinstance(make_agent(str(tmp_path / "one"), "classic"), NetworkAgent)
    pair = f"network={tmp_path / 'one'},valuer={tmp_path / 'one' / 'value'}"
    assert isinstance(make_agent(f"search:{pair}", "classic"), SearchAgent)
    start = f"network.start={tmp_path / 'one'}"
    assert main([str(config), "--name", "two", "--set", start, *runs]) == 0
    assert main(["--resume", str(tmp_path / "two"), *runs]) == 0
    wider = [str(config), "--set", start, "--set", "network.sizes.width=9", *runs]
    assert main(wider) == 2
    assert main([str(config), "--set", "network.start=nowhere", *runs]) == 2


def test_the_exported_value_is_the_policys(tmp_path: Path) -> None:
    config = small("classic").model_copy(
        update={"reward": "win", "reward_scale": 1.0, "deals": "winnable"}
    )
    games = make_games(config)
    model = make_model(config, games)
    seen = games.reset()
    obs, _ = model.policy.obs_to_tensor(seen)
    export_policy(model, config, tmp_path)
    saved = load_network(tmp_path / VALUE)
    for name, array in model.policy.valuer.weights()._asdict().items():
        np.testing.assert_array_equal(getattr(saved, name), array)
    values = np.clip(model.policy.predict_values(obs).detach().numpy()[:, 0], 0, 1)
    agent = SearchAgent("classic", saved, saved, budget=Budget(worlds=1, draws=10_000))
    masks = games.action_masks()
    for game, value in enumerate(values):
        agent.begin(np.zeros(1, np.uint64))
        agent.act({name: array[game : game + 1] for name, array in seen.items()}, masks[[game]])
        guesses = agent._tools.moves.guess
        assert np.isclose(guesses, value, atol=1e-5).sum() >= masks[game].sum()


@pytest.mark.parametrize("reward", ["score", "progress"])
def test_a_value_that_is_no_probability_is_not_exported(tmp_path: Path, reward: str) -> None:
    config = small("classic").model_copy(update={"reward": reward})
    export_policy(make_model(config, make_games(config)), config, tmp_path)
    assert not (tmp_path / VALUE).exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("network: {kind: cards}", "needs observation: cards"),
        ("observation: cards", "needs observation: planes"),
        ("network: {start: x}", "network.start is for"),
    ],
)
def test_contradictions_are_refused(tmp_path: Path, text: str, message: str) -> None:
    config = tmp_path / "wrong.yaml"
    config.write_text(text)
    with pytest.raises(ConfigError, match=message):
        load_config(config)
