"""``python -m agents``: play agents on the same deals and compare them."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple, NoReturn

from agents.base import Agent
from agents.evaluation import (
    Difference,
    Summary,
    evaluate,
    paired_difference,
    summarise,
)
from agents.leaderboard import play
from agents.leaderboard_table import draw, markdown
from agents.recorder import Recorder
from agents.registry import AGENTS, make_agent, shipped_models, standard_agents
from scorpion_env import VARIANTS, __version__
from scorpion_env.deals import parse_seeds
from scorpion_env.records import write_records
from scorpion_env.suites import Suite, find_suite
from scorpion_env.variants import find_rules
from scorpion_env.whole_file import check_writable, write_whole

SECONDS_BETWEEN_REPORTS = 10.0


class _Parser(argparse.ArgumentParser):
    """A parser whose complaints take one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"agents: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    options = _parser().parse_args(arguments)
    try:
        if options.leaderboard:
            _leaderboard(options)
        else:
            _compare(options)
    except (ValueError, OSError, RuntimeError) as problem:
        print(f"agents: {problem}", file=sys.stderr)
        return 2
    except MemoryError:
        print("agents: too little memory: ask for less, such as --batch-size 64", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("agents: interrupted", file=sys.stderr)
        return 130
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="python -m agents", description="Play agents on the same deals.")
    parser.add_argument(
        "agents",
        nargs="*",
        metavar="AGENT",
        help=f"{', '.join([*AGENTS, *shipped_models()])}, search with a budget "
        "(search:iterations=60), or the path of a trained policy",
    )
    parser.add_argument("--seeds", help="first and end of the deals' seeds (0:1000)")
    parser.add_argument("--suite", help="play the deals of a suite, such as classic-winnable")
    parser.add_argument("--episodes", type=int, help="so many of the suite's deals, the first ones")
    parser.add_argument("--rules", help=f"classic, or the suite's; {', '.join(VARIANTS)}")
    parser.add_argument("--sample", action="store_true", help="let a policy draw its actions")
    parser.add_argument("--agent-seed", type=int, default=0, help="seeds the agents' chance")
    parser.add_argument("--batch-size", type=int, default=1024, help="games side by side")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the results there")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write the games there")
    board = parser.add_argument_group("leaderboard")
    board.add_argument(
        "--leaderboard",
        action="store_true",
        help="play all agents, or those named, on a suite of winnable deals (classic-winnable)",
    )
    board.add_argument(
        "--folder",
        type=Path,
        default=Path("leaderboard"),
        help="where what was played is kept: the same command goes on from there",
    )
    board.add_argument("--workers", type=int, default=1, help="processes that play")
    board.add_argument("--plot", type=Path, metavar="FILE", help="draw win rate against time there")
    return parser


def _leaderboard(options: argparse.Namespace) -> None:
    for name in ("seeds", "rules", "json", "record"):
        if getattr(options, name) is not None:
            raise ValueError(f"--{name} does not go with --leaderboard")
    suite = find_suite(options.suite or "classic-winnable")
    if not suite.name.endswith("-winnable"):
        raise ValueError(f"suite {suite.name!r} holds lost deals: give {suite.variant}-winnable")
    episodes = _asked_episodes(suite, options.episodes)
    if options.workers < 1:
        raise ValueError(f"--workers must be at least 1, got {options.workers}")
    if options.plot is not None:
        check_writable(options.plot)
    agents = options.agents or standard_agents(suite.variant)

    def report(agent: str, done: int) -> None:
        print(f"{agent}: {done}/{episodes} games", file=sys.stderr, flush=True)

    standings = play(agents, suite, episodes, options.folder, options.workers, report)
    print(markdown(standings, suite))
    if options.plot is not None:
        draw(standings, suite, options.plot)


def _asked_episodes(suite: Suite, episodes: int | None) -> int:
    asked = len(suite.seeds) if episodes is None else episodes
    if not 1 <= asked <= len(suite.seeds):
        raise ValueError(f"--episodes must be 1 to {len(suite.seeds)}, the deals of {suite.name}")
    return asked


