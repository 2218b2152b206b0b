"""Suites: package data that the solver agrees with, dealt by both environments."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.__main__ import main as agents_main
from scorpion_env import VARIANTS
from scorpion_env.cli import main
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.solver import Solver
from scorpion_env.suites import UNKNOWN, UNWINNABLE, WINNABLE, find_suite, suite_names
from scorpion_env.vector_env import ScorpionVectorEnv
from train.vec_env import ScorpionVecEnv

STATUS = {"winnable": WINNABLE, "unwinnable": UNWINNABLE}
WHOLE = [name for name in suite_names() if not name.endswith("-winnable")]


def test_every_variant_has_its_suites() -> None:
    expected = {f"{name}-{'10k' if name == 'classic' else '1k'}" for name in VARIANTS}
    assert set(WHOLE) == expected
    assert set(suite_names()) - expected == {f"{name}-winnable" for name in VARIANTS}


@pytest.mark.parametrize("name", WHOLE)
def test_suites_hold_the_first_seeds(name: str) -> None:
    suite = find_suite(name)
    suite.check_rules(VARIANTS[suite.variant])
    assert suite.seeds.tolist() == list(range(len(suite.statuses)))
    assert set(suite.statuses) <= {WINNABLE, UNWINNABLE, UNKNOWN}
    won = find_suite(f"{suite.variant}-winnable")
    assert [s for s in won.seeds if s < len(suite.seeds)] == [
        s for s in suite.seeds if suite.statuses[s] == WINNABLE
    ]
    assert set(won.statuses) <= {WINNABLE}


@pytest.mark.parametrize("name", WHOLE)
def test_the_solver_agrees(name: str) -> None:
    suite = find_suite(name)
    solver = Solver(suite.rules, 20_000, certificates=False)
    decided = [seed for seed in suite.seeds if suite.statuses[seed] != UNKNOWN]
    agreed = 0
    for seed in np.random.default_rng(len(name)).choice(decided, 8, replace=False):
        status = solver.solve(Game(seed, suite.rules)).status
        assert status == "unknown" or STATUS[status] == suite.statuses[seed], seed
        agreed += status != "unknown"
    assert agreed >= 5


def test_classic_is_decided() -> None:
    statuses = find_suite("classic-10k").statuses
    assert UNKNOWN not in statuses
    assert 0.115 < statuses.count(WINNABLE) / len(statuses) < 0.135


def test_an_environment_deals_from_a_suite() -> None:
    env = ScorpionEnv()
    env.reset(seed=5)
    _, following = env.reset()
    env.reset(seed=5)
    _, info = env.reset(options={"suite": "classic-winnable", "index": 3})
    seed = find_suite("classic-winnable").seed(3)
    assert info["deal"] == Game(seed).deal_number
    assert Solver(VARIANTS["classic"]).solve(Game(seed)).status == "winnable"
    assert env.reset()[1]["deal"] == following["deal"]


def test_each_game_of_a_vector_has_its_deal() -> None:
    env = ScorpionVectorEnv(3, rules="wasp")
    suite = find_suite("wasp-winnable")
    _, info = env.reset(options={"suite": suite.name, "index": np.int64(10)})
    numbers = [Game(suite.seed(10 + game), "wasp").deal_number for game in range(3)]
    assert info["deal"].tolist() == numbers
    chosen = np.array([False, False, True])
    _, info = env.reset(options={"suite": suite.name, "index": 0, "reset_mask": chosen})
    assert info["deal"].tolist() == [0, 0, Game(suite.seed(2), "wasp").deal_number]
    with pytest.raises(ValueError, match="has no deal"):
        env.reset(options={"suite": suite.name, "index": len(suite.seeds) - 2})


@pytest.mark.parametrize("env", [ScorpionEnv(), ScorpionVectorEnv(2)], ids=["single", "vector"])
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"suite": "classic-winable", "index": 0}, "unknown: did you mean 'classic-winnable'"),
        ({"suite": 7, "index": 0}, "suite '7' is unknown"),
        ({"suite": "wasp-1k", "index": 0}, "is of other rules: those of 'wasp'"),
        ({"suite": "classic-10k", "index": 10_000}, "index from 0 to 9999"),
        ({"suite": "classic-10k", "index": -2}, "index from 0 to 9999"),
        ({"suite": "classic-10k", "index": "3"}, "index from 0 to 9999"),
        ({"suite": "classic-10k"}, "go together"),
        ({"index": 3}, "go together"),
        ({"suite": "classic-10k", "index": 3, "deal": "ms1"}, "not both"),
    ],
)
def test_wrong_options(env: Any, options: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        env.reset(seed=0, options=options)


def test_undo_does_not_matter() -> None:
    rules = replace(VARIANTS["classic"], undo_limit=3, step_limit=50)
    find_suite("classic-10k").check_rules(rules)
    find_suite("open_scorpion-1k").check_rules(rules)
    with pytest.raises(ValueError, match="other rules"):
        find_suite("classic-10k").check_rules(replace(rules, loss="sheet"))


def test_training_takes_no_suite() -> None:
    games = ScorpionVecEnv(2)
    games.set_options({"suite": "classic-10k", "index": 0})
    with pytest.raises(ValueError, match="kept for evaluation"):
        games.reset()


def test_agents_play_a_suite(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "table.json"
    asked = ["greedy", "--suite", "three_blind_mice-winnable", "--episodes", "40"]
    assert agents_main([*asked, "--json", str(table)]) == 0
    said = capsys.readouterr().out
    assert "three_blind_mice, suite three_blind_mice-winnable, 40 games" in said
    row = json.loads(table.read_text())[0]
    assert row["suite"] == "three_blind_mice-winnable"
    assert row["episodes"] == 40
    assert "seeds" not in row


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--suite", "wasp-1k", "--rules", "classic"], "is of other rules"),
        (["--suite", "wasp-1k", "--seeds", "0:9"], "not both"),
        (["--suite", "wasp-1k", "--episodes", "1001"], "--episodes must be 1 to 1000"),
        (["--suite", "wasp-2k"], "is unknown"),
        (["--episodes", "5"], "--episodes goes with --suite"),
    ],
)
def test_agents_refuse(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert agents_main(["random", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_the_command_makes_a_suite(tmp_path: Path) -> None:
    name = "three_blind_mice_dealt"
    folders = ["--folder", str(tmp_path / "sweeps"), "--output", str(tmp_path)]
    assert main(["suites", "--rules", name, "--workers", "1", *folders]) == 0
    made = json.loads((tmp_path / f"{name}.json").read_text())
    assert made["statuses"] == find_suite(f"{name}-1k").statuses
    assert main(["suites", "--rules", name, "--deals", "10", *folders]) == 2
