"""Agents that remember what they played at a table play something else there."""

import numpy as np
import pytest

from agents.evaluation import evaluate
from agents.made_moves import MadeMoves
from agents.network_agent import NetworkAgent
from agents.recorder import Recorder
from agents.search import Budget, SearchAgent
from scorpion_env import VARIANTS
from scorpion_env.game import Game
from tests.test_network import drawn_network


def test_each_game_has_its_own() -> None:
    made = MadeMoves()
    made.begin(2)
    tables, mask = np.zeros((2, 7, 52), np.uint8), np.array([[1, 1, 0], [0, 1, 1]], np.int8)
    for actions, others in [
        ([0, 2], [[1, 1, 0], [0, 1, 1]]),
        ([1, 1], [[0, 1, 0], [0, 1, 0]]),
        ([1, 2], [[1, 1, 0], [0, 1, 1]]),  # all were made: all may be again
    ]:
        assert made.others(tables, mask).tolist() == others
        made.note(np.array(actions))
    made.keep(np.array([1]), 1)
    new = np.array([[1, 1, 1], [1, 1, 1]], np.int8)
    assert made.others(tables, new).tolist() == [[1, 0, 0], [1, 1, 1]]
    tables[0, 0, 0] = 1
    assert made.others(tables, new).tolist() == new.tolist()


@pytest.mark.parametrize("kind", ["network", "search"])
@pytest.mark.parametrize("name", ["flexible", "open_scorpion", "three_blind_mice"])
def test_no_move_is_made_twice_at_a_table_while_there_are_others(name: str, kind: str) -> None:
    rules, seeds = VARIANTS[name], list(range(8 if kind == "network" else 2))
    agent = NetworkAgent("drawn", rules, drawn_network())
    if kind == "search":
        budget = Budget(worlds=2, draws=50, nodes=50, iterations=2)
        agent = SearchAgent(rules, drawn_network(), drawn_network(1), budget=budget)
    played = Recorder(agent.name, rules, seeds)
    evaluate(agent, rules, seeds, recorder=played)
    again = 0
    for seed, record in zip(seeds, played.records(), strict=True):
        game = Game(seed=seed, rules=name)
        made: dict[object, list[int]] = {}
        for action in record.actions:
            table = game.position.columns, game.position.face_down
            here = made.setdefault(table, [])
            again += bool(here)
            legal = np.flatnonzero(game.action_mask())
            assert action not in here or set(here) >= set(legal.tolist())
            here.append(action)
            game.play(action)
    assert again > 10 or name == "three_blind_mice"
