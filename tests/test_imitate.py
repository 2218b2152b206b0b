"""Teaching the network over cards: labels, the torch network, a tiny run, its files."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from safetensors.numpy import save_file

from agents.evaluation import evaluate
from agents.inputs import IDLE_INPUT
from agents.network import IDLE_COST, make_scratch, score_moves
from agents.network_agent import NetworkAgent, load_network, sizes_of
from agents.recorder import Recorder
from agents.registry import MODELS, make_agent, shipped_models
from agents.search import Budget, SearchAgent
from scorpion_env import VARIANTS
from scorpion_env.deals import FIRST_TRAINING_SEED
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import NO_CARD, State, empty_state, row_of
from scorpion_env.game import Game
from scorpion_env.position import Position, write_position
from scorpion_env.rules import Rules
from scorpion_env.solver import Solver
from scorpion_env.solver.analysis import LOSES, NOT_JUDGED, WINS
from scorpion_env.solver.relations import relations_of
from train import imitate
from train.checkpoint import checkpoints
from train.config import load_section
from train.distil import label_by_search
from train.fit import Batches
from train.imitate import label_positions, main, run_stage
from train.imitation_config import Imitation, Stage
from train.move_network import MoveNetwork
from train.network_export import export_network
from train.positions import Kept, make_tools, packed_size, play_game
from train.solved_deals import training_deals, winnable_deals

CONFIGS = sorted((Path(__file__).parents[1] / "configs").glob("imitate_*.yaml"))
SIZES = {"width": 8, "rounds": 1, "column_width": 4, "hidden": 8, "hidden_2": 8}
SMALL = """
rules: classic
nodes: 5000
network: {width: 8, rounds: 1, column_width: 4, hidden: 8, hidden_2: 8}
fit: {batch_size: 16}
stages:
  - {labels: solver, games: 3, noise: 0.5, epochs: 1}
  - {labels: rollouts, games: 3, keep: 1, epochs: 1}
  - {labels: search, games: 2, iterations: 4, epochs: 1}
