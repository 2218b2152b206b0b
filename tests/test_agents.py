"""The agents: legal, reproducible, blind to hidden cards; the policy files and their errors."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save_file

from agents.base import Agent, Chance
from agents.evaluation import evaluate
from agents.greedy import GreedyAgent
from agents.policy import PolicyAgent
from agents.registry import make_agent, standard_agents
from scorpion_env import VARIANTS
from scorpion_env.cards import card_text, parse_card
from scorpion_env.env import ScorpionEnv
from scorpion_env.planes import plane_count
from scorpion_env.vector_env import ScorpionVectorEnv
from tests.policies import classic_tensors, write_policy

CLASSIC = VARIANTS["classic"]
INPUTS = plane_count(CLASSIC)
HIDDEN_PLACES = [row * 7 + column for row in range(3) for column in range(4)] + [49, 50, 51]
NONE = np.zeros(0, np.uint64)


def seeds(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.uint64)


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_policy(tmp_path_factory.mktemp("policies") / "some")


# chance


def test_chance_does_not_depend_on_the_batch() -> None:
    together, alone = Chance(3), Chance(3)
    together.begin(seeds(5, 6, 7))
    alone.begin(seeds(7))
    first = together.draw()
    together.keep(np.array([2, 0]), seeds(9))
    second = together.draw()
    assert [alone.draw()[0], alone.draw()[0]] == [first[2], second[0]]
    alone.begin(seeds(9))
    assert alone.draw()[0] == second[2]


def test_chance_differs_by_agent_deal_and_draw() -> None:
    draws = []
    for agent_seed in (0, 1, 2**64 - 1):
        chance = Chance(agent_seed)
        chance.begin(np.arange(1000, dtype=np.uint64))
        draws += [chance.draw(), chance.draw()]
    assert len(np.unique(draws)) == 6000
    assert 0 <= np.min(draws) < np.max(draws) < 1
    assert abs(np.mean(draws) - 0.5) < 5 * (1 / 12 / 6000) ** 0.5
    assert np.abs(np.corrcoef(draws) - np.eye(6)).max() < 5 / 1000**0.5


@pytest.mark.parametrize("kind", [np.int8, np.bool_, np.float32, np.float64])
def test_choose_follows_the_weights(kind: type) -> None:
    weights: np.ndarray = np.zeros((30_000, 9), kind)
    weights[:, [1, 4, 8]] = [1, 1, 1] if kind in (np.int8, np.bool_) else [1, 2, 0.5]
    chance = Chance()
    chance.begin(np.arange(len(weights), dtype=np.uint64))
    shares = np.bincount(chance.choose(weights), minlength=9) / len(weights)
    expected = weights[0] / weights[0].sum(dtype=np.float64)
    assert np.abs(shares - expected).max() < 5 * (0.25 / len(weights)) ** 0.5
    assert not shares[expected == 0].any()


# every agent


@pytest.mark.parametrize("rules", VARIANTS)
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_plays_every_variant_legally(name: str, rules: str) -> None:
    results = evaluate(make_agent(name, rules), rules, range(4))
    assert (results.steps > 0).all()


def deals_that_look_alike(seed: int) -> list[list[str]]:
    rng = np.random.default_rng(seed)
    deck = [card_text(card) for card in rng.permutation(52).tolist()]
    other = list(deck)
    for place, taken in zip(HIDDEN_PLACES, rng.permutation(HIDDEN_PLACES), strict=True):
        other[place] = deck[taken]
    return [deck, other]


def assert_blind(agent: Agent, rules: str, seed: int) -> int:
    """Play both deals until a hidden card shows; return the choices made until then."""
    games, seen = [], []
    for deal in deals_that_look_alike(seed):
        env = ScorpionEnv(rules=rules, observation=agent.observation)
        observation, info = env.reset(options={"deal": deal})
        agent.begin(seeds(seed))
        choices: list[int] = []
        over = False
        while info["face_down_cards"] == 12 and CLASSIC.deal_action not in choices and not over:
            rows = (
                {part: array[None] for part, array in observation.items()}
                if isinstance(observation, dict)
                else observation[None]
            )
            choices.append(int(agent.act(rows, info["action_mask"][None])[0]))
            observation, _, over, _, info = env.step(choices[-1])
        games.append(choices)
        seen.append(deal)
    assert seen[0] != seen[1]
    assert games[0] == games[1]
    return len(games[0])


@pytest.mark.parametrize(
    ("rules", "name"),
    [(rules, name) for rules in ("classic", "flexible", "wasp") for name in standard_agents(rules)]
    + [("classic", "policy")],
)
def test_sees_no_hidden_card(rules: str, name: str, policy: Path) -> None:
    """No choice of any agent changes when the hidden cards are permuted."""
    quick = "search:iterations=20,worlds=6,draws=400" if name == "search" else name
    loaded = PolicyAgent.load(policy, sample=True) if name == "policy" else None
    agent = loaded or make_agent(quick, rules)
    assert sum(assert_blind(agent, rules, seed) for seed in range(60)) > 60


def test_agents_need_no_torch() -> None:
    code = "import sys, agents.__main__; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"torch", "train", "stable_baselines3"})


def test_unknown_agent_is_told_the_names() -> None:
    with pytest.raises(ValueError, match=r"'nobody' is unknown: give random, .* or the path"):
        make_agent("nobody", "classic")


# greedy


def greedy_choice(columns: list[str], actions: list[int], rules: str = "classic") -> int:
    """Return what the agent chooses on a board; ``##`` is a face-down card."""
    played = VARIANTS[rules]
    tableau = np.zeros((1, len(played.layout.columns), played.layout.cards), np.uint8)
    for column, texts in enumerate(columns):
        for place, text in enumerate(texts.split()):
            hidden = text == "##"
            tableau[0, column, place] = played.layout.cards + 1 if hidden else parse_card(text) + 1
    mask = np.zeros((1, played.actions), np.int8)
    mask[0, actions] = 1
    return int(GreedyAgent(played).act({"tableau": tableau}, mask)[0])


