"""What an imitation run is made of, read from YAML and checked before anything starts."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, field_validator

from scorpion_env import VARIANTS
from scorpion_env.deals import FIRST_TRAINING_SEED
from train.config import Section, Sizes


class Stage(Section):
    """Games of the network as it is, labels for their positions, and a fit to these.

    The first stage plays with an untrained network.
    """

    labels: Literal["solver", "rollouts", "lines", "search"] = Field(
        default="solver",
        description="can the deal still be won after the move; does the network win it; is it "
        "the move of a line that the solver won with (where moves can be taken back by others, "
        "nearly all still win); or is it what the search plays, guided by the network",
    )
    iterations: int = Field(default=200, ge=1, description="labels: search: of each decision")
    games: int = Field(default=1000, ge=1)
    noise: float = Field(default=0.1, ge=0, le=1, description="share of moves drawn uniformly")
    rescue: float = Field(
        default=0.6, ge=0, le=1, description="share of lost choices replaced by winning ones"
    )
    keep: int = Field(default=0, ge=0, description="earlier stages whose positions are used too")
    epochs: int = Field(default=4, ge=0)
    learning_rate: float = Field(default=2e-3, gt=0, le=1)


class Fit(Section):
    """How the network is fitted to labelled positions."""

    batch_size: int = Field(default=512, ge=2, description="positions")
    each: float = Field(default=0.5, ge=0, description="weight of the loss of each move's label")
    choice: float = Field(default=1.0, ge=0, description="weight of the loss of the move chosen")
    even: float = Field(
        default=0.3, ge=0, le=1, description="share used of positions whose moves are all alike"
    )
    weight_decay: float = Field(default=1e-4, ge=0)


class WinnableEvaluation(Section):
    """Evaluation on the first winnable deals from seed 0 on."""

    deals: int = Field(default=500, ge=1)


class Imitation(Section):
    """One imitation run."""

    rules: str = "classic"
    seed: int = Field(default=FIRST_TRAINING_SEED, ge=FIRST_TRAINING_SEED, lt=2**32)
    nodes: int = Field(default=20_000, ge=1, description="the solver's budget for a position")
    step_limit: int = Field(default=200, ge=1)
    threads: int = Field(default=1, ge=1, le=256, description="torch's threads")
    network: Sizes = Sizes()
    start: str | None = Field(
        default=None, description="name or path of a network of these sizes to start from"
    )
    valuer: str | None = Field(
        default=None, description="labels: search: name or path of the network of its value"
    )
    fit: Fit = Fit()
    stages: list[Stage] = Field(default=[Stage()], min_length=1)
    evaluation: WinnableEvaluation = WinnableEvaluation()

    @field_validator("rules")
    @classmethod
    def _known(cls, name: str) -> str:
        if name not in VARIANTS:
            raise ValueError(f"unknown: choose one of {', '.join(VARIANTS)}")
        return name
