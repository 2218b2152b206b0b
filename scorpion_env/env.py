"""The single-game Gymnasium environment."""

from __future__ import annotations

from operator import index
from typing import Any, Literal

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from scorpion_env.batch import (
    Reward,
    check_begun,
    empty_batch,
    make_settings,
)
from scorpion_env.deals import deal_state
from scorpion_env.engine.state import DOWN, MOVES, SCORE, SEQUENCES, STATUS, WON, row_of
from scorpion_env.env_state import EnvState, load_state, save_state
from scorpion_env.handle import Handle
from scorpion_env.observation import ObservationKind, observation_rows, observation_space
from scorpion_env.render.renderer import Renderer
from scorpion_env.rules import Rules
from scorpion_env.suites import DEAL_OPTIONS, asked_deal
from scorpion_env.variants import find_rules

IllegalAction = Literal["ignore", "raise"]
_ONE_GAME = np.ones(1, np.bool_)


def check_illegal_action(value: str) -> None:
    """Raise ValueError unless ``value`` names a way to treat illegal actions."""
    if value not in ("ignore", "raise"):
        raise ValueError(f"illegal_action={value!r} is unknown: choose 'ignore' or 'raise'")


def check_options(options: dict[str, Any] | None, allowed: tuple[str, ...]) -> dict[str, Any]:
    """Return the reset options; raise ValueError for one that is unknown."""
    given = dict(options or {})
    for name in given:
        if name not in allowed:
            raise ValueError(f"reset option {name!r} is unknown: choose from {', '.join(allowed)}")
    return given


