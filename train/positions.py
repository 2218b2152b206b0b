"""Positions to learn from: games played on solved deals, and what became of each legal move.

A label says of a legal action whether the true deal can still be won after it (`judge_game`), or
whether the policy itself wins it (`train.rollouts.try_game`). Labels know the hidden cards, the
network's inputs do not: it learns the share of labels that are 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.inputs import IDLE_INPUT, Inputs
from agents.network import Network, Scratch, describe_move, make_scratch, score_moves
from agents.table import REMOVED, read_state
from scorpion_env.engine.compile import inlined, internal, kernel
from scorpion_env.engine.deal import mix
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import PLAYING, WON, State, empty_state, row_of
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.analysis import LOSES, WINS, Worlds, judge_moves
from scorpion_env.solver.relations import Relations, relations_of
from scorpion_env.solver.search import Options, Search, new_search
from scorpion_env.solver.tree import pack, unpack

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_S11 = np.uint64(11)


class Play(NamedTuple):
    """How a game is played to find positions."""

    noise: float  # share of actions drawn uniformly
    rescue: float  # share of losing choices that are replaced by winning ones; else the game ends
    nodes: int  # the solver's budget for a move
    step_limit: int


class Tools(NamedTuple):
    """Memory for playing and judging one game at a time."""

    search: Search
    worlds: Worlds
    scratch: Scratch
    state: State  # the game
    tried: State  # a copy to try moves on
    mask: npt.NDArray[np.int8]  # (actions,)
    tried_mask: npt.NDArray[np.int8]  # (actions,)
    scores: npt.NDArray[np.float64]  # (actions,)
    random: npt.NDArray[np.uint64]  # (1,) the generator's state


class Kept(NamedTuple):
    """Positions with their labels."""

    packed: npt.NDArray[np.uint8]  # (n, bytes) see `scorpion_env.solver.tree.pack`
    verdicts: npt.NDArray[np.int8]  # (n, actions) WINS, LOSES, UNDECIDED or NOT_JUDGED


def packed_size(rules: Rules) -> int:
    """Return the bytes of a packed position."""
    layout = rules.layout
    return 2 * len(layout.columns) + layout.reserve_cards + layout.cards


def make_tools(rules: Rules, network: Network, nodes: int, seed: int) -> Tools:
    """Return memory for games under these rules."""
    return Tools(
        search=new_search(rules, relations_of(rules).families, nodes),
        worlds=Worlds(
            np.zeros(packed_size(rules), np.uint8),
            np.zeros(packed_size(rules), np.uint8),
            np.zeros(rules.layout.cards, np.uint8),
            np.zeros(rules.actions, np.int8),
        ),
        scratch=make_scratch(rules, network),
        state=row_of(empty_state(rules, 1, undoable=0), 0),
        tried=row_of(empty_state(rules, 1, undoable=0), 0),
        mask=np.zeros(rules.actions, np.int8),
        tried_mask=np.zeros(rules.actions, np.int8),
        scores=np.zeros(rules.actions, np.float64),
        random=np.array([seed], np.uint64),
    )


@inlined
def draw(random: npt.NDArray[np.uint64]) -> float:
    """Return the next number from 0 up to below 1; changes the generator's state."""
    random[0] = random[0] + _GAMMA
    return np.float64(mix(random[0]) >> _S11) * 2.0**-53


@inlined
def draw_action(
    random: npt.NDArray[np.uint64], allowed: npt.NDArray[np.int8], value: int, actions: int
) -> int:
    """Return one of the first ``actions`` whose entry is ``value``, -1 if there is none."""
    chosen = np.int64(-1)
    found = 0
    for action in range(actions):
        if allowed[action] == value:
            found += 1
            if draw(random) * found < 1.0:
                chosen = np.int64(action)
    return chosen


@internal
def policy_action(
    rules: CompiledRules, relations: Relations, network: Network, tools: Tools, noise: float
) -> int:
    """Return what the policy plays in ``tools.state``, whose mask is known, noise included."""
    if noise > 0 and draw(tools.random) < noise:
        return draw_action(tools.random, tools.mask, 1, rules.deal_action + 1)
    return score_moves(
        rules, relations, tools.state, tools.mask, network, tools.scratch, tools.scores
    )


