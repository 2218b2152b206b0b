"""A short way into the kernels.

Numba takes half a microsecond to look at each array that Python passes to a kernel, and a batch has
some 40. They never move, so a `Handle` notes their addresses and shapes once, in one array of
integers, and the kernels behind it find them from there. It lives as long as its batch and never
travels: a copied or unpickled handle notes the addresses of the copies.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from llvmlite import ir
from numba import config, prange, set_num_threads, types
from numba.core.dispatcher import Dispatcher
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

from scorpion_env.batch import (
    Batch,
    Episodes,
    Settings,
    begin_asked,
    refused_game,
    reset_games,
    step_games,
)
from scorpion_env.deals import Deal, lay_out
from scorpion_env.engine.compile import inlined, kernel, threaded
from scorpion_env.engine.state import State, row_of
from scorpion_env.observation import Tensors
from scorpion_env.rules import CompiledRules, Rules, is_whole
from scorpion_env.threads import check_fork

Numbers = npt.NDArray[np.int64]

_SLOT = 4  # numbers an array takes: address, then up to three lengths
_RULES, _RULE_NUMBERS = 0, 11
_SETTINGS = _RULES + _RULE_NUMBERS
_SETTING_NUMBERS = 4
_ARRAYS = _SETTINGS + _SETTING_NUMBERS
# what `_open_rules`, `_open_batch` and `_open_settings` expect: each array's dtype and dimensions
_EXPECTED = (
    "h1 h1 h1 h2 h1 h2 "  # rules
    "B3 h2 h2 b2 B2 B2 B3 B2 i2 i3 "  # state
    "L1 L1 B2 i1 b2 ?2 d1 ?1 ?1 ?1 ?1 ?1 b2 i2 "  # episodes
    "B3 B2 B2 B2 B2 B3 B2 B2 B2 B2 "  # tensors
    "d1"  # win bonus
)


class Handle:
    """What a kernel needs of a batch, its rules and its settings, in one array.

    Parameters
    ----------
    rules : Rules
        The rules of all games.
    batch : Batch
        Its arrays must stay the same objects' memory for as long as the handle is used.
    settings : Settings
        How episodes run.
    threads : int
        How many threads share a step; what it does is the same with any number.

    Raises
    ------
    ValueError
        If there are not so many threads.
    """

    def __init__(self, rules: Rules, batch: Batch, settings: Settings, threads: int = 1) -> None:
        most = vars(config)["NUMBA_NUM_THREADS"]
        if not is_whole(threads) or not 1 <= threads <= most:
            raise ValueError(f"num_threads={threads!r} must be a whole number from 1 to {most}")
        self.rules, self.batch, self.settings, self.threads = rules, batch, settings, threads
        compiled = rules.compiled
        self._bonus = np.array([settings.win_bonus])
        # the rules' arrays are kept here too: an address alone keeps nothing alive
        self._arrays: list[npt.NDArray[Any]] = [
            *(field for field in compiled if isinstance(field, np.ndarray)),
            *(array for part in batch for array in part),
            self._bonus,
        ]
        kinds = " ".join(f"{array.dtype.char}{array.ndim}" for array in self._arrays)
        assert kinds == _EXPECTED, "a kernel would take one array for another"
        numbers = [field for field in compiled if isinstance(field, int)]
        assert len(numbers) == _RULE_NUMBERS
        numbers += [int(field) for field in settings[:_SETTING_NUMBERS]]
        for array in self._arrays:
            lengths = [*array.shape, *[0] * (_SLOT - 1 - array.ndim)]
            numbers += [array.ctypes.data, *lengths]
        self.numbers: Numbers = np.array(numbers, np.int64)

    def __reduce__(self) -> tuple[type[Handle], tuple[Rules, Batch, Settings, int]]:
        return Handle, (self.rules, self.batch, self.settings, self.threads)

    def step(self, actions: npt.NDArray[np.int64]) -> None:
        """Step every game once (see `scorpion_env.batch.step_games`)."""
        games = len(actions)
        if not _IS_COMPILED:
            step_games(self.rules.compiled, self.batch, actions, self.settings, 0, games)
        elif self.threads == 1:
            _step(self.numbers, actions, 0, games)
        else:
            check_fork()
            set_num_threads(self.threads)
            _step_in_threads(self.numbers, actions, self.threads)

    def refused(self, actions: npt.NDArray[np.int64], only_legal: bool) -> int:
        """Return the first game whose action is refused (see `scorpion_env.batch.refused_game`)."""
        if not _IS_COMPILED:
            return refused_game(self.rules.compiled, self.batch, actions, only_legal)
        return _refused(self.numbers, actions, only_legal)

    def begin(self, game: int, asked: Deal) -> None:
        """Begin an episode of a game with the deal asked for; changes all of the game's rows."""
        episodes = self.batch.episodes
        episodes.number[game] = asked.number
        episodes.deck[game] = asked.deck
        lay_out(self.rules, row_of(self.batch.state, game), asked)
        if _IS_COMPILED:
            _begin(self.numbers, game)
        else:
            begin_asked(self.rules.compiled, self.batch, game, self.settings)

    def reset(self, chosen: npt.NDArray[np.bool_]) -> None:
        """Begin the next episode of some games (see `scorpion_env.batch.reset_games`)."""
        if not _IS_COMPILED:
            reset_games(self.rules.compiled, self.batch, chosen, self.settings)
        else:
            _reset(self.numbers, chosen)


