"""``python -m benchmarks.throughput``: steps a second, beside the copy limit and the peers.

Random legal play; choosing the actions is not counted, resetting finished games is. Every figure is
of one run on one machine: the ratios tell more than the figures.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import gymnasium as gym

from benchmarks import ours, peers
from scorpion_env import VARIANTS

SIZES = (1, 64, 1024, 16384)
VARIANT_NAMES = (
    "classic",
    "flexible",
    "three_blind_mice",
    "double_scorpion",
    "pysol_triple_scorpion",
)


def millions(seconds: float) -> str:
    """Return the steps a second behind the seconds of one step."""
    return f"{1e-6 / seconds:.3f}"


def print_single() -> None:
    """Print the single environment beside Gymnasium's Taxi."""
    scorpion = ours.single_seconds(ours.single_env)
    taxi = ours.single_seconds(lambda: gym.make("Taxi-v4").unwrapped)
    unseen = ours.unseen_seconds(1)
    print("\n| single environment | us a step | of Taxi-v4's speed |\n|---|---|---|")
    for name, seconds in (
        ("Taxi-v4", taxi),
        ("Scorpion-v0", scorpion),
        ("its engine alone, without observation", unseen),
    ):
        print(f"| {name} | {seconds * 1e6:.1f} | {taxi / seconds:.2f} |")


def print_vector() -> list[tuple[int, int, float]]:
    """Print the vector environment at every size; return games, threads, share of the limit."""
    shares = []
    print("\n| vector environment | million steps/s | copy limit | share of it |")
    print("|---|---|---|---|")
    for observation in ("cards", "planes"):
        for threads in range(1, min(2, os.cpu_count() or 1) + 1):
            for games in SIZES:
                step = ours.vector_seconds(games, threads, observation=observation)
                copy = ours.copy_seconds(games, observation=observation)
                if observation == "cards":
                    shares.append((games, threads, copy / step))
                print(
                    f"| {observation}, N = {games}, {threads} thread{'s'[: threads - 1]} | "
                    f"{millions(step)} | {millions(copy)} | 1/{step / copy:.1f} |",
                    flush=True,
                )
    return shares


def print_unseen() -> None:
    """Print the engine without observation at every size and number of threads."""
    print("\n| million steps/s without observation | 1 thread | 2 threads |\n|---|---|---|")
    for games in SIZES:
        rates = [millions(ours.unseen_seconds(games, threads)) for threads in (1, 2)]
        print(f"| engine alone, N = {games} | {' | '.join(rates)} |", flush=True)


def print_variants(classic: float) -> None:
    """Print how the cost grows with the variant's size, with and without observation."""
    print("\n| variant, N = 1024 | actions | ns a step | times Classic | ns without observation |")
    print("|---|---|---|---|---|")
    for name in VARIANT_NAMES:
        step, unseen = ours.vector_seconds(1024, rules=name), ours.unseen_seconds(1024, rules=name)
        print(
            f"| `{name}` | {VARIANTS[name].actions} | {step * 1e9:.0f} | {step / classic:.2f} | "
            f"{unseen * 1e9:.0f} |",
            flush=True,
        )


def print_others(classic: float) -> None:
    """Print the SB3 adapter and the peers, against Classic with 1024 games."""
    print("\n| N = 1024, one thread | million steps/s | Classic is so many times faster |")
    print("|---|---|---|")
    rows = {"SB3 VecEnv with masks": 1e-6 / ours.sb3_seconds(1024)}
    rows["`classic`"] = 1e-6 / classic
    rows |= {name: rate / 1e6 for name, rate in peers.measured().items()}
    for name, rate in rows.items():
        print(f"| {name} | {rate:.4f} | {1e-6 / classic / rate:.1f} |")


def draw(shares: list[tuple[int, int, float]], path: Path) -> None:
    """Draw the share of the copy limit over the number of games."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    for threads in sorted({row[1] for row in shares}):
        points = [(games, share) for games, count, share in shares if count == threads]
        axes.plot(*zip(*points, strict=True), "o-", label=f"{threads} thread{'s'[: threads - 1]}")
    axes.set_xscale("log")
    axes.set_xticks(SIZES, [f"{games:,}" for games in SIZES])
    axes.minorticks_off()
    axes.set_xlabel("games in the batch")
    axes.set_ylabel("speed as a share of the one-thread copy limit")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=120)


def main() -> None:
    """Measure and print everything."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", type=Path, help="draw the share of the copy limit there")
    plot = parser.parse_args().plot
    print_single()
    shares = print_vector()
    print_unseen()
    classic = ours.vector_seconds(1024)
    print_variants(classic)
    print_others(classic)
    if plot:
        draw(shares, plot)


if __name__ == "__main__":
    main()