def move(card: str, column: int) -> int:
    return parse_card(card) * 7 + column - 1


def test_greedy_turns_a_card_first() -> None:
    board = ["## 5H", "8C 5S", "6H", "6S"]
    assert greedy_choice(board, [move("5S", 4), move("5H", 3)]) == move("5H", 3)


def test_greedy_digs_where_a_card_lies_face_down() -> None:
    # 4C frees 8D, on which the card on the face-down one can go; 9C frees a card of no use
    board = ["## 7D", "8D 4C", "5C", "2S 9C", "TC"]
    assert greedy_choice(board, [move("9C", 5), move("4C", 3)]) == move("4C", 3)


def test_greedy_deals_before_idle_moves_and_undoes_last() -> None:
    board = ["KS 3D", "", "KH"]
    deal, undo, idle = CLASSIC.deal_action, CLASSIC.deal_action + 1, move("KH", 2)
    assert greedy_choice(board, [idle, deal], "open_scorpion") == deal
    assert greedy_choice(board, [idle, undo], "open_scorpion") == idle
    assert greedy_choice(board, [undo], "open_scorpion") == undo


def test_greedy_keeps_a_card_on_its_suit() -> None:
    board = ["8H 7H", "8S", "QD"]
    deal = CLASSIC.deal_action
    assert greedy_choice(board, [move("7H", 2), deal], "flexible") == deal


def test_greedy_bears_the_mask_of_a_game_that_is_over() -> None:
    env = ScorpionVectorEnv(64)
    observation, _ = env.reset(seed=1)
    actions = GreedyAgent("classic").act(observation, np.ones((64, CLASSIC.actions), np.int8))
    assert ((actions >= 0) & (actions < CLASSIC.actions)).all()


# policy


def test_policy_plays_the_best_legal_action(tmp_path: Path) -> None:
    tensors = classic_tensors()
    agent = PolicyAgent.load(write_policy(tmp_path, tensors, activation="tanh"), "classic")
    observation, info = ScorpionVectorEnv(5, observation="planes").reset(seed=1)
    hidden = np.tanh(observation @ tensors["layers.0.weight"].T + tensors["layers.0.bias"])
    logits = hidden @ tensors["layers.1.weight"].T + tensors["layers.1.bias"]
    assert np.allclose(agent.logits(observation), logits, atol=1e-5)
    best = np.where(info["action_mask"], logits, -np.inf).argmax(axis=1)
    assert np.array_equal(agent.act(observation, info["action_mask"]), best)


def test_policy_made_by_hand_deals_at_once(tmp_path: Path) -> None:
    tensors = {name: np.zeros_like(tensor) for name, tensor in classic_tensors().items()}
    tensors["layers.1.bias"][CLASSIC.deal_action] = 1
    agent = PolicyAgent.load(write_policy(tmp_path, tensors))
    observation, info = ScorpionVectorEnv(3, observation="planes").reset(seed=1)
    assert agent.act(observation, info["action_mask"]).tolist() == [CLASSIC.deal_action] * 3


def test_policy_draws_by_its_probabilities(tmp_path: Path) -> None:
    tensors = {name: np.zeros_like(tensor) for name, tensor in classic_tensors().items()}
    tensors["layers.1.bias"][:3] = np.log([1, 2, 5])
    agent = PolicyAgent.load(write_policy(tmp_path, tensors), sample=True)
    games = 10_000
    agent.begin(np.arange(games, dtype=np.uint64))
    mask = np.zeros((games, CLASSIC.actions), np.int8)
    mask[:, :2] = 1
    planes = np.zeros((games, agent.description.inputs), np.uint8)
    shares = np.bincount(agent.act(planes, mask), minlength=3) / games
    assert np.abs(shares - [1 / 3, 2 / 3, 0]).max() < 0.025


@pytest.mark.parametrize("given", ["", "policy.json", "policy.safetensors"])
def test_policy_is_found_by_folder_or_file(policy: Path, given: str) -> None:
    assert make_agent(str(policy / given), "classic").name == str(policy / given)


