"""How the kernels are compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

Function = TypeVar("Function", bound=Callable[..., Any])

# Kernels allocate nothing, so Numba's reference counting is off (`_nrt`): counting the arrays of
# the NamedTuples in and out of every call took six sevenths of a step. Division by zero is not
# checked.
_OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
_INSIDE: dict[str, Any] = {**_OPTIONS, "no_cpython_wrapper": True}


def _compiled(function: Function, options: dict[str, Any]) -> Function:
    """Compile a function when it is first called, or load it from the cache."""
    try:
        return cast(Function, njit(**options, cache=True)(function))
    except RuntimeError:
        # neither the folder of the sources nor the user's cache can be written
        return cast(Function, njit(**options)(function))


def kernel(function: Function) -> Function:
    """Compile a kernel that Python calls, and into all kernels that call it."""
    return _compiled(function, {**_OPTIONS, "forceinline": True})


def inlined(function: Function) -> Function:
    """Compile a kernel into all kernels that call it, for a call passes 80 words of array headers.

    It has no way in from Python: for the arrays of a batch that alone takes a second to compile.
    """
    return _compiled(function, {**_INSIDE, "forceinline": True})


def entry(function: Function) -> Function:
    """Compile a kernel that Python and kernels call and that is too large to be inlined."""
    return cast(Function, njit(**_OPTIONS)(function))


def internal(function: Function) -> Function:
    """Compile a kernel that only kernels call, once a batch or too rarely to be inlined."""
    return _compiled(function, _INSIDE)


def merged(function: Function) -> Function:
    """Compile a kernel as part of the one that calls it: no machine code is made of it alone."""
    return cast(Function, njit(**_INSIDE, inline="always")(function))


def threaded(function: Function) -> Function:
    """Compile a kernel whose `prange` runs in threads; these need the reference counting."""
    return _compiled(function, {"error_model": "numpy", "parallel": True})
