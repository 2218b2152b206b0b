"""Deals for training: those wanted, in the order of their stream, never those of evaluation."""

from typing import Any

import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from scorpion_env import VARIANTS
from scorpion_env.deals import FIRST_TRAINING_SEED
from scorpion_env.game import Game
from scorpion_env.solver import DrawnDeals, Solver
from scorpion_env.suites import find_suite, suite_names
from scorpion_env.vector_env import ScorpionVectorEnv
from train.config import Config
from train.lost_games import LostGames
from train.ppo import make_games
from train.vec_env import ScorpionVecEnv

RULES = VARIANTS["three_blind_mice"]
SEED = FIRST_TRAINING_SEED
GAMES = 3
DEALS = 40


def stream_of(seed: int, count: int) -> list[int]:
    """The numbers of the first deals of a seed's stream that have a first move."""
    env = ScorpionVectorEnv(1, rules=RULES, autoreset_mode=AutoresetMode.DISABLED)
    numbers = [int(env.reset(seed=seed)[1]["deal"][0])]
    return numbers + [int(env.reset()[1]["deal"][0]) for _ in range(count - 1)]


def dealt(env: ScorpionVectorEnv, seed: int, count: int) -> list[list[int]]:
    """The numbers of the first deals of each game of a vector, played at random."""
    generator = np.random.default_rng(1)
    found: list[list[int]] = [[] for _ in range(env.num_envs)]
    _, info = env.reset(seed=seed)
    while True:
        for game in np.flatnonzero(info.get("_deal", [])):
            found[game].append(int(info["deal"][game]))
        if min(map(len, found)) >= count:
            return [numbers[:count] for numbers in found]
        actions = [int(generator.choice(np.flatnonzero(row))) for row in info["action_mask"]]
        *_, info = env.step(np.array(actions))


def wanted_of(kind: str, numbers: list[int]) -> list[int]:
    """Those deals that a kind wants, as the solver says."""
    solver = Solver(RULES, 2_000)
    solutions = {number: solver.solve(Game(rules=RULES, deal=number)) for number in numbers}
    if kind == "winnable":
        return [n for n, solution in solutions.items() if solution.status == "winnable"]
    return [n for n, solution in solutions.items() if solution.certificate is None]


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("kind", ["not_lost", "winnable"])
def test_the_unwanted_are_passed_over(kind: Any, mode: AutoresetMode) -> None:
    source = DrawnDeals(RULES, kind, 2_000)
    env = ScorpionVectorEnv(GAMES, rules=RULES, autoreset_mode=mode, deal_source=source)
    found = dealt(env, SEED, 4)
    for game, numbers in enumerate(found):
        expected = wanted_of(kind, stream_of(SEED + game, DEALS))
        assert len(expected) >= len(numbers)
        assert numbers == expected[: len(numbers)]


def test_resets_and_saved_states_go_on_with_wanted_deals() -> None:
    env = ScorpionVectorEnv(1, rules=RULES, deal_source=DrawnDeals(RULES, "winnable"))
    numbers = [int(env.reset(seed=SEED)[1]["deal"][0])]
    saved = env.get_state()
    numbers += [int(env.reset()[1]["deal"][0]) for _ in range(3)]
    assert numbers == wanted_of("winnable", stream_of(SEED, DEALS))[:4]
    env.set_state(saved)
    env.reset(options={"deal": "ms1"})
    assert [int(env.reset()[1]["deal"][0]) for _ in range(3)] == numbers[1:]


def test_training_never_deals_an_evaluation_deal() -> None:
    kept = {
        (variant, Game(int(seed), variant).deal_number)
        for variant in ("classic", "wasp")
        for name in suite_names()
        if name == f"{variant}-winnable"
        for seed in find_suite(name).seeds
    }
    for variant in ("classic", "wasp"):
        games = make_games(Config(rules=variant, deals="winnable", num_envs=64, deal_nodes=1_000))
        games.seed(Config().seed)
        games.reset()
        drawn = {(variant, int(info["deal"])) for info in games.reset_infos}
        drawn |= {(variant, int(n)) for n in games.games._batch.episodes.stream}
        assert len(drawn) == 128
        assert not drawn & kept


@pytest.mark.parametrize("seed", [0, FIRST_TRAINING_SEED - 1])
@pytest.mark.parametrize("deals", ["all", "not_lost", "winnable"])
def test_training_refuses_evaluation_seeds(seed: int, deals: Any) -> None:
    with pytest.raises(ValueError, match="kept for evaluation"):
        ScorpionVecEnv(1, deals=deals).seed(seed)
    with pytest.raises(ValueError, match="greater than or equal to"):
        Config(seed=seed, deals=deals)


def test_wrong_wishes() -> None:
    with pytest.raises(ValueError, match="choose 'not_lost' or 'winnable'"):
        DrawnDeals(RULES, "all")
    with pytest.raises(ValueError, match="nodes=0 must be at least 1"):
        DrawnDeals(RULES, "winnable", 0)
    hopeless = DrawnDeals(VARIANTS["classic"], "winnable", 1)
    with pytest.raises(ValueError, match="none is winnable within 1 positions: raise the nodes"):
        hopeless.advance(np.array([2**40], np.uint64), np.ones(1, np.bool_))
    with pytest.raises(ValueError, match="Input should be 'all', 'not_lost' or 'winnable'"):
        Config.model_validate({"deals": "easy"})


def test_training_episodes_end_once_their_game_is_proven_lost() -> None:
    games = make_games(Config(num_envs=64, end_lost=True))
    plain = make_games(Config(num_envs=64))
    generator = np.random.default_rng(3)
    lengths: dict[bool, list[int]] = {}
    for ending, played in ((True, games), (False, plain)):
        played.seed(SEED)
        played.reset()
        ended = []
        for _ in range(60):
            masks = played.action_masks()
            actions = (generator.random(masks.shape) * masks).argmax(axis=1)
            _, _, dones, infos = played.step(actions)
            ended += [infos[game] for game in np.flatnonzero(dones)]
            if ending:
                assert not LostGames(played.games.rules).among(played.games.state, ~dones).any()
        lengths[ending] = [info["episode"]["l"] for info in ended]
        for info in ended:
            assert info["TimeLimit.truncated"] is False
            assert np.shape(info["terminal_observation"]) == games.observation_space.shape
    assert np.mean(lengths[True]) < 0.5 * np.mean(lengths[False])
