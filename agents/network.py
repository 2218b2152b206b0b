"""The network that scores moves: each legal one by the table it leads to, as the player sees it.

Every card is described by some numbers, passes messages along to its next-higher card and the
cards it lies on and under, and the cards are summed; so are the columns. All weights are shared by
cards, columns, suits and moves, so one network plays every layout. A score is the logit of the
probability that the game is won after the move.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.features import write_move, write_table
from agents.inputs import (
    CARD_INPUTS,
    COLUMN_INPUTS,
    IDLE_INPUT,
    NEIGHBOURS,
    TABLE_INPUTS,
    Inputs,
    empty_inputs,
)
from agents.table import REMOVED, Table, copy_table, empty_table, play, read_state
from scorpion_env.engine.compile import entry, inlined, internal
from scorpion_env.engine.state import State
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.relations import Relations

NO_MOVE = -1
UNDO_SCORE, IDLE_COST = -60.0, 30.0
RANKS = 13
POOLED = 0.1  # sums over cards are scaled by it

Vector = npt.NDArray[np.float32]
Matrix = npt.NDArray[np.float32]


class Network(NamedTuple):
    """The weights; one Numba type whatever the sizes."""

    card: Matrix  # (CARD_INPUTS, width)
    rank: Matrix  # (RANKS, width) bias of each rank
    message: npt.NDArray[np.float32]  # (rounds, 1 + NEIGHBOURS, width, width)
    message_bias: Matrix  # (rounds, width)
    column: Matrix  # (COLUMN_INPUTS, column width)
    column_bias: Vector
    first: Matrix  # (width + column width + TABLE_INPUTS, hidden)
    first_bias: Vector
    second: Matrix  # (hidden, hidden 2)
    second_bias: Vector
    last: Vector  # (hidden 2,)
    last_bias: Vector  # (1,)


class Scratch(NamedTuple):
    """Memory for scoring the moves of one game."""

    before: Table
    after: Table
    inputs: Inputs
    cards: Matrix  # (cards, width)
    passed: Matrix  # (cards, width)
    column: Vector  # (column width,)
    pooled: Vector  # (width + column width + TABLE_INPUTS,)
    hidden: Vector
    hidden_2: Vector


def network_shapes(
    width: int, rounds: int, column_width: int, hidden: int, hidden_2: int
) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array of a `Network` of these sizes."""
    return {
        "card": (len(CARD_INPUTS), width),
        "rank": (RANKS, width),
        "message": (rounds, 1 + NEIGHBOURS, width, width),
        "message_bias": (rounds, width),
        "column": (len(COLUMN_INPUTS), column_width),
        "column_bias": (column_width,),
        "first": (width + column_width + len(TABLE_INPUTS), hidden),
        "first_bias": (hidden,),
        "second": (hidden, hidden_2),
        "second_bias": (hidden_2,),
        "last": (hidden_2,),
        "last_bias": (1,),
    }


def make_scratch(rules: Rules, network: Network) -> Scratch:
    """Return memory for scoring moves under these rules with a network of these sizes."""
    cards, width = rules.layout.cards, network.card.shape[1]
    return Scratch(
        before=empty_table(rules),
        after=empty_table(rules),
        inputs=empty_inputs(rules),
        cards=np.zeros((cards, width), np.float32),
        passed=np.zeros((cards, width), np.float32),
        column=np.zeros(network.column.shape[1], np.float32),
        pooled=np.zeros(network.first.shape[0], np.float32),
        hidden=np.zeros(network.first.shape[1], np.float32),
        hidden_2=np.zeros(network.second.shape[1], np.float32),
    )


@inlined
def put(values: Vector, out: Vector, at: int) -> None:
    """Copy ``values`` into ``out`` from ``at`` on."""
    for j in range(values.shape[0]):
        out[at + j] = values[j]


@inlined
def add_product(values: Vector, weights: Matrix, out: Vector) -> None:
    """Add ``values`` (n,) times ``weights`` (n, m) to ``out`` (m,)."""
    for i in range(values.shape[0]):
        value = values[i]
        if value != 0:
            for j in range(out.shape[0]):
                out[j] += value * weights[i, j]


@inlined
def rectify(out: Vector) -> None:
    """Set what is below 0 to 0."""
    for j in range(out.shape[0]):
        out[j] = max(out[j], np.float32(0))


