"""The vector environment: one compiled call steps all games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from scorpion_env.batch import (
    DISABLED,
    NEXT_STEP,
    SAME_STEP,
    Reward,
    check_begun,
    counters_info,
    empty_batch,
    make_settings,
)
from scorpion_env.deals import Deal, DealSource, deal_state
from scorpion_env.engine.state import State, row_of
from scorpion_env.env import (
    IllegalAction,
    ScorpionEnv,
    check_illegal_action,
    check_options,
)
from scorpion_env.env_state import EnvState, load_state, save_state
from scorpion_env.handle import Handle
from scorpion_env.observation import ObservationKind, observation_rows, observation_space
from scorpion_env.render.renderer import Renderer
from scorpion_env.rules import Rules
from scorpion_env.suites import DEAL_OPTIONS, asked_deal
from scorpion_env.variants import find_rules

_MODES = {
    AutoresetMode.NEXT_STEP: NEXT_STEP,
    AutoresetMode.SAME_STEP: SAME_STEP,
    AutoresetMode.DISABLED: DISABLED,
}


class ScorpionVectorEnv(VectorEnv[Any, Any, Any]):
    """N games of Scorpion; game i equals the single environment with seed ``seed + i``.

    The arguments ``rules``, ``observation``, ``reveal_hidden``, ``reward``, ``win_bonus``,
    ``illegal_action`` and ``step_limit`` are those of `ScorpionEnv`.

    Parameters
    ----------
    num_envs : int
        How many games.
    max_episode_steps : int, optional
        What `gymnasium.make_vec` hands over; the same as ``step_limit``, the lower one holds.
    autoreset_mode : AutoresetMode or str
        Next-step (default), same-step or disabled. In next-step mode the mask of a game that has
        just ended is all ones, for the next action is ignored.
    copy : bool
        Whether observations and masks are copies (default) or the live buffers, which the next
        step overwrites. The live masks can only be read; do not write into live observations.
    num_threads : int
        How many threads share a step; the results are the same with any number. Processes
        forked from one that has used more than one cannot use them (RuntimeError): spawn those.
    deal_source : DealSource, optional
        Says which of a game's deals are dealt; all are by default. It is asked for the next deal
        whenever one is dealt.
    render_mode : {None, "ansi", "rgb_array"}
        Text or a picture of each game, see `ScorpionEnv`; many games have no window.

    Raises
    ------
    ValueError
        For an unknown rule name, observation kind, option, autoreset mode or render mode.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": ["ansi", "rgb_array"],
        "render_fps": ScorpionEnv.metadata["render_fps"],
    }

    def __init__(
        self,
        num_envs: int = 1,
        max_episode_steps: int | None = None,
        rules: str | Rules = "classic",
        observation: ObservationKind = "cards",
        reveal_hidden: bool = False,
        reward: Reward = "score",
        win_bonus: float = 0.0,
        illegal_action: IllegalAction = "ignore",
        step_limit: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        num_threads: int = 1,
        render_mode: str | None = None,
        deal_source: DealSource | None = None,
    ) -> None:
        if num_envs < 1:
            raise ValueError(f"num_envs must be at least 1, got {num_envs}")
        check_illegal_action(illegal_action)
        self.num_envs = num_envs
        self.rules = find_rules(rules)
        self.illegal_action = illegal_action
        self.render_mode = render_mode
        self.copy = copy
        self.deal_source = deal_source
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._renderer = Renderer(self.rules, render_mode, reveal_hidden, self.metadata)
        self.single_observation_space = observation_space(self.rules, observation)
        self.single_action_space = spaces.Discrete(self.rules.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._mode = _MODES[self.autoreset_mode]
        limits = [limit for limit in (step_limit, max_episode_steps) if limit is not None]
        self._settings = make_settings(
            self.rules,
            autoreset=self._mode,
            reveal_hidden=reveal_hidden,
            reward=reward,
            win_bonus=win_bonus,
            step_limit=min(limits, default=None),
        )
        self._batch = empty_batch(self.rules, num_envs, observation, self._settings)
        self._handle = Handle(self.rules, self._batch, self._settings, num_threads)
        self._take_views()
        self._seeded = False

    def _take_views(self) -> None:
        """Keep views of the live observations, which hold for every step."""
        self._seen = observation_rows(self._batch.seen, self.single_observation_space, slice(None))
        # the engine trusts its masks: nobody else may write into them
        self._mask = self._batch.episodes.mask.view()
        self._mask.flags.writeable = False

    def __getstate__(self) -> dict[str, Any]:
        views = ("_seen", "_mask")
        return {name: value for name, value in vars(self).items() if name not in views}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._take_views()

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a new episode in all games, or in those of ``options["reset_mask"]``.

        Parameters
        ----------
        seed : int or sequence of int or None, optional
            ``seed + i`` seeds game i; a sequence names each game's own.
        options : dict, optional
            ``"deal"`` as in `ScorpionEnv.reset`, for every game that is reset; ``"suite"`` and
            ``"index"``, where game i is dealt ``index + i`` of the suite; ``"reset_mask"``, a bool
            array (num_envs,) with at least one True.

        Raises
        ------
        ValueError, TypeError
            For an unknown option, a wrong mask or number of seeds, or a deal that cannot be read.
        """
        given = check_options(options, (*DEAL_OPTIONS, "reset_mask"))
        chosen = self._chosen(given.get("reset_mask"))
        seeds = self._seeds(seed)
        asked: dict[int, Deal] = {}
        if given.keys() - {"reset_mask"}:
            games = np.flatnonzero(chosen).tolist()
            asked = {game: asked_deal(given, self.rules, seeds[game], game) for game in games}
        self._seed_games(seeds, chosen)
        self._choose_deals(chosen)
        if not asked:
            self._handle.reset(chosen)
            check_begun(self._batch, chosen)
            self._choose_deals(chosen)
        self._batch.episodes.dealt[:] = chosen
        for game, deal in asked.items():
            self._handle.begin(game, deal)
        return self._observation(), self._info(chosen.copy())

    def _chosen(self, reset_mask: Any) -> npt.NDArray[np.bool_]:
        if reset_mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not isinstance(reset_mask, np.ndarray) or reset_mask.dtype != np.bool_:
            raise TypeError("options['reset_mask'] must be a NumPy array of bool")
        if reset_mask.shape != (self.num_envs,) or not reset_mask.any():
            raise ValueError(
                f"options['reset_mask'] must have shape ({self.num_envs},) and name at least one "
                f"game, got shape {reset_mask.shape} with {reset_mask.sum()} games"
            )
        if not self._seeded and not reset_mask.all():
            raise ValueError("the first reset must reset every game")
        return reset_mask

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            return [int(seed) + game for game in range(self.num_envs)]
        seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"{len(seeds)} seeds were given for {self.num_envs} games")
        return seeds

    def _seed_games(self, seeds: list[int | None], chosen: npt.NDArray[np.bool_]) -> None:
        for game in np.flatnonzero(chosen):
            seed = seeds[game]
            if seed is not None:
                generator, _ = seeding.np_random(seed)
            elif not self._seeded:
                generator = self.np_random
            else:
                continue
            self._batch.episodes.stream[game] = deal_state(generator)
        self._seeded = True

    def _choose_deals(self, games: npt.NDArray[np.bool_]) -> None:
        """Let the source of deals choose what these games (num_envs,) are dealt next."""
        if self.deal_source is not None and games.any():
            self.deal_source.advance(self._batch.episodes.stream, games)

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[Any, npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any], dict[str, Any]]:
        """Take one action (num_envs,) in every game.

        Raises
        ------
        ValueError
            If an action is outside the action space, or illegal with ``illegal_action="raise"``;
            the message names the game, and no game has changed.
        gymnasium.error.ResetNeeded
            Before the first reset; with autoreset disabled, also if a game is over.
        """
        actions = self._checked(actions)
        episodes = self._batch.episodes
        self._handle.step(actions)
        self._choose_deals(episodes.dealt)
        return (
            self._observation(),
            episodes.reward.copy(),
            episodes.terminated.copy(),
            episodes.truncated.copy(),
            self._info(np.ones(self.num_envs, np.bool_)),
        )

    def _checked(self, actions: Any) -> npt.NDArray[np.int64]:
        given = np.asarray(actions)
        if not self._seeded:
            raise gym.error.ResetNeeded("no episode has begun: call reset()")
        if given.shape != (self.num_envs,) or not np.issubdtype(given.dtype, np.integer):
            raise ValueError(
                f"give {self.num_envs} whole numbers as actions, got shape {given.shape} "
                f"of {given.dtype}"
            )
        episodes = self._batch.episodes
        if self._mode == DISABLED and episodes.over.any():
            game = int(np.flatnonzero(episodes.over)[0])
            raise gym.error.ResetNeeded(
                f"game {game} is over and autoreset is disabled: reset it with "
                "options={'reset_mask': ...}"
            )
        numbers = np.ascontiguousarray(given, np.int64)
        refused = self._handle.refused(numbers, self.illegal_action == "raise")
        if refused >= 0:
            action = given[refused]
            if 0 <= action < self.rules.actions:
                raise ValueError(
                    f"action {action} of game {refused} is illegal: choose one that "
                    "info['action_mask'] allows"
                )
            raise ValueError(
                f"action {action} of game {refused} is outside the action space: give a whole "
                f"number from 0 to {self.rules.actions - 1}"
            )
        return numbers

    def get_state(self) -> EnvState:
        """Return a copy of all that later steps and resets depend on."""
        return save_state(self)

    def set_state(self, state: EnvState) -> tuple[Any, dict[str, Any]]:
        """Go on from a state of `get_state`; return its observations and infos.

        Raises
        ------
        ValueError
            If the state belongs to an environment that was made otherwise.
        """
        load_state(self, state)
        return self._observation(), self._info(np.ones(self.num_envs, np.bool_))

    @property
    def state(self) -> State:
        """The engine's state of the games, hidden cards and all: live, to be read only."""
        return self._batch.state

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions (num_envs, actions); a view of the live masks unless copying."""
        masks = self._mask.view(np.bool_)
        return masks.copy() if self.copy else masks

    def render(self) -> tuple[Any, ...] | None:
        """Return the player's view of each game as text or pixels, or None without a render mode.

        Raises
        ------
        gymnasium.error.ResetNeeded
            If no episode has begun.
        gymnasium.error.DependencyNotInstalled
            If it takes pictures and pygame is missing.
        """
        if self.render_mode is None:
            return None
        if not self._seeded:
            raise gym.error.ResetNeeded("no episode has begun: call reset()")
        state = self._batch.state
        return tuple(self._renderer.render(row_of(state, game)) for game in range(self.num_envs))

    def _observation(self) -> Any:
        return _copied(self._seen) if self.copy else self._seen

    def _info(self, told: npt.NDArray[np.bool_]) -> dict[str, Any]:
        """Return the infos of the games ``told``, laid out as `SyncVectorEnv` lays them out."""
        episodes = self._batch.episodes
        entries: dict[str, Any] = {
            "action_mask": episodes.mask.copy() if self.copy else self._mask,
            **counters_info(self._batch.state.counters),
            "illegal_action": self._illegal(),
        }
        info = _with_presence(entries, told)
        if episodes.dealt.any():
            dealt = episodes.dealt.copy()
            info["deal"] = episodes.number * dealt
            info["_deal"] = dealt
        if self._mode == SAME_STEP:
            info.update(self._final_info())
        return info

    def _illegal(self) -> npt.NDArray[np.bool_]:
        """Return a copy of ``illegal`` (num_envs,), without games that were reset since."""
        episodes = self._batch.episodes
        if self._mode == SAME_STEP:
            return episodes.illegal & ~self._ended()
        return episodes.illegal.copy()

    def _ended(self) -> npt.NDArray[np.bool_]:
        """Return which games (num_envs,) ended in the last step."""
        return self._batch.episodes.terminated | self._batch.episodes.truncated

    def _final_info(self) -> dict[str, Any]:
        """Return ``final_obs`` and ``final_info`` of the episodes that the last step ended."""
        episodes = self._batch.episodes
        ended = self._ended()
        if not ended.any():
            return {}
        games = np.flatnonzero(ended)
        rows = observation_rows(self._batch.final_seen, self.single_observation_space, games)
        final_obs = np.full(self.num_envs, None, dtype=object)
        for place, game in enumerate(games):
            final_obs[game] = _row(rows, place)
        entries = {
            "action_mask": episodes.final_mask,
            **counters_info(episodes.final_counters),
            "illegal_action": episodes.illegal,
        }
        told = {name: _only(array, ended) for name, array in entries.items()}
        return {
            "final_obs": final_obs,
            "_final_obs": ended,
            "final_info": _with_presence(told, ended),
            "_final_info": ended,
        }


def _copied(rows: Any) -> Any:
    if isinstance(rows, dict):
        return {name: part.copy() for name, part in rows.items()}
    return rows.copy()


def _row(rows: Any, place: int) -> Any:
    if isinstance(rows, dict):
        return {name: part[place] for name, part in rows.items()}
    return rows[place]


def _only(array: npt.NDArray[Any], rows: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Return a copy of ``array`` with zeros in the rows that are not chosen."""
    kept = np.zeros_like(array)
    kept[rows] = array[rows]
    return kept


def _with_presence(entries: dict[str, Any], told: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Return the entries, each with a ``_name`` array saying which games it tells of."""
    return entries | {f"_{name}": told for name in entries}
