"""Deals that the solver proves winnable, by the seeds that deal them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from gymnasium.utils import seeding

from scorpion_env.deals import FIRST_TRAINING_SEED, deal_state
from scorpion_env.engine.compile import kernel
from scorpion_env.engine.deal import MAX_DEALS_PASSED, deal, first_deal, shuffle
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import PLAYING
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.relations import Relations, relations_of
from scorpion_env.solver.search import FOUND, Options, Search, new_search, search_all
from train.run_folder import RunError

SALT = 0x5C0_4210
OPTIONS = Options(proofs=1, persistent_sets=1, salt=SALT)


class Deals(NamedTuple):
    """Winnable deals."""

    seeds: npt.NDArray[np.uint64]  # (n,)
    decks: npt.NDArray[np.uint8]  # (n, cards) in the order dealt


def training_deals(
    rules: Rules,
    first: int,
    count: int,
    nodes: int,
    progress: Callable[[int], None] | None = None,
) -> Deals:
    """Return winnable deals to train on, see `winnable_deals`.

    Raises
    ------
    ValueError
        If ``first`` is a seed kept for evaluation.
    """
    if first < FIRST_TRAINING_SEED:
        raise ValueError(
            f"seed {first} is kept for evaluation: train on {FIRST_TRAINING_SEED} or more"
        )
    return winnable_deals(rules, first, count, nodes, progress)


def winnable_deals(
    rules: Rules,
    first: int,
    count: int,
    nodes: int,
    progress: Callable[[int], None] | None = None,
) -> Deals:
    """Return the first ``count`` deals from seed ``first`` on that are proven winnable.

    Parameters
    ----------
    rules : Rules
        What is played.
    first, count : int
        Seed s is the deal of ``ScorpionEnv.reset(seed=s)``.
    nodes : int
        Positions the solver may look at for a deal; what it leaves undecided is passed over.
    progress : callable, optional
        Called with the number of deals found, now and then.

    Raises
    ------
    RunError
        If there are hardly any such deals.
    """
    relations = relations_of(rules)
    search = new_search(rules, relations.families, nodes)
    deck = np.zeros(rules.layout.cards, np.uint8)
    seeds: list[int] = []
    decks = []
    for seed in range(first, first + 10_000 * count):
        number = np.uint64(deal_state(seeding.np_random(seed)[0]))
        if is_winnable(rules.compiled, relations, search, number, deck, nodes):
            seeds.append(seed)
            decks.append(deck.copy())
            if progress is not None and len(seeds) % 100 == 0:
                progress(len(seeds))
        if len(seeds) == count:
            return Deals(np.array(seeds, np.uint64), np.array(decks))
    raise RunError(f"only {len(seeds)} winnable deals were found: ask for fewer")


@kernel
def is_winnable(
    rules: CompiledRules,
    relations: Relations,
    search: Search,
    stream: np.uint64,
    deck: npt.NDArray[np.uint8],
    nodes: int,
) -> bool:
    """Say whether the next playable deal of a stream is proven winnable; fills ``deck``."""
    for _ in range(MAX_DEALS_PASSED):
        stream = shuffle(deck, first_deal(stream))
        deal(rules, search.state, deck)
        if settle(rules, search.state, search.mask) == PLAYING:
            return search_all(rules, relations, OPTIONS, search, nodes) == FOUND
    return False
