"""The agent that plays any legal action."""

from __future__ import annotations

from typing import Any

from agents.base import Actions, Agent, Mask


class RandomAgent(Agent):
    """Chooses uniformly among the legal actions."""

    name = "random"

    def act(self, observation: Any, mask: Mask) -> Actions:
        """Return a legal action (N,) for each game, each equally likely."""
        return self.chance.choose(mask)
