"""``python -m benchmarks.winnable``: how often each game can be won, as a table and a plot.

Two readings of a reserve that is dealt only when nothing else helps are in use. Here the rules
``classic_when_idle`` hold the deal back until every other legal move is idle. The stricter reading,
where idle moves of a king hold it back as well, is no rule set of ours and is not measured.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from scorpion_env import VARIANTS, Rules
from scorpion_env.deals import MAX_SEEDS
from scorpion_env.solver.answers import Question
from scorpion_env.solver.on_ray import HERE
from scorpion_env.solver.solution import DEFAULT_NODES
from scorpion_env.solver.sweep import sweep, sweep_path
from scorpion_env.solver.sweep_file import SweepError
from scorpion_env.solver.tally import Tally

RULES: dict[str, Rules] = {
    **VARIANTS,
    "classic_when_idle": replace(VARIANTS["classic"], reserve="deal_when_idle"),
}
PUBLISHED = {
    "classic": "at least 12.8 (a site, 1,000 deals); 45-50 (a rules sheet)",
    "classic_when_idle": "9 (a C# solver); about 10 (a book of 1949)",
    "wasp": "at least 77.9 (a site)",
}
HEADS = (
    "rules",
    "won %",
    "95 % interval",
    "lost %",
    "unknown %",
    "deals",
    "positions a deal",
    "CPU seconds",
    "published %",
)


def read_wishes(words: Sequence[str]) -> dict[str, int]:
    """Return how many deals of which rules are asked for, from words such as ``wasp:2000``."""
    wishes: dict[str, int] = {}
    for word in words:
        name, _, number = word.partition(":")
        names = list(RULES) if name == "all" else [name]
        if not set(names) <= RULES.keys() or not (number.isdecimal() and number.isascii()):
            raise SystemExit(f"{word!r} is no NAME:DEALS; names are all, {', '.join(RULES)}")
        if not 1 <= int(number) <= MAX_SEEDS:
            raise SystemExit(f"{word!r} must name 1 to {MAX_SEEDS} deals")
        wishes |= dict.fromkeys(names, int(number))
    return wishes


def table_row(name: str, tally: Tally) -> str:
    """Return a line of the table."""
    low, high = tally.interval
    cells = (
        f"`{name}`",
        rate_text(*tally.rates),
        f"{100 * low:.2f}-{100 * high:.2f}",
        f"{100 * tally.unwinnable / tally.deals:.2f}",
        f"{100 * tally.unknown / tally.deals:.2f}",
        f"{tally.deals:,}",
        f"{tally.nodes / tally.deals:,.0f}",
        f"{tally.seconds:,.1f}",
        PUBLISHED.get(name, ""),
    )
    return f"| {' | '.join(cells)} |"


def rate_text(low: float, high: float) -> str:
    """Return a win rate in percent, from bound to bound where deals are unknown."""
    return f"{100 * low:.2f}" if low == high else f"{100 * low:.2f} to {100 * high:.2f}"


def draw(tallies: dict[str, Tally], path: Path) -> None:
    """Draw what is won, unknown and lost, a bar for each rule set, with the interval."""
    from matplotlib.figure import Figure

    names = sorted(tallies, key=lambda name: tallies[name].rates)
    figure = Figure(figsize=(8, 1 + 0.35 * len(names)), layout="constrained")
    axes = figure.subplots()
    left = [0.0] * len(names)
    parts = (("winnable", "tab:green"), ("unknown", "lightgrey"), ("unwinnable", "tab:red"))
    for part, colour in parts:
        width = [100 * getattr(tallies[name], part) / tallies[name].deals for name in names]
        axes.barh(names, width, left=left, color=colour, alpha=0.7, label=part)
        left = [start + more for start, more in zip(left, width, strict=True)]
    for place, name in enumerate(names):
        low, high = tallies[name].interval
        axes.plot([100 * low, 100 * high], [place, place], color="black", linewidth=2)
    axes.set(xlim=(0, 100), xlabel="% of deals, all cards known; black: 95 % interval")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False)
    figure.savefig(path, dpi=120)


def main(arguments: Sequence[str] | None = None) -> None:
    """Solve what the folder does not hold yet; print the table and draw the plot."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wishes", nargs="+", metavar="NAME:DEALS", help="such as classic:100000")
    parser.add_argument("--nodes", type=int, default=DEFAULT_NODES, help="positions a deal")
    parser.add_argument("--workers", type=int, help="processes (one for each core)")
    parser.add_argument("--ray", nargs="?", const=HERE, metavar="ADDRESS")
    parser.add_argument("--folder", type=Path, default=Path("sweeps"), help="of sweeps, continued")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    options = parser.parse_args(arguments)
    wishes = read_wishes(options.wishes)
    options.folder.mkdir(parents=True, exist_ok=True)
    tallies: dict[str, Tally] = {}
    for name, deals in wishes.items():
        print(f"{name}, {deals} deals", file=sys.stderr)
        question = Question(RULES[name], options.nodes, certificates=False)
        path = sweep_path(options.folder, name, options.nodes)
        try:
            tallies[name] = sweep(question, range(deals), path, options.workers, options.ray)
        except SweepError as error:
            raise SystemExit(str(error)) from None
    print(f"| {' | '.join(HEADS)} |")
    print(f"|{'---|' * len(HEADS)}")
    for name, tally in tallies.items():
        print(table_row(name, tally))
    if options.plot is not None:
        draw(tallies, options.plot)


if __name__ == "__main__":
    main()
