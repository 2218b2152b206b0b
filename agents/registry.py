"""From the name of an agent, or the path of a trained policy, to the agent."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agents.base import Agent
from agents.greedy import GreedyAgent
from agents.policy import PolicyAgent
from agents.random import RandomAgent
from scorpion_env.rules import Rules

AGENTS: dict[str, Callable[[str | Rules, int], Agent]] = {
    "random": lambda rules, seed: RandomAgent(seed),
    "greedy": lambda rules, seed: GreedyAgent(rules),
}


def make_agent(name: str, rules: str | Rules, seed: int = 0, sample: bool = False) -> Agent:
    """Return the agent that ``name`` stands for.

    Parameters
    ----------
    name : str
        A name of `AGENTS`, or the path of a trained policy (see `agents.policy.PolicyAgent.load`).
    rules : str or Rules
        What it is to play.
    seed : int
        Seeds its chance.
    sample : bool
        Whether a trained policy draws its actions; other agents ignore it.

    Raises
    ------
    ValueError
        If no agent has that name and no policy lies there, or the policy cannot be played.
    """
    if name in AGENTS:
        return AGENTS[name](rules, seed)
    if not Path(name).exists():
        raise ValueError(
            f"agent {name!r} is unknown: give {', '.join(AGENTS)} or the path of a trained policy "
            "(a run folder, or its policy.json or policy.safetensors)"
        )
    return PolicyAgent.load(name, rules, sample, seed)
