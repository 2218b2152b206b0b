"""What `tests.fuzz` tries: inputs made of valid ones, and what must come of them."""

import json
import random
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from safetensors.numpy import save

from agents.leaderboard import FIELDS, read_chunks
from agents.registry import MODELS, make_agent
from scorpion_env import __version__
from scorpion_env.deals import deal_of_seed, read_deal
from scorpion_env.game import Game
from scorpion_env.notation import name_card, name_move, parse_board, parse_move, write_board
from scorpion_env.records import read_records, record_actions, write_records
from scorpion_env.solver.answers import Answer, write_csv, write_json
from scorpion_env.solver.sweep import tally_of
from scorpion_env.solver.sweep_file import read_answers
from scorpion_env.suites import asked_deal
from scorpion_env.variants import find_rules
from scorpion_env.vector_env import ScorpionVectorEnv
from tests.mutations import VALUES, mutated_bytes, mutated_data, mutated_text
from tests.policies import random_tensors, write_policy
from tests.random_games import play_on, random_actions
from train.config import Config, load_config

RULES = ("classic", "wasp", "three_blind_mice", "double_scorpion", "traditional")
ROOT = Path(__file__).parents[1]


class Kind(NamedTuple):
    """One kind of input."""

    make: Callable[[random.Random], Any]
    check: Callable[[Any], None]  # raises one of `errors` for what is refused
    errors: tuple[type[BaseException], ...] = (ValueError,)


def scratch(name: str, data: str | bytes) -> Path:
    """Write a file of the current folder, which is a temporary one."""
    path = Path(name)
    path.write_bytes(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)
    return path


# boards, deals and moves


@cache
def board_example(name: str, seed: int, reveal: bool) -> str:
    game = Game(seed, name)
    play_on(game, seed, (0, 10, 60)[seed % 3])
    return game.to_text(reveal)


def make_board(rng: random.Random) -> tuple[str, str]:
    name = rng.choice(RULES)
    return name, mutated_text(board_example(name, rng.randrange(9), rng.random() < 0.7), rng)


def check_board(given: tuple[str, str]) -> None:
    name, text = given
    rules = find_rules(name)
    position = parse_board(rules, text, seed=1)
    assert parse_board(rules, write_board(rules, position, reveal=True)) == position
    game = Game(1, rules, text)
    check_cards(game)
    before = game.to_text(reveal=True)
    for move in game.legal_moves()[:2]:
        game.play(move)
        check_cards(game)
        game.undo()
        assert game.to_text(reveal=True) == before


def check_cards(game: Game) -> None:
    position = game.position
    places = [*position.columns, *position.removed, [c for c in position.reserve if c is not None]]
    assert sorted(card for cards in places for card in cards) == list(
        range(game.rules.layout.cards)
    )


def make_deal(rng: random.Random) -> tuple[str, Any]:
    name = rng.choice(RULES)
    rules = find_rules(name)
    number = deal_of_seed(rng.randrange(99), rules).number
    cards = [
        name_card(rules, card) for card in rng.sample(range(rules.layout.cards), rules.layout.cards)
    ]
    example = rng.choice([number, rng.randrange(-5, 2**65), f"ms{rng.randrange(2**34)}", cards])
    if isinstance(example, str):
        return name, mutated_text(example, rng)
    return name, mutated_data(example, rng)


def check_deal(given: tuple[str, Any]) -> None:
    name, asked = given
    rules = find_rules(name)
    deal = read_deal(asked, rules, 1)
    assert sorted(deal.deck.tolist()) == list(range(rules.layout.cards))
    if deal.number:
        assert read_deal(deal.number, rules).deck.tolist() == deal.deck.tolist()
    check_cards(Game(1, rules, asked))


@cache
def legal_moves(name: str) -> list[str]:
    return Game(5, name).legal_moves()


