"""What a run on Ray RLlib is made of, read from YAML and checked before anything starts."""

from __future__ import annotations

from pydantic import Field, model_validator

from scorpion_env.deals import FIRST_TRAINING_SEED
from train.config import FlatNetwork, Training


class RllibConfig(Training):
    """One run of RLlib's PPO.

    The hyperparameters keep the names they have for MaskablePPO. A rollout is ``ppo.n_steps`` steps
    of every game of every env runner; the learners share it, each in batches of ``ppo.batch_size``.
    """

    # RLlib and its processes add small numbers to the seed, and NumPy takes seeds below 2**32
    seed: int = Field(default=FIRST_TRAINING_SEED, ge=FIRST_TRAINING_SEED, lt=2**31)
    total_steps: int = Field(default=1_000_000, ge=1, lt=2**30)
    num_envs: int = Field(default=64, ge=1, description="games of each env runner")
    env_runners: int = Field(default=2, ge=0, description="processes that play; 0: the one at hand")
    learners: int = Field(default=0, ge=0, description="processes that learn; 0: the one at hand")
    num_gpus: float = Field(default=0, ge=0, le=1, description="GPUs of each learner")
    network: FlatNetwork = FlatNetwork()

    @property
    def rollout(self) -> int:
        """Environment steps from one update to the next."""
        return max(self.env_runners, 1) * self.num_envs * self.ppo.n_steps

    @model_validator(mode="after")
    def _rllib_has_it(self) -> RllibConfig:
        if self.ppo.target_kl is not None:
            raise ValueError(
                "ppo.target_kl is not for RLlib, which stops no update early: leave it out"
            )
        return self

    @model_validator(mode="after")
    def _learners_have_a_batch(self) -> RllibConfig:
        share = self.rollout // max(self.learners, 1)
        if self.ppo.batch_size > share:
            raise ValueError(
                f"ppo.batch_size {self.ppo.batch_size} is more than a learner has of a rollout: "
                f"env_runners x num_envs x ppo.n_steps / learners = {share}"
            )
        return self
