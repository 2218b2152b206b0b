"""The leaderboard as a table and as a plot of win rate against time."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from agents.evaluation import paired_difference
from agents.leaderboard import Standing, share_of_all
from scorpion_env.intervals import wilson_interval
from scorpion_env.suites import Suite, whole_suite
from scorpion_env.whole_file import write_whole


def markdown(standings: Sequence[Standing], suite: Suite) -> str:
    """Return the standings, best first, as a Markdown table; intervals are 95 % ones."""
    deals = len(standings[0].results.seeds)
    lines = [
        f"| agent | wins of {deals} winnable deals | of all deals | less than the first, paired "
        "| ms a decision |",
        "|---|---|---|---|---|",
    ]
    for standing in standings:
        whole = share_of_all(standing, suite)
        lines.append(
            f"| `{standing.agent}` | {_share(standing.wins, deals)} "
            f"| {'' if whole is None else _share(*whole)} | {_behind(standing, standings[0])} "
            f"| {standing.milliseconds:.3g} |"
        )
    if share_of_all(standings[0], suite) is not None:
        name = whole_suite(suite.variant).name
        lines.append(f"\nAll deals are those of {name}; the lost ones count as played.")
    return "\n".join(lines)


def _share(wins: int, deals: int) -> str:
    low, high = wilson_interval(wins, deals)
    return f"{wins / deals:.1%} [{low:.1%}, {high:.1%}]"


def _behind(standing: Standing, first: Standing) -> str:
    if standing is first:
        return ""
    less = paired_difference(first.results, standing.results)
    return f"{less.win_rate:.1%} [{less.win_rate_low:.1%}, {less.win_rate_high:.1%}]"


def draw(standings: Sequence[Standing], suite: Suite, path: Path) -> None:
    """Draw the share of winnable deals won against the time of a decision; PNG or SVG by name."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    mpl.use("Agg")
    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.subplots()
    for place, standing in enumerate(standings):
        deals = len(standing.results.seeds)
        rate = standing.wins / deals
        low, high = wilson_interval(standing.wins, deals)
        axes.errorbar(
            standing.milliseconds,
            100 * rate,
            yerr=[[100 * (rate - low)], [100 * (high - rate)]],
            fmt="o",
            capsize=3,
        )
        axes.annotate(
            standing.agent,
            (standing.milliseconds, 100 * rate),
            textcoords="offset points",
            xytext=(6, 4 if place % 2 else -11),  # neighbours often win alike
            fontsize=8,
        )
    axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.set_xlabel("CPU time of a decision, ms")
    axes.set_ylabel(f"wins, % of {suite.name} (95 % intervals)")
    axes.grid(alpha=0.3)
    image = io.BytesIO()
    figure.savefig(image, format=path.suffix.removeprefix(".") or "png", dpi=120)
    write_whole(path, image.getvalue())
