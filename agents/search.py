"""The agent that samples what is hidden and searches: worlds, a tree over them, a network."""

from __future__ import annotations

import time
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, Mask, Rows, Seeds
from agents.greedy import empty_table, pack_of
from agents.made_moves import MadeMoves
from agents.network import Network, make_scratch
from agents.network_agent import sizes_of
from agents.tree_search import (
    EXACT_NODES,
    Tools,
    Tuning,
    best_move,
    best_of_known,
    favourite,
    grow,
    new_moves,
    visit_shares,
)
from agents.worlds import Pool, Seen, carry_on, fill_pool, pack_seen
from scorpion_env.engine.state import empty_state, row_of
from scorpion_env.rules import Rules
from scorpion_env.solver.relations import relations_of
from scorpion_env.solver.search import Options, new_search
from scorpion_env.variants import find_rules

_OPTIONS = Options(proofs=1, persistent_sets=1, salt=0x7EA_5EED)
_SLICE = 16  # iterations between two looks at the clock


class Budget(NamedTuple):
    """What one decision may cost."""

    worlds: int = 40  # sampled worlds that can still be won
    draws: int = 4_000  # worlds looked at for them
    nodes: int = 400  # positions to solve one
    all_nodes: int = 8_000  # positions to solve all that are looked at
    iterations: int = 200
    milliseconds: float | None = None  # instead of iterations: choices then depend on the machine


def seen_of(observation: Any, game: int) -> Seen:
    """Return one game's observation, of "cards" of a vector of games."""
    games = len(observation["tableau"])
    reserves = observation.get("reserve", np.zeros((games, 0), np.uint8))
    tensors = (observation["tableau"], reserves, observation["completed"])
    return Seen(*(np.ascontiguousarray(tensor[game]) for tensor in tensors))


class _Memory:
    """What is kept of a game between two decisions."""

    def __init__(self) -> None:
        self.worlds: npt.NDArray[np.uint8] | None = None  # (n, bytes) sampled before `action`
        self.action = 0


