"""A batch of episodes: its buffers and the compiled step that both environments call.

An episode is one game with its reward, step limit and legal mask. Each game carries a stream of
64-bit deal states: the number of the deal that comes next (see `scorpion_env.engine.deal`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from scorpion_env.engine.deal import deal, first_deal, shuffle
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import (
    COUNTERS,
    DOWN,
    MOVES,
    PLAYING,
    SCORE,
    SEQUENCES,
    STATUS,
    WON,
    State,
    empty_state,
)
from scorpion_env.observation import ObservationKind, Tensors, empty_tensors, observe
from scorpion_env.rules import CompiledRules, Rules

NEXT_STEP, SAME_STEP, DISABLED = range(3)


class Episodes(NamedTuple):
    """What N running episodes need beside the state of their games, one row a game."""

    stream: npt.NDArray[np.uint64]  # (N,) number of the deal that comes next
    number: npt.NDArray[np.uint64]  # (N,) number of this deal, 0 where it has none
    deck: npt.NDArray[np.uint8]  # (N, cards) this deal's cards in the order dealt
    steps: npt.NDArray[np.int32]  # (N,) steps taken in this episode
    mask: npt.NDArray[np.int8]  # (N, actions) legal actions
    reward: npt.NDArray[np.float64]  # (N,) of the last step
    terminated: npt.NDArray[np.bool_]  # (N,)
    truncated: npt.NDArray[np.bool_]  # (N,)
    illegal: npt.NDArray[np.bool_]  # (N,) the last action was illegal
    over: npt.NDArray[np.bool_]  # (N,) the episode has ended and no new one has begun
    dealt: npt.NDArray[np.bool_]  # (N,) the last step or reset dealt a new game
    final_mask: npt.NDArray[np.int8]  # (N, actions) masks of the episodes that same-step ended
    final_counters: npt.NDArray[np.int32]  # (N, COUNTERS) and their counters


class Batch(NamedTuple):
    """Games, their episodes and their observations."""

    state: State
    episodes: Episodes
    seen: Tensors
    final_seen: Tensors  # last observations of episodes that ended in a same-step reset


def empty_batch(rules: Rules, games: int, kind: ObservationKind, same_step: bool = False) -> Batch:
    """Return a batch of ``games`` games with nothing dealt; all of its buffers are made here."""
    kept = games if same_step else 0

    def flags() -> npt.NDArray[np.bool_]:
        return np.zeros(games, np.bool_)

    episodes = Episodes(
        stream=np.zeros(games, np.uint64),
        number=np.zeros(games, np.uint64),
        deck=np.zeros((games, rules.layout.cards), np.uint8),
        steps=np.zeros(games, np.int32),
        mask=np.zeros((games, rules.actions), np.int8),
        reward=np.zeros(games, np.float64),
        terminated=flags(),
        truncated=flags(),
        illegal=flags(),
        over=flags(),
        dealt=flags(),
        final_mask=np.zeros((kept, rules.actions), np.int8),
        final_counters=np.zeros((kept, COUNTERS), np.int32),
    )
    seen, final_seen = empty_tensors(rules, games, kind), empty_tensors(rules, kept, kind)
    return Batch(empty_state(rules, games), episodes, seen, final_seen)


@njit(cache=True)
def begin(rules: CompiledRules, batch: Batch, game: int, reveal: bool) -> int:
    """Deal ``game``'s deck as a new episode; return its status. Changes all of the game's rows."""
    episodes = batch.episodes
    deal(rules, batch.state, game, episodes.deck[game])
    status = settle(rules, batch.state, game, episodes.mask[game])
    episodes.steps[game] = 0
    episodes.over[game] = status != PLAYING
    episodes.dealt[game] = True
    observe(rules, batch.state, game, batch.seen, game, reveal)
    return status


@njit(cache=True)
def begin_next(rules: CompiledRules, batch: Batch, game: int, reveal: bool) -> None:
    """Begin the next episode of the game's stream; a deal without a first move is passed over."""
    episodes = batch.episodes
    status = WON
    while status != PLAYING:
        episodes.number[game] = first_deal(episodes.stream[game])
        episodes.stream[game] = shuffle(episodes.deck[game], episodes.number[game])
        status = begin(rules, batch, game, reveal)


@njit(cache=True)
def clear_outcome(episodes: Episodes, game: int) -> None:
    """Set the outcome of the game's last step to that of a reset."""
    episodes.reward[game] = 0.0
    episodes.terminated[game] = False
    episodes.truncated[game] = False
    episodes.illegal[game] = False


@njit(cache=True)
def reset_games(
    rules: CompiledRules, batch: Batch, chosen: npt.NDArray[np.bool_], reveal: bool
) -> None:
    """Begin the next episode of the games that ``chosen`` (N,) names; changes their rows."""
    for game in range(chosen.shape[0]):
        batch.episodes.dealt[game] = False
        if chosen[game]:
            clear_outcome(batch.episodes, game)
            begin_next(rules, batch, game, reveal)


@njit(cache=True)
def play_action(
    rules: CompiledRules, batch: Batch, game: int, action: int, step_limit: int
) -> None:
    """Take one step of a running episode; changes the game's rows but not its observation.

    An illegal action changes nothing but the step count.
    """
    state, episodes = batch.state, batch.episodes
    legal = episodes.mask[game, action] != 0
    before = state.counters[game, SCORE]
    if legal:
        apply(rules, state, game, action)
        settle(rules, state, game, episodes.mask[game])
    episodes.illegal[game] = not legal
    episodes.reward[game] = state.counters[game, SCORE] - before
    episodes.steps[game] += 1
    ended = state.counters[game, STATUS] != PLAYING
    cut = not ended and episodes.steps[game] >= step_limit
    episodes.terminated[game] = ended
    episodes.truncated[game] = cut
    episodes.over[game] = ended or cut


@njit(cache=True)
def step_games(
    rules: CompiledRules,
    batch: Batch,
    actions: npt.NDArray[np.int64],
    step_limit: int,
    autoreset: int,
    reveal: bool,
) -> None:
    """Step every game once, with the given autoreset mode; changes all rows of the batch.

    In next-step mode a game that is over begins its next episode and its action is ignored; the
    mask of a game that has just ended is all ones, since any action will do.
    """
    episodes = batch.episodes
    for game in range(actions.shape[0]):
        episodes.dealt[game] = False
        if autoreset == NEXT_STEP and episodes.over[game]:
            clear_outcome(episodes, game)
            begin_next(rules, batch, game, reveal)
            continue
        play_action(rules, batch, game, actions[game], step_limit)
        if not episodes.over[game]:
            observe(rules, batch.state, game, batch.seen, game, reveal)
        elif autoreset == SAME_STEP:
            observe(rules, batch.state, game, batch.final_seen, game, reveal)
            episodes.final_mask[game] = episodes.mask[game]
            episodes.final_counters[game] = batch.state.counters[game]
            begin_next(rules, batch, game, reveal)
        else:
            observe(rules, batch.state, game, batch.seen, game, reveal)
            if autoreset == NEXT_STEP:
                episodes.mask[game] = 1


def counters_info(counters: npt.NDArray[np.int32]) -> dict[str, npt.NDArray]:
    """Return the ``info`` entries that counters (..., COUNTERS) hold, one array each."""
    return {
        "score": counters[..., SCORE].astype(np.int64),
        "moves": counters[..., MOVES].astype(np.int64),
        "face_down_cards": counters[..., DOWN].astype(np.int64),
        "sequences": counters[..., SEQUENCES].astype(np.int64),
        "is_success": counters[..., STATUS] == WON,
    }
