"""What a training run is made of, read from YAML and checked before anything starts."""

from __future__ import annotations

import difflib
import re
import reprlib
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from scorpion_env import VARIANTS
from scorpion_env.batch import Reward
from scorpion_env.deals import FIRST_TRAINING_SEED, parse_seeds
from scorpion_env.solver.drawn_deals import NODES, Wanted


class ConfigError(ValueError):
    """A config that cannot be used; the message names the key, its line and what is allowed."""


class ConfigLoader(yaml.SafeLoader):
    """PyYAML's safe loader, reading 5:40 as a text and 1e6 as a number, as YAML 1.2 does.

    Aliases are refused: a few of them stand for more values than any memory holds.
    """

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Return the next node, which must be no alias."""
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="write the value out, not *", problem_mark=mark)
        return super().compose_node(parent, index)


ConfigLoader.yaml_implicit_resolvers = {
    first: [
        (tag, re.compile(pattern.pattern.replace("(?::[0-5]?[0-9])+", "(?!)"), pattern.flags))
        for tag, pattern in resolvers
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
# YAML 1.1 takes 1e6 for a text
ConfigLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?\d[\d_]*(?:\.\d*)?[eE][-+]?\d+$"),
    list("-+0123456789"),
)


class Section(BaseModel):
    """A part of the config; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Sizes(Section):
    """Sizes of the network over cards, see `agents.network.network_shapes`."""

    width: int = Field(default=32, ge=1, le=256)
    rounds: int = Field(default=0, ge=0, le=4, description="rounds of messages between cards")
    column_width: int = Field(default=16, ge=1, le=256)
    hidden: int = Field(default=64, ge=1, le=512)
    hidden_2: int = Field(default=32, ge=1, le=512)


class FlatNetwork(Section):
    """The policy and value networks: separate multilayer perceptrons over planes, of one shape."""

    hidden: list[int] = Field(default=[256, 256], description="flat: width of each hidden layer")
    activation: Literal["relu", "tanh"] = "relu"

    @field_validator("hidden")
    @classmethod
    def _positive(cls, widths: list[int]) -> list[int]:
        if not all(1 <= width <= 4096 for width in widths):
            raise ValueError("every layer needs a width from 1 to 4096")
        return widths


class Network(FlatNetwork):
    """The policy and value networks: separate, of one shape.

    Either multilayer perceptrons over planes or networks over cards, which score moves.
    """

    kind: Literal["flat", "cards"] = "flat"
    sizes: Sizes = Field(default=Sizes(), description="cards: the sizes")
    start: str | None = Field(
        default=None, description="cards: name or path of a network of these sizes to start from"
    )


class PPO(Section):
    """Hyperparameters of MaskablePPO, under sb3-contrib's names."""

    n_steps: int = Field(default=64, ge=1, description="steps a game in each rollout")
    batch_size: int = Field(default=1024, ge=2)
    n_epochs: int = Field(default=4, ge=1)
    learning_rate: float = Field(default=5e-4, gt=0, le=1)
    final_learning_rate: float | None = Field(
        default=None, gt=0, le=1, description="where a linear schedule ends; none: constant"
    )
    gamma: float = Field(default=0.99, gt=0, le=1)
    gae_lambda: float = Field(default=0.95, ge=0, le=1)
    clip_range: float = Field(default=0.2, gt=0)
    ent_coef: float = Field(default=0.01, ge=0)
    final_ent_coef: float | None = Field(
        default=None, ge=0, description="where a linear schedule ends; none: constant"
    )
    vf_coef: float = Field(default=0.5, ge=0)
    max_grad_norm: float = Field(default=0.5, gt=0)
    target_kl: float | None = Field(default=None, gt=0)


class Evaluation(Section):
    """Periodic masked evaluation on fixed seeds."""

    every: int = Field(default=100_000, ge=0, description="environment steps between; 0: never")
    seeds: str = Field(default="0:500", description="first:end, the end left out")
    sample: bool = Field(default=True, description="draw actions rather than take the likeliest")

    @field_validator("seeds")
    @classmethod
    def _range(cls, seeds: str) -> str:
        if parse_seeds(seeds)[-1] >= FIRST_TRAINING_SEED:
            raise ValueError(f"evaluation seeds lie below {FIRST_TRAINING_SEED}")
        return seeds


class Training(Section):
    """What every run of PPO says, whichever library trains."""

    rules: str = "classic"
    reward: Reward = "score"
    win_bonus: float = 0.0
    reward_scale: float = Field(
        default=0.01, gt=0, le=1000, description="factor on the reward PPO sees"
    )
    seed: int = Field(default=FIRST_TRAINING_SEED, ge=FIRST_TRAINING_SEED, lt=2**32)
    deals: Wanted = Field(default="all", description="all, not_lost (not at once) or winnable")
    deal_nodes: int = Field(
        default=NODES, ge=1, le=10_000_000, description="positions to find a winnable deal's win in"
    )
    total_steps: int = Field(default=1_000_000, ge=1)
    checkpoint_every: int = Field(default=100_000, ge=1, description="environment steps between")
    threads: int = Field(default=1, ge=1, le=256, description="torch's threads")
    ppo: PPO = PPO()
    evaluation: Evaluation = Evaluation()

    @field_validator("rules")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in VARIANTS:
            raise ValueError(f"unknown: choose one of {', '.join(VARIANTS)}")
        return name


