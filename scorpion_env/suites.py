"""Fixed sets of deals with what the solver found of each.

The deals of the seeds 0, 1, ... of every variant, solved: ``classic-10k`` and, for every other
variant, ``wasp-1k`` and so on; and those that can be won, ``classic-winnable`` (of 20,000 seeds, so
that there are more than 2,000) and so on. They lie in ``scorpion_env/data``, one character a seed;
``scorpion suites`` makes them.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.deals import Deal, deal_of_seed, read_playable_deal
from scorpion_env.rules import Rules, is_whole
from scorpion_env.variants import find_rules

WINNABLE, UNWINNABLE, UNKNOWN = "w", "l", "?"
LONGEST = 10_000  # deals of a suite that holds lost ones too
DEAL_OPTIONS = ("deal", "suite", "index")  # reset options that ask for a deal
_NO_MATTER: dict[str, Any] = {"undo_limit": 0, "step_limit": None}  # to what can be won


@dataclass(frozen=True)
class Suite:
    """A fixed list of deals.

    Attributes
    ----------
    name : str
        Such as ``classic-winnable``.
    variant : str
        The name of its rules in `scorpion_env.VARIANTS`.
    rules : Rules
        What was solved; rules that differ only in undo and step limit fit as well.
    seeds : array of int64, (n,)
        The deal of index i is that of ``ScorpionEnv.reset(seed=seeds[i])``.
    statuses : str
        For each deal "w" can be won, "l" cannot, "?" not decided within ``nodes``.
    nodes : int
        The solver's budget of positions for each deal.
    """

    name: str
    variant: str
    rules: Rules
    seeds: npt.NDArray[np.int64]
    statuses: str
    nodes: int

    def check_rules(self, rules: Rules) -> None:
        """Raise ValueError if the suite is not one of these rules."""
        if replace(rules, **_NO_MATTER) != replace(self.rules, **_NO_MATTER):
            raise ValueError(f"suite {self.name!r} is of other rules: those of {self.variant!r}")

    def seed(self, index: Any) -> int:
        """Return the seed of a deal; raise ValueError if the suite has no such index."""
        if not is_whole(index) or not 0 <= index < len(self.seeds):
            raise ValueError(
                f"suite {self.name!r} has no deal {index!r}: give an index from 0 to "
                f"{len(self.seeds) - 1}"
            )
        return int(self.seeds[index])


def suite_names() -> list[str]:
    """Return the names of all suites."""
    return [name for variant in _variants() for name in (_whole_name(variant), _won_name(variant))]


@lru_cache
def find_suite(name: str) -> Suite:
    """Return the suite of a name.

    Raises
    ------
    ValueError
        If there is none.
    """
    variant, _, kind = str(name).rpartition("-")
    if variant not in _variants() or name not in (_whole_name(variant), _won_name(variant)):
        names = suite_names()
        near = difflib.get_close_matches(str(name), names, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise ValueError(f"suite {name!r} is unknown: {hint}there are {', '.join(names)}")
    data = _read(variant)
    statuses = str(data["statuses"])
    if kind == "winnable":
        seeds = np.flatnonzero(np.array(list(statuses)) == WINNABLE)
        statuses = WINNABLE * len(seeds)
    else:
        statuses = statuses[:LONGEST]
        seeds = np.arange(len(statuses))
    return Suite(name, variant, find_rules(data["rules"]), seeds, statuses, int(data["nodes"]))


def whole_suite(variant: str) -> Suite:
    """Return a variant's suite that holds lost deals too, such as ``classic-10k``; see above."""
    return find_suite(_whole_name(variant))


def write_suite(rules: Rules, nodes: int, statuses: str) -> str:
    """Return the text of a variant's file in ``scorpion_env/data``."""
    data = {"rules": asdict(replace(rules, **_NO_MATTER)), "nodes": nodes, "statuses": statuses}
    return json.dumps(data) + "\n"


def asked_deal(
    options: dict[str, Any], rules: Rules, seed: int | None = None, game: int = 0
) -> Deal:
    """Return the deal that the reset options of an environment ask for.

    Parameters
    ----------
    options : dict
        ``"deal"`` (see `scorpion_env.deals.read_deal`), or ``"suite"`` with ``"index"``.
    rules : Rules
        What is played.
    seed : int, optional
        Draws the cards under the ``##`` of a board text.
    game : int
        Added to the index: each game of a vector environment has a deal of its own.

    Raises
    ------
    ValueError
        If the deal cannot be read or the suite has no such index or other rules.
    """
    if "deal" in options:
        if "suite" in options or "index" in options:
            raise ValueError("reset takes the option 'deal' or 'suite' with 'index', not both")
        return read_playable_deal(options["deal"], rules, seed)
    if ("suite" in options) != ("index" in options):
        raise ValueError("the reset options 'suite' and 'index' go together")
    suite = find_suite(str(options["suite"]))
    suite.check_rules(rules)
    index = options["index"]
    return deal_of_seed(suite.seed(index + game if is_whole(index) else index), rules)


def _folder() -> Any:
    return files("scorpion_env") / "data"


@lru_cache
def _variants() -> tuple[str, ...]:
    """Return the names of the variants that have suites."""
    return tuple(sorted(_data_files()))


def _data_files() -> Iterator[str]:
    folder = _folder()
    if folder.is_dir():
        yield from (f.name.removesuffix(".json") for f in folder.iterdir() if f.suffix == ".json")


@lru_cache
def _read(variant: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((_folder() / f"{variant}.json").read_text(encoding="utf-8"))
    return data


def _whole_name(variant: str) -> str:
    return f"{variant}-{min(len(_read(variant)['statuses']), LONGEST) // 1000}k"


def _won_name(variant: str) -> str:
    return f"{variant}-winnable"
