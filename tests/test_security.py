"""Files of others run no code: nothing is unpickled, YAML makes plain data; what is installed."""

import ast
import base64
import json
import pickle
import re
import tomllib
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from packaging.requirements import Requirement

from agents.__main__ import main as agents
from agents.leaderboard import read_chunks
from agents.policy import PolicyAgent
from scorpion_env.records import read_records
from scorpion_env.solver.sweep_file import SweepError, read_answers
from tests.policies import write_policy
from tests.test_train import start
from train.__main__ import main as train
from train.checkpoint import checkpoints
from train.config import ConfigError, load_config

ROOT = Path(__file__).parents[1]
SOURCES = [p for name in ("scorpion_env", "agents", "train") for p in (ROOT / name).rglob("*.py")]
LOCKED = ("train", "dev", "docs", "distributed", "render")
FORBIDDEN = re.compile(
    r"eval|exec|(pickle|cPickle|dill|cloudpickle|joblib|marshal|shelve)\.\w*loads?|"
    r"yaml\.(full|unsafe)_load|\w*(PPO|DQN|A2C)\.load"
)


class Touch:
    """Makes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> Any:
        return Path.touch, (self.marker,)


def put(path: Path, member: str, content: bytes) -> None:
    """Replace a member of a zip file."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    assert member in members
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in (members | {member: content}).items():
            archive.writestr(name, data)


def test_the_marker_tells_of_code_that_ran(tmp_path: Path) -> None:
    """Guards the other tests: a pickle of `Touch` does leave its mark."""
    pickle.loads(pickle.dumps(Touch(tmp_path / "ran")))
    assert (tmp_path / "ran").exists()


def test_a_checkpoint_runs_no_code(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    marker, weights = tmp_path / "ran", tmp_path / "weights"
    _, run = start(tmp_path, "run", "--set", "total_steps=256")
    folder = checkpoints(run)[-1]
    # SB3 keeps pickles beside the weights; they are not read
    with zipfile.ZipFile(folder / "model.zip") as archive:
        data = json.loads(archive.read("data"))
    data["policy_class"] = {
        ":type:": "x",
        ":serialized:": base64.b64encode(pickle.dumps(Touch(marker))).decode(),
    }
    put(folder / "model.zip", "data", json.dumps(data).encode())
    assert train(["--resume", str(run), "--no-progress"]) == 0
    torch.save({"weight": Touch(marker)}, weights)
    whole = (folder / "model.zip").read_bytes()
    put(folder / "model.zip", "policy.pth", weights.read_bytes())
    refused_resume(run, capsys)
    (folder / "model.zip").write_bytes(whole)
    evil = np.empty(1, object)
    evil[0] = Touch(marker)
    np.savez(folder / "state.npz", returns=evil)
    refused_resume(run, capsys)
    assert not marker.exists()


def refused_resume(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert train(["--resume", str(run), "--no-progress"]) == 2
    said = capsys.readouterr().err.splitlines()
    assert "is damaged or of another config" in said[-1]
    assert not any("Traceback" in line for line in said)


def test_a_model_of_sb3_is_refused_with_the_reason(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("data", pickle.dumps(Touch(tmp_path / "ran")))
    assert agents([str(path), "--seeds", "0:1"]) == 2
    said = capsys.readouterr().err
    assert "is a model of SB3, which can run code when it is loaded: give a folder with" in said
    assert said.count("\n") == 1
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "read",
    [
        lambda path: list(read_records(path)),
        lambda path: list(read_answers(path)),
        lambda path: list(read_answers(path.replace(path.with_suffix(".csv")))),
        lambda path: list(read_chunks(path)),
        load_config,
    ],
)
def test_a_pickle_is_no_file_of_ours(read: Callable[[Path], Any], tmp_path: Path) -> None:
    path, marker = tmp_path / "file", tmp_path / "ran"
    path.write_bytes(pickle.dumps(Touch(marker), protocol=0) + b"\n")
    with pytest.raises((ValueError, SweepError)):
        read(path)
    assert not marker.exists()


@pytest.mark.parametrize("name", ["policy.json", "policy.safetensors"])
def test_a_pickle_is_no_policy(name: str, tmp_path: Path) -> None:
    folder = write_policy(tmp_path / "policy")
    (folder / name).write_bytes(pickle.dumps(Touch(tmp_path / "ran")))
    with pytest.raises(ValueError, match="cannot be read as"):
        PolicyAgent.load(folder)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    "text",
    [
        "seed: !!python/object/apply:pathlib.Path.touch [{}]\n",
        "seed: !!python/name:os.system\n",
        "!!python/object:train.config.Config {{seed: 10000000}}\n",
    ],
)
def test_a_config_makes_no_objects(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text.format(tmp_path / "ran"))
    with pytest.raises(ConfigError, match="could not determine a constructor for the tag"):
        load_config(path)
    assert train([str(path), "--runs", str(tmp_path)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def calls(path: Path) -> list[ast.Call]:
    return [n for n in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(n, ast.Call)]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_nothing_is_unpickled_or_evaluated(path: Path) -> None:
    for call in calls(path):
        name = ast.unparse(call.func)
        given = {word.arg: ast.unparse(word.value) for word in call.keywords}
        assert not FORBIDDEN.fullmatch(name), ast.unparse(call)
        if name == "torch.load":
            assert given["weights_only"] == "True"
        if name == "np.load":
            assert given["allow_pickle"] == "False"
        if name in ("yaml.load", "yaml.compose"):
            assert given["Loader"] == "ConfigLoader"


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def asked_for(texts: list[str], extras: set[str], found: dict[str, set[str]]) -> None:
    """Add the installed ones of required packages, and what these require, with their extras."""
    for needed in map(Requirement, texts):
        name = normal(needed.name)
        marker, more = needed.marker, needed.extras - found.get(name, set())
        if marker and not any(marker.evaluate({"extra": extra}) for extra in {"", *extras}):
            continue
        try:
            requires = metadata.distribution(name).requires or []
        except metadata.PackageNotFoundError:
            continue  # of an extra that is not installed
        if name not in found or more:
            found[name] = found.get(name, set()) | needed.extras
            asked_for(requires, found[name], found)


def test_every_package_that_is_asked_for_is_pinned() -> None:
    """``constraints.txt`` is the lock: make and .ci/run install nothing without it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    texts = [*project["dependencies"], *(text for name in LOCKED for text in extras[name])]
    found: dict[str, set[str]] = {}
    asked_for([text for text in texts if not text.startswith("scorpion-env")], set(), found)
    assert {"numpy", "torch", "pytest", "jinja2"} <= found.keys()
    lines = (ROOT / "constraints.txt").read_text().split()
    pins = dict(re.fullmatch(r"([\w.-]+)==([\w.]+)", line).groups() for line in lines)  # type: ignore[union-attr]
    assert len(pins) == len(lines)
    lacking = found.keys() - {normal(name) for name in pins} - {"setuptools"}
    assert not lacking
    installs = re.findall(r"pip install .*", (ROOT / "Makefile").read_text())
    assert installs
    assert all("-c constraints.txt" in line or "--no-deps" in line for line in installs)