@kernel
def _step(numbers: Numbers, actions: npt.NDArray[np.int64], first: int, end: int) -> None:
    """Step some games of the handle's batch; changes all of their rows."""
    step_games(
        _open_rules(numbers), _open_batch(numbers), actions, _open_settings(numbers), first, end
    )


@threaded
def _step_in_threads(numbers: Numbers, actions: npt.NDArray[np.int64], threads: int) -> None:
    """Step every game of the handle's batch, each thread its share; changes all of its rows."""
    games = actions.shape[0]
    for thread in prange(threads):
        _step(numbers, actions, games * thread // threads, games * (thread + 1) // threads)


# With NUMBA_DISABLE_JIT there is no way from an address to an array.
_IS_COMPILED = isinstance(_step, Dispatcher)


@kernel
def _refused(numbers: Numbers, actions: npt.NDArray[np.int64], only_legal: bool) -> int:
    """Return the first game of the handle's batch whose action is refused; changes nothing."""
    return refused_game(_open_rules(numbers), _open_batch(numbers), actions, only_legal)


@kernel
def _begin(numbers: Numbers, game: int) -> None:
    """Begin an episode from the cards on the game's tableau; changes the game's other rows."""
    begin_asked(_open_rules(numbers), _open_batch(numbers), game, _open_settings(numbers))


@kernel
def _reset(numbers: Numbers, chosen: npt.NDArray[np.bool_]) -> None:
    """Begin the next episode of the chosen games of the handle's batch; changes their rows."""
    reset_games(_open_rules(numbers), _open_batch(numbers), chosen, _open_settings(numbers))


def _opener(dimensions: int) -> Any:
    """Return an intrinsic ``(numbers, k, dtype)`` that gives a handle's k-th array."""

    def open_array(typing_context: Any, numbers: Any, k: Any, dtype: Any) -> Any:
        array_type = types.Array(dtype.dtype, dimensions, "C")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            held = make_array(numbers)(context, builder, arguments[0])
            slot = builder.add(builder.mul(arguments[1], _word(_SLOT)), _word(_ARRAYS))
            address, *lengths = (
                builder.load(builder.gep(held.data, [builder.add(slot, _word(place))]))
                for place in range(dimensions + 1)
            )
            array = make_array(array_type)(context, builder)
            itemsize = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
            strides = [_word(itemsize)]
            for length in reversed(lengths[1:]):
                strides.insert(0, builder.mul(strides[0], length))
            populate_array(
                array,
                data=builder.inttoptr(address, array.data.type),
                shape=lengths,
                strides=strides,
                itemsize=_word(itemsize),
                meminfo=None,
            )
            return array._getvalue()

        return array_type(numbers, types.int64, dtype), generate

    return intrinsic(open_array)


def _word(value: int) -> ir.Constant:
    return ir.Constant(ir.IntType(64), value)


_line, _table, _block = _opener(1), _opener(2), _opener(3)


@inlined
def _open_rules(n: Numbers) -> CompiledRules:
    """Return the rules, from their 11 numbers and arrays 0 to 5."""
    return CompiledRules(
        n[0],
        n[1],
        n[2],
        n[3],
        n[4],
        n[5],
        n[6],
        n[7],
        n[8],
        n[9],
        n[10],
        _line(n, 0, np.int16),
        _line(n, 1, np.int16),
        _line(n, 2, np.int16),
        _table(n, 3, np.int16),
        _line(n, 4, np.int16),
        _table(n, 5, np.int16),
    )


@inlined
def _open_settings(n: Numbers) -> Settings:
    """Return the settings, from their numbers and the last array."""
    at = _SETTINGS
    return Settings(n[at], n[at + 1], n[at + 2], n[at + 3], _line(n, 40, np.float64)[0])


@inlined
def _open_tensors(n: Numbers, k: np.int64) -> Tensors:
    """Return the tensors from array ``k`` on."""
    return Tensors(
        _block(n, k, np.uint8),
        _table(n, k + 1, np.uint8),
        _table(n, k + 2, np.uint8),
        _table(n, k + 3, np.uint8),
        _table(n, k + 4, np.uint8),
    )


@inlined
def _open_batch(n: Numbers) -> Batch:
    """Return the batch, from arrays 6 to 39."""
    state = State(
        _block(n, 6, np.uint8),
        _table(n, 7, np.int16),
        _table(n, 8, np.int16),
        _table(n, 9, np.int8),
        _table(n, 10, np.uint8),
        _table(n, 11, np.uint8),
        _block(n, 12, np.uint8),
        _table(n, 13, np.uint8),
        _table(n, 14, np.int32),
        _block(n, 15, np.int32),
    )
    episodes = Episodes(
        _line(n, 16, np.uint64),
        _line(n, 17, np.uint64),
        _table(n, 18, np.uint8),
        _line(n, 19, np.int32),
        _table(n, 20, np.int8),
        _table(n, 21, np.bool_),
        _line(n, 22, np.float64),
        _line(n, 23, np.bool_),
        _line(n, 24, np.bool_),
        _line(n, 25, np.bool_),
        _line(n, 26, np.bool_),
        _line(n, 27, np.bool_),
        _table(n, 28, np.int8),
        _table(n, 29, np.int32),
    )
    return Batch(state, episodes, _open_tensors(n, np.int64(30)), _open_tensors(n, np.int64(35)))
