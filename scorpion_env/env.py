"""The single-game Gymnasium environment."""

from __future__ import annotations

from typing import Any, Literal

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from scorpion_env.batch import DISABLED, begin, begin_next, counters_info, empty_batch, step_games
from scorpion_env.deals import deal_state, read_deal
from scorpion_env.observation import ObservationKind, Tensors, observation_space
from scorpion_env.rules import Rules
from scorpion_env.variants import find_rules

IllegalAction = Literal["ignore", "raise"]
RESET_OPTIONS = ("deal",)


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


def step_limit_of(rules: Rules, *limits: int | None) -> int:
    """Return the least of the given step limits, or the rules' own where none is given."""
    given = [limit for limit in limits if limit is not None]
    if any(limit < 1 for limit in given):
        raise ValueError(f"a step limit must be at least 1, got {min(given)}")
    return min(given) if given else rules.max_steps


def take_observation(
    seen: Tensors, space: spaces.Space, rows: Any, copy: bool
) -> npt.NDArray | dict[str, npt.NDArray]:
    """Return the observation that ``space`` describes from rows of the tensors."""
    if isinstance(space, spaces.Dict):
        parts = {name: getattr(seen, name)[rows] for name in space}
        return {name: part.copy() for name, part in parts.items()} if copy else parts
    return seen.planes[rows].copy() if copy else seen.planes[rows]


class ScorpionEnv(gym.Env):
    """Scorpion solitaire.

    Parameters
    ----------
    rules : str or Rules
        A name of `scorpion_env.VARIANTS` or rules of your own.
    observation : {"cards", "planes", "both"}
        ``"cards"``: a Dict of small integer tensors; ``"planes"``: one vector of binary planes
        (`scorpion_env.planes`); ``"both"``: the Dict with the planes in it.
    reveal_hidden : bool
        Show face-down cards by name (the "thoughtful" game).
    illegal_action : {"ignore", "raise"}
        An illegal action either changes nothing but the step count, with reward 0 and
        ``info["illegal_action"]`` True, or raises ValueError.
    step_limit : int, optional
        Steps after which an episode is truncated; the rules' own limit by default.

    Raises
    ------
    ValueError
        For an unknown rule name, observation kind or option.
    """

    metadata = {"render_modes": [], "render_fps": 4}

    def __init__(
        self,
        rules: str | Rules = "classic",
        observation: ObservationKind = "cards",
        reveal_hidden: bool = False,
        illegal_action: IllegalAction = "ignore",
        step_limit: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_illegal_action(illegal_action)
        self.rules = find_rules(rules)
        self.step_limit = step_limit_of(self.rules, step_limit)
        self.illegal_action = illegal_action
        self.reveal_hidden = bool(reveal_hidden)
        self.render_mode = render_mode
        self.observation_space = observation_space(self.rules, observation)
        self.action_space = spaces.Discrete(self.rules.actions)
        self._compiled = self.rules.compiled
        self._batch = empty_batch(self.rules, 1, observation)
        self._batch.episodes.over[0] = True
        self._action = np.zeros(1, np.int64)
        self._seeded = False

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
            ``{"deal": ...}`` deals that deal (see `scorpion_env.deals.read_deal`) and leaves the
            stream of deals as it was.

        Returns
        -------
        observation, info
            See the class.

        Raises
        ------
        ValueError
            For an unknown option, a deal that cannot be read, or one without a first move.
        """
        given = check_options(options, RESET_OPTIONS)
        asked = read_deal(given["deal"], self.rules) if "deal" in given else None
        super().reset(seed=seed)
        episodes = self._batch.episodes
        if seed is not None or not self._seeded:
            episodes.stream[0] = deal_state(self.np_random)
            self._seeded = True
        episodes.illegal[0] = False
        if asked is None:
            begin_next(self._compiled, self._batch, 0, self.reveal_hidden)
        else:
            episodes.number[0], episodes.deck[0] = asked
            if begin(self._compiled, self._batch, 0, self.reveal_hidden):
                raise ValueError("this deal has no legal move: its game is over before it begins")
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
        if not self.action_space.contains(action):
            raise ValueError(
                f"action {action!r} is outside the action space: give a whole number from 0 to "
                f"{self.action_space.n - 1}"
            )
        if episodes.over[0]:
            raise gym.error.ResetNeeded("the episode is over, or none has begun: call reset()")
        if self.illegal_action == "raise" and not episodes.mask[0, action]:
            raise ValueError(
                f"action {action} is illegal: choose one that info['action_mask'] allows"
            )
        self._action[0] = action
        step_games(
            self._compiled,
            self._batch,
            self._action,
            self.step_limit,
            DISABLED,
            self.reveal_hidden,
        )
        return (
            self._observation(),
            float(episodes.reward[0]),
            bool(episodes.terminated[0]),
            bool(episodes.truncated[0]),
            self._info(),
        )

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions (actions,), as sb3-contrib asks for them."""
        return self._batch.episodes.mask[0].astype(np.bool_)

    def _observation(self) -> Any:
        return take_observation(self._batch.seen, self.observation_space, 0, copy=True)

    def _info(self) -> dict[str, Any]:
        episodes = self._batch.episodes
        info: dict[str, Any] = {"action_mask": episodes.mask[0].copy()}
        for name, value in counters_info(self._batch.state.counters[0]).items():
            info[name] = value.item()
        info["illegal_action"] = bool(episodes.illegal[0])
        return info
