"""Which moves still win: with all cards known, or over sampled worlds of what is hidden.

A world is a way the cards that the player cannot see may lie: the face-down ones and those of a
reserve that is still to be dealt, in any order, each order as likely as any other. The true order
is not looked at: the hidden cards are sorted before they are shuffled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import entry, inlined, internal
from scorpion_env.engine.deal import mix
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import NO_CARD, PLAYING, State
from scorpion_env.rules import RESERVE_PLAY, CompiledRules
from scorpion_env.solver.relations import Relations
from scorpion_env.solver.relaxation import NO_PROOF, relax
from scorpion_env.solver.search import FOUND, FULL, Options, Search, search_all
from scorpion_env.solver.tree import pack, unpack

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_S32 = np.uint64(32)
LOSES, WINS, UNDECIDED, NOT_JUDGED = range(4)


class Worlds(NamedTuple):
    """Memory for sampling worlds of one game."""

    seen: npt.NDArray[np.uint8]  # (bytes,) the game, packed
    packed: npt.NDArray[np.uint8]  # (bytes,) a world, packed
    hidden: npt.NDArray[np.uint8]  # (cards,) the cards that are not seen
    mask: npt.NDArray[np.int8]  # (actions,)


@internal
def judge(
    rules: CompiledRules,
    relations: Relations,
    options: Options,
    search: Search,
    packed: npt.NDArray[np.uint8],
    action: int,
    nodes: int,
) -> int:
    """Return whether a legal action of a packed position still wins; changes ``search``."""
    unpack(rules, packed, search.state)
    apply(rules, search.state, action)
    status = search_all(rules, relations, options, search, nodes)
    if status == FOUND:
        return WINS
    return UNDECIDED if status == FULL else LOSES


@entry
def judge_moves(
    rules: CompiledRules,
    relations: Relations,
    options: Options,
    search: Search,
    state: State,
    worlds: Worlds,
    nodes: int,
    verdicts: npt.NDArray[np.int8],
) -> None:
    """Write what each action (actions,) does to a position whose cards are all known.

    Actions that are illegal, or undo, stay NOT_JUDGED. Each action may cost ``nodes`` positions.
    Changes the memory given, not ``state``.
    """
    verdicts[:] = NOT_JUDGED
    if not look_at(rules, search, worlds, state):
        return
    for action in range(rules.deal_action + 1):
        if worlds.mask[action]:
            verdicts[action] = judge(rules, relations, options, search, worlds.seen, action, nodes)


@inlined
def look_at(rules: CompiledRules, search: Search, worlds: Worlds, state: State) -> bool:
    """Pack a game into ``worlds.seen``, lay it out, find its mask; say if it goes on."""
    pack(rules, state, worlds.seen)
    unpack(rules, worlds.seen, search.state)
    return settle(rules, search.state, worlds.mask) == PLAYING


@inlined
def find_hidden(rules: CompiledRules, state: State, hidden: npt.NDArray[np.uint8]) -> int:
    """Fill ``hidden`` with the cards that a player cannot see, sorted; return their number."""
    count = 0
    for card in range(rules.cards):
        column = np.int64(state.column_of[card])
        down = column >= 0 and state.height_of[card] < state.face_down[column]
        if down or (column == -1 and rules.reserve != RESERVE_PLAY):
            hidden[count] = card
            count += 1
    return count


@inlined
def shuffle_cards(cards: npt.NDArray[np.uint8], count: int, seed: np.uint64) -> np.uint64:
    """Shuffle the first ``count`` cards; return the generator's next state."""
    for last in range(count - 1, 0, -1):
        seed = seed + _GAMMA
        chosen = np.int64(((mix(seed) >> _S32) * np.uint64(last + 1)) >> _S32)
        held = cards[last]
        cards[last] = cards[chosen]
        cards[chosen] = held
    return seed


@inlined
def write_world(rules: CompiledRules, hidden: npt.NDArray[np.uint8], world: State) -> None:
    """Put the ``hidden`` cards, in their order, into the hidden places; changes ``world``."""
    at = 0
    for column in range(rules.columns):
        for place in range(np.int64(world.face_down[column])):
            card = np.int64(hidden[at])
            world.tableau[column, place] = card
            world.column_of[card] = column
            world.height_of[card] = place
            at += 1
    if rules.reserve != RESERVE_PLAY:
        for place in range(rules.reserve_cards):
            if world.reserve[place] != NO_CARD:
                card = np.int64(hidden[at])
                world.reserve[place] = card
                world.column_of[card] = -1
                world.height_of[card] = place
                at += 1


@entry
def count_wins(
    rules: CompiledRules,
    relations: Relations,
    options: Options,
    search: Search,
    worlds: Worlds,
    state: State,
    seed: np.uint64,
    wanted: int,
    draws: int,
    nodes: int,
    wins: npt.NDArray[np.int64],
) -> int:
    """Count for each action (actions,) in how many sampled worlds it still wins.

    Draws worlds until ``wanted`` of them are won by some action, at most ``draws``; each action may
    cost ``nodes`` positions. Returns the number of worlds that some action wins. Changes ``wins``
    and the memory given, not ``state``.
    """
    wins[:] = 0
    if not look_at(rules, search, worlds, state):
        return 0
    count = find_hidden(rules, state, worlds.hidden)
    won = 0
    for _ in range(draws):
        seed = shuffle_cards(worlds.hidden, count, seed)
        unpack(rules, worlds.seen, search.state)
        write_world(rules, worlds.hidden, search.state)
        reason, _card = relax(rules, relations, search.state, search.facts)
        if reason != NO_PROOF:
            continue
        pack(rules, search.state, worlds.packed)
        any_wins = False
        for action in range(rules.deal_action + 1):
            if (
                worlds.mask[action]
                and judge(rules, relations, options, search, worlds.packed, action, nodes) == WINS
            ):
                wins[action] += 1
                any_wins = True
        won += any_wins
        if won == wanted:
            break
    return won
