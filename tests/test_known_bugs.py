"""Faults that others' games and environments were reported to have, each with a test of ours.

`tests.test_edge_cases` holds those of positions, `tests.test_masks_in_training` those of masks
in training; ``docs/trust.md`` lists all of them.
"""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode

from scorpion_env import ENV_IDS, VARIANTS, Rules
from scorpion_env.game import Game
from scorpion_env.notation import write_board
from scorpion_env.position import Position
from scorpion_env.vector_env import ScorpionVectorEnv
from tests.lockstep import RULE_SETS
from tests.test_vector_env import assert_same, choose


def all_in_column(rules: Rules, column: int) -> Game:
    """A game with all cards face-up in one column, from the ace of clubs up."""
    layout = rules.layout
    columns: list[tuple[int, ...]] = [()] * len(layout.columns)
    columns[column] = tuple(range(layout.cards))
    nothing = (0,) * len(columns)
    position = Position(tuple(columns), nothing, (None,) * layout.reserve_cards)
    return Game(rules=rules, deal=write_board(rules, position, reveal=True))


@pytest.mark.parametrize("name", VARIANTS)
def test_every_empty_column_takes_the_same_cards(name: str) -> None:
    """Reported elsewhere: one empty column takes any card, where only kings may go to one."""
    rules = VARIANTS[name]
    columns, cards = len(rules.layout.columns), rules.layout.cards
    takes = [card for card in range(cards) if card % 13 == 12 or rules.empty_column == "any"]
    for column in range(columns):
        legal = np.flatnonzero(all_in_column(rules, column).action_mask())
        assert legal.tolist() == [
            card * columns + target for card in takes for target in range(columns)
            if target != column
        ]  # fmt: skip


@pytest.mark.parametrize("name", VARIANTS)
def test_restarting_a_deal_gives_the_same_cards(name: str) -> None:
    """Reported elsewhere: a game restarted under its number holds other cards."""
    env = gym.make(ENV_IDS[name], reveal_hidden=True)
    many = gym.make_vec(ENV_IDS[name], num_envs=2, reveal_hidden=True)
    rng = np.random.default_rng(0)
    for seed in range(5):
        first, info = env.reset(seed=seed)
        deal, text = info["deal"], Game(seed, name).to_text(reveal=True)
        for _ in range(2):
            for _ in range(10):
                info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))[4]
                if not info["action_mask"].any():
                    break
            again, info = env.reset(options={"deal": deal})
            assert_same(again, first)
            assert Game(rules=name, deal=int(deal)).to_text(reveal=True) == text
        both, _ = many.reset(options={"deal": int(deal)})
        for game in range(2):
            assert_same({key: part[game] for key, part in both.items()}, first)


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("name", RULE_SETS)
def test_whenever_an_action_is_asked_for_one_is_legal(name: str, mode: AutoresetMode) -> None:
    """Reported elsewhere: a deal without a first move; a mask of zeros where a game goes on."""
    env = ScorpionVectorEnv(50, rules=RULE_SETS[name], autoreset_mode=mode, step_limit=30)
    rng = np.random.default_rng(1)
    masks = env.reset(seed=0)[1]["action_mask"]
    ends = 0
    for _ in range(70):
        assert masks.any(axis=1).all()
        *_, terminated, truncated, info = env.step(choose(masks, rng))
        masks, over = info["action_mask"], terminated | truncated
        ends += over.sum()
        if mode == AutoresetMode.DISABLED and over.any():
            masks = env.reset(options={"reset_mask": over})[1]["action_mask"]
    assert ends > 50


STACKS: dict[str, list[Any]] = {
    "statistics": [wrappers.RecordEpisodeStatistics],
    "limit": [lambda env: wrappers.TimeLimit(env, 20)],
    "flat": [wrappers.FlattenObservation, lambda env: wrappers.FrameStackObservation(env, 3)],
    "reward": [lambda env: wrappers.TransformReward(env, lambda reward: reward / 100)],
    "reset": [wrappers.Autoreset, wrappers.NormalizeReward],
}


@pytest.mark.parametrize("stack", STACKS)
def test_masks_reach_through_wrappers_at_every_step(stack: str) -> None:
    """Reported elsewhere: a wrapper hides the masks, or hands out those of an earlier step."""
    env = gym.make("Scorpion-v0")
    for wrapper in STACKS[stack]:
        env = wrapper(env)
    plain, rng = gym.make("Scorpion-v0"), np.random.default_rng(0)
    _, info = env.reset(seed=3)
    plain.reset(seed=3)
    for _ in range(15):
        masks = env.get_wrapper_attr("action_masks")()
        assert np.array_equal(masks, plain.unwrapped.action_masks())
        assert np.array_equal(masks, info["action_mask"])
        action = int(rng.choice(np.flatnonzero(masks)))
        info = env.step(action)[4]
        plain.step(action)


def test_masks_come_from_other_processes() -> None:
    """Reported elsewhere: in a vector of processes the masks are lost, or those of another game."""
    there = gym.make_vec(
        "Scorpion-v0", 2, vectorization_mode="async", vector_kwargs={"context": "spawn"}
    )
    here = gym.make_vec("Scorpion-v0", 2, vectorization_mode="sync")
    try:
        rng = np.random.default_rng(0)
        seen, expected = there.reset(seed=7), here.reset(seed=7)
        for _ in range(60):
            assert_same(seen[0], expected[0])
            masks = expected[-1]["action_mask"]
            assert np.array_equal(seen[-1]["action_mask"], masks)
            assert np.array_equal(there.call("action_masks"), masks)
            actions = choose(masks, rng)
            seen, expected = there.step(actions), here.step(actions)
    finally:
        there.close()


@pytest.mark.parametrize("step_limit", [5, 200])
def test_statistics_of_single_episodes_are_right(step_limit: int) -> None:
    """Reported elsewhere: lengths and returns of episodes are off by one."""
    env = wrappers.RecordEpisodeStatistics(gym.make("Scorpion-v0", step_limit=step_limit))
    rng = np.random.default_rng(0)
    for seed in range(6):
        _, info = env.reset(seed=seed)
        steps, total, over = 0, 0.0, False
        while not over:
            legal = np.flatnonzero(info["action_mask"])
            action = rng.choice(legal) if rng.random() < 0.9 else rng.integers(365)
            _, reward, terminated, truncated, info = env.step(int(action))
            steps, total, over = steps + 1, total + float(reward), terminated or truncated
            assert ("episode" in info) == over
        assert (info["episode"]["l"], info["episode"]["r"]) == (steps, total)
        assert total == info["score"]
        assert (env.length_queue[-1], env.return_queue[-1]) == (steps, total)
    assert env.episode_count == 6