class SearchAgent(Agent):
    """Samples the hidden cards, keeps what can still be won, and searches over it.

    At a table that a game has shown before it leaves out the moves made there while there are
    others, see `agents.made_moves.MadeMoves`.

    Parameters
    ----------
    rules : str or Rules
        What is played.
    network : Network
        Says which moves are to be tried first.
    valuer : Network, optional
        Says what a position is worth, see `train.network_policy.NetworkPolicy.predict_values`; of
        the sizes of ``network``. Without one games are played on by the greedy agent.
    seed : int
        Seeds the sampling; choices are the same for the same seed, budget and observation history
        unless the budget is a time.
    budget : Budget
        What one decision may cost.

    Raises
    ------
    ValueError
        If the valuer has other sizes.

    Attributes
    ----------
    iterations : int
        Of the last search; a decision that needs none leaves it as it was.
    """

    name = "search"

    def __init__(
        self,
        rules: str | Rules,
        network: Network,
        valuer: Network | None = None,
        seed: int = 0,
        budget: Budget | None = None,
    ) -> None:
        super().__init__(seed)
        if valuer is not None and sizes_of(valuer) != sizes_of(network):
            raise ValueError(
                f"the valuer has sizes {sizes_of(valuer)}, the network {sizes_of(network)}: give "
                "two networks of one training run"
            )
        played = find_rules(rules)
        self._budget = budget or Budget()
        relations, pack = relations_of(played), pack_of(played)
        search = new_search(played, relations.families, max(self._budget.nodes, EXACT_NODES))
        self._tools = Tools(
            rules=played.compiled,
            relations=relations,
            options=_OPTIONS,
            tuning=Tuning(
                prior_visits=3.0,
                exploration=0.5,
                most_rolled=played.max_steps,
                valued=int(valuer is not None),
            ),
            search=search,
            network=network,
            valuer=valuer or network,
            scratch=make_scratch(played, network),
            scores=np.zeros(played.actions),
            pack=pack,
            table=empty_table(pack),
            moves=new_moves(1 << 16),
        )
        self._state = row_of(empty_state(played, 1, undoable=0), 0)
        size = search.tree.packed.shape[1]
        self._packed = np.zeros(size, np.uint8)
        self._pool = Pool(
            np.zeros((self._budget.worlds, size), np.uint8),
            np.zeros(played.layout.cards, np.uint8),
        )
        self._memories: list[_Memory] = []
        self._made = MadeMoves()
        self._shares = np.zeros((0, played.actions))
        self.iterations = 0

    def begin(self, seeds: Seeds) -> None:
        """Begin new games; nothing is known of them yet."""
        super().begin(seeds)
        self._memories = [_Memory() for _ in seeds]
        self._made.begin(len(seeds))

    def keep(self, rows: Rows, seeds: Seeds) -> None:
        """Go on with some games and begin others."""
        super().keep(rows, seeds)
        self._memories = [self._memories[row] for row in rows] + [_Memory() for _ in seeds]
        self._made.keep(rows, len(seeds))

    def act(self, observation: Any, mask: Mask) -> Actions:
        """Return an action (N,) for each game; games are searched one after another."""
        seeds = (self.chance.draw() * 2.0**53).astype(np.uint64)
        actions = np.zeros(len(mask), np.int64)
        self._shares = np.zeros(mask.shape)
        others = self._made.others(observation["tableau"], mask)
        for game, memory in enumerate(self._memories):
            seen = seen_of(observation, game)
            legal = np.ascontiguousarray(others[game], np.int8)
            actions[game] = self._decide(seen, legal, seeds[game], memory, self._shares[game])
            memory.action = int(actions[game])
        self._made.note(actions)
        return actions

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return the shares of visits (N, actions); zeros where nothing had to be searched."""
        return self._shares

    def _decide(
        self,
        seen: Seen,
        mask: npt.NDArray[np.int8],
        seed: np.uint64,
        memory: _Memory,
        shares: npt.NDArray[np.float64],
    ) -> int:
        start = time.perf_counter()
        tools, pool = self._tools, self._pool
        given = (tools.rules, tools.relations, seen, self._state, self._packed)
        hidden = pack_seen(*given, pool.hidden)
        if np.count_nonzero(mask) == 1 or hidden < 2:
            memory.worlds = None
            return int(best_of_known(tools, self._packed, mask))
        worlds = self._sample(seed, memory)
        if worlds == 0:
            return int(favourite(tools, self._packed, mask))
        done = 0
        while self._goes_on(done, start):
            count = _SLICE if self._budget.milliseconds else self._budget.iterations
            grow(tools, pool, worlds, done, count)
            done += count
        self.iterations = done
        visit_shares(tools, self._packed, mask, shares)
        return int(best_move(tools, self._packed, mask))

    def _sample(self, seed: np.uint64, memory: _Memory) -> int:
        """Fill the pool with worlds, first those remembered that fit; return their number."""
        tools, pool, budget = self._tools, self._pool, self._budget
        given = (tools.rules, tools.relations)
        found = 0
        if memory.worlds is not None:
            found = len(memory.worlds)
            pool.worlds[:found] = memory.worlds
            found = carry_on(*given, tools.search, self._packed, pool, found, memory.action)
        limits = (budget.worlds, budget.draws, budget.nodes, budget.all_nodes)
        given = (*given, tools.options, tools.search, self._packed, pool)
        found = int(fill_pool(*given, int(found), np.uint64(seed), *limits))
        memory.worlds = pool.worlds[:found].copy()
        return found

    def _goes_on(self, done: int, start: float) -> bool:
        if self._budget.milliseconds is None:
            return done < self._budget.iterations
        return done == 0 or 1000 * (time.perf_counter() - start) < self._budget.milliseconds
