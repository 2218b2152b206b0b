"""A batch of episodes: its buffers and the compiled step that both environments call.

An episode is one game with its reward, step limit and legal mask. Each game carries a stream of
64-bit deal states: the number of the deal that comes next (see `scorpion_env.engine.deal`).
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from scorpion_env.deals import unplayable
from scorpion_env.engine.compile import inlined, internal, merged
from scorpion_env.engine.deal import MAX_DEALS_PASSED, deal, first_deal, shuffle
from scorpion_env.engine.mask import update_mask
from scorpion_env.engine.moves import apply, last_action, placement_points
from scorpion_env.engine.outcome import conclude, settle
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
    game_row,
)
from scorpion_env.observation import (
    ObservationKind,
    Tensors,
    empty_tensors,
    observe,
    observe_action,
    tensors_row,
)
from scorpion_env.rules import CompiledRules, Rules

NEXT_STEP, SAME_STEP, DISABLED = range(3)
MAX_STEP_LIMIT = 1_000_000  # an undo history without limit holds as many actions
Reward = Literal["score", "progress", "win"]
REWARD_SCORE, REWARD_PROGRESS, REWARD_WIN = range(3)


class Settings(NamedTuple):
    """How episodes run, beside the rules; the same for every game of a batch."""

    step_limit: int
    autoreset: int  # NEXT_STEP, SAME_STEP or DISABLED
    reveal_hidden: int  # 0 or 1
    reward: int  # REWARD_SCORE, REWARD_PROGRESS or REWARD_WIN
    win_bonus: float


def make_settings(
    rules: Rules,
    *,
    autoreset: int = DISABLED,
    reveal_hidden: bool = False,
    reward: Reward = "score",
    win_bonus: float = 0.0,
    step_limit: int | None = None,
) -> Settings:
    """Return the settings that environment arguments ask for.

    Raises
    ------
    ValueError
        For an unknown reward, a step limit below 1 or a bonus that is not finite.
    """
    if reward not in get_args(Reward):
        allowed = ", ".join(map(repr, get_args(Reward)))
        raise ValueError(f"reward={reward!r} is unknown: choose one of {allowed}")
    is_number = isinstance(win_bonus, int | float | np.number) and not isinstance(win_bonus, bool)
    if not (is_number and np.isfinite(win_bonus)):
        raise ValueError(f"win_bonus={win_bonus!r} must be a finite number")
    if not isinstance(reveal_hidden, bool | np.bool_ | int):
        raise ValueError(f"reveal_hidden={reveal_hidden!r} must be True or False")
    limit = rules.max_steps if step_limit is None else step_limit
    whole = isinstance(limit, int | np.integer) and not isinstance(limit, bool)
    if not (whole and 1 <= limit <= MAX_STEP_LIMIT):
        raise ValueError(f"step_limit={limit!r} must be a whole number from 1 to {MAX_STEP_LIMIT}")
    return Settings(
        step_limit=int(limit),
        autoreset=autoreset,
        reveal_hidden=int(bool(reveal_hidden)),
        reward=get_args(Reward).index(reward),
        win_bonus=float(win_bonus),
    )


class Episodes(NamedTuple):
    """What N running episodes need beside the state of their games, one row a game."""

    stream: npt.NDArray[np.uint64]  # (N,) number of the deal that comes next
    number: npt.NDArray[np.uint64]  # (N,) number of this deal, 0 where it has none
    deck: npt.NDArray[np.uint8]  # (N, cards) this deal's cards in the order dealt
    steps: npt.NDArray[np.int32]  # (N,) steps taken in this episode
    mask: npt.NDArray[np.int8]  # (N, actions) legal actions
    paid: npt.NDArray[np.bool_]  # (N, cards) cards whose placement reward="progress" has paid
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


def empty_batch(rules: Rules, games: int, kind: ObservationKind, settings: Settings) -> Batch:
    """Return a batch of ``games`` games with nothing dealt; all of its buffers are made here."""
    kept = games if settings.autoreset == SAME_STEP else 0
    limits = [limit for limit in (settings.step_limit, rules.undo_limit) if limit is not None]
    undoable = min(limits)

    def flags() -> npt.NDArray[np.bool_]:
        return np.zeros(games, np.bool_)

    episodes = Episodes(
        stream=np.zeros(games, np.uint64),
        number=np.zeros(games, np.uint64),
        deck=np.zeros((games, rules.layout.cards), np.uint8),
        steps=np.zeros(games, np.int32),
        mask=np.zeros((games, rules.actions), np.int8),
        paid=np.zeros((games, rules.layout.cards), np.bool_),
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
    return Batch(empty_state(rules, games, undoable), episodes, seen, final_seen)


def copy_batch(batch: Batch) -> Batch:
    """Return a copy that shares no memory with ``batch``."""
    return deepcopy(batch)


def restore_batch(batch: Batch, saved: Batch) -> None:
    """Overwrite every buffer of ``batch`` with those of ``saved``.

    Raises
    ------
    ValueError
        If ``saved`` is of another variant, observation or number of games.
    """
    pairs = [
        (here, there)
        for part, saved_part in zip(batch, saved, strict=True)
        for here, there in zip(part, saved_part, strict=True)
    ]
    if any(here.shape != there.shape or here.dtype != there.dtype for here, there in pairs):
        raise ValueError(
            "this state belongs to an environment of other rules, observation, autoreset mode or "
            "number of games: restore it into one that is made alike"
        )
    for here, there in pairs:
        np.copyto(here, there)


@inlined
def clear_outcome(episodes: Episodes, game: int) -> None:
    """Set the outcome of the game's last step to that of a reset."""
    episodes.reward[game] = 0.0
    episodes.terminated[game] = False
    episodes.truncated[game] = False
    episodes.illegal[game] = False


