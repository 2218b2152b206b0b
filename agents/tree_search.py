"""A tree of what the player may see, grown over sampled worlds (information-set tree search).

Each iteration takes one world and goes down the tree by the moves that look best so far, seeing
only what a player in that world would see: positions that look the same are one node, whatever is
hidden. A position met for the first time is scored by the network. What it is worth says a second
network, trained on the wins of a player without hidden knowledge, or else a game played on from
there as the greedy agent would. A position that the relaxation proves lost is worth nothing, and
one in which no card is hidden any more is solved: the player would solve it too.

The method is single-observer ISMCTS (Cowling, Powley, Whitehouse 2012, "Information set Monte
Carlo tree search") with the network's scores as prior (PUCT, Silver et al. 2017).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.features import write_table
from agents.greedy import Pack, Table, best_action, read_state
from agents.network import Network, Scratch, score_inputs, score_moves
from agents.table import read_state as read_known
from agents.worlds import Pool
from scorpion_env.engine.compile import entry, inlined, internal
from scorpion_env.engine.deal import mix
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import DOWN, NO_CARD, PLAYING, UNDOABLE, WON, State
from scorpion_env.rules import RESERVE_PLAY, CompiledRules
from scorpion_env.solver.analysis import WINS, judge
from scorpion_env.solver.relations import Relations
from scorpion_env.solver.relaxation import NO_PROOF, relax
from scorpion_env.solver.search import FOUND, Options, Search, search_all
from scorpion_env.solver.tree import unpack

_FOLD = np.uint64(0xD6E8FEB86659FD93)
_HIDDEN = 255
NO_VALUE = -1.0
DEEPEST = 256  # moves of a line in the tree
EXACT_NODES = 20_000  # positions a move where no card is hidden any more
ROLLOUT_NODES = np.int64(400)  # positions to solve a game that is played on


class Tuning(NamedTuple):
    """What the search weighs."""

    prior_visits: float  # how many results the network's first guess counts for
    exploration: float  # of moves that the network likes and that were tried little
    most_rolled: int  # moves that a game is played on
    valued: int  # 1: the valuer says what a new node is worth, and no game is played on


class Moves(NamedTuple):
    """The moves of all nodes, in a table by what is seen and the action; nodes lie in it too."""

    keys: npt.NDArray[np.uint64]  # (slots,) 0 is an empty slot
    visits: npt.NDArray[np.int32]  # (slots,)
    results: npt.NDArray[np.float32]  # (slots,) sum of 1 for each game won
    guess: npt.NDArray[np.float32]  # (slots,) probability of winning, by a network
    share: npt.NDArray[np.float32]  # (slots,) of the move among all moves, by the network
    path: npt.NDArray[np.int64]  # (DEEPEST,) scratch: the slots of the line that is played
    counters: npt.NDArray[np.int64]  # (1,) slots in use


def new_moves(slots: int) -> Moves:
    """Return an empty table; ``slots`` is a power of two."""
    return Moves(
        keys=np.zeros(slots, np.uint64),
        visits=np.zeros(slots, np.int32),
        results=np.zeros(slots, np.float32),
        guess=np.zeros(slots, np.float32),
        share=np.zeros(slots, np.float32),
        path=np.zeros(DEEPEST, np.int64),
        counters=np.zeros(1, np.int64),
    )


class Tools(NamedTuple):
    """The rules, and the memory that a decision works with."""

    rules: CompiledRules
    relations: Relations
    options: Options
    tuning: Tuning
    search: Search
    network: Network
    valuer: Network  # of the same sizes
    scratch: Scratch
    scores: npt.NDArray[np.float64]  # (actions,)
    pack: Pack
    table: Table
    moves: Moves


@inlined
def seen_key(rules: CompiledRules, state: State) -> np.uint64:
    """Return a key of what the player sees; where hidden cards lie does not matter to it."""
    total = np.uint64(0)
    for column in range(rules.columns):
        key = np.uint64(column + 1)
        down = np.int64(state.face_down[column])
        for place in range(np.int64(state.height[column])):
            card = np.int64(state.tableau[column, place]) if place >= down else _HIDDEN
            key = (key ^ np.uint64(card + 1)) * _FOLD
            key ^= key >> np.uint64(32)
        total += mix(key)
    for place in range(rules.reserve_cards):
        card = np.int64(state.reserve[place])
        if card != NO_CARD:
            card = card if rules.reserve == RESERVE_PLAY else _HIDDEN
            total += mix(np.uint64((place + 1) * 1024 + card))
    return total


@inlined
def move_key(seen: np.uint64, action: int) -> np.uint64:
    """Return the key of an action where ``seen`` is what the player sees; -1 is the node itself."""
    key = mix(seen + np.uint64(action + 2) * _FOLD)
    return max(key, np.uint64(1))


@inlined
def slot_of(moves: Moves, key: np.uint64) -> int:
    """Return the slot that holds a key, or the empty one where it belongs; changes nothing."""
    wrap = moves.keys.shape[0] - 1
    slot = np.int64(key >> np.uint64(20)) & wrap
    while moves.keys[slot] != 0 and moves.keys[slot] != key:
        slot = (slot + 1) & wrap
    return slot


@inlined
def enter(moves: Moves, key: np.uint64, guess: float, share: float) -> None:
    """Enter a move, or a node, that has not been tried; changes ``moves``."""
    slot = slot_of(moves, key)
    moves.keys[slot] = key
    moves.visits[slot] = 0
    moves.results[slot] = 0
    moves.guess[slot] = guess
    moves.share[slot] = share
    moves.counters[0] += 1


@internal
def open_node(
    rules: CompiledRules,
    mask: npt.NDArray[np.int8],
    scores: npt.NDArray[np.float64],
    best: int,
    value: float,
    seen: np.uint64,
    moves: Moves,
) -> None:
    """Enter a node and its legal moves with the network's ``scores`` (actions,) of them.

    All moves are guessed to be worth ``value``, or what their scores say if it is ``NO_VALUE``.
    """
    total = 0.0
    for action in range(rules.deal_action + 1):
        if mask[action]:
            total += np.exp(scores[action] - scores[best])
    enter(moves, move_key(seen, -1), 0.0, 0.0)
    for action in range(rules.deal_action + 1):
        if mask[action]:
            share = np.exp(scores[action] - scores[best]) / total
            guess = 1 / (1 + np.exp(-scores[action])) if value == NO_VALUE else value
            enter(moves, move_key(seen, action), guess, share)


@inlined
def worth(tuning: Tuning, moves: Moves, slot: int) -> float:
    """Return the probability of winning by a move, the network's guess and all results pooled."""
    tried = moves.visits[slot] + tuning.prior_visits
    return (moves.results[slot] + tuning.prior_visits * moves.guess[slot]) / tried


