"""The single environment's contract, for every registered id."""

import subprocess
import sys
import warnings
from copy import deepcopy
from pickle import dumps, loads
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from scorpion_env import ENV_IDS, VARIANTS, Rules
from scorpion_env.cards import card_text
from scorpion_env.env import ScorpionEnv

IDS = list(ENV_IDS.values())
KINDS = ("cards", "planes", "both")


def same(left: Any, right: Any) -> bool:
    """Compare observations, infos or tuples of them, types included."""
    if isinstance(left, tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    return type(left) is type(right) and bool(np.array_equal(left, right))


def play_random(env: gym.Env, seed: int, steps: int = 10_000) -> tuple[list[Any], Any]:
    """Play legal random actions to the end of the episode; return all steps and the last one."""
    rng = np.random.default_rng(seed)
    observation, info = env.reset(seed=seed)
    seen: list[Any] = [(observation, info)]
    last: Any = None
    for _ in range(steps):
        last = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
        seen.append(last)
        info = last[4]
        if last[2] or last[3]:
            break
    return seen, last


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("env_id", IDS)
def test_gymnasium_checker_has_no_complaint(env_id: str, kind: str) -> None:
    """Reported elsewhere: the checker's illegal actions break the environment."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gym.make(env_id, observation=kind).unwrapped
        check_env(env, skip_render_check=True)  # tests/test_render.py checks that


@pytest.mark.parametrize("env_id", IDS)
def test_spaces_follow_from_the_rules(env_id: str) -> None:
    env = gym.make(env_id, observation="both")
    rules = env.unwrapped.rules
    columns, cards = len(rules.layout.columns), rules.layout.cards
    assert env.action_space.n == cards * columns + 1 + (rules.undo_limit != 0)
    assert env.observation_space["tableau"].shape == (columns, cards)
    assert env.observation_space["tableau"].high.max() == cards + 1
    assert env.observation_space["completed"].shape == (4 * rules.layout.decks,)
    seen, _ = play_random(env, seed=3)
    for step in seen:
        assert step[0] in env.observation_space


def test_classic_numbers() -> None:
    env = gym.make("Scorpion-v0")
    observation, info = env.reset(seed=0)
    assert env.action_space.n == 365
    assert observation["tableau"].shape == (7, 52)
    assert (observation["tableau"] == 53).sum() == 12
    assert (observation["tableau"] > 0).sum() == 49
    assert observation["reserve"].tolist() == [53, 53, 53]
    assert observation["face_down"].tolist() == [3, 3, 3, 3, 0, 0, 0]
    assert info["action_mask"].dtype == np.int8
    assert info["action_mask"][364] == 1
    assert (info["score"], info["moves"], info["face_down_cards"]) == (0, 0, 12)
    assert (info["sequences"], info["is_success"]) == (0, False)


@pytest.mark.parametrize("env_id", IDS)
def test_same_seed_same_episode(env_id: str) -> None:
    first, _ = play_random(gym.make(env_id, observation="both"), seed=11)
    second, _ = play_random(gym.make(env_id, observation="both"), seed=11)
    assert len(first) == len(second)
    for left, right in zip(first, second, strict=True):
        assert same(left, right)


@pytest.mark.parametrize("env_id", IDS)
def test_reward_is_the_score_difference(env_id: str) -> None:
    seen, last = play_random(gym.make(env_id), seed=5)
    assert sum(step[1] for step in seen[1:]) == last[4]["score"]
    assert type(last[1]) is float


@pytest.mark.parametrize("env_id", IDS)
def test_every_running_state_has_a_legal_action(env_id: str) -> None:
    for seed in range(8):
        seen, last = play_random(gym.make(env_id), seed)
        for step in seen[:-1]:
            assert step[-1]["action_mask"].any()
        assert last[2] != last[3]
        assert last[4]["action_mask"].any() == last[3], "all zero once terminated"


def test_unseeded_resets_go_on_with_the_stream() -> None:
    first, second = ScorpionEnv(), ScorpionEnv()
    numbers = [[env.reset(seed=9)[1]["deal"], env.reset()[1]["deal"]] for env in (first, second)]
    assert numbers[0] == numbers[1]
    assert numbers[0][0] != numbers[0][1]


def test_deal_number_repeats_the_deal_and_leaves_the_stream() -> None:
    env = ScorpionEnv()
    observation, info = env.reset(seed=9)
    following = env.reset()[1]["deal"]
    env.reset(seed=9)
    again, told = env.reset(options={"deal": info["deal"]})
    assert same(again, observation)
    assert told["deal"] == info["deal"]
    assert env.reset()[1]["deal"] == following


@pytest.mark.parametrize("env_id", IDS)
def test_deal_of_cards_and_of_board_text(env_id: str) -> None:
    env = gym.make(env_id)
    pack = env.unwrapped.rules.layout.cards
    rng = np.random.default_rng(4)
    texts = [card_text(int(card)) for card in rng.permutation(pack)]
    observation, info = env.reset(options={"deal": texts})
    assert info["deal"] == 0
    first_down = env.unwrapped.rules.layout.face_down[0] > 0
    shown = observation["tableau"][0, 0]
    assert shown == pack + 1 if first_down else card_text(int(shown) - 1) == texts[0]
    from scorpion_env.game import Game

    board = Game(rules=env.unwrapped.rules, deal=texts).to_text(reveal=True)
    assert same(env.reset(options={"deal": board})[0], observation)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"deal": -1}, "out of range"),
        ({"deal": 0}, "does not exist"),
        ({"deal": "ms0"}, "does not exist"),
        ({"deal": ["KS"] * 52}, "KS was already named"),
        ({"deal": ["KS"]}, "needs 52 cards"),
        ({"deal": 1.5}, "is no deal"),
        ({"deals": 1}, "'deals' is unknown"),
    ],
)
def test_wrong_reset_options_change_nothing(options: dict[str, Any], message: str) -> None:
    env = ScorpionEnv()
    _, info = env.reset(seed=1)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    before = env.get_state()
    with pytest.raises(ValueError, match=message):
        env.reset(seed=2, options=options)
    for part, saved in zip(env.get_state().batch, before.batch, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(part, saved, strict=True))


@pytest.mark.parametrize(
    "arguments",
    [
        {"rules": "klondike"},
        {"observation": "pixels"},
        {"reward": "money"},
        {"illegal_action": "punish"},
        {"step_limit": 0},
        {"win_bonus": float("nan")},
        {"render_mode": "hologram"},
        {"win_bonus": "a"},
        {"reveal_hidden": "yes"},
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(arguments))):
        ScorpionEnv(**arguments)


@pytest.mark.parametrize("env_id", IDS)
def test_illegal_action_costs_a_step_only(env_id: str) -> None:
    env = gym.make(env_id, step_limit=3)
    observation, info = env.reset(seed=2)
    illegal = int(np.flatnonzero(info["action_mask"] == 0)[0])
    for step in range(3):
        seen, reward, terminated, truncated, told = env.step(illegal)
        assert same(seen, observation)
        assert (reward, terminated, truncated) == (0.0, False, step == 2)
        assert told.pop("illegal_action") is True
        assert same(told, {k: v for k, v in info.items() if k not in ("deal", "illegal_action")})


def test_illegal_action_can_be_an_error() -> None:
    env = ScorpionEnv(illegal_action="raise")
    _, info = env.reset(seed=2)
    with pytest.raises(ValueError, match="is illegal"):
        env.step(int(np.flatnonzero(info["action_mask"] == 0)[0]))
    env.step(int(np.flatnonzero(info["action_mask"])[0]))


@pytest.mark.parametrize("action", [-1, 365, 1.0, "deal", None, np.array([1, 2])])
def test_action_outside_the_space_is_an_error(action: Any) -> None:
    env = ScorpionEnv()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="outside the action space"):
        env.step(action)


def test_step_needs_a_running_episode() -> None:
    env = ScorpionEnv(step_limit=1)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(364)
    env.reset(seed=0)
    env.step(364)
    with pytest.raises(gym.error.ResetNeeded):
        env.step(364)


def test_step_limits() -> None:
    limits = {name: VARIANTS[name].max_steps for name in VARIANTS}
    assert limits["classic"] == 200
    assert limits["open_scorpion"] == 500
    assert limits["double_scorpion"] == 400
    env = ScorpionEnv(rules="wasp", step_limit=7)
    seen, last = play_random(env, seed=1)
    assert len(seen) == 8
    assert last[3]
    assert last[4]["action_mask"].any()


@pytest.mark.parametrize("env_id", IDS)
def test_hidden_cards_do_not_show(env_id: str) -> None:
    """Deals that differ in hidden cards only look alike until one of them is turned."""
    env, other = gym.make(env_id, observation="both"), gym.make(env_id, observation="both")
    rules = env.unwrapped.rules
    layout, rng = rules.layout, np.random.default_rng(8)
    deck = rng.permutation(layout.cards)
    places = [
        (row, column)
        for row in range(max(layout.columns))
        for column, size in enumerate(layout.columns)
        if row < size
    ]
    hidden = [i for i, (row, column) in enumerate(places) if row < layout.face_down[column]]
    if rules.reserve != "play":
        hidden += range(len(places), layout.cards)
    swapped = deck.copy()
    swapped[hidden] = deck[rng.permutation(hidden)]
    texts = [[card_text(int(card)) for card in cards] for cards in (deck, swapped)]
    views = [e.reset(options={"deal": t}) for e, t in zip((env, other), texts, strict=True)]
    if layout.decks == 1:
        assert same(views[0], views[1])
    revealed = [
        gym.make(env_id, reveal_hidden=True).reset(options={"deal": cards})[0] for cards in texts
    ]
    assert same(revealed[0], revealed[1]) == (texts[0] == texts[1])
    assert (revealed[0]["tableau"] <= layout.cards).all()
    assert same(revealed[0]["face_down"], views[0][0]["face_down"])


def test_masks_reach_through_wrappers() -> None:
    env = gym.wrappers.RecordEpisodeStatistics(gym.make("Scorpion-v0"))
    _, info = env.reset(seed=0)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert np.array_equal(masks, info["action_mask"])


@pytest.mark.parametrize("env_id", IDS)
def test_ansi_shows_the_board_that_the_player_sees(env_id: str) -> None:
    env = gym.make(env_id, render_mode="ansi")
    env.reset(seed=1)
    down = sum(env.unwrapped.rules.layout.face_down)
    board = env.render()
    assert board.split("reserve:")[0].count("##") == down
    revealed = gym.make(env_id, render_mode="ansi", reveal_hidden=True)
    revealed.reset(seed=1)
    assert "##" not in revealed.render()


def test_registered_without_an_import() -> None:
    code = "import gymnasium as g; print(g.make('scorpion_env:Scorpion-v0').action_space.n)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "365"


@pytest.mark.parametrize("env_id", IDS)
def test_state_copies_go_on_alike(env_id: str) -> None:
    env = gym.make(env_id).unwrapped
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=6)
    for _ in range(2):
        info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))[4]
    fresh = gym.make(env_id).unwrapped
    fresh.set_state(env.get_state())
    twins = [deepcopy(env), loads(dumps(env)), fresh]
    action = int(np.flatnonzero(info["action_mask"])[0])
    expected = env.step(action), env.reset(), env.reset(seed=3)
    for twin in twins:
        got = twin.step(action), twin.reset(), twin.reset(seed=3)
        for left, right in zip(expected, got, strict=True):
            assert same(left, right)


@pytest.mark.parametrize(
    "options",
    [{"rules": "wasp"}, {"observation": "planes"}, {"reward": "win"}, {"step_limit": 7}],
)
def test_state_of_another_environment_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="made alike"):
        ScorpionEnv().set_state(ScorpionEnv(**options).get_state())
    with pytest.raises(ValueError, match="is no state"):
        ScorpionEnv().set_state({})  # type: ignore[arg-type]


def test_spec_with_rules_of_ones_own_survives_json() -> None:
    rules = Rules(build="any_suit", undo_limit=5)
    env = gym.make("Scorpion-v0", rules=rules)
    again = gym.make(gym.envs.registration.EnvSpec.from_json(env.spec.to_json()))
    assert again.unwrapped.rules == rules
    with pytest.raises(ValueError, match="no fields of Rules"):
        ScorpionEnv(rules={"bild": "any_suit"})


def test_numpy_seed_is_a_seed() -> None:
    first, second = (ScorpionEnv().reset(seed=seed)[0] for seed in (7, np.int64(7)))
    assert same(first, second)