@internal
def begin(rules: CompiledRules, batch: Batch, game: int, settings: Settings) -> int:
    """Begin an episode from the cards that lie on ``game``'s tableau; return the game's status.

    Changes the game's observation and episode rows, but for the outcome of the last step.
    """
    episodes = batch.episodes
    state = game_row(batch.state, game)
    status = settle(rules, state, episodes.mask[game])
    episodes.steps[game] = 0
    episodes.paid[game] = False
    episodes.over[game] = status != PLAYING
    episodes.dealt[game] = True
    observe(rules, state, tensors_row(batch.seen, game), settings.reveal_hidden)
    return status


@internal
def begin_asked(rules: CompiledRules, batch: Batch, game: int, settings: Settings) -> None:
    """Begin an episode from the cards that lie on ``game``'s tableau, as after a reset."""
    clear_outcome(batch.episodes, game)
    begin(rules, batch, game, settings)


@internal
def begin_next(rules: CompiledRules, batch: Batch, game: int, settings: Settings) -> None:
    """Begin the next episode of the game's stream; a deal without a first move is passed over.

    If there are too many of these in a row, the game is left over.
    """
    episodes = batch.episodes
    for _ in range(MAX_DEALS_PASSED):
        episodes.number[game] = first_deal(episodes.stream[game])
        episodes.stream[game] = shuffle(episodes.deck[game], episodes.number[game])
        deal(rules, game_row(batch.state, game), episodes.deck[game])
        if begin(rules, batch, game, settings) == PLAYING:
            return


def check_begun(batch: Batch, chosen: npt.NDArray[np.bool_]) -> None:
    """Raise ValueError if a game that was just reset could not begin."""
    if (batch.episodes.over & chosen).any():
        raise unplayable()


@merged
def reset_games(
    rules: CompiledRules, batch: Batch, chosen: npt.NDArray[np.bool_], settings: Settings
) -> None:
    """Begin the next episode of the games that ``chosen`` (N,) names; changes their rows."""
    for game in range(chosen.shape[0]):
        batch.episodes.dealt[game] = False
        if chosen[game]:
            clear_outcome(batch.episodes, game)
            begin_next(rules, batch, game, settings)


@internal
def not_paid(
    rules: CompiledRules,
    state: State,
    paid: npt.NDArray[np.bool_],
    action: int,
    points: int,
    undone: int,
) -> int:
    """Return what ``reward="progress"`` leaves out of the score of an action just played.

    The points of a placement that ``paid`` (cards,) notes as paid already; undo takes back all but
    the placement of the action ``undone``. Notes the placement.
    """
    if action > rules.deal_action:
        return -placement_points(rules, state, undone)
    if points == 0:
        return 0
    card = action // rules.columns
    already = paid[card]
    paid[card] = True
    return points if already else 0


