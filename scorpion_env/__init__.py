"""Scorpion solitaire for reinforcement learning.

Importing the package registers its environments with Gymnasium.
"""

from gymnasium.envs.registration import register

from scorpion_env.rules import Layout, Rules
from scorpion_env.variants import ENV_IDS, VARIANTS
from scorpion_env.version import VERSION

__version__ = VERSION
__all__ = ["ENV_IDS", "VARIANTS", "Layout", "Rules", "__version__"]

for _name, _id in ENV_IDS.items():
    register(
        id=_id,
        entry_point="scorpion_env.env:ScorpionEnv",
        vector_entry_point="scorpion_env.vector_env:ScorpionVectorEnv",
        kwargs={"rules": _name},
    )
