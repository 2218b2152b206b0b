"""The leaderboard plays each deal once, goes on where it stopped and counts what it should."""

import json
from pathlib import Path

import numpy as np
import pytest

from agents.__main__ import main
from agents.evaluation import evaluate
from agents.leaderboard import Standing, play, share_of_all
from agents.leaderboard_table import markdown
from agents.registry import make_agent, standard_agents
from scorpion_env.suites import find_suite, whole_suite

SUITE = find_suite("classic-winnable")


def play_some(folder: Path, episodes: int) -> list[Standing]:
    return play(["random", "greedy"], SUITE, episodes, folder, workers=1)


def test_results_are_those_of_evaluation_and_are_not_played_twice(tmp_path: Path) -> None:
    first = play_some(tmp_path, 60)
    more = play_some(tmp_path, 75)
    for standings, episodes in ((first, 60), (more, 75)):
        for standing in standings:
            seeds = SUITE.seeds[:episodes]
            alone = evaluate(make_agent(standing.agent, SUITE.rules), SUITE.rules, seeds)
            assert standing.results.seeds.tolist() == seeds.tolist()
            np.testing.assert_array_equal(standing.results.won, alone.won)
            np.testing.assert_array_equal(standing.results.score, alone.score)
            assert standing.milliseconds > 0
    lines = (tmp_path / "classic-winnable_greedy.jsonl").read_text().splitlines()
    assert [len(json.loads(line)["seeds"]) for line in lines] == [50, 10, 15]


def test_a_line_cut_off_is_played_again(tmp_path: Path) -> None:
    whole = play_some(tmp_path, 60)
    path = tmp_path / "classic-winnable_greedy.jsonl"
    text = path.read_text()
    path.write_text(text[:-40])
    again = play_some(tmp_path, 60)
    assert [s.wins for s in again] == [s.wins for s in whole]
    assert len(path.read_text().splitlines()) == len(text.splitlines())


@pytest.mark.parametrize("line", ["[]", "{}", '{"seeds": [1]}', "no JSON", '{"seeds": 3}'])
def test_a_damaged_line_is_named(
    line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "classic-winnable_greedy.jsonl").write_text(line + "\n")
    asked = ["--leaderboard", "greedy", "--episodes", "5", "--folder", str(tmp_path)]
    assert main(asked) == 2
    assert "classic-winnable_greedy.jsonl, line 1" in capsys.readouterr().err


def test_wins_of_all_deals_are_wins_of_the_winnable_ones() -> None:
    whole = whole_suite("classic")
    standing = Standing(
        "greedy", evaluate(make_agent("greedy", "classic"), "classic", SUITE.seeds), 1
    )
    everything = evaluate(make_agent("greedy", "classic"), "classic", whole.seeds)
    assert share_of_all(standing, SUITE) == (int(everything.won.sum()), 10_000)
    part = evaluate(make_agent("greedy", "classic"), "classic", SUITE.seeds[:500])
    assert share_of_all(standing._replace(results=part), SUITE) is None


def test_table_is_sorted_and_paired(tmp_path: Path) -> None:
    best, worst = markdown(play_some(tmp_path, 60), SUITE).splitlines()[2:4]
    assert best.startswith("| `greedy`")
    assert worst.startswith("| `random`")
    assert best.count("%") == 3
    assert worst.count("%") == 6


def test_plot_is_drawn(tmp_path: Path) -> None:
    asked = ["--leaderboard", "random", "--episodes", "5", "--folder", str(tmp_path / "kept")]
    assert main([*asked, "--plot", str(tmp_path / "plot.svg")]) == 0
    assert "<svg" in (tmp_path / "plot.svg").read_text()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--suite", "classic-10k"], "holds lost deals"),
        (["--episodes", "0"], "--episodes must be"),
        (["--workers", "0"], "--workers must be"),
        (["nobody"], "'nobody' is unknown"),
        (["--json", "table.json"], "--json does not go"),
        (["search:iterations=many"], "whole number"),
        (["search:depth=3"], "worlds"),
    ],
)
def test_mistakes_are_told_in_a_line(
    asked: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--leaderboard", *asked, "--folder", str(tmp_path / "board")]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_every_agent_of_a_variant_is_on_it() -> None:
    assert {"random", "greedy", "search", "classic-network"} <= set(standard_agents("classic"))
    assert standard_agents("wasp") == ["random", "greedy", "search", "ppo-wasp", "wasp-lines"]