class ScorpionEnv(gym.Env[Any, Any]):
    """Scorpion solitaire.

    ## Description
    Classic Scorpion deals 49 of 52 cards to seven columns of seven, the bottom three cards of the
    first four columns face-down, and keeps three as a reserve. Any face-up card may move, with all
    that lies on it, onto the top card of another column that is of the same suit and one rank
    higher; only a king may lead a block to an empty column. A face-down card that is uncovered is
    turned at once. The reserve is dealt once, at any time, one card face-up on each of columns 1 to
    3. A sequence from king to ace of one suit on top of a column is removed as soon as that column
    has received cards. The game is won when all four sequences are removed. Other games of the
    family are other `Rules`; `scorpion_env.VARIANTS` names them.

    ## Action Space
    ``Discrete(cards * columns + 1)``, 365 in Classic; one more where the rules allow undo. A card
    is ``52 * deck + 13 * suit + rank``: suits clubs, diamonds, hearts, spades; ranks ace = 0 to
    king = 12.

    | action | meaning |
    |---|---|
    | ``card * columns + target`` | move the block that ``card`` leads onto column ``target`` |
    | ``cards * columns`` | deal the reserve |
    | ``cards * columns + 1`` | take the last action back, where the rules allow undo |

    ## Observation Space
    With ``observation="cards"`` a ``Dict`` of uint8 ``Box`` spaces:

    | key | shape | values |
    |---|---|---|
    | ``tableau`` | (columns, cards) | bottom to top: 0 empty, card + 1, cards + 1 face-down |
    | ``face_down`` | (columns,) | face-down cards of each column |
    | ``reserve`` | (reserve cards,) | 0 gone, card + 1, cards + 1 face-down; no key if empty |
    | ``completed`` | (suits x decks,) | 1 where the sequence of that king is complete |

    With ``"planes"`` one ``Box`` of binary planes (`scorpion_env.planes`), with ``"both"`` the Dict
    with a key ``planes``.

    ## Legal-Action Mask
    ``info["action_mask"]`` (actions,) int8 and `action_masks` (bool). Every state that has not
    ended has a legal action. The mask is all zero after termination and the true one after
    truncation. An illegal action changes nothing but the step count, gives reward 0 and sets
    ``info["illegal_action"]``; with ``illegal_action="raise"`` it is a ValueError.

    ## Starting State
    A uniformly random deal that has a first move. ``reset(seed=s)`` seeds ``np_random``; its next
    64 raw bits are the number of the deal (`scorpion_env.engine.deal` documents the shuffle), and
    unseeded resets go on from there.

    ## Rewards
    The difference of the app's score: +5 when the first card of the block lands on a card of its
    suit, +5 for each face-down card turned, +100 for each complete sequence, else 0. A won game of
    Classic is worth at least 460. Points can be farmed where a card can commute (Flexible, Wasp,
    two decks): rank agents by wins, or train with ``reward="progress"``.

    ## Episode End
    Terminated: the game is won, or it is stuck: no reserve may be dealt, nothing may be undone, and
    every legal move, if any, is idle (a whole column to an empty one, removing no sequence).
    Truncated: after ``step_limit`` steps, 200 a deck by default.

    ## Information
    ``action_mask``; ``score``; ``moves`` (played and not taken back); ``face_down_cards`` left;
    ``sequences`` complete; ``is_success`` (won); ``illegal_action``; at a reset also ``deal``, a
    number (uint64) that ``options={"deal": ...}`` accepts, 0 where the deal has none.

    ## Rendering
    | mode | `render` |
    |---|---|
    | ``"ansi"`` | returns the board as text, as `scorpion_env.notation` writes it, aligned |
    | ``"rgb_array"`` | returns a picture (height, width, 3), uint8, of one size for given rules |
    | ``"human"`` | shows the picture in a window, as every reset and step does; returns None |

    Face-down cards are ``##`` or backs unless ``reveal_hidden``. Text is in colour if standard
    output is a terminal and ``TERM`` is not ``dumb``; ``FORCE_COLOR`` turns colour on anywhere,
    ``NO_COLOR`` turns it off before all else. Pictures need the extra ``render``.

    ## Version History
    - v0: first version.

    ## Arguments

    Parameters
    ----------
    rules : str or Rules
        A name of `scorpion_env.VARIANTS` or rules of your own.
    observation : {"cards", "planes", "both"}
        See Observation Space.
    reveal_hidden : bool
        Show face-down cards by name (the "thoughtful" game); ``face_down`` still counts them.
    reward : {"score", "progress", "win"}
        ``"score"``: the score difference of the action (the app's table); ``"progress"``: the same,
        but a card's placement pays once a game; ``"win"``: 1 for the action that wins.
    win_bonus : float
        Added to the reward of the action that wins.
    illegal_action : {"ignore", "raise"}
        See Legal-Action Mask.
    step_limit : int, optional
        Steps after which an episode is truncated; the rules' own limit by default. The
        ``max_episode_steps`` of `gymnasium.make` can only shorten it: that limit counts in a
        wrapper.
    render_mode : {None, "ansi", "rgb_array", "human"}
        See Rendering.

    Raises
    ------
    ValueError
        For an unknown rule name, observation kind, reward or option.
    """

    # Gymnasium declares this an attribute of the instance: ClassVar would contradict it
    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi", "rgb_array", "human"],
        "render_fps": 4,
    }

    def __init__(
        self,
        rules: str | Rules = "classic",
        observation: ObservationKind = "cards",
        reveal_hidden: bool = False,
        reward: Reward = "score",
        win_bonus: float = 0.0,
        illegal_action: IllegalAction = "ignore",
        step_limit: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_illegal_action(illegal_action)
        self.rules = find_rules(rules)
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self.observation_space = observation_space(self.rules, observation)
        self.action_space = spaces.Discrete(self.rules.actions)
        self._settings = make_settings(
            self.rules,
            reveal_hidden=reveal_hidden,
            reward=reward,
            win_bonus=win_bonus,
            step_limit=step_limit,
        )
        self._renderer = Renderer(self.rules, render_mode, reveal_hidden, self.metadata)
        self._batch = empty_batch(self.rules, 1, observation, self._settings)
        self._handle = Handle(self.rules, self._batch, self._settings)
        self._batch.episodes.over[0] = True
        self._action = np.zeros(1, np.int64)
        self._take_views()
        self._seeded = False

    def _take_views(self) -> None:
        """Keep views of what every step returns: taking them anew costs more than the step."""
        batch = self._batch
        self._mask, self._counters = batch.episodes.mask[0], batch.state.counters[0]
        self._rows = observation_rows(batch.seen, self.observation_space, 0)

    def __getstate__(self) -> dict[str, Any]:
        views = ("_mask", "_counters", "_rows")
        return {name: value for name, value in vars(self).items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._take_views()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a new episode.

        Parameters
        ----------
        seed : int, optional
            Seeds ``np_random``, whose next 64 raw bits are the number of this deal; the deals of
            later unseeded resets follow from it.
        options : dict, optional
            ``{"deal": ...}`` deals that deal (see `scorpion_env.deals.read_deal`), ``{"suite":
            "classic-winnable", "index": 3}`` a deal of a suite (see `scorpion_env.suites`). Both
            leave the stream of deals as it was.

        Returns
        -------
        observation, info
            See the class.

        Raises
        ------
        ValueError
            For an unknown option, a deal that cannot be read, one without a first move, or a
            suite that has other rules or no such index.
        """
        given = check_options(options, DEAL_OPTIONS)
        asked = asked_deal(given, self.rules, seed) if given else None
        super().reset(seed=None if seed is None else index(seed))
        episodes = self._batch.episodes
        if seed is not None or not self._seeded:
            episodes.stream[0] = deal_state(self.np_random)
            self._seeded = True
        if asked is None:
            self._handle.reset(_ONE_GAME)
            check_begun(self._batch, _ONE_GAME)
        else:
            self._handle.begin(0, asked)
        if self.render_mode == "human":
            self.render()
        return self._observation(), {**self._info(), "deal": episodes.number[0]}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take one action.

        Raises
        ------
        ValueError
            If the action is outside the action space, or illegal with ``illegal_action="raise"``.
        gymnasium.error.ResetNeeded
            If the episode has ended, or none has begun.
        """
        episodes = self._batch.episodes
        try:
            self._action[0] = index(action)
            outside = not 0 <= self._action[0] < self.rules.actions
        except (TypeError, OverflowError):
            outside = True
        if outside:
            raise ValueError(
                f"action {action!r} is outside the action space: give a whole number from 0 to "
                f"{self.rules.actions - 1}"
            )
        if episodes.over[0]:
            raise gym.error.ResetNeeded("the episode is over, or none has begun: call reset()")
        if self.illegal_action == "raise" and not self._mask[action]:
            raise ValueError(
                f"action {action} is illegal: choose one that info['action_mask'] allows"
            )
        self._handle.step(self._action)
        if self.render_mode == "human":
            self.render()
        return (
            self._observation(),
            episodes.reward.item(),
            episodes.terminated.item(),
            episodes.truncated.item(),
            self._info(),
        )

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the player's view as text or pixels, or show it (see Rendering); else None.

        Raises
        ------
        gymnasium.error.ResetNeeded
            If no episode has begun.
        gymnasium.error.DependencyNotInstalled
            If it takes a picture and pygame is missing.
        """
        if self.render_mode is None:
            return None
        if not self._seeded:
            raise gym.error.ResetNeeded("no episode has begun: call reset()")
        return self._renderer.render(row_of(self._batch.state, 0))

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()

    def get_state(self) -> EnvState:
        """Return a copy of all that later steps and resets depend on."""
        return save_state(self)

    def set_state(self, state: EnvState) -> tuple[Any, dict[str, Any]]:
        """Go on from a state of `get_state`; return its observation and info.

        Raises
        ------
        ValueError
            If the state belongs to an environment that was made otherwise.
        """
        load_state(self, state)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions (actions,), as sb3-contrib asks for them."""
        masks: npt.NDArray[np.bool_] = self._mask.astype(np.bool_)
        return masks

    def _observation(self) -> Any:
        if isinstance(self._rows, dict):
            return {name: row.copy() for name, row in self._rows.items()}
        return self._rows.copy()

    def _info(self) -> dict[str, Any]:
        counters = self._counters.tolist()
        return {
            "action_mask": self._mask.copy(),
            "score": counters[SCORE],
            "moves": counters[MOVES],
            "face_down_cards": counters[DOWN],
            "sequences": counters[SEQUENCES],
            "is_success": counters[STATUS] == WON,
            "illegal_action": self._batch.episodes.illegal.item(),
        }