BROKEN_JSON: list[tuple[dict[str, Any], str]] = [
    ({"format": 2}, "has format 2, this version plays format 1"),
    ({"observation": "cards"}, "observation='cards' is unknown, this version plays 'planes'"),
    ({"activation": "gelu"}, "activation='gelu' is unknown, this version plays 'relu' or 'tanh'"),
    ({"activation": ["relu"]}, r"activation=\['relu'\] is unknown"),
    ({"rules": None}, "rules=None must be a name"),
    ({"layers": 0}, "layers=0 must be a whole number from 1 up"),
    ({"layers": 10**9}, "layers are more than 64"),
    ({"layers": 3}, r"lacks the tensor 'layers.2.bias': its json describes 3 layers"),
    ({"layers": 1}, r"has an unexpected tensor 'layers.1.bias'"),
    ({"inputs": "many"}, "inputs='many' must be a whole number"),
    ({"inputs": 7}, rf"layers.0 has weight \(16, {INPUTS}\).*asks for weight \(outputs, 7\)"),
    ({"actions": 366}, r"layers.1 has weight \(365, 16\).*asks for weight \(366, 16\)"),
]


@pytest.mark.parametrize(("changed", "message"), BROKEN_JSON)
def test_policy_with_a_wrong_json(tmp_path: Path, changed: dict[str, Any], message: str) -> None:
    write_policy(tmp_path, **changed)
    with pytest.raises(ValueError, match=message) as refusal:
        PolicyAgent.load(tmp_path)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("text", ["", "{", "[1]", '"policy"', "[" * 100_000, "\udcff"])
def test_policy_with_a_json_that_is_none(tmp_path: Path, text: str) -> None:
    write_policy(tmp_path)
    (tmp_path / "policy.json").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(ValueError, match=r"policy\.json (cannot be read as|describes no)"):
        PolicyAgent.load(tmp_path)


def test_policy_with_a_damaged_file(tmp_path: Path) -> None:
    write_policy(tmp_path)
    file = tmp_path / "policy.safetensors"
    whole = file.read_bytes()
    for damaged in (b"", b"PK\x03\x04 not tensors", whole[: len(whole) // 2], b"\xff" * 100):
        file.write_bytes(damaged)
        with pytest.raises(ValueError, match=r"policy\.safetensors cannot be read as") as refusal:
            PolicyAgent.load(tmp_path)
        assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_policy_with_weights_that_are_not_finite(tmp_path: Path, value: float) -> None:
    tensors = classic_tensors()
    tensors["layers.0.bias"][3] = value
    with pytest.raises(ValueError, match=r"layers\.0\.bias holds numbers that are not finite"):
        PolicyAgent.load(write_policy(tmp_path, tensors))


def test_policy_in_double_precision(tmp_path: Path) -> None:
    tensors = classic_tensors() | {"layers.0.bias": np.zeros(16)}
    with pytest.raises(ValueError, match="is float64, it must be float32"):
        PolicyAgent.load(write_policy(tmp_path, tensors))


def test_policy_whose_numbers_overflow(tmp_path: Path) -> None:
    tensors = {name: np.full_like(tensor, 1e38) for name, tensor in classic_tensors().items()}
    agent = PolicyAgent.load(write_policy(tmp_path, tensors))
    with pytest.raises(ValueError, match="computes numbers that are not finite"):
        evaluate(agent, "classic", [0])


def test_policy_with_a_file_missing(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"policy\.json is missing"):
        PolicyAgent.load(tmp_path)
    write_policy(tmp_path)
    (tmp_path / "policy.safetensors").unlink()
    with pytest.raises(ValueError, match=r"policy\.safetensors is missing"):
        PolicyAgent.load(tmp_path / "policy.json")
    with pytest.raises(ValueError, match="does not exist: give a folder with"):
        PolicyAgent.load(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="is no policy file: give a folder with"):
        PolicyAgent.load(Path(__file__))


def test_policy_of_other_rules_is_refused(policy: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="for the rules 'classic' and cannot play 'wasp'"):
        PolicyAgent.load(policy, "wasp")
    agent = PolicyAgent.load(policy)
    with pytest.raises(ValueError, match=rf"takes {INPUTS} planes a game.*the rules 'classic'"):
        evaluate(agent, "double_scorpion", [0])
    old = classic_tensors()
    old["layers.0.weight"] = old["layers.0.weight"][:, :-1].copy()
    with pytest.raises(ValueError, match=rf"inputs={INPUTS - 1}, but 'classic' has {INPUTS}"):
        PolicyAgent.load(write_policy(tmp_path, old, inputs=INPUTS - 1), "classic")


def test_policy_runs_no_code(tmp_path: Path) -> None:
    write_policy(tmp_path)
    marker = tmp_path / "ran"
    fields = json.loads((tmp_path / "policy.json").read_text())
    fields["activation"] = f"open({str(marker)!r}, 'w')"
    (tmp_path / "policy.json").write_text(json.dumps(fields))
    with pytest.raises(ValueError, match="activation="):
        PolicyAgent.load(tmp_path)
    assert not marker.exists()


def test_policy_ignores_fields_it_does_not_know(tmp_path: Path) -> None:
    save_file(classic_tensors(), write_policy(tmp_path, steps=5) / "policy.safetensors")
    assert PolicyAgent.load(tmp_path).description.layers == 2
