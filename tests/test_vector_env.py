"""The vector environment against Gymnasium's own vector of single environments."""

from copy import deepcopy
from pickle import dumps, loads
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from numba import config

from scorpion_env import ENV_IDS
from scorpion_env.engine.state import row_of
from scorpion_env.env import ScorpionEnv
from scorpion_env.observation import Tensors, empty_tensors, observe
from scorpion_env.vector_env import ScorpionVectorEnv
from tests.lockstep import RULE_SETS

MODES = list(AutoresetMode)
N = 5


def choose(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Choose a legal action for each game, 0 where there is none."""
    return (rng.random(masks.shape) * masks).argmax(axis=1)


def assert_same(ours: Any, theirs: Any, path: str = "") -> None:
    """Compare arrays and dicts, lists and object arrays of them, dtypes included."""
    if isinstance(theirs, list | tuple):
        for place, (left, right) in enumerate(zip(ours, theirs, strict=True)):
            assert_same(left, right, f"{path}[{place}]")
    elif isinstance(theirs, dict):
        assert set(ours) == set(theirs), path
        for key in theirs:
            assert_same(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(theirs, np.ndarray) and theirs.dtype == object:
        for left, right in zip(ours, theirs, strict=True):
            assert (left is None) == (right is None), path
            if left is not None:
                assert_same(left, right, path)
    else:
        assert np.array_equal(ours, theirs), path
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype, path


def pair(env_id: str, mode: AutoresetMode, **options: Any) -> tuple[ScorpionVectorEnv, Any]:
    """Make our vector environment and Gymnasium's of the same games."""
    ours = gym.make_vec(env_id, num_envs=N, autoreset_mode=mode, **options)
    makers = [lambda: gym.make(env_id, **options).unwrapped] * N
    return ours.unwrapped, SyncVectorEnv(makers, autoreset_mode=mode)


def without_ignored_masks(infos: dict[str, Any], over: np.ndarray) -> dict[str, Any]:
    """Leave out the rows of games that reset next: ours lets any action pass there."""
    masks = infos["action_mask"].copy()
    masks[over] = 0
    return {**infos, "action_mask": masks}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("env_id", ENV_IDS.values())
def test_equals_single_environments(env_id: str, mode: AutoresetMode) -> None:
    ours, theirs = pair(env_id, mode, observation="both", step_limit=40)
    rng = np.random.default_rng(1)
    seen, expected = ours.reset(seed=20), theirs.reset(seed=20)
    assert_same(seen, expected)
    ended = 0
    for _ in range(120):
        masks = seen[-1]["action_mask"]
        actions = choose(masks, rng)
        seen, expected = ours.step(actions), theirs.step(actions)
        over = seen[2] | seen[3]
        ended += int(over.sum())
        assert_same(seen[:4], expected[:4])
        if mode == AutoresetMode.NEXT_STEP:
            assert (seen[4]["action_mask"][over] == 1).all()
            assert_same(
                without_ignored_masks(seen[4], over), without_ignored_masks(expected[4], over)
            )
        else:
            assert_same(seen[4], expected[4])
        if mode == AutoresetMode.DISABLED and over.any():
            renewed = ours.reset(options={"reset_mask": over})
            fresh = theirs.reset(options={"reset_mask": over.copy()})
            assert_same(renewed[0], fresh[0])
            known = {k: v for k, v in renewed[1].items() if not k.startswith("_")}
            for key, values in known.items():
                assert_same(values[over], fresh[1][key][over], key)
                assert_same(renewed[1][f"_{key}"], fresh[1][f"_{key}"], key)
            seen = (*seen[:4], renewed[1])
    assert ended >= N


@pytest.mark.parametrize("mode", MODES)
def test_a_thousand_games_through_their_ends(mode: AutoresetMode) -> None:
    """Game i of a large batch equals the single environment with seed + i, over several deals."""
    games = 1000
    ours = ScorpionVectorEnv(games, autoreset_mode=mode, observation="cards")
    rng = np.random.default_rng(5)
    singles = [ScorpionEnv() for _ in range(games)]
    for game, env in enumerate(singles):
        env.reset(seed=game)
    _, info = ours.reset(seed=0)
    over = np.zeros(games, bool)
    finished = 0
    for _ in range(40):
        actions = choose(info["action_mask"], rng)
        seen, rewards, terminated, truncated, info = ours.step(actions)
        for game, env in enumerate(singles):
            if mode == AutoresetMode.NEXT_STEP and over[game]:
                single, told = env.reset()
                reward = 0.0
            else:
                single, reward, ended, cut, told = env.step(actions[game])
                assert (ended, cut) == (terminated[game], truncated[game])
                if mode == AutoresetMode.SAME_STEP and (ended or cut):
                    assert_same(info["final_obs"][game], single)
                    single, told = env.reset()
            assert rewards[game] == reward
            assert_same({key: value[game] for key, value in seen.items()}, single)
            assert info["score"][game] == told["score"]
            if mode != AutoresetMode.NEXT_STEP or told["action_mask"].any():
                assert np.array_equal(info["action_mask"][game], told["action_mask"])
        over = terminated | truncated
        finished += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            _, renewed = ours.reset(options={"reset_mask": over})
            info["action_mask"] = renewed["action_mask"]
            for game in np.flatnonzero(over):
                singles[game].reset()
    assert finished >= games


# Gymnasium 1.2's wrapper takes every reset for a next-step one and drops a step
WRAPPER_KNOWS_MODES = tuple(map(int, gym.__version__.split(".")[:2])) >= (1, 4)


@pytest.mark.parametrize("mode", MODES if WRAPPER_KNOWS_MODES else [AutoresetMode.NEXT_STEP])
def test_episode_statistics_are_right(mode: AutoresetMode) -> None:
    """Reported elsewhere: lengths and returns of episodes are off by one."""
    env = RecordEpisodeStatistics(ScorpionVectorEnv(N, autoreset_mode=mode))
    rng = np.random.default_rng(2)
    _, info = env.reset(seed=0)
    returns, lengths, over, checked = np.zeros(N), np.zeros(N, int), np.zeros(N, bool), 0
    for _ in range(200):
        if mode == AutoresetMode.DISABLED and over.any():
            _, renewed = env.reset(options={"reset_mask": over})
            info["action_mask"] = renewed["action_mask"]
            returns[over], lengths[over] = 0, 0
        _, rewards, terminated, truncated, info = env.step(choose(info["action_mask"], rng))
        if mode == AutoresetMode.NEXT_STEP:
            returns[over], lengths[over] = 0, -1
        returns += rewards
        lengths += 1
        over = terminated | truncated
        for game in np.flatnonzero(over):
            told = info["final_info"] if "episode" not in info else info
            assert told["episode"]["r"][game] == returns[game]
            assert told["episode"]["l"][game] == lengths[game]
            checked += 1
        if mode == AutoresetMode.SAME_STEP:
            returns[over], lengths[over] = 0, 0
    assert checked > N


def test_batch_size_does_not_matter() -> None:
    small, large = ScorpionVectorEnv(3), ScorpionVectorEnv(50)
    assert_same(
        {k: v[:3] for k, v in large.reset(seed=7)[0].items()}, small.reset(seed=7)[0]
    )  # fmt: skip


@pytest.mark.parametrize("mode", MODES)
def test_number_of_threads_does_not_matter(mode: AutoresetMode) -> None:
    envs = [
        ScorpionVectorEnv(37, autoreset_mode=mode, step_limit=25, num_threads=threads)
        for threads in range(1, config.NUMBA_NUM_THREADS + 1)
    ]
    rng = np.random.default_rng(4)
    info, *_ = [env.reset(seed=2)[1] for env in envs]
    for _ in range(60):
        actions = choose(info["action_mask"], rng)
        first, *others = [env.step(actions) for env in envs]
        for other in others:
            assert_same(other, first)
        info = first[4]
        over = first[2] | first[3]
        if mode == AutoresetMode.DISABLED and over.any():
            info, *_ = [env.reset(options={"reset_mask": over})[1] for env in envs]
    for wrong in (0, 1000, 1.5):
        with pytest.raises(ValueError, match="num_threads"):
            ScorpionVectorEnv(2, num_threads=wrong)


def test_raise_names_the_game_and_changes_nothing() -> None:
    env = ScorpionVectorEnv(3, illegal_action="raise")
    _, info = env.reset(seed=0)
    actions = choose(info["action_mask"], np.random.default_rng(0))
    actions[1] = np.flatnonzero(info["action_mask"][1] == 0)[0]
    before = env.get_state()
    with pytest.raises(ValueError, match=f"action {actions[1]} of game 1 is illegal"):
        env.step(actions)
    assert_same(env.get_state().batch, before.batch)


def test_illegal_actions_are_told_by_game() -> None:
    env = ScorpionVectorEnv(3)
    _, info = env.reset(seed=0)
    actions = choose(info["action_mask"], np.random.default_rng(0))
    actions[2] = np.flatnonzero(info["action_mask"][2] == 0)[0]
    info = env.step(actions)[4]
    assert info["illegal_action"].tolist() == [False, False, True]


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 0], "give 3 whole numbers"),
        ([0.0, 0.0, 0.0], "give 3 whole numbers"),
        ([0, 365, 0], "action 365 of game 1 is outside"),
        ([-1, 0, 0], "action -1 of game 0 is outside"),
    ],
)
def test_wrong_actions(actions: list[Any], message: str) -> None:
    env = ScorpionVectorEnv(3)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=message):
        env.step(np.array(actions))


