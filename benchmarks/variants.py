"""``python -m benchmarks.variants``: the README table of variants, with random and greedy play."""

from __future__ import annotations

import argparse

from agents.evaluation import evaluate, summarise
from agents.registry import make_agent
from scorpion_env import ENV_IDS, VARIANTS, Rules
from scorpion_env.deals import parse_seeds
from scorpion_env.describe import layout_text, rules_text


def rate_text(agent: str, rules: Rules, seeds: range) -> str:
    """Return an agent's win rate with its interval, in percent."""
    result = summarise(evaluate(make_agent(agent, rules), rules, seeds))
    return f"{100 * result.win_rate:.1f} ({100 * result.ci_low:.1f}-{100 * result.ci_high:.1f})"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", default="0:10000", help="first and end of the deals' seeds")
    seeds = parse_seeds(parser.parse_args().seeds)
    print("| id | name | layout | rules | actions | random % | greedy % |")
    print("|---|---|---|---|---|---|---|")
    for name, rules in VARIANTS.items():
        cells = [f"`{ENV_IDS[name]}`", f"`{name}`", layout_text(rules.layout), rules_text(rules)]
        cells += [str(rules.actions)]
        cells += [rate_text(agent, rules, seeds) for agent in ("random", "greedy")]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
