"""The agent that plays a trained network, read from two plain files.

``policy.json`` says what the network is; ``policy.safetensors`` holds its weights. Neither can run
code. The forward pass is NumPy alone, so that playing needs no training library.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from agents.base import Actions, Agent, Mask, softmax
from scorpion_env.planes import plane_count
from scorpion_env.rules import Rules
from scorpion_env.variants import VARIANTS, find_rules

FORMAT = 1
POLICY_JSON = "policy.json"
POLICY_TENSORS = "policy.safetensors"
MAX_LAYERS = 64

Layer = tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]

_ACTIVATIONS: dict[str, Callable[[npt.NDArray[np.float64]], npt.NDArray[np.float64]]] = {
    "relu": lambda values: np.maximum(values, 0.0),
    "tanh": np.tanh,
}


class Description(NamedTuple):
    """What ``policy.json`` says of a network."""

    rules: str
    actions: int
    inputs: int
    layers: int
    activation: str


class PolicyAgent(Agent):
    """Plays the best or, with ``sample``, any legal action as a trained network weighs them.

    Parameters
    ----------
    name : str
        What tables call it.
    description : Description
        What the network is.
    layers : list of (weight, bias)
        Of each linear layer the weight (in, out) and the bias (out,), float64.
    sample : bool
        Draw actions by the policy's probabilities rather than take the most probable one.
    seed : int
        Seeds the draws.
    """

    observation = "planes"

    def __init__(
        self,
        name: str,
        description: Description,
        layers: list[Layer],
        sample: bool = False,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        self.name = f"{name} (sampled)" if sample else name
        self.description = description
        self.sample = sample
        self._layers = layers
        self._last = np.zeros((0, description.actions))  # legal logits of the last choices

    @classmethod
    def load(
        cls,
        path: str | Path,
        rules: str | Rules | None = None,
        sample: bool = False,
        seed: int = 0,
    ) -> PolicyAgent:
        """Read a policy from its two files and check everything about them.

        Parameters
        ----------
        path : str or Path
            A folder with ``policy.json`` and ``policy.safetensors``, or one file of such a pair.
        rules : str or Rules, optional
            What is to be played; a policy that was trained for other rules is refused.
        sample, seed
            As in the class.

        Raises
        ------
        ValueError
            If the files are missing, damaged, contradictory or made for other rules.
        """
        json_file, tensors_file = policy_files(path)
        description = read_description(json_file)
        if rules is not None:
            _check_rules(description, find_rules(rules), json_file)
        layers = read_layers(tensors_file, description)
        return cls(str(Path(path)), description, layers, sample, seed)

    def act(self, observation: Any, mask: Mask) -> Actions:
        """Return the most probable legal action (N,) of each game, or a drawn one."""
        legal = self._last = np.where(mask, self.logits(observation), -np.inf)
        if self.sample:
            return self.chance.choose(np.exp(legal - legal.max(axis=1, keepdims=True)))
        actions: Actions = np.argmax(legal, axis=1)
        return actions

    def probabilities(self) -> npt.NDArray[np.float64]:
        """Return the policy's probabilities (N, actions) at the last choices."""
        return softmax(self._last)

    def logits(self, planes: npt.NDArray[np.uint8]) -> npt.NDArray[np.float32]:
        """Return a logit (N, actions) for each action.

        Raises
        ------
        ValueError
            If the planes (N, inputs) are not what the policy was trained on, or overflow it.
        """
        if planes.ndim != 2 or planes.shape[1] != self.description.inputs:
            raise ValueError(
                f"{self.name} takes {self.description.inputs} planes a game, got an observation "
                f"of shape {planes.shape}: play the rules {self.description.rules!r}"
            )
        # The order in which a BLAS adds depends on the batch. In double precision what that
        # changes is far below what single precision keeps, so a choice does not depend on it.
        activate = _ACTIVATIONS[self.description.activation]
        values = planes.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            for number, (weight, bias) in enumerate(self._layers):
                values = (activate(values) if number else values) @ weight + bias
            logits = values.astype(np.float32)
        if not np.isfinite(logits).all():
            raise ValueError(f"{self.name} computes numbers that are not finite: train it again")
        return logits


def policy_files(path: str | Path) -> tuple[Path, Path]:
    """Return the description and the weights that a folder, or either file of a pair, names.

    Raises
    ------
    ValueError
        If one of the two is missing.
    """
    given = Path(path)
    if given.is_dir():
        files = given / POLICY_JSON, given / POLICY_TENSORS
    elif given.suffix in (".json", ".safetensors"):
        files = given.with_suffix(".json"), given.with_suffix(".safetensors")
    else:
        what = "is no policy file" if given.exists() else "does not exist"
        if given.suffix == ".zip":
            what = "is a model of SB3, which can run code when it is loaded"
        raise ValueError(
            f"{given} {what}: give a folder with {POLICY_JSON} and {POLICY_TENSORS}, or one of "
            "these files"
        )
    for file in files:
        if not file.is_file():
            raise ValueError(f"{file} is missing: a policy is a .json and a .safetensors file")
    return files


