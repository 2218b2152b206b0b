"""The games as RLlib wants them: observations that hold the masks, a reset in the next step."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from scorpion_env.solver.drawn_deals import NODES, DrawnDeals, Wanted
from scorpion_env.variants import find_rules
from scorpion_env.vector_env import ScorpionVectorEnv

OBSERVATIONS, ACTION_MASK, WON = "observations", "action_mask", "is_success"


class RllibVectorEnv(VectorEnv[Any, Any, Any]):
    """N games for RLlib's env runners, in next-step mode, which these expect.

    The mask of a game that has just ended is all ones. The env runner chooses an action by it that
    the reset ignores, and keeps no transition of that step: the row after it begins a new episode.
    The learner sees the last observation only to value a truncated game and leaves its action out
    of the loss, so that no action chosen by such a mask is ever learnt from.

    Parameters
    ----------
    num_envs : int
        How many games.
    reward_scale : float
        Factor on the reward.
    deals, deal_nodes
        As in `train.vec_env.ScorpionVecEnv`.
    **options
        Arguments of `ScorpionVectorEnv`.
    """

    def __init__(
        self,
        num_envs: int,
        reward_scale: float = 1.0,
        deals: Wanted = "all",
        deal_nodes: int = NODES,
        **options: Any,
    ) -> None:
        if deals != "all":
            rules = find_rules(options.get("rules", "classic"))
            options["deal_source"] = DrawnDeals(rules, deals, deal_nodes)
        self.games = ScorpionVectorEnv(num_envs, observation="planes", **options)
        self.num_envs = num_envs
        self.reward_scale = reward_scale
        self.metadata = self.games.metadata
        self.single_action_space = self.games.single_action_space
        self.action_space = self.games.action_space
        self.single_observation_space = spaces.Dict(
            {
                OBSERVATIONS: self.games.single_observation_space,
                ACTION_MASK: spaces.Box(0, 1, (self.games.rules.actions,), np.int8),
            }
        )
        self.observation_space = batch_space(self.single_observation_space, num_envs)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        """Begin a new episode in every game; game i is that of seed ``seed * num_envs + i``.

        RLlib gives its env runners seeds that follow each other, and no two of their games may be
        the same.
        """
        first = None if seed is None else seed * self.num_envs
        planes, info = self.games.reset(seed=first, options=options)
        return _seen(planes, info), {}

    def step(
        self, actions: npt.NDArray[np.int64]
    ) -> tuple[
        dict[str, npt.NDArray[Any]],
        npt.NDArray[np.float32],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Take one action (num_envs,) in every game; infos tell whether ended games are won."""
        planes, rewards, terminated, truncated, info = self.games.step(actions)
        ended = terminated | truncated
        told = {WON: info[WON], f"_{WON}": ended} if ended.any() else {}
        scaled = (rewards * self.reward_scale).astype(np.float32)
        return _seen(planes, info), scaled, terminated, truncated, told


def _seen(planes: npt.NDArray[np.uint8], info: dict[str, Any]) -> dict[str, npt.NDArray[Any]]:
    return {OBSERVATIONS: planes, ACTION_MASK: info["action_mask"]}


def make_games(context: dict[str, Any]) -> RllibVectorEnv:
    """Return the games that an env runner's context describes, as RLlib asks for them."""
    return RllibVectorEnv(**context)


def log_win(*, episode: Any, env_runner: Any, metrics_logger: Any, **_: Any) -> None:
    """Log whether an episode that has ended was won; RLlib calls this."""
    config = env_runner.config
    window = -(-config.metrics_num_episodes_for_smoothing // max(config.num_env_runners, 1))
    metrics_logger.log_value(WON, float(episode.get_infos(-1)[WON]), window=window)