def _compare(options: argparse.Namespace) -> None:
    """Do what the options ask for; every mistake in them is found before the first game."""
    if not options.agents:
        raise ValueError("name the agents to play, for example: random greedy search")
    asked = _asked_deals(options)
    rules, seeds = find_rules(asked.rules), asked.seeds
    if options.batch_size < 1:
        raise ValueError(f"--batch-size must be at least 1, got {options.batch_size}")
    agents = [make_agent(n, rules, options.agent_seed, options.sample) for n in options.agents]
    _check_files(options.json, options.record)
    results, recorders = [], []
    for agent in agents:
        evaluate(agent, rules, seeds[:1])  # compiles, so that games/s tells of playing alone
        report = _reporter(agent, len(seeds))
        recorder = Recorder(agent.name, rules, seeds) if options.record is not None else None
        recorders.append(recorder)
        results.append(evaluate(agent, rules, seeds, options.batch_size, report, recorder))
    summaries = [summarise(result) for result in results]
    print(f"{asked.rules}, {asked.text}, {len(seeds)} games, 95 % intervals")
    print(table(agents, summaries))
    for agent, result in zip(agents[1:], results[1:], strict=True):
        print(difference_line(agent, agents[0], paired_difference(result, results[0])))
    if options.json is not None:
        rows = [
            {"agent": agent.name, "rules": asked.rules, asked.kind: asked.name}
            | {name: _finite(value) for name, value in summary._asdict().items()}
            | {"hidden_cards_seen": False, "version": __version__}
            for agent, summary in zip(agents, summaries, strict=True)
        ]
        write_whole(options.json, json.dumps(rows, indent=2, allow_nan=False) + "\n")
    if options.record is not None:
        games = (recorder.records() for recorder in recorders if recorder is not None)
        write_records(options.record, chain.from_iterable(games))


def _check_files(*files: Path | None) -> None:
    """Raise ValueError if what is to be written cannot be, or two things share a file."""
    named = [file for file in files if file is not None]
    for file in named:
        check_writable(file)
    if len({file.resolve() for file in named}) < len(named):
        raise ValueError("--json and --record name the same file: give each its own")


class _Asked(NamedTuple):
    """The deals that the options ask for."""

    rules: str
    kind: str  # "seeds" or "suite"
    name: str
    seeds: Sequence[int]

    @property
    def text(self) -> str:
        return f"{self.kind} {self.name}"


def _asked_deals(options: argparse.Namespace) -> _Asked:
    if options.rules not in (None, *VARIANTS):
        raise ValueError(f"rules {options.rules!r} are unknown: give {', '.join(VARIANTS)}")
    if options.suite is None:
        if options.episodes is not None:
            raise ValueError("--episodes goes with --suite: give --seeds first:end instead")
        seeds = options.seeds or "0:1000"
        return _Asked(options.rules or "classic", "seeds", seeds, parse_seeds(seeds))
    if options.seeds is not None:
        raise ValueError("give --seeds or --suite, not both")
    suite = find_suite(options.suite)
    rules = options.rules or suite.variant
    suite.check_rules(find_rules(rules))
    episodes = _asked_episodes(suite, options.episodes)
    return _Asked(rules, "suite", suite.name, suite.seeds[:episodes].tolist())


def table(agents: Sequence[Agent], summaries: Sequence[Summary]) -> str:
    """Return the summaries as aligned text, one agent a line."""
    heads = ("agent", "wins", "win rate", "score", "sequences", "turned", "moves", "games/s")
    rows = [heads]
    for agent, s in zip(agents, summaries, strict=True):
        rows.append(
            (
                agent.name,
                str(s.wins),
                f"{s.win_rate:.2%} [{s.ci_low:.2%}, {s.ci_high:.2%}]",
                f"{s.mean_score:.1f} [{s.score_ci_low:.1f}, {s.score_ci_high:.1f}]",
                f"{s.mean_sequences:.2f}",
                f"{s.mean_cards_turned:.2f}",
                f"{s.mean_moves:.1f}",
                f"{s.games_per_second:.0f}",
            )
        )
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            [row[0].ljust(widths[0])]
            + [text.rjust(width) for text, width in zip(row[1:], widths[1:], strict=True)]
        )
        for row in rows
    )


def difference_line(agent: Agent, base: Agent, more: Difference) -> str:
    """Return in a line how much more ``agent`` achieves than ``base``."""
    return (
        f"{agent.name} - {base.name}, paired: win rate {more.win_rate:+.2%} "
        f"[{more.win_rate_low:+.2%}, {more.win_rate_high:+.2%}], score {more.mean_score:+.1f} "
        f"[{more.mean_score_low:+.1f}, {more.mean_score_high:+.1f}]"
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _reporter(agent: Agent, games: int) -> Callable[[int], None]:
    """Return a function that tells of the games played: all the time, or seldom in a log."""
    live = sys.stderr.isatty()
    told = time.monotonic()

    def report(done: int) -> None:
        nonlocal told
        last = done == games
        if not (live or last or time.monotonic() - told >= SECONDS_BETWEEN_REPORTS):
            return
        told = time.monotonic()
        ends = "" if live and not last else "\n"
        start = "\r" if live else ""
        print(f"{start}{agent.name}: {done}/{games} games", end=ends, file=sys.stderr, flush=True)

    return report


if __name__ == "__main__":
    sys.exit(main())