def test_step_needs_running_games() -> None:
    env = ScorpionVectorEnv(2, step_limit=1, autoreset_mode="Disabled")
    with pytest.raises(gym.error.ResetNeeded):
        env.step(np.array([364, 364]))
    env.reset(seed=0)
    env.step(np.array([364, 364]))
    with pytest.raises(gym.error.ResetNeeded, match="game 0 is over"):
        env.step(np.array([364, 364]))


@pytest.mark.parametrize(
    ("mask", "error"),
    [
        ([True, False], TypeError),
        (np.array([1, 0]), TypeError),
        (np.array([True]), ValueError),
        (np.array([False, False]), ValueError),
    ],
)
def test_wrong_reset_masks(mask: Any, error: type[Exception]) -> None:
    env = ScorpionVectorEnv(2)
    env.reset(seed=0)
    with pytest.raises(error, match="reset_mask"):
        env.reset(options={"reset_mask": mask})


def test_make_vec_step_limit_and_live_buffers() -> None:
    env = gym.make_vec("Scorpion-v0", num_envs=2, max_episode_steps=3, copy=False)
    first, info = env.reset(seed=0)
    masks = info["action_mask"]
    for step in range(3):
        actions = choose(info["action_mask"], np.random.default_rng(0))
        seen, _, terminated, truncated, info = env.step(actions)
        assert np.shares_memory(seen["tableau"], first["tableau"])
        assert np.shares_memory(info["action_mask"], masks)
        assert (truncated & ~terminated).all() == (step == 2)