@inlined
def choose_move(tools: Tools, seen: np.uint64, visits: int) -> int:
    """Return the legal action to try next in a node that was visited so often; changes nothing."""
    mask, moves = tools.search.mask, tools.moves
    best, chosen = -1.0, np.int64(-1)
    for action in range(tools.rules.deal_action + 1):
        if not mask[action]:
            continue
        slot = slot_of(moves, move_key(seen, action))
        spur = moves.share[slot] * np.sqrt(np.float64(visits)) / (1 + moves.visits[slot])
        value = worth(tools.tuning, moves, slot) + tools.tuning.exploration * spur
        if value > best:
            best, chosen = value, np.int64(action)
    return chosen


@inlined
def is_hopeless(tools: Tools) -> bool:
    """Say whether the relaxation proves the world's game lost; changes ``search.facts``."""
    search = tools.search
    reason, _card = relax(tools.rules, tools.relations, search.state, search.facts)
    return reason != NO_PROOF


@inlined
def is_open(rules: CompiledRules, state: State) -> bool:
    """Say whether the player knows where every card lies; a single hidden one is known too."""
    hidden = np.int64(state.counters[DOWN])
    for place in range(rules.reserve_columns.shape[0]):
        hidden += state.reserve[place] != NO_CARD
    return hidden < 2


@internal
def score_all(tools: Tools, mask: npt.NDArray[np.int8]) -> int:
    """Score the legal moves of ``search.state``; return the network's best one."""
    return score_moves(
        tools.rules,
        tools.relations,
        tools.search.state,
        mask,
        tools.network,
        tools.scratch,
        tools.scores,
    )


@internal
def solve(tools: Tools) -> float:
    """Return 1 if ``search.state`` is found to be won, else 0; changes ``search``."""
    found = search_all(tools.rules, tools.relations, tools.options, tools.search, ROLLOUT_NODES)
    return 1.0 if found == FOUND else 0.0


@internal
def value_of(tools: Tools) -> float:
    """Return what the valuer says of ``search.state``, at least 0 and at most 1.

    Changes ``scratch``.
    """
    rules, scratch = tools.rules, tools.scratch
    read_known(rules, tools.relations, tools.search.state, scratch.after)
    write_table(rules, tools.relations, scratch.after, scratch.inputs)
    value = score_inputs(rules, scratch.after, tools.valuer, scratch)
    return min(max(value, 0.0), 1.0)


@internal
def play_on(tools: Tools) -> float:
    """Play the game on as the greedy agent would; return 1 if it is won, else 0.

    Once no card is hidden the solver says which.
    """
    rules, search = tools.rules, tools.search
    state = search.state
    for _ in range(tools.tuning.most_rolled):
        if is_open(rules, state):
            return solve(tools)
        status = settle(rules, state, search.mask)
        if status != PLAYING:
            return 1.0 if status == WON else 0.0
        if is_hopeless(tools):
            return 0.0
        read_state(tools.pack, tools.table, state)
        apply(rules, state, best_action(tools.pack, tools.table, search.mask))
        state.counters[UNDOABLE] = 0
    return 0.0


