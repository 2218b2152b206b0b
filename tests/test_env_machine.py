"""The environments beside naive ones through any order of steps, resets and saved states."""

import copy
import pickle
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)

from scorpion_env.deals import read_deal
from scorpion_env.env import ScorpionEnv
from scorpion_env.env_state import EnvState
from scorpion_env.vector_env import ScorpionVectorEnv
from tests.lockstep import RULE_SETS
from tests.oracle_env import OracleEnv, assert_agrees
from tests.random_games import RULE_NAMES, SEEDS
from tests.solver_cases import number
from tests.trajectories import COUNTS

GAMES = 3
OPTIONS = st.fixed_dictionaries(
    {
        "reveal_hidden": st.booleans(),
        "reward": st.sampled_from(["score", "progress", "win"]),
        "win_bonus": st.sampled_from([0.0, 2.5]),
        "step_limit": st.sampled_from([4, 12, 200]),
    }
)
CHOICES = st.floats(0, 1, exclude_max=True)
ILLEGAL = 0.1  # choices below it are of any action


def action_of(oracle: OracleEnv, choice: float) -> int:
    """The action a choice means: a legal one if there is one, unless it is below `ILLEGAL`."""
    legal = sorted(oracle.legal)
    if choice < ILLEGAL or not legal:
        return int(choice / ILLEGAL % 1 * len(oracle.mask()))
    return legal[int((choice - ILLEGAL) / (1 - ILLEGAL) * len(legal))]


class Machine(RuleBasedStateMachine):
    """What both machines need: rules, options, and naive environments of a deal."""

    def choose_rules(self, name: str, options: dict[str, Any]) -> None:
        self.rules, self.options = RULE_SETS[name], options

    def naive(self, deal: int) -> OracleEnv:
        """A naive environment of the deal of a number."""
        return OracleEnv(self.rules, read_deal(deal, self.rules).deck.tolist(), **self.options)


class EnvBesideNaive(Machine):
    """The single environment."""

    saved: Bundle[tuple[EnvState, OracleEnv, bool]] = Bundle("saved")

    @initialize(name=RULE_NAMES, options=OPTIONS, seed=SEEDS)
    def make(self, name: str, options: dict[str, Any], seed: int) -> None:
        self.choose_rules(name, options)
        self.env = ScorpionEnv(self.rules, **options)
        with pytest.raises(gym.error.ResetNeeded):
            self.env.step(0)
        self.reset(seed)

    @rule(seed=st.none() | SEEDS)
    def reset(self, seed: int | None) -> None:
        self.begin(*self.env.reset(seed=seed))

    @rule()
    def deal_the_same_number_again(self) -> None:
        self.begin(*self.env.reset(options={"deal": self.deal}))

    def begin(self, observation: dict[str, np.ndarray], info: dict[str, Any]) -> None:
        self.deal, self.is_over = int(info["deal"]), False
        self.oracle = self.naive(self.deal)
        assert_agrees(self.oracle, observation, info)

    @precondition(lambda self: not self.is_over)
    @rule(choice=CHOICES)
    def step(self, choice: float) -> None:
        action = action_of(self.oracle, choice)
        expected = self.oracle.step(action)
        observation, *answer, info = self.env.step(action)
        assert tuple(answer) == expected
        assert_agrees(self.oracle, observation, info)
        assert np.array_equal(self.env.action_masks(), info["action_mask"])
        self.is_over = expected.terminated or expected.truncated

    @precondition(lambda self: self.is_over)
    @rule()
    def step_after_the_end(self) -> None:
        with pytest.raises(gym.error.ResetNeeded):
            self.env.step(0)

    @rule(target=saved)
    def save(self) -> tuple[EnvState, OracleEnv, bool]:
        return self.env.get_state(), self.oracle.copy(), self.is_over

    @rule(state=saved)
    def go_back(self, state: tuple[EnvState, OracleEnv, bool]) -> None:
        saved, oracle, self.is_over = state
        observation, info = self.env.set_state(saved)
        self.oracle = oracle.copy()
        assert_agrees(self.oracle, observation, info)
        self.deal = int(saved.batch.episodes.number[0])

    @rule(choices=st.lists(CHOICES, min_size=1, max_size=6))
    def play_twice(self, choices: list[float]) -> None:
        state = self.save()
        for _ in range(2):
            for choice in choices:
                if not self.is_over:
                    self.step(choice)
            self.go_back(state)

    @rule(way=st.sampled_from([copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]))
    def go_on_with_a_copy(self, way: Any) -> None:
        self.env = way(self.env)