def make_move(rng: random.Random) -> tuple[str, Any]:
    name = rng.choice([*RULES, "open_scorpion"])
    rules = find_rules(name)
    text = rng.choice([name_move(rules, rng.randrange(rules.actions)), *legal_moves(name)])
    given = (text, mutated_text(text, rng, 2), rng.choice(VALUES), rng.randrange(-9, 3000))
    return name, rng.choice(given)


def check_move(given: tuple[str, Any]) -> None:
    name, move = given
    game = Game(5, name)
    before = game.to_text(reveal=True)
    if isinstance(move, str):
        action = parse_move(game.rules, move)
        assert 0 <= action < game.rules.actions
        assert parse_move(game.rules, name_move(game.rules, action)) == action
    try:
        game.play(move)
    except ValueError:
        assert game.to_text(reveal=True) == before
        raise
    check_cards(game)
    game.undo()
    assert game.to_text(reveal=True) == before


# files


CONFIGS = [p.read_text("utf-8") for p in sorted((ROOT / "configs").glob("ppo_*.yaml"))]
CONFIGS += [yaml.safe_dump(Config().model_dump(), sort_keys=False)] * len(CONFIGS)
OVERRIDES = ["ppo.gamma=0.9", "seed=10000000", "network.hidden=[8, 8]", "total_steps=1e6"]


def make_config(rng: random.Random) -> tuple[str, list[str]]:
    text = rng.choice(CONFIGS)
    if rng.random() < 0.3:
        return text, [mutated_text(rng.choice(OVERRIDES), rng)]
    if rng.random() < 0.5:
        return yaml.safe_dump(mutated_data(yaml.safe_load(text), rng), sort_keys=False), []
    return mutated_text(text, rng), []


def check_config(given: tuple[str, list[str]]) -> None:
    text, overrides = given
    config = load_config(scratch("config.yaml", text), overrides)
    again = yaml.safe_dump(config.model_dump(), sort_keys=False)
    assert load_config(scratch("config.yaml", again)) == config


@cache
def record_example(name: str, seed: int) -> str:
    rules = find_rules(name)
    actions = random_actions(rules, seed, (0, 5, 30)[seed % 3])
    choices = [[(action, 0.5)] for action in actions] if seed % 2 else []
    number = deal_of_seed(seed, rules).number
    write_records("made.jsonl", [record_actions(rules, number, actions, "jo", choices=choices)])
    return Path("made.jsonl").read_text("utf-8")


def make_record(rng: random.Random) -> str | bytes:
    name = rng.choice(RULES)
    line = record_example(name, rng.randrange(9))
    kind = rng.randrange(3)
    if kind == 0:
        fields = json.loads(line)
        if rng.random() < 0.3:
            fields["rules"] = asdict(find_rules(name))
        return json.dumps(mutated_data(fields, rng))
    return mutated_text(line, rng) if kind == 1 else mutated_bytes(line.encode(), rng)


def check_record(given: str | bytes) -> None:
    records = list(read_records(scratch("games.jsonl", given)))
    for record in records:
        record.check()
        check_cards(record.replay())
    write_records("again.jsonl", records)
    assert list(read_records("again.jsonl")) == records


@cache
def policy_examples() -> list[tuple[bytes, bytes]]:
    """A multilayer perceptron over planes and a network over cards, each as its two files."""
    folder = write_policy(Path("policy"))
    small = json.loads((folder / "policy.json").read_text())
    tensors = random_tensors([small["inputs"], 1, small["actions"]])
    network = MODELS / "classic-network-small"
    return [
        ((folder / "policy.json").read_bytes(), save(tensors)),
        (
            network.with_suffix(".json").read_bytes(),
            network.with_suffix(".safetensors").read_bytes(),
        ),
    ]


def make_policy(rng: random.Random) -> tuple[str | bytes, bytes]:
    description, tensors = rng.choice(policy_examples())
    kind = rng.randrange(3)
    if kind == 0:
        return json.dumps(mutated_data(json.loads(description), rng)), tensors
    if kind == 1:
        return mutated_text(description.decode(), rng), tensors
    return description, mutated_bytes(tensors, rng)


