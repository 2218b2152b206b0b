"""Evaluation: each deal once whatever the batch, known intervals, the command line."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.__main__ import main
from agents.base import Actions, Agent, Mask, softmax
from agents.evaluation import (
    EpisodeResults,
    evaluate,
    mean_interval,
    paired_difference,
    summarise,
)
from agents.greedy import GreedyAgent
from agents.policy import PolicyAgent
from agents.random import RandomAgent
from agents.recorder import Recorder
from scorpion_env import __version__
from scorpion_env.deals import parse_seeds
from scorpion_env.env import ScorpionEnv
from scorpion_env.game import Game
from scorpion_env.intervals import wilson_interval
from scorpion_env.records import read_records
from scorpion_env.variants import find_rules
from tests.policies import write_policy

ARRAYS = [name for name in EpisodeResults._fields if name != "seconds"]


def assert_same(left: EpisodeResults, right: EpisodeResults) -> None:
    for name in ARRAYS:
        assert np.array_equal(getattr(left, name), getattr(right, name)), name


@pytest.fixture(scope="module")
def makers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[], Agent]]:
    policy = write_policy(tmp_path_factory.mktemp("policies") / "some")
    return {
        "random": lambda: RandomAgent(4),
        "greedy": lambda: GreedyAgent("classic"),
        "policy": lambda: PolicyAgent.load(policy),
        "sampled": lambda: PolicyAgent.load(policy, sample=True, seed=4),
    }


@pytest.mark.parametrize("name", ["random", "greedy", "policy", "sampled"])
def test_results_do_not_depend_on_the_batch(
    name: str, makers: dict[str, Callable[[], Agent]]
) -> None:
    whole = evaluate(makers[name](), "classic", range(150))
    assert whole.seeds.tolist() == list(range(150))
    for size in (1, 13, 149):
        assert_same(evaluate(makers[name](), "classic", range(150), size), whole)
    backwards = evaluate(makers[name](), "classic", np.arange(150)[::-1], 40)
    assert np.array_equal(backwards.score[::-1], whole.score)
    agent = makers[name]()
    for _ in range(2):
        assert_same(evaluate(agent, "classic", range(150), 64), whole)


def played_alone(agent: Agent, seed: int) -> list[int]:
    """Play one deal in the single environment; return what evaluation should find."""
    env = ScorpionEnv(observation=agent.observation)
    observation, info = env.reset(seed=seed)
    agent.begin(np.array([seed], np.uint64))
    steps, score, over = 0, 0.0, False
    while not over:
        rows = (
            {part: array[None] for part, array in observation.items()}
            if isinstance(observation, dict)
            else observation[None]
        )
        action = int(agent.act(rows, info["action_mask"][None])[0])
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        steps += 1
        score += reward
    found = [seed, info["is_success"], score, info["sequences"], 12 - info["face_down_cards"]]
    return [*found, info["moves"], steps]


@pytest.mark.parametrize("name", ["random", "greedy", "sampled"])
def test_finds_what_the_single_environment_shows(
    name: str, makers: dict[str, Callable[[], Agent]]
) -> None:
    results = evaluate(makers[name](), "classic", range(40, 80), 16)
    expected = [played_alone(makers[name](), seed) for seed in range(40, 80)]
    assert np.array_equal(np.transpose([getattr(results, name) for name in ARRAYS]), expected)


def test_agent_seed_matters() -> None:
    scores = [evaluate(RandomAgent(seed), "classic", range(100)).score for seed in (0, 1)]
    assert not np.array_equal(scores[0], scores[1])


def test_random_and_greedy_win_their_share() -> None:
    chance = evaluate(RandomAgent(), "classic", range(4000))
    greedy = evaluate(GreedyAgent("classic"), "classic", range(4000))
    assert 0.012 < chance.won.mean() < 0.032
    more = paired_difference(greedy, chance)
    assert more.win_rate_low > 0.02
    assert more.mean_score_low > 40
    assert (greedy.score[greedy.won] >= 460).all()


class Stubborn(Agent):
    """Plays one action, legal or not."""

    name = "stubborn"

    def __init__(self, action: Any) -> None:
        super().__init__()
        self.action = action

    def act(self, observation: Any, mask: Mask) -> Actions:
        return np.full(len(mask), self.action)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (0, "stubborn chose the illegal action 0 in the game of seed 3"),
        (-1, "chose the illegal action -1"),
        (365, "chose the illegal action 365"),
        (1.0, "returned float64 of shape"),
    ],
)
def test_illegal_choices_are_refused(action: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        evaluate(Stubborn(action), "classic", [3, 3])


@pytest.mark.parametrize("seeds", [[], [-1], [2**63], [[1, 2]]])
def test_wrong_seeds_are_refused(seeds: Any) -> None:
    with pytest.raises(ValueError, match="seed"):
        evaluate(RandomAgent(), "classic", seeds)
    with pytest.raises(ValueError, match="batch_size must be at least 1"):
        evaluate(RandomAgent(), "classic", [1], 0)


def test_progress_ends_at_the_last_game() -> None:
    told: list[int] = []
    evaluate(RandomAgent(), "classic", range(50), 7, told.append)
    assert told == sorted(told)
    assert told[-1] == 50


# numbers


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.27753),
        (10, 10, 0.72247, 1.0),
        (10, 100, 0.05523, 0.17437),
        (50, 100, 0.40383, 0.59617),
        (1, 1, 0.20655, 1.0),
    ],
)
def test_wilson_interval(wins: int, games: int, low: float, high: float) -> None:
    assert wilson_interval(wins, games) == pytest.approx((low, high), abs=5e-6)


def test_mean_interval() -> None:
    # mean 3, variance 2.5, standard error 0.70711
    assert mean_interval(np.array([1, 2, 3, 4, 5])) == pytest.approx((1.61410, 4.38590), abs=1e-5)
    assert np.isnan(mean_interval(np.array([3]))).all()


def results_of(won: list[bool], score: list[int]) -> EpisodeResults:
    numbers = np.array(score, np.int64)
    seeds = np.arange(len(won), dtype=np.uint64)
    return EpisodeResults(seeds, np.array(won), numbers, numbers, numbers, numbers, numbers, 2.0)


def test_summary() -> None:
    summary = summarise(results_of([True, False, False, False], [460, 20, 0, 40]))
    assert (summary.episodes, summary.wins, summary.win_rate) == (4, 1, 0.25)
    assert (summary.mean_score, summary.mean_moves, summary.games_per_second) == (130, 130, 2)
    assert (summary.ci_low, summary.ci_high) == wilson_interval(1, 4)


def test_paired_difference() -> None:
    # 10 deals won by the first alone, 4 by the second alone, of 100
    first = results_of([True] * 20 + [False] * 80, [5] * 100)
    second = results_of([True] * 10 + [False] * 86 + [True] * 4, [0] * 50 + [2] * 50)
    more = paired_difference(first, second)
    assert more.win_rate == pytest.approx(0.06)
    # Bonett and Price: 6/102 +- 1.96 sqrt((16/102 - (6/102)^2) / 102)
    assert (more.win_rate_low, more.win_rate_high) == pytest.approx((-0.01719, 0.13483), abs=1e-5)
    assert more.mean_score == 4
    assert more.mean_score_high - 4 == pytest.approx(1.959964 * (100 / 99) ** 0.5 / 10, abs=1e-6)
    less = paired_difference(second, first)
    assert (less.win_rate, less.win_rate_high) == (-more.win_rate, -more.win_rate_low)


def test_paired_difference_needs_the_same_deals() -> None:
    results = results_of([True], [1])
    with pytest.raises(ValueError, match="different deals"):
        paired_difference(results, results._replace(seeds=np.array([7], np.uint64)))


def test_seeds_as_text() -> None:
    assert parse_seeds("3:10") == range(3, 10)
    for wrong in ("", "5", "a:b", "1:2:3", "-1:3", " 1:2", "1:²", "9" * 30 + ":1"):
        with pytest.raises(ValueError, match="are no range: write first:end"):
            parse_seeds(wrong)
    for wrong in ("5:5", "7:5", "0:999999999999"):
        with pytest.raises(ValueError, match="games: name 1 to"):
            parse_seeds(wrong)
    with pytest.raises(ValueError, match=r"below 2\*\*63"):
        parse_seeds(f"{2**63}:{2**63 + 1}")


# the command line


def test_command_line_writes_the_results(tmp_path: Path, capsys: Any) -> None:
    policy = write_policy(tmp_path / "mine")
    file = tmp_path / "table.json"
    file.write_text("old")
    arguments = ["random", "greedy", str(policy), "--seeds", "10:60", "--json", str(file)]
    assert main([*arguments, "--sample", "--agent-seed", "3", "--batch-size", "20"]) == 0
    rows = json.loads(file.read_text())
    assert [row["agent"] for row in rows] == ["random", "greedy", f"{policy} (sampled)"]
    summary = summarise(evaluate(RandomAgent(3), "classic", range(10, 60)))
    expected = {"agent": "random", "rules": "classic", "seeds": "10:60", **summary._asdict()}
    expected |= {"hidden_cards_seen": False, "version": __version__}
    assert list(rows[0]) == list(expected)
    assert rows[0] | {"games_per_second": 0} == expected | {"games_per_second": 0}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine", "table.json"]
    printed = capsys.readouterr()
    assert "greedy - random, paired: win rate" in printed.out
    assert f"{policy} (sampled) - random, paired" in printed.out
    assert "greedy: 50/50 games" in printed.err


def test_command_line_writes_valid_json_for_one_game(tmp_path: Path) -> None:
    file = tmp_path / "table.json"
    assert main(["random", "--seeds", "0:1", "--json", str(file)]) == 0
    assert json.loads(file.read_text())[0]["score_ci_low"] is None


@pytest.mark.parametrize("name", ["random", "greedy", "policy", "sampled"])
def test_recorded_games_are_those_that_were_played(
    name: str, makers: dict[str, Callable[[], Agent]]
) -> None:
    rules, seeds = find_rules("classic"), [7, 3, 3, 11, 20, 8]
    agent = makers[name]()
    recorder = Recorder(agent.name, rules, seeds)
    results = evaluate(agent, rules, seeds, 2, recorder=recorder)
    records = list(recorder.records())
    assert [record.seed for record in records] == seeds
    assert [record.scores[-1] for record in records] == results.score.tolist()
    assert [len(record.actions) for record in records] == results.steps.tolist()
    assert [record.ended == "won" for record in records] == results.won.tolist()
    for record in records:
        record.check()
        assert record.player == agent.name
        assert bool(record.choices) == (name in ("policy", "sampled"))
        for action, choices in zip(record.actions, record.choices, strict=bool(record.choices)):
            shares = [share for _, share in choices]
            assert shares[:5] == sorted(shares[:5], reverse=True)
            if name == "policy":
                assert choices[0][0] == action


def test_a_recorded_action_is_kept_among_the_top_few() -> None:
    rules = find_rules("double_scorpion")
    recorder = Recorder("mine", rules, [5])
    game = Game(5, rules)
    legal = np.flatnonzero(game.action_mask())
    shares = np.zeros((1, rules.actions))
    shares[0, legal] = np.arange(1, len(legal) + 1) / np.arange(1, len(legal) + 1).sum()
    recorder.note(np.array([0]), legal[:1], shares)
    (record,) = recorder.records()
    assert len(legal) > 6
    best = [*legal[:-5:-1], legal[0]]
    assert record.choices == (tuple((a, round(shares[0, a], 4)) for a in best),)


def test_softmax() -> None:
    shares = softmax(np.array([[0, 0, -np.inf], [1000, 1000 - np.log(3), -np.inf]], np.float32))
    assert shares == pytest.approx(np.array([[0.5, 0.5, 0], [0.75, 0.25, 0]]), abs=1e-4)


def test_command_line_writes_the_games(tmp_path: Path) -> None:
    policy, file = write_policy(tmp_path / "mine"), tmp_path / "games.jsonl"
    assert main(["greedy", str(policy), "--seeds", "10:14", "--record", str(file)]) == 0
    records = list(read_records(file))
    assert [record.player for record in records] == ["greedy"] * 4 + [str(policy)] * 4
    assert [record.seed for record in records] == [*range(10, 14)] * 2
    expected = evaluate(GreedyAgent("classic"), "classic", range(10, 14))
    assert [record.scores[-1] for record in records[:4]] == expected.score.tolist()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "--json", "one", "--record", "./one"], "--json and --record name the same"),
        (["random", "--record", "/nowhere/games.jsonl"], "/nowhere/games.jsonl cannot be written"),
        (["nobody"], "agent 'nobody' is unknown"),
        (["random", "--seeds", "9:9"], "seeds '9:9' name 0 games"),
        (["random", "--seeds", "many"], "seeds 'many' are no range"),
        (["random", "--rules", "chess"], "rules 'chess' are unknown: give classic,"),
        (["random", "--batch-size", "0"], "--batch-size must be at least 1"),
        (["random", "--json", "/nowhere/at/all.json"], "/nowhere/at/all.json cannot be written"),
        (["random", "--json", "."], ". is a folder: name a file"),
        (["random", "--agent-seed", "x"], "argument --agent-seed: invalid int value: 'x'"),
        ([], "name the agents to play"),
    ],
)
def test_command_line_says_what_is_wrong(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        sys.exit(main(arguments))
    printed = capsys.readouterr()
    assert end.value.code == 2
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
