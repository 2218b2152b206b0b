"""What every agent is, and the chance that agents draw from."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from scorpion_env.observation import ObservationKind

Seeds = npt.NDArray[np.uint64]
Rows = npt.NDArray[np.int64]
Mask = npt.NDArray[np.int8] | npt.NDArray[np.bool_]
Weights = npt.NDArray[np.float64] | npt.NDArray[np.float32] | Mask
Actions = npt.NDArray[np.int64]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


class Agent(ABC):
    """A player of N games at once.

    A new agent is a subclass with a ``name`` and ``act``; chance comes from ``self.chance`` alone.
    One that keeps a memory of its games extends ``begin`` and ``keep`` too. Who plays it calls
    ``begin``, then ``act`` before each step and ``keep`` when games end.

    Parameters
    ----------
    seed : int
        Seeds the agent's chance; agents without chance ignore it.

    Attributes
    ----------
    name : str
        What tables call the agent.
    observation : {"cards", "planes", "both"}
        The kind of observation that ``act`` needs.
    """

    name: str
    observation: ObservationKind = "cards"

    def __init__(self, seed: int = 0) -> None:
        self.chance = Chance(seed)

    def begin(self, seeds: Seeds) -> None:
        """Begin N new games; ``seeds`` (N,) are the seeds of their deals."""
        self.chance.begin(seeds)

    def keep(self, rows: Rows, seeds: Seeds) -> None:
        """Go on with these rows of the batch, followed by new games; the other games are over.

        ``rows`` are the places in the batch as it was, ``seeds`` the new games' (none: empty).
        """
        self.chance.keep(rows, seeds)

    @abstractmethod
    def act(self, observation: Any, mask: Mask) -> Actions:
        """Return a legal action (N,) for each game.

        Parameters
        ----------
        observation
            What `scorpion_env.vector_env.ScorpionVectorEnv` returns for the N games, valid until
            the next step.
        mask : array of int8 or bool (N, actions)
            The legal actions; at least one in every game.
        """

    def probabilities(self) -> npt.NDArray[np.float64] | None:
        """Return what the last `act` made of each action: a probability (N, actions).

        A row of zeros tells nothing of its game; None, as here, of no game.
        """
        return None


def softmax(scores: Weights) -> npt.NDArray[np.float64]:
    """Return each row's exponentials (N, actions) as shares of their sum."""
    weights = np.exp(np.subtract(scores, scores.max(axis=1, keepdims=True), dtype=np.float64))
    shares: npt.NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return shares


class Chance:
    """A stream of random numbers for each game.

    A draw depends on the agent's seed, the seed of the deal and how many draws that game has had,
    so a game's chance is the same whatever games are played beside it.

    Parameters
    ----------
    seed : int
        Any whole number; seeds that are equal modulo 2**64 are the same.
    """

    def __init__(self, seed: int = 0) -> None:
        self._key = _mix(np.array([seed % 2**64], np.uint64) + _GAMMA)
        self._states = np.zeros(0, np.uint64)

    def begin(self, seeds: Seeds) -> None:
        """Begin the streams of N games, whose deals have these seeds (N,)."""
        self._states = _mix(self._key + seeds * _GAMMA)

    def keep(self, rows: Rows, seeds: Seeds) -> None:
        """Go on with the streams of these rows, followed by those of new games."""
        kept = self._states[rows]
        self.begin(seeds)
        self._states = np.concatenate([kept, self._states])

    def draw(self) -> npt.NDArray[np.float64]:
        """Return the next number (N,) of each stream, from 0 up to below 1."""
        self._states = self._states + _GAMMA
        return (_mix(self._states) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def choose(self, weights: Weights) -> Actions:
        """Draw an action (N,) from each row of weights (N, actions), in proportion to them.

        A weight of 0 is never chosen; each row needs one above 0.
        """
        reached = np.cumsum(weights, axis=1, dtype=np.float64)
        wanted = self.draw() * reached[:, -1]
        actions: Actions = np.argmax(reached > wanted[:, None], axis=1)
        return actions


def _mix(states: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """Return SplitMix64's outputs for an array of states."""
    z = (states ^ (states >> np.uint64(30))) * _MIX_1
    z = (z ^ (z >> np.uint64(27))) * _MIX_2
    return z ^ (z >> np.uint64(31))