def read_description(path: Path) -> Description:
    """Return what a ``policy.json`` says.

    Raises
    ------
    ValueError
        If it is no description of a policy that this version can play.
    """
    fields = read_json(path)
    check_format(path, fields)
    _check_field(path, fields, "observation", ["planes"])
    _check_field(path, fields, "activation", list(_ACTIVATIONS))
    if not isinstance(fields.get("rules"), str):
        raise ValueError(f"{path}: rules={fields.get('rules')!r} must be a name as text")
    for name in ("actions", "inputs", "layers"):
        value = fields.get(name)
        if type(value) is not int or value < 1:
            raise ValueError(f"{path}: {name}={value!r} must be a whole number from 1 up")
    if fields["layers"] > MAX_LAYERS:
        raise ValueError(f"{path}: {fields['layers']} layers are more than {MAX_LAYERS}")
    return Description(**{name: fields[name] for name in Description._fields})


def read_json(path: Path) -> dict[str, Any]:
    """Return the object that a description holds.

    Raises
    ------
    ValueError
        If it cannot be read or holds no object.
    """
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as problem:
        raise ValueError(f"{path} cannot be read as JSON: {_first_line(problem)}") from None
    if not isinstance(fields, dict):
        raise ValueError(f"{path} describes no policy: it must hold a JSON object")
    return fields


def check_format(path: Path, fields: dict[str, Any]) -> None:
    """Raise ValueError if a description is not of the format that this version plays."""
    if fields.get("format") != FORMAT:
        raise ValueError(
            f"{path} has format {fields.get('format')!r}, this version plays format {FORMAT}: "
            "export the policy again"
        )


def _check_field(path: Path, fields: dict[str, Any], name: str, allowed: list[str]) -> None:
    value = fields.get(name)
    if value not in allowed:
        known = " or ".join(map(repr, allowed))
        raise ValueError(f"{path}: {name}={value!r} is unknown, this version plays {known}")


def _check_rules(description: Description, rules: Rules, path: Path) -> None:
    trained = VARIANTS.get(description.rules)
    if trained != rules:
        played = next((name for name in VARIANTS if VARIANTS[name] == rules), "rules of your own")
        raise ValueError(
            f"{path}: this policy was trained for the rules {description.rules!r} and cannot play "
            f"{played!r}"
        )
    for name, has, needs in (
        ("inputs", description.inputs, plane_count(rules)),
        ("actions", description.actions, rules.actions),
    ):
        if has != needs:
            raise ValueError(
                f"{path}: {name}={has}, but {description.rules!r} has {needs}: the policy was "
                "made by another version, train it again"
            )


def read_layers(path: Path, description: Description) -> list[Layer]:
    """Return each layer's weight (in, out) and bias (out,), in double precision.

    Raises
    ------
    ValueError
        If the file is damaged, or its tensors are not those of the description.
    """
    tensors = read_tensors(path)
    names = [f"layers.{n}.{part}" for n in range(description.layers) for part in ("weight", "bias")]
    if set(tensors) != set(names):
        odd = min(set(tensors) ^ set(names))
        what = "lacks the" if odd in names else "has an unexpected"
        raise ValueError(
            f"{path} {what} tensor {odd!r}: its json describes {description.layers} layers"
        )
    layers = []
    width = description.inputs
    for number in range(description.layers):
        weight, bias = tensors[f"layers.{number}.weight"], tensors[f"layers.{number}.bias"]
        last = number == description.layers - 1
        _check_shapes(path, number, weight, bias, width, description.actions if last else None)
        width = len(bias)
        layers.append((np.ascontiguousarray(weight.T, np.float64), bias.astype(np.float64)))
    return layers


def read_tensors(path: Path) -> dict[str, npt.NDArray[np.float32]]:
    """Return the tensors of a safetensors file, which must be finite and float32.

    Raises
    ------
    ValueError
        If it cannot be read or holds others.
    """
    # safetensors belongs to the training extra; the other agents play without it
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        tensors = load_file(path)
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as problem:
        raise ValueError(f"{path} cannot be read as safetensors: {_first_line(problem)}") from None
    for name, tensor in tensors.items():
        if tensor.dtype != np.float32:
            raise ValueError(f"{path}: {name} is {tensor.dtype}, it must be float32")
        if not np.isfinite(tensor).all():
            raise ValueError(f"{path}: {name} holds numbers that are not finite: train it again")
    return tensors


def _check_shapes(
    path: Path,
    number: int,
    weight: npt.NDArray[np.float32],
    bias: npt.NDArray[np.float32],
    inputs: int,
    outputs: int | None,
) -> None:
    """Raise ValueError unless a layer takes ``inputs`` and gives ``outputs``, if these are told."""
    fits = weight.ndim == 2 and weight.shape[1] == inputs and bias.shape == weight.shape[:1]
    if not fits or outputs not in (None, len(bias)):
        raise ValueError(
            f"{path}: layers.{number} has weight {weight.shape} and bias {bias.shape}, its json "
            f"asks for weight ({outputs or 'outputs'}, {inputs}) and bias ({outputs or 'outputs'},)"
        )


def _first_line(problem: Exception) -> str:
    return (str(problem).splitlines() or [type(problem).__name__])[0]