@internal
def iterate(tools: Tools) -> None:
    """Play the world on the table once, down the tree and on; changes ``moves``."""
    rules, moves = tools.rules, tools.moves
    state, mask = tools.search.state, tools.search.mask
    depth = 0
    result = 0.0
    while depth < DEEPEST:
        status = settle(rules, state, mask)
        if status != PLAYING:
            result = 1.0 if status == WON else 0.0
            break
        if depth > 0 and is_hopeless(tools):
            break
        seen = seen_key(rules, state)
        node = slot_of(moves, move_key(seen, -1))
        if moves.keys[node] == 0:
            if depth > 0 and is_open(rules, state):
                result = solve(tools)
                break
            value = value_of(tools) if tools.tuning.valued else NO_VALUE
            if 2 * (moves.counters[0] + rules.actions) < moves.keys.shape[0]:
                open_node(rules, mask, tools.scores, score_all(tools, mask), value, seen, moves)
            if depth > 0:
                result = value if tools.tuning.valued else play_on(tools)
                break
            node = slot_of(moves, move_key(seen, -1))
        moves.visits[node] += 1
        action = choose_move(tools, seen, moves.visits[node])
        moves.path[depth] = slot_of(moves, move_key(seen, action))
        depth += 1
        apply(rules, state, action)
        state.counters[UNDOABLE] = 0
    for k in range(depth):
        moves.visits[moves.path[k]] += 1
        moves.results[moves.path[k]] += np.float32(result)


@entry
def grow(tools: Tools, pool: Pool, worlds: int, first: int, iterations: int) -> None:
    """Go on with iterations ``first``, ``first + 1``, ..., each in one of the pool's worlds.

    The first one of all begins a new tree. Changes ``moves`` and the memory given, not ``pool``.
    """
    if first == 0:
        tools.moves.keys[:] = 0
        tools.moves.counters[0] = 0
    for iteration in range(first, first + iterations):
        unpack(tools.rules, pool.worlds[iteration % worlds], tools.search.state)
        iterate(tools)


@entry
def best_move(tools: Tools, seen: npt.NDArray[np.uint8], mask: npt.NDArray[np.int8]) -> int:
    """Return the move of the packed position ``seen`` (bytes,) that was tried most often.

    Of moves tried equally often, the one of most worth. Changes ``search``.
    """
    moves = tools.moves
    unpack(tools.rules, seen, tools.search.state)
    key = seen_key(tools.rules, tools.search.state)
    best, chosen = -1.0, np.int64(-1)
    for action in range(tools.rules.deal_action + 1):
        if mask[action]:
            slot = slot_of(moves, move_key(key, action))
            value = moves.visits[slot] + worth(tools.tuning, moves, slot)
            if value > best:
                best, chosen = value, np.int64(action)
    return chosen


@entry
def visit_shares(
    tools: Tools,
    seen: npt.NDArray[np.uint8],
    mask: npt.NDArray[np.int8],
    shares: npt.NDArray[np.float64],
) -> None:
    """Write into ``shares`` (actions,) how often each move of ``seen`` was tried, of all tries.

    Changes ``search`` too.
    """
    unpack(tools.rules, seen, tools.search.state)
    key = seen_key(tools.rules, tools.search.state)
    total = 0.0
    for action in range(tools.rules.deal_action + 1):
        if mask[action]:
            shares[action] = tools.moves.visits[slot_of(tools.moves, move_key(key, action))]
            total += shares[action]
    if total > 0:
        shares /= total


@entry
def favourite(tools: Tools, seen: npt.NDArray[np.uint8], mask: npt.NDArray[np.int8]) -> int:
    """Return the network's best move of the packed position ``seen`` (bytes,)."""
    unpack(tools.rules, seen, tools.search.state)
    return score_all(tools, mask)


@entry
def best_of_known(tools: Tools, seen: npt.NDArray[np.uint8], mask: npt.NDArray[np.int8]) -> int:
    """Return the network's favourite among the moves that win, where no card is hidden.

    Of all moves if none is found to win. Changes ``search``, ``scratch`` and ``scores``.
    """
    rules, search, scores = tools.rules, tools.search, tools.scores
    unpack(rules, seen, search.state)
    nodes = np.int64(EXACT_NODES)  # a bare constant would be a type of its own
    liked = score_all(tools, mask)
    chosen = np.int64(-1)
    for action in range(rules.deal_action + 1):
        if not mask[action] or (chosen >= 0 and scores[action] <= scores[chosen]):
            continue
        if judge(rules, tools.relations, tools.options, search, seen, action, nodes) == WINS:
            chosen = np.int64(action)
    return chosen if chosen >= 0 else liked