@inlined
def play_action(
    rules: CompiledRules, batch: Batch, game: int, action: int, settings: Settings
) -> int:
    """Take one step of a running episode; changes the game's rows but not its observation.

    An illegal action changes nothing but the step count. Returns what `apply` does.
    """
    state, episodes = game_row(batch.state, game), batch.episodes
    legal = episodes.mask[game, action] != 0
    reward = 0.0
    status = PLAYING
    source = -1
    if legal:
        before = state.counters[SCORE]
        down, sequences = state.counters[DOWN], state.counters[SEQUENCES]
        undone = last_action(state) if action > rules.deal_action else 0
        points = placement_points(rules, state, action)
        source = apply(rules, state, action)
        if settings.reward != REWARD_WIN:
            reward = float(state.counters[SCORE] - before)
        if settings.reward == REWARD_PROGRESS:
            reward -= not_paid(rules, state, episodes.paid[game], action, points, undone)
        card = action // rules.columns
        turned = state.counters[DOWN] < down
        anew = source < 0 or state.counters[SEQUENCES] != sequences
        live = update_mask(rules, state, episodes.mask[game], card, source, turned, anew)
        status = conclude(rules, state, episodes.mask[game], live)
    if status == WON:
        reward += settings.win_bonus + (settings.reward == REWARD_WIN)
    episodes.illegal[game] = not legal
    episodes.reward[game] = reward
    episodes.steps[game] += 1
    ended = status != PLAYING
    cut = not ended and episodes.steps[game] >= settings.step_limit
    episodes.terminated[game] = ended
    episodes.truncated[game] = cut
    episodes.over[game] = ended or cut
    return source


@internal
def refused_game(
    rules: CompiledRules, batch: Batch, actions: npt.NDArray[np.int64], only_legal: bool
) -> int:
    """Return the first running game whose action (N,) is refused, or -1; changes nothing.

    Refused is an action outside the action space and, with ``only_legal``, an illegal one.
    """
    episodes = batch.episodes
    for game in range(actions.shape[0]):
        if episodes.over[game]:
            continue
        action = actions[game]
        if action < 0 or action >= rules.actions:
            return game
        if only_legal and not episodes.mask[game, action]:
            return game
    return -1


@merged
def step_games(
    rules: CompiledRules,
    batch: Batch,
    actions: npt.NDArray[np.int64],
    settings: Settings,
    first: int,
    end: int,
) -> None:
    """Step the games from ``first`` up to ``end`` once; changes all of their rows.

    In next-step mode a game that is over begins its next episode and its action is ignored; the
    mask of a game that has just ended is all ones, since any action will do.
    """
    episodes = batch.episodes
    reveal = settings.reveal_hidden
    for game in range(first, end):
        episodes.dealt[game] = False
        if settings.autoreset == NEXT_STEP and episodes.over[game]:
            clear_outcome(episodes, game)
            begin_next(rules, batch, game, settings)
            continue
        source = play_action(rules, batch, game, actions[game], settings)
        state, seen = game_row(batch.state, game), tensors_row(batch.seen, game)
        if not episodes.over[game]:
            observe_action(rules, state, seen, reveal, actions[game], source)
        elif settings.autoreset == SAME_STEP:
            observe(rules, state, tensors_row(batch.final_seen, game), reveal)
            for action in range(rules.actions):
                episodes.final_mask[game, action] = episodes.mask[game, action]
            for counter in range(COUNTERS):
                episodes.final_counters[game, counter] = state.counters[counter]
            begin_next(rules, batch, game, settings)
        else:
            observe(rules, state, seen, reveal)
            if settings.autoreset == NEXT_STEP:
                episodes.mask[game] = 1


def counters_info(counters: npt.NDArray[np.int32]) -> dict[str, npt.NDArray[Any]]:
    """Return the ``info`` entries (N,) that the counters (N, COUNTERS) of N games hold."""
    columns = counters.T.astype(np.int64)
    return {
        "score": columns[SCORE],
        "moves": columns[MOVES],
        "face_down_cards": columns[DOWN],
        "sequences": columns[SEQUENCES],
        "is_success": columns[STATUS] == WON,
    }
