"""From the name of an agent, or the path of a trained policy, to the agent."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from agents.base import Agent
from agents.greedy import GreedyAgent
from agents.network import Network
from agents.network_agent import KIND, NetworkAgent, load_network
from agents.policy import PolicyAgent, policy_files, read_json
from agents.random import RandomAgent
from agents.search import Budget, SearchAgent
from scorpion_env.rules import Rules
from scorpion_env.variants import VARIANTS, find_rules

MODELS = Path(__file__).parent / "models"

SEARCH = "search"
PAIR = ("network", "valuer")
# What the search agent guesses with, a network that was taught nothing of most variants, and by
# variant a network and its valuer where these were trained together.
SEARCH_NETWORK = "classic-network-small"
SEARCH_PAIRS = {
    name: (f"ppo-{name}", f"ppo-{name}-value") for name in ("classic", "flexible", "wasp")
}

AGENTS: dict[str, Callable[[str | Rules, int], Agent]] = {
    "random": lambda rules, seed: RandomAgent(seed),
    "greedy": lambda rules, seed: GreedyAgent(rules),
    SEARCH: lambda rules, seed: _search_agent(SEARCH, rules, seed),
}


def shipped_models() -> list[str]:
    """Return the names of the trained networks for playing that come with the repository."""
    names = sorted(path.stem for path in MODELS.glob("*.safetensors"))
    return [name for name in names if not name.endswith("-value")]


def standard_agents(variant: str) -> list[str]:
    """Return the names of all agents made for a variant; networks' names begin with it or ppo-."""
    made = [m for m in shipped_models() if m.removeprefix("ppo-").split("-")[0] == variant]
    return [*AGENTS, *made]


def find_network(name: str) -> Network:
    """Return the network over cards that a name in `MODELS` or a path stands for.

    Raises
    ------
    ValueError
        If there is none, or its files are damaged.
    """
    shipped = {path.stem: path for path in MODELS.glob("*.safetensors")}
    return load_network(shipped.get(name, name))


def _search_agent(name: str, rules: str | Rules, seed: int) -> SearchAgent:
    """Return the search agent of a name such as ``search:iterations=60,worlds=20``.

    A network that is named has no valuer unless that is named, too.
    """
    pairs = (pair for known, pair in SEARCH_PAIRS.items() if find_rules(rules) == VARIANTS[known])
    usual = next(pairs, (SEARCH_NETWORK,))
    named: dict[str, str] = {}
    budget = Budget()
    for option in filter(None, name.removeprefix(SEARCH).removeprefix(":").split(",")):
        key, _, value = option.partition("=")
        if key in PAIR:
            named[key] = value
        elif key in Budget._fields and re.fullmatch("[1-9][0-9]{0,8}", value):
            budget = budget._replace(**{key: int(value)})
        else:
            raise ValueError(
                f"agent {name!r}: {option!r} must be network=NAME, valuer=NAME or a whole number "
                f"from 1 to 999999999 for one of {', '.join(Budget._fields)}"
            )
    networks = {"network": usual[0], **named} if named else dict(zip(PAIR, usual, strict=False))
    loaded = {key: find_network(network) for key, network in networks.items()}
    agent = SearchAgent(rules, **loaded, seed=seed, budget=budget)
    agent.name = name
    return agent


def make_agent(name: str, rules: str | Rules, seed: int = 0, sample: bool = False) -> Agent:
    """Return the agent that ``name`` stands for.

    Parameters
    ----------
    name : str
        A name of `AGENTS` or of `shipped_models`, ``search:`` with `agents.search.Budget` fields
        (``search:iterations=60,worlds=20``), or the path of a trained policy (see
        `agents.policy.PolicyAgent.load` and `agents.network_agent.NetworkAgent.load`).
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
    if name.startswith(f"{SEARCH}:"):
        return _search_agent(name, rules, seed)
    if name in AGENTS:
        return AGENTS[name](rules, seed)
    if name in shipped_models():
        return NetworkAgent.load(MODELS / f"{name}.safetensors", rules, sample, seed, name)
    if not Path(name).exists():
        known = ", ".join([*AGENTS, *shipped_models()])
        raise ValueError(
            f"agent {name!r} is unknown: give {known} or the path of a trained policy "
            "(a run folder, or its policy.json or policy.safetensors)"
        )
    kind = read_json(policy_files(name)[0]).get("network")
    load = NetworkAgent.load if kind == KIND else PolicyAgent.load
    return load(name, rules, sample, seed)