evaluation: {deals: 3}
"""


def drawn_network(rules: Rules) -> MoveNetwork:
    """A network with random weights, biases too."""
    torch.manual_seed(0)
    network = MoveNetwork(rules, **SIZES)
    with torch.no_grad():
        for parameter in network.parameters():
            parameter += 0.1 * torch.randn(parameter.shape)
    return network


@pytest.fixture
def network() -> MoveNetwork:
    return drawn_network(VARIANTS["classic"])


def position_of(rules: Rules, packed: npt.NDArray[np.uint8]) -> Position:
    """The position that `scorpion_env.solver.tree.pack` packed."""
    columns, reserve = len(rules.layout.columns), rules.layout.reserve_cards
    heights, down = packed[:columns].tolist(), packed[columns : 2 * columns].tolist()
    cards = packed[2 * columns + reserve :].tolist()
    starts = np.cumsum([0, *heights]).tolist()
    lying = tuple(tuple(cards[i:j]) for i, j in pairwise(starts))
    waiting = packed[2 * columns : 2 * columns + reserve].tolist()
    removed = sorted(set(range(rules.layout.cards)) - {c for row in lying for c in row})
    removed = [card for card in removed if card not in waiting]
    ranks = rules.layout.ranks
    sequences = tuple(
        tuple(reversed(removed[i : i + ranks])) for i in range(0, len(removed), ranks)
    )
    return Position(
        lying, tuple(down), tuple(None if c == NO_CARD else c for c in waiting), sequences
    )


@pytest.mark.parametrize("labels", ["solver", "rollouts"])
def test_labels_say_what_becomes_of_moves(network: MoveNetwork, labels: str) -> None:
    rules = VARIANTS["classic"]
    compiled, relations = rules.compiled, relations_of(rules)
    deals = training_deals(rules, FIRST_TRAINING_SEED, 3, 20_000)
    stage = Stage.model_validate({"labels": labels, "noise": 0.3})
    kept = label_positions(Imitation(), stage, network.weights(), deals, 1)
    tools = make_tools(rules, network.weights(), 10, 1)
    solver = Solver(rules)
    mask = np.zeros(rules.actions, np.int8)
    assert len(kept.packed) >= 3
    for packed, verdicts in zip(kept.packed, kept.verdicts, strict=True):
        position = position_of(rules, packed)
        write_position(rules, tools.state, position)
        settle(compiled, tools.state, mask)
        np.testing.assert_array_equal(verdicts != NOT_JUDGED, mask > 0)
        for action in np.flatnonzero(mask):
            write_position(rules, tools.state, position)
            apply(compiled, tools.state, action)
            if labels == "solver":
                wins = solver.solve(tools.state).status == "winnable"
            else:
                wins = play_game(compiled, relations, network.weights(), tools, 200)
            assert verdicts[action] == (WINS if wins else LOSES)


@pytest.mark.parametrize("name", ["pysol_triple_scorpion", "three_blind_mice"])
def test_search_labels_of_games_without_a_reserve_and_with(network: MoveNetwork, name: str) -> None:
    rules = VARIANTS[name]
    budget = Budget(worlds=2, draws=4000, nodes=2000, iterations=2)
    search = SearchAgent(rules, network.weights(), seed=4, budget=budget)
    seeds = training_deals(rules, FIRST_TRAINING_SEED, 1, 20_000).seeds
    kept = label_by_search(rules, search, seeds)
    assert ((kept.verdicts == WINS).sum(axis=1) == 1).all()


@pytest.mark.parametrize("key", ["start", "valuer"])
def test_networks_that_cannot_be_used_are_told_before_anything_is_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str
) -> None:
    config = tmp_path / "small.yaml"
    config.write_text(SMALL)
    assert main([str(config), "--runs", str(tmp_path), "--set", f"{key}=nowhere"]) == 2
    said = capsys.readouterr().err
    assert f"error: {key}: nowhere" in said
    assert "stage" not in said


def test_search_labels_say_what_the_search_plays(network: MoveNetwork) -> None:
    rules = VARIANTS["classic"]
    seeds = training_deals(rules, FIRST_TRAINING_SEED, 3, 20_000).seeds
    budget = Budget(worlds=3, draws=2000, iterations=8)

    def searching() -> SearchAgent:
        return SearchAgent(rules, network.weights(), seed=4, budget=budget)

    kept = label_by_search(rules, searching(), seeds)
    assert len(kept.packed) > 3
    assert ((kept.verdicts == WINS).sum(axis=1) == 1).all()
    played = Recorder("search", rules, seeds.tolist())
    evaluate(searching(), rules, seeds, recorder=played)
    state = row_of(empty_state(rules, 1, undoable=0), 0)
    labelled = {
        (packed[:14].tobytes(), int(verdicts.argmax()))
        for packed, verdicts in zip(kept.packed, kept.verdicts == WINS, strict=True)
    }
    met = set()
    for seed, record in zip(seeds, played.records(), strict=True):
        game = Game(seed=int(seed))
        for action in record.actions:
            write_position(rules, state, game.position)
            met.add((packed_of(rules, state)[:14].tobytes(), action))
            game.play(action)
    assert labelled <= met


@pytest.mark.parametrize("name", ["classic", "double_scorpion", "three_blind_mice"])
def test_torch_scores_what_the_kernel_scores(name: str) -> None:
    rules = VARIANTS[name]
    network = drawn_network(rules)
    relations, weights = relations_of(rules), network.weights()
    tools, scratch = make_tools(rules, weights, 10, 1), make_scratch(rules, weights)
    mask, scores = np.zeros(rules.actions, np.int8), np.zeros(rules.actions)
    kept = Kept(np.zeros((1, packed_size(rules)), np.uint8), np.zeros((1, rules.actions), np.int8))
    game = Game(seed=4, rules=name)
    batches = Batches(rules, network, 1)
    for _ in range(20):
        if not game.actions:
            break
        settle(rules.compiled, game.state, mask)
        score_moves(rules.compiled, relations, game.state, mask, weights, scratch, scores)
        kept.packed[0] = packed_of(rules, game.state)
        kept.verdicts[0] = np.where(mask, WINS, NOT_JUDGED)
        given, labels, position = batches.read(kept, np.zeros(1, np.int64))
        assert (labels == 1).all()
        assert (position == 0).all()
        found = network(given) - IDLE_COST * given.table[:, IDLE_INPUT]
        np.testing.assert_allclose(
            found.detach().numpy(), scores[np.flatnonzero(mask)], rtol=1e-4, atol=1e-4
        )
        game.play(int(np.flatnonzero(mask)[0]))
    assert tools.search.facts.parted.shape == (rules.layout.cards,)


def packed_of(rules: Rules, state: State) -> npt.NDArray[np.uint8]:
    """A packed game."""
    cards = [state.tableau[column, :height] for column, height in enumerate(state.height)]
    parts = np.concatenate([state.height, state.face_down, state.reserve, *cards])
    packed = np.zeros(packed_size(rules), np.uint8)
    packed[: len(parts)] = parts
    return packed


def test_seeds_kept_for_evaluation_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="kept for evaluation"):
        training_deals(VARIANTS["classic"], FIRST_TRAINING_SEED - 1, 1, 100)
    config = tmp_path / "low.yaml"
    config.write_text("seed: 9_999_999\n")
    assert main([str(config), "--runs", str(tmp_path)]) == 2


def test_winnable_deals_are_those_of_the_seeds() -> None:
    rules = VARIANTS["classic"]
    deals = winnable_deals(rules, 0, 5, 50_000)
    solver = Solver(rules)
    proven = [
        seed
        for seed in range(int(deals.seeds[-1]) + 1)
        if solver.solve(Game(seed=seed)).status == "winnable"
    ]
    assert deals.seeds.tolist() == proven


def test_tiny_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run ends with files that play, and the same run gives the same files."""
    config = tmp_path / "small.yaml"
    config.write_text(SMALL)
    for name in ("one", "two"):
        assert main([str(config), "--runs", str(tmp_path), "--name", name]) == 0
    weights = [(tmp_path / name / "policy.safetensors").read_bytes() for name in ("one", "two")]
    assert weights[0] == weights[1]
    assert "stage 3 of 3" in capsys.readouterr().err
    assert len(json.loads((tmp_path / "one" / "summary.json").read_text())) == 3
    agent = make_agent(str(tmp_path / "one"), "classic")
    assert isinstance(agent, NetworkAgent)
    assert sizes_of(agent.network) == SIZES
    assert evaluate(agent, "classic", range(3)).steps.min() > 0


