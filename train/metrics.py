"""A run's metrics: one CSV row a rollout, and the learning curve drawn from it."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
from stable_baselines3.common.logger import (
    HumanOutputFormat,
    KVWriter,
    Logger,
    TensorBoardOutputFormat,
)

from agents.evaluation import evaluate, summarise
from agents.registry import make_agent
from scorpion_env import VARIANTS
from scorpion_env.deals import parse_seeds
from scorpion_env.whole_file import naming, write_whole
from train.config import Training
from train.run_folder import RunError

METRICS_CSV = "metrics.csv"
CURVE_PNG = "learning_curve.png"

# column of the CSV -> name under which it is logged
COLUMNS = {
    "steps": "time/total_timesteps",
    "mean_return": "rollout/ep_rew_mean",
    "mean_length": "rollout/ep_len_mean",
    "win_rate": "rollout/success_rate",
    "evaluation_win_rate": "evaluation/win_rate",
    "evaluation_mean_score": "evaluation/mean_score",
    "loss": "train/loss",
    "policy_gradient_loss": "train/policy_gradient_loss",
    "value_loss": "train/value_loss",
    "entropy_loss": "train/entropy_loss",
    "approx_kl": "train/approx_kl",
    "clip_fraction": "train/clip_fraction",
    "explained_variance": "train/explained_variance",
    "learning_rate": "train/learning_rate",
    "steps_per_second": "time/fps",
}


class MetricsWriter(KVWriter):
    """Appends one row a rollout to ``metrics.csv``; training values are those of the update before.

    Parameters
    ----------
    run : Path
        The run folder.
    resumed_at : int
        Rows after this step are dropped first: the resumed run writes them again.
    """

    def __init__(self, run: Path, resumed_at: int) -> None:
        self.path = run / METRICS_CSV
        rows = [row for row in read_metrics(self.path) if int(row["steps"]) <= resumed_at]
        text = io.StringIO()
        writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        write_whole(self.path, text.getvalue())

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Append a row."""
        values = [key_values.get(name, "") for name in COLUMNS.values()]
        # a value may be a NumPy float of either precision: a resumed run has them as Python's
        row = [str(float(v) if isinstance(v, float | np.floating) else v) for v in values]
        with naming(self.path), self.path.open("a", encoding="utf-8") as file:
            file.write(",".join(row) + "\n")

    def close(self) -> None:
        """Nothing is held open."""


def read_metrics(path: Path) -> list[dict[str, str]]:
    """Return the whole rows of a ``metrics.csv``, none if it does not exist.

    Raises
    ------
    RunError
        If the file's columns are not those of this version.
    """
    if not path.exists():
        return []
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        reader = csv.DictReader(file)
        if list(reader.fieldnames or ()) != list(COLUMNS):
            raise RunError(
                f"{path} is damaged: its first line does not name this version's columns"
            )
        return [row for row in reader if row["steps_per_second"] and row["steps"].isdecimal()]


def make_logger(run: Path, resumed_at: int) -> Logger:
    """Return a logger that writes to the screen, TensorBoard and ``metrics.csv``."""
    outputs: list[KVWriter] = [
        TensorBoardOutputFormat(str(run / "tensorboard")),
        MetricsWriter(run, resumed_at),
    ]
    if sys.stdout.isatty():
        outputs.insert(0, HumanOutputFormat(sys.stdout))
    return Logger(str(run), outputs)


def log_evaluation(logger: Logger, config: Training, run: Path) -> None:
    """Play the evaluation seeds with the exported policy, with masks; log how it went."""
    rules = VARIANTS[config.rules]
    asked = config.evaluation
    agent = make_agent(str(run), rules, config.seed, asked.sample)
    summary = summarise(evaluate(agent, rules, parse_seeds(asked.seeds)))
    logger.record("evaluation/win_rate", summary.win_rate)
    logger.record("evaluation/mean_score", summary.mean_score)


def run_summary(logger: Logger, config: Training, steps: int, updates: int) -> dict[str, Any]:
    """Return what a finished run logged last, for ``summary.json``."""
    logged = logger.name_to_value
    return {
        "steps": steps,
        "updates": updates,
        "rules": config.rules,
        "seed": config.seed,
        "evaluation_seeds": config.evaluation.seeds,
        **{k.split("/")[1]: float(v) for k, v in logged.items() if k.startswith("evaluation/")},
    }


def draw_curve(run: Path) -> None:
    """Draw mean score and win rate over steps into ``learning_curve.png``."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.use("Agg")
    rows = read_metrics(run / METRICS_CSV)
    figure = Figure(figsize=(8, 6), layout="constrained")
    axes = figure.subplots(2, 1, sharex=True)
    drawn = (
        ("mean_return", "mean_score", "mean return (points)"),
        ("win_rate", "win_rate", "win rate"),
    )
    for axis, (column, evaluation, label) in zip(axes, drawn, strict=True):
        for name, style, legend in (
            (column, "-", "training"),
            (f"evaluation_{evaluation}", "o-", "evaluation seeds"),
        ):
            points = [(int(row["steps"]), float(row[name])) for row in rows if row[name]]
            if points:
                axis.plot(*zip(*points, strict=True), style, label=legend, markersize=4)
        axis.set_ylabel(label)
        axis.grid(alpha=0.3)
    if axes[0].lines:
        axes[0].legend()
    axes[1].set_xlabel("environment steps")
    image = io.BytesIO()
    figure.savefig(image, format="png", dpi=120)
    write_whole(run / CURVE_PNG, image.getvalue())
