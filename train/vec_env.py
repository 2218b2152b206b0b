"""The vector environment as Stable-Baselines3 wants it: same-step resets, a dict a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from stable_baselines3.common.vec_env import VecEnv

from scorpion_env.deals import FIRST_TRAINING_SEED
from scorpion_env.solver.drawn_deals import NODES, DrawnDeals, Wanted
from scorpion_env.variants import find_rules
from scorpion_env.vector_env import ScorpionVectorEnv
from train.lost_games import LostGames


class ScorpionVecEnv(VecEnv):
    """N games for SB3; masks come as one (N, actions) array without a Python call a game.

    For speed an info says little in the middle of an episode: ``illegal_action`` if it was one. At
    its end it holds all that the single environment's does.

    Parameters
    ----------
    num_envs : int
        How many games.
    reward_scale : float
        Factor on the reward that the algorithm sees; episode statistics stay in full points.
    training : bool
        Refuse seeds and suites that are kept for evaluation.
    deals : {"all", "not_lost", "winnable"}
        Which deals are dealt; see `scorpion_env.solver.DrawnDeals`.
    deal_nodes : int
        Budget of positions in which a winnable deal must be won.
    end_lost : bool
        End an episode as soon as its game is proven lost, all cards known. The player cannot know
        that: it is a signal for training only, and no part of the game.
    **options
        Arguments of `ScorpionVectorEnv`.
    """

    def __init__(
        self,
        num_envs: int,
        reward_scale: float = 1.0,
        training: bool = True,
        deals: Wanted = "all",
        deal_nodes: int = NODES,
        end_lost: bool = False,
        **options: Any,
    ) -> None:
        rules = find_rules(options.get("rules", "classic"))
        if deals != "all":
            options["deal_source"] = DrawnDeals(rules, deals, deal_nodes)
        self.games = ScorpionVectorEnv(
            num_envs, autoreset_mode=AutoresetMode.SAME_STEP, copy=True, **options
        )
        self._lost = LostGames(rules) if end_lost else None
        self.reward_scale = reward_scale
        self.training = training
        self.returns = np.zeros(num_envs)
        self.lengths = np.zeros(num_envs, np.int64)
        self._actions: npt.NDArray[np.int64] = np.zeros(num_envs, np.int64)
        super().__init__(
            num_envs, self.games.single_observation_space, self.games.single_action_space
        )

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Seed game i with ``seed + i`` at the next reset.

        Raises
        ------
        ValueError
            For a training environment, if the seed is one of those kept for evaluation.
        """
        if self.training and seed is not None and seed < FIRST_TRAINING_SEED:
            raise ValueError(
                f"seed {seed} is kept for evaluation: train with {FIRST_TRAINING_SEED} or more"
            )
        return super().seed(seed)

    def reset(self) -> Any:
        """Begin a new episode in every game and return the observations."""
        options = self._options[0]
        if any(other != options for other in self._options):
            raise ValueError("the games of one batch are reset with the same options")
        if self.training and "suite" in options:
            raise ValueError("the deals of suites are kept for evaluation: train on others")
        observation, info = self.games.reset(seed=self._seeds, options=options)
        self._reset_seeds()
        self._reset_options()
        self.returns[:] = 0
        self.lengths[:] = 0
        self.reset_infos = [_info_of(info, game) for game in range(self.num_envs)]
        return observation

    def step_async(self, actions: npt.NDArray[np.int64]) -> None:
        """Take note of the actions."""
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[Any, npt.NDArray, npt.NDArray, list[dict[str, Any]]]:
        """Step every game; a game that ends is reset at once."""
        observation, rewards, terminated, truncated, info = self.games.step(self._actions)
        self.returns += rewards
        self.lengths += 1
        dones = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for game in np.flatnonzero(info["illegal_action"]):
            infos[game]["illegal_action"] = True
        for game in np.flatnonzero(dones):
            last = _info_of(info["final_info"], game), info["final_obs"][game]
            infos[game] = self._last_info(*last, game, bool(truncated[game]))
        if self._lost is not None:
            observation, dones = self._end_lost(observation, info, dones, infos)
        self.returns[dones] = 0
        self.lengths[dones] = 0
        return observation, (rewards * self.reward_scale).astype(np.float32), dones, infos

    def _end_lost(
        self, observation: Any, info: Any, dones: npt.NDArray, infos: list[dict[str, Any]]
    ) -> tuple[Any, npt.NDArray]:
        """End the running games that are proven lost; return the observation and all that ended."""
        assert self._lost is not None
        lost = self._lost.among(self.games.state, ~dones)
        if not lost.any():
            return observation, dones
        for game in np.flatnonzero(lost):
            last = _info_of(info, game), _row_of(observation, game)
            infos[game] = self._last_info(*last, game, truncated=False)
        observation, _ = self.games.reset(options={"reset_mask": lost})
        return observation, dones | lost

    def _last_info(
        self, info: dict[str, Any], observation: Any, game: int, truncated: bool
    ) -> dict[str, Any]:
        return {
            **info,
            "terminal_observation": observation,
            "TimeLimit.truncated": truncated,
            "episode": {"r": float(self.returns[game]), "l": int(self.lengths[game]), "t": 0.0},
        }

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions (num_envs, actions)."""
        return self.games.action_masks()

    def has_attr(self, attr_name: str) -> bool:
        """Say whether the games have an attribute or method."""
        return hasattr(self, attr_name) or hasattr(self.games, attr_name)

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute that all games share, once for each game asked for."""
        holder = self if hasattr(self, attr_name) else self.games
        return [getattr(holder, attr_name) for _ in self._indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for all games; they share it."""
        if len(list(self._indices(indices))) != self.num_envs:
            raise ValueError("the games of one batch share their attributes: set it for all")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> Any:
        """Call a method of the batch; ``action_masks`` gives the (N, actions) array itself."""
        result = getattr(self, method_name)(*method_args, **method_kwargs)
        return result if indices is None else [result[i] for i in self._indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each game: they are not wrapped one by one."""
        return [False for _ in self._indices(indices)]

    def _indices(self, indices: Any) -> Iterable[int]:
        return self._get_indices(indices)

    def get_images(self) -> Sequence[npt.NDArray | None]:
        """Return no images: the batch is not drawn."""
        return [None] * self.num_envs

    def close(self) -> None:
        """Nothing is held open."""


def _row_of(observation: Any, game: int) -> Any:
    if isinstance(observation, dict):
        return {name: array[game] for name, array in observation.items()}
    return observation[game]


def _info_of(infos: dict[str, Any], game: int) -> dict[str, Any]:
    """Return one game's info, in Python's own types where there are any."""
    own = {name: values for name, values in infos.items() if not name.startswith(("_", "final_"))}
    info = {name: values[game] for name, values in own.items()}
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in info.items()
    }
