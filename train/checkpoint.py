"""Saving a run at the edge of a rollout and going on from there as if it had never stopped."""

from __future__ import annotations

import io
import json
import random
import re
import shutil
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO

from scorpion_env.env_state import EnvState
from scorpion_env.whole_file import write_whole
from train.config import Config
from train.run_folder import RunError, read_json
from train.vec_env import ScorpionVecEnv

FOLDER = "checkpoints"
KEPT = 2
MODEL, ARRAYS, NUMBERS = "model.zip", "state.npz", "state.json"
# what may be changed in a run's config.yaml before it is resumed
MAY_CHANGE = ("total_steps", "checkpoint_every", "threads", "device", "evaluation")
LAST_OBS = "last_obs"
COUNTS = ("num_timesteps", "_n_updates", "_episode_num")


def save_checkpoint(model: MaskablePPO, games: ScorpionVecEnv, config: Config, run: Path) -> Path:
    """Write a checkpoint; to be called between two rollouts.

    ``model.zip`` is SB3's own format; the rest is JSON and plain arrays.
    """

    def write(folder: Path) -> None:
        weights, arrays = io.BytesIO(), io.BytesIO()
        model.save(weights)
        np.savez(arrays, **_arrays(model, games))
        write_whole(folder / MODEL, weights.getvalue())
        write_whole(folder / ARRAYS, arrays.getvalue())
        write_whole(folder / NUMBERS, json.dumps(_numbers(model, games, config)))

    return write_checkpoint(run, model.num_timesteps, write)


def write_checkpoint(run: Path, steps: int, write: Callable[[Path], None]) -> Path:
    """Let ``write`` fill a checkpoint folder, kept whole or not at all; drop all but the newest."""
    folder = run / FOLDER / f"{steps:012d}"
    temporary = folder.with_name(folder.name + ".part")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    write(temporary)
    shutil.rmtree(folder, ignore_errors=True)
    temporary.replace(folder)
    for old in checkpoints(run)[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return folder


def checkpoints(run: Path) -> list[Path]:
    """Return the run's checkpoint folders, the newest last; other things there are passed over."""
    return sorted(path for path in (run / FOLDER).glob("*") if re.fullmatch(r"\d{12}", path.name))


def load_checkpoint(
    model: MaskablePPO, games: ScorpionVecEnv, config: Config, folder: Path
) -> None:
    """Put a freshly made model and its games back to where the checkpoint was made.

    Only weights and plain data are read: nothing in the checkpoint is run.

    Raises
    ------
    RunError
        If a file of it is missing, damaged or belongs to another config.
    """
    numbers = read_json(folder / NUMBERS)
    try:
        check_config(numbers["config"], config.model_dump(mode="json"))
        with (folder / ARRAYS).open("rb") as file, np.load(file, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        model.set_parameters(str(folder / MODEL), device=model.device)
        _restore_games(games, arrays, numbers)
        _restore_model(model, arrays, numbers)
    except Exception as error:  # of zip, pickle, NumPy or torch, whatever byte is damaged
        raise damaged(folder, error) from error


def damaged(folder: Path, error: Exception) -> RunError:
    """Return what to tell of a checkpoint that cannot be used."""
    first_line = (str(error).splitlines() or [type(error).__name__])[0]
    return RunError(
        f"{folder} is damaged or of another config ({first_line}): remove it to resume from the "
        "checkpoint before it"
    )


def check_config(
    saved: dict[str, Any], config: dict[str, Any], may_change: Sequence[str] = MAY_CHANGE
) -> None:
    """Raise ValueError if a key of the config that may not change has changed."""
    changed = [key for key in config if key not in may_change and saved.get(key) != config[key]]
    if changed:
        raise ValueError(f"the config has another {', '.join(changed)} now")


def _batch_arrays(saved: EnvState) -> dict[str, np.ndarray]:
    return {
        f"games.{part}.{field}": array
        for part, arrays in saved.batch._asdict().items()
        for field, array in arrays._asdict().items()
    }


def _arrays(model: MaskablePPO, games: ScorpionVecEnv) -> dict[str, np.ndarray]:
    _, keys, position, has_gauss, gauss = np.random.get_state()
    return {
        **_batch_arrays(games.games.get_state()),
        "returns": games.returns,
        "lengths": games.lengths,
        **_observation_arrays(model._last_obs),
        "last_episode_starts": model._last_episode_starts,
        "torch_random": torch.get_rng_state().numpy(),
        "numpy_random": keys,
        "numpy_random_rest": np.array([position, has_gauss, gauss]),
    }


def _observation_arrays(seen: Any) -> dict[str, np.ndarray]:
    """Return an observation as arrays, one for each key if it is a dict."""
    if isinstance(seen, dict):
        return {f"{LAST_OBS}.{name}": array for name, array in seen.items()}
    return {LAST_OBS: seen}


def _observation(arrays: dict[str, np.ndarray]) -> Any:
    """Return the observation that `_observation_arrays` took apart."""
    if LAST_OBS in arrays:
        return arrays[LAST_OBS]
    first = f"{LAST_OBS}."
    return {k.removeprefix(first): array for k, array in arrays.items() if k.startswith(first)}


def _numbers(model: MaskablePPO, games: ScorpionVecEnv, config: Config) -> dict[str, Any]:
    pending = {k: v for k, v in model.logger.name_to_value.items() if not k.startswith("time/")}
    return {
        "config": config.model_dump(mode="json"),
        **{name: getattr(model, name) for name in COUNTS},
        "episodes": list(model.ep_info_buffer or ()),
        "successes": [bool(success) for success in model.ep_success_buffer or ()],
        "pending_metrics": {key: float(value) for key, value in pending.items()},
        "python_random": random.getstate(),
        "generator": games.games.np_random.bit_generator.state,
    }


def _restore_games(games: ScorpionVecEnv, arrays: dict[str, np.ndarray], numbers: Any) -> None:
    here = games.games.get_state()
    batch = type(here.batch)(
        *(
            type(part)(*(arrays[f"games.{name}.{field}"] for field in part._fields))
            for name, part in here.batch._asdict().items()
        )
    )
    generator = np.random.default_rng()
    generator.bit_generator.state = numbers["generator"]
    games.games.set_state(here._replace(batch=batch, generator=generator, seeded=True))
    games.returns[:] = arrays["returns"]
    games.lengths[:] = arrays["lengths"]


def _restore_model(model: MaskablePPO, arrays: dict[str, np.ndarray], numbers: Any) -> None:
    for name in COUNTS:
        setattr(model, name, int(numbers[name]))
    model._last_obs = _observation(arrays)
    model._last_episode_starts = arrays["last_episode_starts"]
    window = model._stats_window_size
    model.ep_info_buffer = deque(numbers["episodes"], maxlen=window)
    model.ep_success_buffer = deque(numbers["successes"], maxlen=window)
    for key, value in numbers["pending_metrics"].items():
        model.logger.record(key, value)
    version, internal, gauss = numbers["python_random"]
    random.setstate((version, tuple(internal), gauss))
    torch.set_rng_state(torch.from_numpy(arrays["torch_random"].astype(np.uint8)))
    position, has_gauss, cached = arrays["numpy_random_rest"]
    np.random.set_state(
        ("MT19937", arrays["numpy_random"], int(position), int(has_gauss), float(cached))
    )
