"""Steps a second of what a researcher would take instead, each with what it gives at a step.

A peer that is not installed is left out (``pip install -e .[bench]`` brings them).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np

SECONDS = 2.0


def timed(step: Callable[[], int]) -> float:
    """Return steps a second of ``step``, which says how many it took."""
    step()
    done, start = 0, time.perf_counter()
    while time.perf_counter() - start < SECONDS:
        done += step()
    return done / (time.perf_counter() - start)


def open_spiel(observe: bool) -> float:
    """Play OpenSpiel's Klondike at random, with or without observation and mask."""
    import pyspiel

    game = pyspiel.load_game("solitaire")
    choose = random.Random(0)

    def episode() -> int:
        state, steps = game.new_initial_state(), 0
        while not state.is_terminal() and steps < 200:
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(choose.choices(*zip(*outcomes, strict=True))[0])
                continue
            if observe:
                np.asarray(state.observation_tensor(0))
                np.asarray(state.legal_actions_mask())
            state.apply_action(choose.choice(state.legal_actions()))
            steps += 1
        return steps

    return timed(episode)


def soliterm() -> float:
    """Soliterm's Scorpion, random legal play."""
    from soliterm.engine import new_solitaire

    choose = random.Random(0)

    def episode() -> int:
        game = new_solitaire("scorpion")
        steps = 0
        while steps < 200 and not game.is_won():
            moves = game.legal_moves()
            if game.can_deal() and (not moves or choose.random() < 1 / (1 + len(moves))):
                game.deal()
            elif moves:
                game.attempt_move(*choose.choice(moves))
            else:
                break
            steps += 1
        return max(steps, 1)

    return timed(episode)


def envpool(name: str, games: int = 1024) -> float:
    """Play one of EnvPool's toy games, one thread, random actions."""
    import envpool as pool

    env = pool.make_gymnasium(name, num_envs=games, num_threads=1)
    env.reset()
    rng = np.random.default_rng(0)
    actions = rng.integers(0, env.action_space.n, games).astype(np.int32)

    def step() -> int:
        env.step(actions)
        return games

    return timed(step)


def pgx(games: int = 1024) -> float:
    """Play the 2048 of pgx on the CPU, random legal actions, resetting finished games."""
    import jax
    import pgx as library
    from pgx.experimental import auto_reset

    env = library.make("2048")
    keys = jax.random.split(jax.random.PRNGKey(0), games)
    state = jax.jit(jax.vmap(env.init))(keys)
    advance = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    pick = jax.jit(
        lambda key, mask: jax.random.categorical(key, jax.numpy.log(mask.astype(float)), axis=-1)
    )
    key = jax.random.PRNGKey(1)

    def step() -> int:
        nonlocal state, key
        key, one, other = jax.random.split(key, 3)
        actions = pick(one, state.legal_action_mask)
        state = jax.block_until_ready(advance(state, actions, jax.random.split(other, games)))
        return games

    return timed(step)


def gymnasium_cartpole(games: int = 1024) -> float:
    """Play Gymnasium's vector CartPole, random actions."""
    import gymnasium as gym

    env = gym.make_vec("CartPole-v1", num_envs=games, vectorization_mode="vector_entry_point")
    env.reset(seed=0)
    actions = np.random.default_rng(0).integers(0, 2, games)

    def step() -> int:
        env.step(actions)
        return games

    return timed(step)


def measured() -> dict[str, float]:
    """Return steps a second of every peer that is installed, by name."""
    found = {"Gymnasium vector CartPole, N = 1024": gymnasium_cartpole()}
    if find_spec("pyspiel"):
        found["OpenSpiel solitaire, observation and mask"] = open_spiel(observe=True)
        found["OpenSpiel solitaire, legal actions alone"] = open_spiel(observe=False)
    if find_spec("soliterm"):
        found["soliterm Scorpion"] = soliterm()
    if find_spec("envpool"):
        for name in ("Catch-v0", "CartPole-v1", "FrozenLake-v1", "NChain-v0", "Taxi-v3"):
            found[f"EnvPool {name}, N = 1024"] = envpool(name)
    if find_spec("pgx"):
        found["pgx 2048, N = 1024"] = pgx()
    return found
