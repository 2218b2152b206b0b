"""Plays `ScorpionEnv` and the naive environment side by side.

``python -m tests.env_lockstep --steps 1000000`` plays all rule sets with all options and prints
what was compared.
"""

import argparse
import time
from collections import Counter
from typing import Any

import numpy as np

from scorpion_env.deals import read_deal
from scorpion_env.env import ScorpionEnv
from scorpion_env.planes import plane_names
from scorpion_env.position import Position
from tests import conftest  # noqa: F401  throws away kernels compiled before a change
from tests.lockstep import RULE_SETS
from tests.oracle_env import OracleEnv, assert_agrees
from tests.slow_planes import SlowPlanes

OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "revealed": {"reveal_hidden": True},
    "progress": {"reward": "progress"},
    "win": {"reward": "win", "win_bonus": 7.5, "reveal_hidden": True},
    "short": {"reward": "progress", "win_bonus": 1.0, "step_limit": 25},
}
ILLEGAL = 0.03  # share of actions drawn from all
UNDO = 0.1  # share of actions that are undo where it is legal
PLANES = 40  # steps between two comparisons of the planes, which are slow
EVENTS = ("games", "won", "steps", "turned", "sequences", "undone", "illegal", "planes")


class Pair:
    """An environment and the naive one, playing the same deal.

    Parameters
    ----------
    name, options : str
        Keys of `RULE_SETS` and `OPTIONS`.
    seed : int
        Seeds the deals and the actions.
    """

    def __init__(self, name: str, options: str, seed: int) -> None:
        self.name, self.options, self.rules = name, options, RULE_SETS[name]
        self.given = {"step_limit": self.rules.max_steps, **OPTIONS[options]}
        self.env = ScorpionEnv(self.rules, observation="both", **self.given)
        places = (list(RULE_SETS).index(name), list(OPTIONS).index(options))
        self.rng = np.random.default_rng([seed, *places])
        self.counts = Counter(dict.fromkeys(EVENTS, 0))

    def play(self, steps: int) -> Counter[str]:
        """Play so many steps, comparing all; return how often each of `EVENTS` happened."""
        while self.counts["steps"] < steps:
            self.begin()
            try:
                while not self.is_over and self.counts["steps"] < steps:
                    self.step()
            except AssertionError as error:
                error.add_note(f"{self.name}, {self.options}, deal {self.deal}: {self.actions}")
                raise
            self.counts["games"] += 1
            self.counts["won"] += self.oracle.game.won
        return self.counts

    def begin(self) -> None:
        """Deal a new game."""
        observation, self.told = self.env.reset(seed=int(self.rng.integers(2**63)))
        self.deal, self.actions, self.is_over = int(self.told["deal"]), list[int](), False
        deck = read_deal(self.deal, self.rules).deck.tolist()
        self.oracle = OracleEnv(self.rules, deck, **self.given)
        assert_agrees(self.oracle, observation, self.told)

    def step(self) -> None:
        """Take one action and compare."""
        oracle, action = self.oracle, self.choose()
        self.actions.append(action)
        flips, complete = oracle.game.flips, sum(oracle.game.completed)
        expected = oracle.step(action)
        observation, reward, terminated, truncated, self.told = self.env.step(action)
        assert (reward, terminated, truncated) == expected
        assert_agrees(oracle, observation, self.told)
        self.is_over = terminated or truncated
        self.counts["steps"] += 1
        if self.counts["steps"] % PLANES == 0:
            self.compare_planes(observation["planes"])
        self.counts["illegal"] += oracle.illegal
        self.counts["undone"] += action == oracle.game.undo_action and not oracle.illegal
        self.counts["turned"] += max(0, oracle.game.flips - flips)
        self.counts["sequences"] += max(0, sum(oracle.game.completed) - complete)

    def choose(self) -> int:
        """Choose an action, nearly always a legal one."""
        chance, undo = self.rng.random(2), self.oracle.game.undo_action
        if chance[0] < ILLEGAL:
            return int(self.rng.integers(self.rules.actions))
        if undo in self.oracle.legal and chance[1] < UNDO:
            return undo
        return int(self.rng.choice(sorted(self.oracle.legal)))

    def compare_planes(self, planes: np.ndarray) -> None:
        """Compare the planes with a slow reading of the oracle's position."""
        game = self.oracle.game
        columns = tuple(tuple(cards) for cards in game.columns)
        position = Position(columns, tuple(game.down), tuple(game.reserve))
        reveal = self.oracle.reveal_hidden
        expected = SlowPlanes(self.rules, position, game.completed, reveal).values
        assert list(expected) == plane_names(self.rules)
        assert planes.tolist() == list(expected.values())
        self.counts["planes"] += 1


def main() -> None:
    """Play, and print what was compared for each rule set and in all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=1_000_000, help="steps of all games together")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    share = -(-arguments.steps // (len(RULE_SETS) * len(OPTIONS)))
    total: Counter[str] = Counter()
    start = time.perf_counter()
    for name in RULE_SETS:
        counts: Counter[str] = Counter()
        for options in OPTIONS:
            counts.update(Pair(name, options, arguments.seed).play(share))
        print(name, *(f"{counts[event]} {event}" for event in EVENTS), sep=", ", flush=True)
        total.update(counts)
    told = ", ".join(f"{total[event]:,} {event}" for event in EVENTS)
    print(f"all equal: {told}; {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