class VectorBesideNaive(Machine):
    """The vector environment in each autoreset mode."""

    saved: Bundle[tuple[EnvState, list[OracleEnv], np.ndarray]] = Bundle("saved")

    @initialize(
        name=RULE_NAMES, options=OPTIONS, seed=SEEDS, mode=st.sampled_from(list(AutoresetMode))
    )
    def make(self, name: str, options: dict[str, Any], seed: int, mode: AutoresetMode) -> None:
        self.choose_rules(name, options)
        self.mode = mode
        self.env = ScorpionVectorEnv(GAMES, rules=self.rules, autoreset_mode=mode, **options)
        self.oracles: list[OracleEnv] = [None] * GAMES  # type: ignore[list-item]
        self.reset(seed, [True] * GAMES)

    @rule(seed=st.none() | SEEDS, chosen=st.lists(st.booleans(), min_size=GAMES, max_size=GAMES))
    def reset(self, seed: int | None, chosen: list[bool]) -> None:
        mask = np.array(chosen) if any(chosen) else np.ones(GAMES, bool)
        observation, info = self.env.reset(seed=seed, options={"reset_mask": mask})
        assert np.array_equal(info["_deal"], mask)
        if mask.all():
            self.over = np.zeros(GAMES, bool)
        self.over &= ~mask
        self.compare(observation, info)

    @precondition(lambda self: self.mode != AutoresetMode.DISABLED or not self.over.any())
    @rule(choices=st.lists(CHOICES, min_size=GAMES, max_size=GAMES))
    def step(self, choices: list[float]) -> None:
        actions = [action_of(*pair) for pair in zip(self.oracles, choices, strict=True)]
        waiting = self.over & (self.mode == AutoresetMode.NEXT_STEP)
        observation, *answers, info = self.env.step(np.array(actions))
        self.over = np.zeros(GAMES, bool)
        for game, action in enumerate(actions):
            answer = tuple(part[game] for part in answers)
            if waiting[game]:
                assert answer == (0.0, False, False)
                continue
            expected = self.oracles[game].step(action)
            assert answer == expected
            self.over[game] = expected.terminated or expected.truncated
        if self.mode == AutoresetMode.SAME_STEP:
            self.compare_ends(info)
            self.over[:] = False
        self.compare(observation, info)

    def compare(self, observation: dict[str, np.ndarray], info: dict[str, Any]) -> None:
        """Compare all games, with a new naive environment for each that was dealt a new deal."""
        for game in np.flatnonzero(info.get("_deal", [])):
            self.oracles[game] = self.naive(int(info["deal"][game]))
        for game, oracle in enumerate(self.oracles):
            told = {name: info[name][game] for name in ("action_mask", *COUNTS)}
            if self.over[game] and self.mode == AutoresetMode.NEXT_STEP:
                assert told["action_mask"].all()
                told["action_mask"] = oracle.mask()
            if "_deal" in info and info["_deal"][game]:
                assert not told["illegal_action"]
            assert_agrees(oracle, {name: part[game] for name, part in observation.items()}, told)

    def compare_ends(self, info: dict[str, Any]) -> None:
        """Compare what same-step mode says of the episodes that ended."""
        assert np.array_equal(info.get("_final_obs", np.zeros(GAMES, bool)), self.over)
        for game in np.flatnonzero(self.over):
            told = {name: info["final_info"][name][game] for name in ("action_mask", *COUNTS)}
            assert_agrees(self.oracles[game], info["final_obs"][game], told)

    @rule(target=saved)
    def save(self) -> tuple[EnvState, list[OracleEnv], np.ndarray]:
        return self.env.get_state(), [oracle.copy() for oracle in self.oracles], self.over.copy()

    @rule(state=saved)
    def go_back(self, state: tuple[EnvState, list[OracleEnv], np.ndarray]) -> None:
        saved, oracles, over = state
        self.oracles, self.over = [oracle.copy() for oracle in oracles], over.copy()
        self.env = copy.deepcopy(self.env)
        observation, info = self.env.set_state(saved)
        told = {name: part for name, part in info.items() if name not in ("deal", "_deal")}
        self.compare(observation, told)

    @rule(choices=st.lists(CHOICES, min_size=1, max_size=6))
    def play_twice(self, choices: list[float]) -> None:
        state = self.save()
        for _ in range(2):
            for choice in choices:
                if self.mode != AutoresetMode.DISABLED or not self.over.any():
                    self.step([choice] * GAMES)
            self.go_back(state)


often = settings(max_examples=number(30, 1000), stateful_step_count=40, deadline=None)
TestEnvBesideNaive = EnvBesideNaive.TestCase
TestEnvBesideNaive.settings = often
TestVectorBesideNaive = VectorBesideNaive.TestCase
TestVectorBesideNaive.settings = often
