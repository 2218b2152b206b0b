"""Rewards, win rates and invariants over many episodes, and the kernels' compiled signatures."""

import contextlib
import importlib
import pkgutil
from collections import Counter
from typing import Any

import numpy as np
import pytest
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from numba.core.dispatcher import Dispatcher

import scorpion_env
from scorpion_env import VARIANTS, Rules
from scorpion_env.batch import check_begun
from scorpion_env.deals import deal_state
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import BUILDS, copy_state, row_of
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.notation import name_move
from scorpion_env.vector_env import ScorpionVectorEnv
from tests.lockstep import RULE_SETS
from tests.random_rules import random_rules


def play_out(env: ScorpionVectorEnv, seeds: list[int], seed: int = 0) -> dict[str, Any]:
    """Play each seed's game at random to its end; return the infos of the ends."""
    rng = np.random.default_rng(seed)
    _, info = env.reset(seed=seeds)
    over = np.zeros(len(seeds), bool)
    ends = {key: np.zeros(len(seeds), np.int64) for key in ("score", "sequences", "is_success")}
    while not over.all():
        actions = (rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(axis=1)
        _, _, terminated, truncated, info = env.step(actions)
        ending = (terminated | truncated) & ~over
        for key, values in ends.items():
            values[ending] = info[key][ending]
        over |= ending
    return ends


def test_random_play_wins_as_often_as_measured() -> None:
    """1.6 % would betray a false "stuck": 2.0 to 2.3 % of deals were won with prototypes."""
    wins = 0
    for first in range(0, 20_000, 5_000):
        env = ScorpionVectorEnv(5_000)
        ends = play_out(env, list(range(first, first + 5_000)))
        wins += int(ends["is_success"].sum())
        won = ends["is_success"] == 1
        assert (ends["score"][won] >= 460).all()
        assert (ends["sequences"][won] == 4).all()
    assert 0.018 <= wins / 20_000 <= 0.025


def assert_masks_are_whole(rules: Rules, steps: int) -> None:
    """Masks brought up to date step by step equal masks written anew."""
    env = ScorpionVectorEnv(64, rules=rules, autoreset_mode=AutoresetMode.DISABLED)
    rng = np.random.default_rng(5)
    _, info = env.reset(seed=0)
    fresh = np.zeros(rules.actions, np.int8)
    compared = 0
    for _ in range(steps):
        actions = (rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(axis=1)
        _, _, terminated, truncated, info = env.step(actions)
        for game, mask in enumerate(info["action_mask"]):
            state = copy_state(row_of(env._batch.state, game))
            settle(rules.compiled, state, fresh)
            np.testing.assert_array_equal(mask, fresh)
            assert state.counters[BUILDS] == env._batch.state.counters[game, BUILDS]
            compared += 1
        over = terminated | truncated
        if over.any():
            _, reset_info = env.reset(options={"reset_mask": over})
            info["action_mask"] = reset_info["action_mask"]
    assert compared == 64 * steps


@pytest.mark.parametrize("name", sorted(RULE_SETS))
def test_masks_brought_up_to_date_equal_masks_written_anew(name: str) -> None:
    assert_masks_are_whole(RULE_SETS[name], 60)


def test_masks_of_small_random_rule_sets_equal_masks_written_anew() -> None:
    played = 0
    for seed in range(60):
        rules = random_rules(seed)
        with contextlib.suppress(ValueError):  # rules under which few deals have a first move
            assert_masks_are_whole(rules, 30)
            played += 1
    assert played > 40


@pytest.mark.parametrize("name", ["classic", "flexible", "wasp", "undo_3_flexible", "small_any"])
def test_progress_pays_each_placement_once(name: str) -> None:
    rules = RULE_SETS[name]
    env = ScorpionEnv(rules=rules, reward="progress", step_limit=150)
    rng = np.random.default_rng(2)
    repeated = 0
    for seed in range(12):
        _, info = env.reset(seed=seed)
        game, paid = Game(seed=seed, rules=rules), set[int]()
        done = False
        while not done:
            action = int(rng.choice(np.flatnonzero(info["action_mask"])))
            undone = game.actions[-1] if action > rules.deal_action else None
            points = game_points(game, action) if undone is None else 0
            gained = game.play(name_move(rules, action))
            if undone is not None:
                gained += game_points(game, undone)
            if points and action // len(rules.layout.columns) in paid:
                gained -= points
                repeated += 1
            if points:
                paid.add(action // len(rules.layout.columns))
            _, reward, terminated, truncated, info = env.step(action)
            assert reward == gained
            done = terminated or truncated
    assert repeated > 0 or name == "classic"


def game_points(game: Game, action: int) -> int:
    """The points that an action's placement alone brings, told by the board."""
    layout = game.rules.layout
    if action >= game.rules.deal_action:
        return 0
    card, target = divmod(action, len(layout.columns))
    cards = game.position.columns[target]
    suits = [c // layout.ranks % layout.suits for c in (card, *cards[-1:])]
    return 5 if cards and suits[0] == suits[1] else 0


def test_win_reward_and_bonus() -> None:
    rng = np.random.default_rng(0)
    options: dict[str, Any] = {"rules": "three_blind_mice"}
    plain, win, bonus = (
        ScorpionEnv(**options, **more) for more in ({}, {"reward": "win"}, {"win_bonus": 7.5})
    )
    wins = Counter[bool]()
    for seed in range(60):
        infos = [env.reset(seed=seed)[1] for env in (plain, win, bonus)]
        done = False
        while not done:
            action = int(rng.choice(np.flatnonzero(infos[0]["action_mask"])))
            steps = [env.step(action) for env in (plain, win, bonus)]
            infos = [step[4] for step in steps]
            won = bool(infos[0]["is_success"])
            assert steps[1][1] == float(won)
            assert steps[2][1] == steps[0][1] + 7.5 * won
            done = steps[0][2] or steps[0][3]
        wins[won] += 1
    assert wins[True] > 0
    assert wins[False] > 0


def kernels() -> dict[str, Dispatcher]:
    """Every compiled function of the library."""
    found = {}
    for module in pkgutil.walk_packages(scorpion_env.__path__, "scorpion_env."):
        for name, value in vars(importlib.import_module(module.name)).items():
            if isinstance(value, Dispatcher):
                found[f"{value.py_func.__module__}.{name}"] = value
    return found


def test_one_compiled_signature_a_kernel() -> None:
    """Rules are numbers: no variant or option makes Numba compile a kernel again."""
    for rules in RULE_SETS.values():
        play_a_little(rules)
    signatures = {name: kernel.signatures for name, kernel in kernels().items()}
    assert len(signatures) > 25
    assert {name: s for name, s in signatures.items() if len(s) > 1} == {}


def play_a_little(rules: Rules) -> None:
    for mode in AutoresetMode:
        env = ScorpionVectorEnv(2, rules=rules, observation="both", autoreset_mode=mode)
        _, info = env.reset(seed=0)
        env.step(info["action_mask"].argmax(axis=1))
    single = ScorpionEnv(rules=rules, observation="planes", reward="progress", reveal_hidden=True)
    _, info = single.reset(seed=0)
    single.step(int(info["action_mask"].argmax()))
    game = Game(seed=0, rules=rules)
    game.play(game.legal_moves()[0])


def test_deals_without_a_first_move_are_passed_over() -> None:
    """A layout without reserve can deal a board on which nothing moves."""
    rules = RULE_SETS["tiny_undealt"]
    skipped = 0
    for seed in range(300):
        env = ScorpionEnv(rules=rules)
        _, info = env.reset(seed=seed)
        assert info["action_mask"].any()
        skipped += bool(env.get_state().batch.episodes.number[0] != first_number(seed))
    assert skipped > 0


def first_number(seed: int) -> int:
    return deal_state(seeding.np_random(seed)[0])


def test_variants_are_all_played_out() -> None:
    for name, rules in VARIANTS.items():
        ends = play_out(ScorpionVectorEnv(20, rules=rules), list(range(20)))
        won = ends["is_success"] == 1
        assert (ends["sequences"][won] == rules.layout.sequences).all(), name
        assert (ends["score"][won] >= 100 * rules.layout.sequences).all(), name


def test_games_that_could_not_begin_are_told() -> None:
    batch = ScorpionEnv().get_state().batch
    with pytest.raises(ValueError, match="these rules cannot be played"):
        check_begun(batch, np.ones(1, np.bool_))
    check_begun(batch, np.zeros(1, np.bool_))


def test_deal_that_is_over_is_refused_and_changes_nothing() -> None:
    board = "1: KS 2S AS 3S QS JS TS 9S 8S 7S 6S 5S 4S\n2:\n3:\n4:\n5:\n6:\n7:\ncompleted: C, D, H"
    assert Game(deal=board).is_stuck
    single, vector = ScorpionEnv(), ScorpionVectorEnv(2)
    for env in (single, vector):
        env.reset(seed=0)
        before = env.get_state()
        with pytest.raises(ValueError, match="over before it begins"):
            env.reset(options={"deal": board})
        for part, saved in zip(env.get_state().batch, before.batch, strict=True):
            assert all(np.array_equal(a, b) for a, b in zip(part, saved, strict=True))


@pytest.mark.parametrize("limit", [0, -1, 2.5, True, "5", 2**40])
def test_wrong_step_limits(limit: Any) -> None:
    with pytest.raises(ValueError, match="step_limit="):
        ScorpionEnv(rules="open_scorpion", step_limit=limit)
