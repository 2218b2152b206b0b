"""``python -m train.curves``: learning curves of several runs in a plot, with bands over seeds."""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from scorpion_env.whole_file import check_writable, write_whole
from train.metrics import METRICS_CSV, read_metrics

SMOOTHED = 5  # rollouts a point is the mean of


class Group(NamedTuple):
    """Runs that differ in their seed alone."""

    label: str
    runs: list[Path]
    speed: float | None  # steps a second, to draw time instead of steps


class Curve(NamedTuple):
    """What a group's runs have in common."""

    steps: npt.NDArray[np.float64]  # (n,) up to where the shortest run ends
    mean: npt.NDArray[np.float64]  # (n,)
    low: npt.NDArray[np.float64]  # (n,) the worst run
    high: npt.NDArray[np.float64]  # (n,) the best run


def parse_group(text: str) -> Group:
    """Read ``LABEL=RUN,RUN,...`` or ``LABEL=RUN,RUN@STEPS_A_SECOND``.

    Raises
    ------
    ValueError
        If it is neither, or the speed is not above 0.
    """
    label, equals, rest = text.partition("=")
    names, _, speed = rest.partition("@")
    try:
        number = float(speed) if speed else None
    except ValueError:
        number = 0.0
    if not (label and equals and names) or (number is not None and not number > 0):
        raise ValueError(f"{text!r}: write LABEL=RUN,RUN or LABEL=RUN,RUN@STEPS_A_SECOND")
    return Group(label, [Path(name) for name in names.split(",")], number)


def read_curve(group: Group, column: str) -> Curve:
    """Return the mean and the extremes of a metrics column over a group's runs.

    Raises
    ------
    ValueError
        If a run has no such values.
    """
    series = []
    for run in group.runs:
        rows = [row for row in read_metrics(run / METRICS_CSV) if row.get(column)]
        if len(rows) < SMOOTHED:
            raise ValueError(f"{run / METRICS_CSV} has fewer than {SMOOTHED} values of {column}")
        smooth = np.ones(SMOOTHED) / SMOOTHED
        steps = np.convolve([float(row["steps"]) for row in rows], smooth, "valid")
        series.append((steps, np.convolve([float(row[column]) for row in rows], smooth, "valid")))
    end = min(steps[-1] for steps, _ in series)
    grid = np.array([step for step in series[0][0] if step <= end])
    values = np.array([np.interp(grid, steps, points) for steps, points in series])
    return Curve(grid, values.mean(axis=0), values.min(axis=0), values.max(axis=0))


def draw(groups: Sequence[Group], column: str, path: Path) -> None:
    """Draw the groups' curves; over minutes if every group has a speed, else over steps."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.use("Agg")
    timed = all(group.speed is not None for group in groups)
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for group in groups:
        curve = read_curve(group, column)
        x = curve.steps / (60 * group.speed) if timed and group.speed else curve.steps
        runs = f" ({len(group.runs)} seeds)" if len(group.runs) > 1 else ""
        line = axes.plot(x, curve.mean, label=group.label + runs)[0]
        axes.fill_between(x, curve.low, curve.high, color=line.get_color(), alpha=0.2)
    axes.set_xlabel("minutes at each one's speed" if timed else "environment steps")
    axes.set_ylabel(column.replace("_", " "))
    axes.grid(alpha=0.3)
    axes.legend()
    image = io.BytesIO()
    figure.savefig(image, format=path.suffix.removeprefix(".") or "png", dpi=120)
    write_whole(path, image.getvalue())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(prog="python -m train.curves", description=__doc__)
    parser.add_argument("groups", nargs="+", metavar="LABEL=RUN,RUN[@STEPS_A_SECOND]")
    parser.add_argument("--column", default="win_rate", help="of metrics.csv (win_rate)")
    parser.add_argument("--output", type=Path, default=Path("curves.png"), metavar="FILE")
    options = parser.parse_args(arguments)
    try:
        check_writable(options.output)
        draw([parse_group(text) for text in options.groups], options.column, options.output)
    except ValueError as problem:
        print(f"train.curves: {problem}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
