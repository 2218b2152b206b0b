"""Labels beyond the solver's: whether the policy itself wins the deal after each legal move.

That a deal can still be won with all cards known says too much of a move: the policy will not see
them. Here each legal move is tried on the true deal and the policy plays on; what it learns from
is one step better than what it is, and that can be repeated.

The policy has no memory, so it ends from a position as it did before: what became of each position
of a game's rollouts is remembered, and most rollouts soon meet another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from agents.network import Network
from scorpion_env.engine.compile import inlined, internal, kernel
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import PLAYING, WON, State
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.analysis import LOSES, NOT_JUDGED, WINS
from scorpion_env.solver.keys import write_keys
from scorpion_env.solver.relations import Relations
from scorpion_env.solver.relaxation import NO_PROOF, relax
from scorpion_env.solver.tree import pack, unpack
from train.positions import Kept, Play, Tools, draw, draw_action, policy_action
from train.solved_deals import SALT


@inlined
def only_action(rules: CompiledRules, tools: Tools) -> int:
    """Return the only legal action, -1 if there are several; changes nothing."""
    found = -1
    for action in range(rules.deal_action + 1):
        if tools.mask[action]:
            if found >= 0:
                return -1
            found = action
    return found


@inlined
def is_proven_lost(rules: CompiledRules, relations: Relations, state: State, tools: Tools) -> bool:
    """Say whether the relaxation proves a game lost, all cards known."""
    reason, _card = relax(rules, relations, state, tools.search.facts)
    return reason != NO_PROOF


class Known(NamedTuple):
    """What became of positions of one game; keys are those of `scorpion_env.solver.keys`."""

    keys: npt.NDArray[np.uint64]  # (slots,) a power of 2; 0 is an empty slot
    verdicts: npt.NDArray[np.int8]  # (slots,)
    path: npt.NDArray[np.uint64]  # (steps,) the positions of the rollout that is under way
    columns: npt.NDArray[np.uint64]  # (columns,) scratch
    count: npt.NDArray[np.int64]  # (1,) slots in use


def make_known(rules: Rules, step_limit: int, slots: int = 1 << 15) -> Known:
    """Return memory for the positions of a game's rollouts."""
    return Known(
        np.zeros(slots, np.uint64),
        np.zeros(slots, np.int8),
        np.zeros(step_limit, np.uint64),
        np.zeros(len(rules.layout.columns), np.uint64),
        np.zeros(1, np.int64),
    )


@inlined
def forget(known: Known) -> None:
    """Forget all positions."""
    if known.count[0] > 0:
        known.keys[:] = 0
        known.count[0] = 0


@inlined
def slot_of(known: Known, key: np.uint64) -> int:
    """Return the slot that holds a key, or the empty one where it belongs; changes nothing."""
    wrap = known.keys.shape[0] - 1
    slot = np.int64(key >> np.uint64(20)) & wrap
    while known.keys[slot] != 0 and known.keys[slot] != key:
        slot = (slot + 1) & wrap
    return slot


@inlined
def note(known: Known, key: np.uint64, verdict: int) -> None:
    """Note what became of a position."""
    if 2 * known.count[0] >= known.keys.shape[0]:
        forget(known)
    slot = slot_of(known, key)
    if known.keys[slot] == 0:
        known.keys[slot] = key
        known.count[0] += 1
    known.verdicts[slot] = verdict


@inlined
def remember(known: Known, steps: int, verdict: int) -> int:
    """Note what became of the first ``steps`` positions of the path; return it."""
    for step in range(steps):
        note(known, known.path[step], verdict)
    return verdict


@internal
def play_on(
    rules: CompiledRules,
    relations: Relations,
    network: Network,
    tools: Tools,
    known: Known,
    steps: int,
) -> int:
    """Play ``tools.state`` on with the policy; return WINS, or LOSES as soon as it is proven."""
    for step in range(steps):
        status = settle(rules, tools.state, tools.mask)
        if status != PLAYING:
            return remember(known, step, WINS if status == WON else LOSES)
        if is_proven_lost(rules, relations, tools.state, tools):
            return remember(known, step, LOSES)
        key = write_keys(rules, relations, tools.state, np.uint64(SALT), known.columns)
        key = max(key, np.uint64(1))
        slot = slot_of(known, key)
        if known.keys[slot] == key:
            return remember(known, step, known.verdicts[slot])
        known.path[step] = key
        # whoever comes here again on the same path goes round for ever
        note(known, key, LOSES)
        action = only_action(rules, tools)
        if action < 0:
            action = policy_action(rules, relations, network, tools, 0.0)
        apply(rules, tools.state, action)
    return remember(known, steps, LOSES)


@internal
def try_moves(
    rules: CompiledRules,
    relations: Relations,
    network: Network,
    tools: Tools,
    known: Known,
    kept: Kept,
    row: int,
    steps: int,
) -> int:
    """Write a label for each legal move of the position packed in a row; return how many win."""
    verdicts = kept.verdicts[row]
    wins = 0
    for action in range(rules.deal_action + 1):
        tools.tried_mask[action] = tools.mask[action]
    for action in range(verdicts.shape[0]):
        verdicts[action] = NOT_JUDGED
    for action in range(rules.deal_action + 1):
        if tools.tried_mask[action]:
            unpack(rules, kept.packed[row], tools.state)
            apply(rules, tools.state, action)
            verdict = play_on(rules, relations, network, tools, known, steps)
            verdicts[action] = verdict
            wins += verdict == WINS
    return wins


@kernel
def try_game(
    rules: CompiledRules,
    relations: Relations,
    network: Network,
    tools: Tools,
    known: Known,
    play: Play,
    quiet: float,
    kept: Kept,
    first: int,
) -> int:
    """Play ``tools.tried`` with the policy; keep positions from row ``first`` of ``kept`` on.

    Labels: does the policy, without noise, win after the move. Positions whose moves all have the
    same label are kept with probability ``quiet``. Returns the number of rows kept.
    """
    count = 0
    game = tools.tried
    forget(known)
    for step in range(play.step_limit):
        if is_proven_lost(rules, relations, game, tools):
            break
        row = first + count
        if row == kept.packed.shape[0]:
            break
        pack(rules, game, kept.packed[row])
        unpack(rules, kept.packed[row], tools.state)
        if settle(rules, tools.state, tools.mask) != PLAYING:
            break
        action = only_action(rules, tools)
        if action < 0:
            action = policy_action(rules, relations, network, tools, play.noise)
            wins = try_moves(
                rules, relations, network, tools, known, kept, row, play.step_limit - step - 1
            )
            legal = 0
            for k in range(rules.deal_action + 1):
                legal += tools.tried_mask[k]
            if 0 < wins < legal or draw(tools.random) < quiet:
                count += 1
            verdicts = kept.verdicts[row]
            if wins > 0 and verdicts[action] != WINS and draw(tools.random) < play.rescue:
                action = draw_action(tools.random, verdicts, WINS, rules.deal_action + 1)
        apply(rules, game, action)
    return count