@inlined
def pass_messages(rules: CompiledRules, table: Table, network: Network, scratch: Scratch) -> None:
    """Let cards hear of their neighbours, round by round; changes ``scratch``."""
    cards, passed = scratch.cards, scratch.passed
    for turn in range(network.message.shape[0]):
        weights = network.message[turn]
        for card in range(rules.cards):
            if table.column[card] == REMOVED:
                continue
            out = passed[card]
            put(network.message_bias[turn], out, 0)
            add_product(cards[card], weights[0], out)
            for k in range(NEIGHBOURS):
                neighbour = scratch.inputs.neighbours[card, k]
                if neighbour >= 0 and table.column[neighbour] != REMOVED:
                    add_product(cards[neighbour], weights[k + 1], out)
            rectify(out)
        for card in range(rules.cards):
            # what a card was is kept beside what it hears
            for j in range(cards.shape[1]):
                cards[card, j] += passed[card, j]


@internal
def score_inputs(rules: CompiledRules, table: Table, network: Network, scratch: Scratch) -> float:
    """Return the score of the table that ``scratch.inputs`` describe; changes ``scratch``."""
    inputs, cards = scratch.inputs, scratch.cards
    width = cards.shape[1]
    columns = scratch.column.shape[0]
    pooled = scratch.pooled
    pooled[:] = 0
    for card in range(rules.cards):
        if table.column[card] == REMOVED:
            continue
        put(network.rank[np.int64(rules.ids[card, 0])], cards[card], 0)
        add_product(inputs.cards[card], network.card, cards[card])
        rectify(cards[card])
    pass_messages(rules, table, network, scratch)
    for card in range(rules.cards):
        if table.column[card] != REMOVED:
            for j in range(width):
                pooled[j] += cards[card, j] * np.float32(POOLED)
    for column in range(rules.columns):
        put(network.column_bias, scratch.column, 0)
        add_product(inputs.columns[column], network.column, scratch.column)
        rectify(scratch.column)
        for j in range(columns):
            pooled[width + j] += scratch.column[j] * np.float32(POOLED)
    put(inputs.table, pooled, width + columns)
    put(network.first_bias, scratch.hidden, 0)
    add_product(pooled, network.first, scratch.hidden)
    rectify(scratch.hidden)
    put(network.second_bias, scratch.hidden_2, 0)
    add_product(scratch.hidden, network.second, scratch.hidden_2)
    rectify(scratch.hidden_2)
    score = network.last_bias[0]
    for j in range(scratch.hidden_2.shape[0]):
        score += scratch.hidden_2[j] * network.last[j]
    return np.float64(score)


@internal
def describe_move(
    rules: CompiledRules,
    relations: Relations,
    before: Table,
    action: int,
    after: Table,
    inputs: Inputs,
) -> None:
    """Play an action on a copy of ``before`` and write what the network is told of it.

    Changes ``after`` and ``inputs``.
    """
    copy_table(rules, before, after)
    play(rules, after, action)
    write_table(rules, relations, after, inputs)
    write_move(rules, relations, before, after, action, inputs.table)


@internal
def score_table(
    rules: CompiledRules,
    relations: Relations,
    mask: npt.NDArray[np.int8],
    network: Network,
    scratch: Scratch,
    scores: npt.NDArray[np.float64],
) -> int:
    """Write the score of each legal action of ``scratch.before`` as `score_moves` does."""
    best = np.int64(NO_MOVE)
    scores[:] = -np.inf
    for action in range(rules.deal_action + 1):
        if not mask[action]:
            continue
        describe_move(rules, relations, scratch.before, action, scratch.after, scratch.inputs)
        score = score_inputs(rules, scratch.after, network, scratch)
        score -= IDLE_COST * scratch.inputs.table[IDLE_INPUT]
        scores[action] = score
        if best == NO_MOVE or score > scores[best]:
            best = np.int64(action)
    for action in range(rules.deal_action + 1, mask.shape[0]):
        if mask[action]:
            scores[action] = UNDO_SCORE
            if best == NO_MOVE:
                best = np.int64(action)
    return best


@entry
def score_moves(
    rules: CompiledRules,
    relations: Relations,
    state: State,
    mask: npt.NDArray[np.int8],
    network: Network,
    scratch: Scratch,
    scores: npt.NDArray[np.float64],
) -> int:
    """Write the score of each legal action of a game's row; return the best one, NO_MOVE if none.

    Parameters
    ----------
    rules, relations
        `scorpion_env.rules.Rules.compiled` and `scorpion_env.solver.relations.relations_of`.
    state : State
        One game's row. Where its hidden cards lie is not looked at.
    mask : array of int8 (actions,)
        The legal actions, as `scorpion_env.engine.outcome.settle` writes them.
    network : Network
        The weights.
    scratch : Scratch
        Memory of `make_scratch`; changed.
    scores : array of float64 (actions,)
        Changed: the logit of the probability that the game is won after the action, minus infinity
        where it is illegal. Idle moves are made `IDLE_COST` worse, unless they leave a column that
        the reserve will fall on for another; undo scores `UNDO_SCORE`.
    """
    read_state(rules, relations, state, scratch.before)
    return score_table(rules, relations, mask, network, scratch, scores)