def check_policy(given: tuple[str | bytes, bytes]) -> None:
    Path("fuzzed").mkdir(exist_ok=True)
    scratch("fuzzed/policy.json", given[0])
    scratch("fuzzed/policy.safetensors", given[1])
    agent = make_agent("fuzzed", "classic")
    observation, info = ScorpionVectorEnv(2, observation=agent.observation).reset(seed=1)
    agent.begin(np.array([1, 2], np.uint64))
    actions = agent.act(observation, info["action_mask"])
    assert info["action_mask"][[0, 1], actions].all()


def make_answers(rng: random.Random) -> tuple[str, str | bytes]:
    answers = [
        Answer(3, 10414018103131230229, "winnable", 400, 0.1, (1, 2, 364), None),
        Answer(4, 99, "unwinnable", 7, 0.0, (), {"kind": "cycle", "cards": ["KS", "QS"]}),
        Answer(5, 98, "unknown", 20_000, 1.5, (), None),
    ]
    name, write = rng.choice([("deals.jsonl", write_json), ("deals.csv", write_csv)])
    lines = [write(answer) for answer in answers]
    if name == "deals.jsonl" and rng.random() < 0.5:
        lines[1] = json.dumps(mutated_data(json.loads(lines[1]), rng))
        return name, "\n".join([*lines, ""])
    text = "\n".join([*lines, ""])
    return name, mutated_text(text, rng) if rng.random() < 0.6 else mutated_bytes(
        text.encode(), rng
    )


def check_answers(given: tuple[str, str | bytes]) -> None:
    path = scratch(*given)
    answers = list(read_answers(path))
    write = write_csv if path.suffix == ".csv" else write_json
    again = scratch(f"again{path.suffix}", "".join(write(answer) + "\n" for answer in answers))
    assert list(read_answers(again)) == answers
    assert tally_of(path).deals == len({answer.seed for answer in answers})
    assert tally_of(path).text()


def make_chunks(rng: random.Random) -> str | bytes:
    columns = {field: [rng.randrange(2) for _ in range(3)] for field in FIELDS}
    chunk = {"seeds": [3, 12, 19], **columns, "cpu_seconds": 0.5, "version": __version__}
    lines = [json.dumps(chunk), json.dumps(chunk | {"seeds": [20, 21, 30]})]
    if rng.random() < 0.5:
        lines[1] = json.dumps(mutated_data(json.loads(lines[1]), rng))
        return "\n".join([*lines, ""])
    text = "\n".join([*lines, ""])
    return mutated_text(text, rng) if rng.random() < 0.6 else mutated_bytes(text.encode(), rng)


def check_chunks(given: str | bytes) -> None:
    path = scratch("chunks.jsonl", given)
    chunks = list(read_chunks(path))
    seeds = [seed for chunk in chunks for seed in chunk["seeds"]]
    assert len(seeds) == len(set(seeds))
    assert all(len(chunk[field]) == len(chunk["seeds"]) for chunk in chunks for field in FIELDS)
    assert path.read_bytes()[-1:] in (b"", b"\n")


def make_suite(rng: random.Random) -> tuple[str, dict[str, Any]]:
    options = {"suite": "classic-winnable", "index": rng.randrange(-5, 3000)}
    if rng.random() < 0.5:
        options["suite"] = mutated_text(rng.choice(["classic-10k", "wasp-winnable"]), rng)
    return rng.choice(RULES[:2]), options if rng.random() < 0.3 else mutated_data(options, rng)


def check_suite(given: tuple[str, Any]) -> None:
    name, options = given
    if not isinstance(options, dict) or not options.keys() & {"suite", "index", "deal"}:
        raise ValueError("no options that ask for a deal")
    deal = asked_deal(options, find_rules(name), 1)
    assert sorted(deal.deck.tolist()) == list(range(52))
