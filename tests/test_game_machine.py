"""A game beside the oracle through any order of moves, taking back, copies and saved states."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from scorpion_env.deals import read_deal
from scorpion_env.game import Game
from tests.lockstep import RULE_SETS, assert_same
from tests.oracle import OracleGame
from tests.random_games import RULE_NAMES, SEEDS
from tests.solver_cases import number
from tests.test_game import COPIES

Saved = tuple[Game, OracleGame, list[OracleGame]]


class GameBesideOracle(RuleBasedStateMachine):
    """What is done to the game is done to the oracle; after each step they are compared."""

    saved: Bundle[Saved] = Bundle("saved")

    @initialize(name=RULE_NAMES, seed=SEEDS)
    def deal(self, name: str, seed: int) -> None:
        self.rules = RULE_SETS[name]
        self.game = Game(seed, self.rules)
        self.left: list[tuple[Game, str]] = []  # games that were copied, and how they stood
        self.begin()

    def begin(self) -> None:
        deck = read_deal(self.game.deal_number, self.rules).deck.tolist()
        self.oracle = OracleGame(self.rules, deck)
        self.past: list[OracleGame] = []  # the oracle before each move; none of them is played on

    @rule()
    def deal_the_same_number_again(self) -> None:
        self.game = Game(rules=self.rules, deal=self.game.deal_number)
        self.begin()

    @precondition(lambda self: self.oracle.legal_actions())
    @rule(choice=st.integers(0, 1000))
    def play(self, choice: int) -> None:
        legal = sorted(self.oracle.legal_actions())
        action = legal[choice % len(legal)]
        before = self.oracle.copy()
        assert self.game.play(action) == self.oracle.play(action)
        if action == self.oracle.undo_action:
            self.past.pop()
        else:
            self.past.append(before)

    @rule(share=st.floats(0, 1, exclude_max=True))
    def play_what_is_illegal(self, share: float) -> None:
        action = int(share * self.rules.actions)
        if action not in self.oracle.legal_actions():
            with pytest.raises(ValueError, match="illegal"):
                self.game.play(action)

    @precondition(lambda self: self.past)
    @rule()
    def take_back(self) -> None:
        """A person may; what the rules let the player take back after it is one action less."""
        self.game.undo()
        undoable = max(0, len(self.oracle._history) - 1)
        self.oracle = self.past.pop().copy()
        del self.oracle._history[: len(self.oracle._history) - undoable]

    @rule(target=saved)
    def save(self) -> Saved:
        return self.game.get_state(), self.oracle.copy(), self.past.copy()

    @rule(state=saved)
    def go_back(self, state: Saved) -> None:
        game, oracle, past = state
        self.game.set_state(game)
        self.oracle, self.past = oracle.copy(), past.copy()

    @rule(way=st.sampled_from(sorted(COPIES)))
    def go_on_with_a_copy(self, way: str) -> None:
        self.left.append((self.game, self.game.to_text(reveal=True)))
        self.game = COPIES[way](self.game)

    @invariant()
    def agree(self) -> None:
        assert_same(self.rules, self.game.state, self.game.action_mask(), self.oracle)
        assert len(self.game.actions) == len(self.past)

    def teardown(self) -> None:
        for game, text in getattr(self, "left", []):
            assert game.to_text(reveal=True) == text


TestGameBesideOracle = GameBesideOracle.TestCase
TestGameBesideOracle.settings = settings(
    max_examples=number(40, 1000), stateful_step_count=40, deadline=None
)