def test_live_masks_cannot_be_forged() -> None:
    """The engine trusts its masks: a forged one would move cards that are not there."""
    env = ScorpionVectorEnv(2, copy=False)
    _, info = env.reset(seed=0)
    for mask in (info["action_mask"], env.action_masks()):
        with pytest.raises(ValueError, match="read-only"):
            mask[:] = 1


def test_same_step_tells_illegal_actions_of_the_episode_that_ended() -> None:
    env = ScorpionVectorEnv(1, step_limit=1, autoreset_mode="SameStep")
    _, info = env.reset(seed=0)
    info = env.step(np.flatnonzero(info["action_mask"][0] == 0)[:1])[4]
    assert info["illegal_action"].tolist() == [False]
    assert info["final_info"]["illegal_action"].tolist() == [True]


def test_render_gives_a_board_for_each_game() -> None:
    env = gym.make_vec("Scorpion-v0", num_envs=2, render_mode="ansi")
    env.reset(seed=4)
    single = gym.make("Scorpion-v0", render_mode="ansi")
    single.reset(seed=5)
    assert env.render()[1] == single.render()
    with pytest.raises(ValueError, match="render_mode"):
        gym.make_vec("Scorpion-v0", render_mode="hologram")


def test_copies_share_no_memory() -> None:
    env = ScorpionVectorEnv(2)
    first, info = env.reset(seed=0)
    kept = {key: value.copy() for key, value in first.items()}
    env.step(choose(info["action_mask"], np.random.default_rng(0)))
    assert_same(first, kept)


@pytest.mark.parametrize("mode", MODES)
def test_state_restores_all_games(mode: AutoresetMode) -> None:
    """A restored environment, a deep copy and an unpickled one go on alike, and on their own."""
    env = ScorpionVectorEnv(N, autoreset_mode=mode, step_limit=30)
    rng = np.random.default_rng(3)
    _, info = env.reset(seed=1)
    for _ in range(6):
        info = env.step(choose(info["action_mask"], rng))[4]
    fresh = ScorpionVectorEnv(N, autoreset_mode=mode, step_limit=30)
    _, told = fresh.set_state(env.get_state())
    assert np.array_equal(told["action_mask"], info["action_mask"])
    twins = [fresh, deepcopy(env), loads(dumps(env))]
    for _ in range(12):
        actions = choose(info["action_mask"], rng)
        expected = env.step(actions)
        for twin in twins:
            assert_same(twin.step(actions), expected)
        info = expected[4]
        over = expected[2] | expected[3]
        if mode == AutoresetMode.DISABLED and over.any():
            info = env.reset(options={"reset_mask": over})[1]
            for twin in twins:
                twin.reset(options={"reset_mask": over})


@pytest.mark.parametrize("name", RULE_SETS)
def test_observations_written_by_difference_are_whole(name: str) -> None:
    """What a step changes in the live observations leaves what a full writing would give."""
    env = ScorpionVectorEnv(8, rules=RULE_SETS[name], observation="both", copy=False)
    rng = np.random.default_rng(6)
    _, info = env.reset(seed=30)
    for _ in range(150):
        seen, *_, info = env.step(choose(info["action_mask"], rng))
        batch = env.get_state().batch
        for game in range(8):
            whole = empty_tensors(env.rules, 1, "both")
            row = Tensors(*(array[0] for array in whole))
            observe(env.rules.compiled, row_of(batch.state, game), row, 0)
            for key, values in seen.items():
                assert np.array_equal(getattr(row, key), values[game]), key