@kernel
def judge_game(
    rules: CompiledRules,
    relations: Relations,
    options: Options,
    network: Network,
    tools: Tools,
    play: Play,
    kept: Kept,
    first: int,
) -> int:
    """Play ``tools.state`` with the policy; keep its positions from row ``first`` of ``kept`` on.

    Labels: can the deal still be won after the move. The game ends where it no longer can.
    Returns the number of rows kept.
    """
    count = 0
    for _ in range(play.step_limit):
        if settle(rules, tools.state, tools.mask) != PLAYING:
            break
        legal = 0
        for action in range(rules.deal_action + 1):
            legal += tools.mask[action]
        action = policy_action(rules, relations, network, tools, play.noise)
        if legal > 1:
            if first + count == kept.packed.shape[0]:
                break
            verdicts = kept.verdicts[first + count]
            judge_moves(
                rules,
                relations,
                options,
                tools.search,
                tools.state,
                tools.worlds,
                play.nodes,
                verdicts,
            )
            winning = draw_action(tools.random, verdicts, WINS, rules.deal_action + 1)
            if winning < 0:
                break
            pack(rules, tools.state, kept.packed[first + count])
            count += 1
            if verdicts[action] != WINS:
                if draw(tools.random) >= play.rescue:
                    break
                action = winning
        apply(rules, tools.state, action)
    return count


@kernel
def play_game(
    rules: CompiledRules, relations: Relations, network: Network, tools: Tools, step_limit: int
) -> bool:
    """Play ``tools.state`` to its end with the policy; return whether it is won."""
    for _ in range(step_limit):
        status = settle(rules, tools.state, tools.mask)
        if status != PLAYING:
            return status == WON
        apply(rules, tools.state, policy_action(rules, relations, network, tools, 0.0))
    return settle(rules, tools.state, tools.mask) == WON


@inlined
def write_example(
    rules: CompiledRules,
    inputs: Inputs,
    scratch: Scratch,
    present: npt.NDArray[np.float32],
    row: int,
) -> None:
    """Copy the inputs of ``scratch`` into row ``row`` of a batch."""
    given = scratch.inputs
    for card in range(rules.cards):
        present[row, card] = scratch.after.column[card] != REMOVED
        for j in range(given.cards.shape[1]):
            inputs.cards[row, card, j] = given.cards[card, j]
        for j in range(given.neighbours.shape[1]):
            inputs.neighbours[row, card, j] = given.neighbours[card, j]
    for column in range(rules.columns):
        for j in range(given.columns.shape[1]):
            inputs.columns[row, column, j] = given.columns[column, j]
    for j in range(given.table.shape[0]):
        inputs.table[row, j] = given.table[j]


@kernel
def write_examples(
    rules: CompiledRules,
    relations: Relations,
    tools: Tools,
    kept: Kept,
    chosen: npt.NDArray[np.int64],
    inputs: Inputs,
    present: npt.NDArray[np.float32],
    labels: npt.NDArray[np.float32],
    position: npt.NDArray[np.int64],
) -> int:
    """Write the judged moves of the ``chosen`` rows of ``kept`` into the rows of a batch.

    Idle moves that lead nowhere are left out.

    ``labels`` and ``position`` (n,) get whether the move wins and the place in ``chosen`` of the
    position it belongs to. Returns the rows written; ends early rather than split a position.
    """
    row = 0
    scratch = tools.scratch
    for number in range(chosen.shape[0]):
        unpack(rules, kept.packed[chosen[number]], tools.state)
        verdicts = kept.verdicts[chosen[number]]
        judged = 0
        for action in range(rules.deal_action + 1):
            judged += verdicts[action] == WINS or verdicts[action] == LOSES
        if row + judged > labels.shape[0]:
            break
        read_state(rules, relations, tools.state, scratch.before)
        for action in range(rules.deal_action + 1):
            if verdicts[action] != WINS and verdicts[action] != LOSES:
                continue
            describe_move(rules, relations, scratch.before, action, scratch.after, scratch.inputs)
            # what leads nowhere always still wins, and would be learned instead of what helps
            if scratch.inputs.table[IDLE_INPUT] > 0:
                continue
            write_example(rules, inputs, scratch, present, row)
            labels[row] = verdicts[action] == WINS
            position[row] = number
            row += 1
    return row
