"""What `tests.fuzz` tries of command lines: they run to where their work would begin."""

import contextlib
import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

from agents.__main__ import main as agents
from scorpion_env.cli import main as scorpion
from tests.mutations import mutated_words
from train.__main__ import parse_arguments
from train.config import load_config

SCORPION = [
    ["solve", "--deal", "ms123", "--nodes", "100"],
    ["solve", "--number", "99", "--rules", "wasp"],
    ["solve", "--seeds", "0:5", "--output", "deals.jsonl", "--workers", "2", "--no-certificates"],
    ["solve", "--seed", "3", "--record", "won.jsonl"],
    ["solve", "--summary", "deals.jsonl"],
    ["suites", "--rules", "wasp", "--deals", "1000", "--folder", "sweeps", "--output", "suites"],
    ["replay", "good.jsonl", "-o", "page.html", "--game", "1", "--verdicts", "--nodes", "10"],
]
AGENTS = [
    ["random", "greedy", "--seeds", "0:9", "--json", "table.json", "--batch-size", "4"],
    ["greedy", "--suite", "classic-winnable", "--episodes", "5", "--record", "games.jsonl"],
    ["search:iterations=60,worlds=5", "--rules", "wasp", "--agent-seed", "7", "--sample"],
    ["--leaderboard", "random", "--folder", "board", "--workers", "2", "--plot", "plot.png"],
]
TRAIN = [
    ["config.yaml", "--set", "ppo.gamma=0.9", "--name", "mine", "--no-progress"],
    ["config.yaml", "--runs", "runs", "--set", "seed=10000001"],
    ["--resume", "runs"],
]
WORK = (
    "scorpion_env.solver.command.solve",
    "scorpion_env.solver.command.sweep",
    "scorpion_env.solver.suites_command.sweep",
    "scorpion_env.render.replay_command.judge_positions",
    "agents.__main__.evaluate",
    "agents.__main__.play",
)


class ReachedError(Exception):
    """Raised where a command would begin its work: its words have been accepted."""


def check_command(given: tuple[str, list[str]]) -> None:
    program, words = given
    said = io.StringIO()
    with contextlib.ExitStack() as stack:
        for name in WORK:
            stack.enter_context(mock.patch(name, side_effect=ReachedError))
        stack.enter_context(contextlib.redirect_stderr(said))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        code = call(program, words)
    assert code in (0, 2)
    if code == 2:
        text = said.getvalue()
        assert text.endswith("\n")
        assert program == "train" or text.count("\n") == 1 or any("\n" in w for w in words), text
        raise ValueError(text)


def call(program: str, words: list[str]) -> Any:
    """Return the exit code of a command that stops where its work would begin."""
    try:
        if program == "train":
            chosen = parse_arguments(words)
            load_config(chosen.config or Path("config.yaml"), chosen.overrides)
            return 0
        return {"scorpion": scorpion, "agents": agents}[program](words)
    except ReachedError:
        return 0
    except SystemExit as end:
        return end.code or 0


def make_command(program: str, examples: list[list[str]]) -> Callable[[random.Random], Any]:
    return lambda rng: (program, mutated_words(rng.choice(examples), rng, examples))