def test_stopped_and_resumed_equals_one_that_was_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "small.yaml"
    config.write_text(SMALL)
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    assert main([str(config), "--runs", str(tmp_path), "--name", whole.name]) == 0
    with monkeypatch.context() as patched:

        def stop_in_second(*given: Any) -> int:
            if given[4].reached:
                raise KeyboardInterrupt
            return run_stage(*given)

        patched.setattr(imitate, "run_stage", stop_in_second)
        assert main([str(config), "--runs", str(tmp_path), "--name", stopped.name]) == 130
    assert f"go on with: python -m train.imitate --resume {stopped}" in capsys.readouterr().err
    assert main(["--resume", str(stopped)]) == 0
    assert "stage 1 of 3" not in capsys.readouterr().err
    for name in ("policy.safetensors", "policy.json", "summary.json"):
        assert (stopped / name).read_bytes() == (whole / name).read_bytes()
    newest = checkpoints(stopped)[-1]
    for path in newest.iterdir():
        path.write_bytes(path.read_bytes()[:20])
    assert main(["--resume", str(stopped)]) == 2
    *_, said = capsys.readouterr().err.splitlines()
    assert said.startswith(f"error: {newest}")


def damage_json(folder: Path, **changed: object) -> None:
    path = folder / "policy.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changed))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": 9}, "has format 9"),
        ({"network": "other"}, "network='other' is not"),
        ({"width": 9}, "card has shape"),
        ({"width": 0}, "width=0 must be a whole number"),
        ({"rounds": True}, "rounds=True must be a whole number"),
        ({"hidden": 10**9}, "must be a whole number"),
    ],
)
def test_wrong_descriptions_are_refused(
    tmp_path: Path, network: MoveNetwork, changed: dict[str, object], message: str
) -> None:
    export_network(network.weights(), "classic", tmp_path)
    damage_json(tmp_path, **changed)
    with pytest.raises(ValueError, match=message) as refused:
        load_network(tmp_path)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("kept", [0, 7, 100, 4000])
def test_cut_files_are_refused(tmp_path: Path, network: MoveNetwork, kept: int) -> None:
    export_network(network.weights(), "classic", tmp_path)
    path = tmp_path / "policy.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(ValueError, match="cannot be read as safetensors") as refused:
        load_network(tmp_path)
    assert "\n" not in str(refused.value)


def test_missing_and_strange_tensors_are_refused(tmp_path: Path, network: MoveNetwork) -> None:
    export_network(network.weights(), "classic", tmp_path)
    tensors = network.weights()._asdict()
    path = tmp_path / "policy.safetensors"
    save_file({name: array for name, array in tensors.items() if name != "card"}, path)
    with pytest.raises(ValueError, match="lacks the tensor 'card'"):
        load_network(tmp_path)
    save_file(tensors | {"extra": tensors["card"]}, path)
    with pytest.raises(ValueError, match="unexpected tensor 'extra'"):
        load_network(tmp_path)
    save_file(tensors | {"card": np.full_like(tensors["card"], np.nan)}, path)
    with pytest.raises(ValueError, match="not finite"):
        load_network(tmp_path)


@pytest.mark.parametrize("name", shipped_models())
def test_shipped_networks_play(name: str) -> None:
    path = MODELS / f"{name}.safetensors"
    assert path.stat().st_size < 3_000_000
    rules = json.loads(path.with_suffix(".json").read_text())["rules"]
    agent = make_agent(name, rules)
    assert agent.name == name
    assert evaluate(agent, rules, range(20)).steps.min() > 0


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.stem)
def test_configs_are_valid(path: Path) -> None:
    assert path.read_text().startswith("#")
    load_section(Imitation, path)
