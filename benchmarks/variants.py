"""``python -m benchmarks.variants``: the README table of variants, with random and greedy play."""

from __future__ import annotations

import argparse

from agents.evaluation import evaluate, summarise
from agents.registry import make_agent
from scorpion_env import ENV_IDS, VARIANTS, Layout, Rules
from scorpion_env.deals import parse_seeds

CLASSIC = VARIANTS["classic"]
DIFFERENCES = ("build", "empty_column", "reserve", "sequences", "pattern", "loss", "undo_limit")
WORDS = {
    ("build", "any_suit"): "any suit",
    ("build", "alternate_colour"): "alternate colour",
    ("empty_column", "any"): "any card to an empty column",
    ("reserve", "deal_when_idle"): "reserve dealt when all else is idle",
    ("reserve", "play"): "reserve cards played",
    ("sequences", "stay"): "sequences stay",
    ("pattern", "alternate_colour"): "sequences of alternate colour",
    ("undo_limit", None): "unlimited undo",
}


def layout_text(layout: Layout) -> str:
    """Return a layout in a few words, for example ``7x7, 3 down in 1-4, reserve 3``."""
    parts = [f"{len(layout.columns)} x {layout.columns[0]}"]
    down = [number for number, count in enumerate(layout.face_down, start=1) if count]
    if down:
        parts.append(f"{layout.face_down[down[0] - 1]} down in {down[0]}-{down[-1]}")
    parts.append(f"reserve {layout.reserve_cards}" if layout.reserve_cards else "no reserve")
    return ", ".join(parts)


def rules_text(rules: Rules) -> str:
    """Return in what the options differ from Classic's."""
    changed = [
        WORDS[name, getattr(rules, name)]
        for name in DIFFERENCES
        if getattr(rules, name) != getattr(CLASSIC, name)
    ]
    return ", ".join(changed) or "as Classic"


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