class Config(Training):
    """One run of MaskablePPO."""

    observation: Literal["planes", "cards"] = "planes"
    end_lost: bool = Field(
        default=False, description="end an episode once its game is proven lost, all cards known"
    )
    num_envs: int = Field(default=256, ge=1)
    device: Literal["auto", "cpu", "cuda"] = "auto"
    network: Network = Network()

    @model_validator(mode="after")
    def _network_fits(self) -> Config:
        needs = "planes" if self.network.kind == "flat" else "cards"
        if self.observation != needs:
            raise ValueError(f"network.kind {self.network.kind} needs observation: {needs}")
        if self.network.kind == "flat" and self.network.start is not None:
            raise ValueError("network.start is for network.kind: cards")
        return self

    @model_validator(mode="after")
    def _rollout_holds_a_batch(self) -> Config:
        rollout = self.num_envs * self.ppo.n_steps
        if self.ppo.batch_size > rollout:
            raise ValueError(
                f"ppo.batch_size {self.ppo.batch_size} is more than a rollout has: "
                f"num_envs x ppo.n_steps = {rollout}"
            )
        if rollout % self.ppo.batch_size == 1:
            raise ValueError(
                f"ppo.batch_size {self.ppo.batch_size} leaves a batch of 1 of a rollout's "
                f"{rollout}: its advantage cannot be normalised, choose another size"
            )
        return self


Root = TypeVar("Root", bound=Section)


def load_config(path: Path, overrides: list[str] | None = None) -> Config:
    """Read a training run's YAML config, with ``key.sub=value`` overrides; see `load_section`."""
    return load_section(Config, path, overrides)


def load_section(model: type[Root], path: Path, overrides: list[str] | None = None) -> Root:
    """Read a YAML config of a kind, with ``key.sub=value`` overrides.

    Raises
    ------
    ConfigError
        If the file cannot be read or a key or value is wrong; the message names it, its line and
        what is allowed.
    """
    try:
        text = path.read_text(encoding="utf-8")
        lines = _key_lines(_compose(text))
        data = _load(text)
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not a text file: {error.reason}") from error
    except yaml.YAMLError as error:
        raise ConfigError(f"{path} is not valid YAML: {' '.join(str(error).split())}") from error
    if data is None:
        data = {}
    if not isinstance(data, dict):
        raise ConfigError(f"{path} must hold keys and values, such as 'total_steps: 100000'")
    places = {key: f"{path}, line {line}: " for key, line in lines.items()}
    for override in overrides or []:
        key = _override(data, override)
        places[key] = f"--set {override}: "
    return _validate(model, data, places, f"{path}: ")


def _compose(text: str) -> Any:
    try:
        return yaml.compose(text, Loader=ConfigLoader)
    except RecursionError:
        raise yaml.YAMLError("lists or keys are nested too deeply") from None


def _load(text: str) -> Any:
    """Return what a YAML text holds; raise YAMLError whatever is wrong with it."""
    try:
        return yaml.load(text, Loader=ConfigLoader)
    except RecursionError:
        raise yaml.YAMLError("lists or keys are nested too deeply") from None
    except (ValueError, AttributeError, LookupError) as error:  # of no number, date or bool
        raise yaml.YAMLError(f"a value is none: {error}") from None


def _validate(model: type[Root], data: dict[str, Any], places: dict[str, str], whole: str) -> Root:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        messages = [_message(model, dict(problem), places, whole) for problem in error.errors()]
        raise ConfigError("\n".join(messages)) from error


def _override(data: dict[str, Any], text: str) -> str:
    """Put ``key.sub=value`` into ``data``; return its dotted key."""
    key, equals, value = text.partition("=")
    if not equals or not key:
        raise ConfigError(f"--set {text}: write it as key=value, for example ppo.gamma=0.999")
    *parents, last = key.split(".")
    section = data
    for parent in parents:
        section = section.setdefault(parent, {})
        if not isinstance(section, dict):
            raise ConfigError(f"--set {text}: {parent} has no keys below it")
    try:
        section[last] = _load(value)
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {text}: the value is not valid YAML") from error
    return key


def _key_lines(node: Any, prefix: str = "") -> dict[str, int]:
    """Return the line of every dotted key of a YAML document."""
    lines: dict[str, int] = {}
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            name = f"{prefix}{getattr(key, 'value', key)}"
            lines[name] = key.start_mark.line + 1
            lines.update(_key_lines(value, f"{name}."))
    return lines


def _message(
    model: type[BaseModel], problem: dict[str, Any], places: dict[str, str], whole: str
) -> str:
    """Return one line on what pydantic found wrong, with its place and what is allowed."""
    parts = [str(part) for part in problem["loc"]]
    key = ".".join(parts)
    known = next(
        (
            places[".".join(parts[:n])]
            for n in range(len(parts), 0, -1)
            if ".".join(parts[:n]) in places
        ),
        whole,
    )
    if problem["type"] == "extra_forbidden":
        allowed = list(_section_of(model, parts[:-1]).model_fields)
        near = difflib.get_close_matches(parts[-1], allowed, n=1)
        hint = f"did you mean {near[0]}? " if near else ""
        return f"{known}{key} is unknown: {hint}allowed here: {', '.join(allowed)}"
    said = problem["msg"].removeprefix("Value error, ")
    said = said[:1].lower() + said[1:]
    return f"{known}{key}={_shown(problem['input'])}: {said}" if key else f"{known}{said}"


def _shown(value: Any) -> str:
    try:
        return reprlib.repr(value)
    except ValueError:
        return "a number of too many digits"


def _section_of(model: type[BaseModel], parts: list[str]) -> type[BaseModel]:
    """Return the section that dotted keys lead to; numbers stand for the items of a list."""
    for part in parts:
        if part.isdecimal():
            continue
        annotation: Any = model.model_fields[part].annotation
        model = get_args(annotation)[0] if get_args(annotation) else annotation
        assert issubclass(model, BaseModel)
    return model
