"""``python -m benchmarks.sheet_loss``: how many wins the rules sheet's literal loss rule costs."""

from __future__ import annotations

import argparse
from dataclasses import replace

from agents.evaluation import evaluate
from agents.registry import make_agent
from scorpion_env import VARIANTS
from scorpion_env.deals import parse_seeds


def main() -> None:
    """Print wins on the same deals, with and without the literal rule."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:20000", help="first and end of the deals' seeds")
    seeds = parse_seeds(parser.parse_args().seeds)
    rules = VARIANTS["classic"]
    for agent in ("random", "greedy"):
        stuck, sheet = (
            int(evaluate(make_agent(agent, given), given, seeds).won.sum())
            for given in (rules, replace(rules, loss="sheet"))
        )
        print(f"{agent}: {stuck} wins of {len(seeds)}, {sheet} with loss='sheet'")


if __name__ == "__main__":
    main()
