"""The agent that plays a network over cards (`agents.network`), and the two files it is kept in.

``NAME.json`` says what the network is, ``NAME.safetensors`` holds its weights; neither can run
code. Its weights are shared by all cards and columns, so it plays any rules, best those it was
trained for.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, Mask, Rows, Seeds, softmax
from agents.made_moves import MadeMoves
from agents.network import Network, Scratch, make_scratch, network_shapes, score_table
from agents.policy import check_format, policy_files, read_json, read_tensors
from agents.table import read_seen
from scorpion_env.engine.compile import kernel
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.relations import Relations, relations_of
from scorpion_env.variants import find_rules

KIND = "moves"  # what the description calls such a network
SIZES = ("width", "rounds", "column_width", "hidden", "hidden_2")
MAX_SIZE = 1024


class Seen(NamedTuple):
    """Observations of N games, see `scorpion_env.observation.Tensors`."""

    tableau: npt.NDArray[np.uint8]  # (N, columns, cards)
    reserve: npt.NDArray[np.uint8]  # (N, reserve cards)
    completed: npt.NDArray[np.uint8]  # (N, sequences)


class NetworkAgent(Agent):
    """Plays the move with the best score or, with ``sample``, any as their scores weigh them.

    At a table that a game has shown before it leaves out the moves made there while there are
    others, unless it draws: see `agents.made_moves.MadeMoves`.

    Parameters
    ----------
    name : str
        What tables call it.
    rules : str or Rules
        What is played.
    network : Network
        The weights.
    sample : bool
        Draw actions in proportion to the exponentials of their scores.
    seed : int
        Seeds the draws.
    """

    def __init__(
        self,
        name: str,
        rules: str | Rules,
        network: Network,
        sample: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        self.name = f"{name} (sampled)" if sample else name
        self.rules = find_rules(rules)
        self.network = network
        self.sample = sample
        self._relations = relations_of(self.rules)
        self._scratch = make_scratch(self.rules, network)
        self._last = np.zeros((0, self.rules.actions))  # scores of the last choices
        self._made = MadeMoves()

    @classmethod
    def load(
        cls,
        path: str | Path,
        rules: str | Rules,
        sample: bool = False,
        seed: int = 0,
        name: str | None = None,
    ) -> NetworkAgent:
        """Read a network from its two files and check everything about them.

        Its name is its path unless one is given.

        Raises
        ------
        ValueError
            If the files are missing, damaged or contradictory.
        """
        return cls(name or str(Path(path)), rules, load_network(path), sample, seed)

    def begin(self, seeds: Seeds) -> None:
        """Begin N new games, in which no move is made yet."""
        super().begin(seeds)
        self._made.begin(len(seeds))

    def keep(self, rows: Rows, seeds: Seeds) -> None:
        """Go on with these rows of the batch, followed by new games."""
        super().keep(rows, seeds)
        self._made.keep(rows, len(seeds))

    def act(self, observation: Any, mask: Mask) -> Actions:
        """Return the legal action (N,) with the best score in each game, or a drawn one."""
        scores = self._last = self.scores(observation, mask)
        if self.sample:
            return self.chance.choose(np.exp(scores - scores.max(axis=1, keepdims=True)))
        others = self._made.others(observation["tableau"], mask)
        actions: Actions = np.where(others, scores, -np.inf).argmax(axis=1)
        self._made.note(actions)
        return actions

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return the shares (N, actions) by which a sampling agent would have drawn."""
        return softmax(self._last)

    def scores(self, observation: Any, mask: Mask) -> npt.NDArray[np.float64]:
        """Return the score (N, actions) of each action, minus infinity where it is illegal."""
        games = len(mask)
        scores = np.empty(mask.shape, np.float64)
        seen = Seen(
            observation["tableau"],
            observation.get("reserve", np.zeros((games, 0), np.uint8)),
            observation["completed"],
        )
        score_games(
            self.rules.compiled,
            self._relations,
            seen,
            mask.astype(np.int8),
            self.network,
            self._scratch,
            scores,
        )
        return scores


@kernel
def score_games(
    rules: CompiledRules,
    relations: Relations,
    seen: Seen,
    mask: npt.NDArray[np.int8],
    network: Network,
    scratch: Scratch,
    scores: npt.NDArray[np.float64],
) -> None:
    """Write the score of each legal action of N observed games into ``scores`` (N, actions)."""
    for game in range(mask.shape[0]):
        read_seen(
            rules,
            relations,
            seen.tableau[game],
            seen.reserve[game],
            seen.completed[game],
            scratch.before,
        )
        score_table(rules, relations, mask[game], network, scratch, scores[game])


def load_network(path: str | Path) -> Network:
    """Read a network from a folder with its two files, or from one of them.

    Raises
    ------
    ValueError
        If the files are missing, damaged or contradictory; the message says which and why.
    """
    json_file, tensors_file = policy_files(path)
    fields = read_json(json_file)
    check_format(json_file, fields)
    if fields.get("network") != KIND:
        raise ValueError(f"{json_file}: network={fields.get('network')!r} is not {KIND!r}")
    for name in SIZES:
        value, least = fields.get(name), int(name != "rounds")
        if type(value) is not int or not least <= value <= MAX_SIZE:
            raise ValueError(
                f"{json_file}: {name}={value!r} must be a whole number from {least} to {MAX_SIZE}"
            )
    shapes = network_shapes(**{name: fields[name] for name in SIZES})
    tensors = read_tensors(tensors_file)
    if set(tensors) != set(shapes):
        odd = min(set(tensors) ^ set(shapes))
        what = "lacks the" if odd in shapes else "has an unexpected"
        raise ValueError(f"{tensors_file} {what} tensor {odd!r}")
    for name, shape in shapes.items():
        if tensors[name].shape != shape:
            raise ValueError(
                f"{tensors_file}: {name} has shape {tensors[name].shape}, its json and this "
                f"version ask for {shape}"
            )
    return Network(**{name: np.ascontiguousarray(tensors[name]) for name in shapes})


def sizes_of(network: Network) -> dict[str, int]:
    """Return the sizes of a network by their names in its description."""
    return {
        "width": network.card.shape[1],
        "rounds": network.message.shape[0],
        "column_width": network.column.shape[1],
        "hidden": network.first.shape[1],
        "hidden_2": network.second.shape[1],
    }
