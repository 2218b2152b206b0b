"""A naive environment over the oracle: what `ScorpionEnv` should give, from its contract alone.

Beside the oracle it takes nothing from the library but its names.
"""

import copy
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from tests.oracle import PLACED, OracleGame, RulesLike


class Answer(NamedTuple):
    """What a step gives beside observation and info."""

    reward: float
    terminated: bool
    truncated: bool


class OracleEnv:
    """One game with its reward, step limit and observation.

    Parameters
    ----------
    rules : RulesLike
        The rule set.
    deck : Sequence[int]
        Card ids in the order dealt.
    step_limit : int
        Steps after which an episode is truncated.
    reveal_hidden, reward, win_bonus
        As in `ScorpionEnv`.
    """

    def __init__(
        self,
        rules: RulesLike,
        deck: Sequence[int],
        step_limit: int,
        reveal_hidden: bool = False,
        reward: str = "score",
        win_bonus: float = 0.0,
    ) -> None:
        self.game = OracleGame(rules, deck)
        self.step_limit = step_limit
        self.reveal_hidden = reveal_hidden
        self.reward = reward
        self.win_bonus = win_bonus
        self.cards = len(deck)
        self.steps = 0
        self.illegal = False
        self._placements: list[int] = []  # points of each move's placement, undone moves left out
        self._paid: set[int] = set()
        self.legal = self.game.legal_actions()

    def step(self, action: int) -> Answer:
        """Take an action, legal or not."""
        self.steps += 1
        self.illegal = action not in self.legal
        reward = 0.0 if self.illegal else self._play(action)
        ended = not self.legal
        return Answer(reward, ended, not ended and self.steps >= self.step_limit)

    def _play(self, action: int) -> float:
        placed = self._placement(action)
        points = self.game.play(action)
        kept = 0  # what reward="progress" leaves out
        if action == self.game.undo_action:
            kept = -self._placements.pop()
        else:
            self._placements.append(placed)
            if placed:
                card = action // self.game.n_columns
                kept = placed if card in self._paid else 0
                self._paid.add(card)
        self.legal = self.game.legal_actions()
        won = self.game.won
        if self.reward == "win":
            return won + self.win_bonus * won
        return points - kept * (self.reward == "progress") + self.win_bonus * won

    def _placement(self, action: int) -> int:
        """Return the points for where an action puts its card."""
        if action >= self.game.deal_action:
            return 0
        card, target = divmod(action, self.game.n_columns)
        onto = self.game.columns[target][-1:]
        suits = [c // self.game.ranks % self.game.suits for c in (card, *onto)]
        return PLACED * (suits[1:] == suits[:1])

    def mask(self) -> np.ndarray:
        """Return the legal actions (actions,)."""
        actions = self.game.deal_action + 1 + (self.game.rules.undo_limit != 0)
        mask = np.zeros(actions, np.int8)
        mask[list(self.legal)] = 1
        return mask

    def observation(self) -> dict[str, np.ndarray]:
        """Return the card tensors."""
        game, hidden = self.game, self.cards + 1
        tableau = np.zeros((game.n_columns, self.cards), np.uint8)
        for column, cards in enumerate(game.columns):
            for place, card in enumerate(cards):
                is_seen = self.reveal_hidden or place >= game.down[column]
                tableau[column, place] = card + 1 if is_seen else hidden
        is_open = self.reveal_hidden or game.rules.reserve == "play"
        reserve = [0 if c is None else c + 1 if is_open else hidden for c in game.reserve]
        return {
            "tableau": tableau,
            "face_down": np.array(game.down, np.uint8),
            "completed": np.array(game.completed, np.uint8),
            **({"reserve": np.array(reserve, np.uint8)} if reserve else {}),
        }

    def info(self) -> dict[str, int | bool]:
        """Return the info, but for the mask."""
        return {
            "score": self.game.score,
            "moves": len(self._placements),
            "face_down_cards": sum(self.game.down),
            "sequences": sum(self.game.completed),
            "is_success": self.game.won,
            "illegal_action": self.illegal,
        }

    def copy(self) -> "OracleEnv":
        """Return an environment that goes on independently."""
        other = copy.copy(self)
        other.game = self.game.copy()
        other._placements = self._placements.copy()
        other._paid = self._paid.copy()
        return other


def assert_agrees(oracle: OracleEnv, observation: dict[str, np.ndarray], info: dict) -> None:
    """Compare all that an environment shows with what it should show, planes left out."""
    expected = oracle.observation()
    assert expected.keys() == observation.keys() - {"planes"}
    for name, part in expected.items():
        assert np.array_equal(observation[name], part), name
        assert observation[name].dtype == part.dtype, name
    assert np.array_equal(info["action_mask"], oracle.mask())
    told = oracle.info()
    assert {name: info[name] for name in told} == told
