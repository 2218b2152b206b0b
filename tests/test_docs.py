"""What README and docs/ say runs as written, parses, and agrees with the code."""

import argparse
import importlib
import inspect
import json
import re
import runpy
import shlex
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from enum import Enum
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
import yaml

from agents.__main__ import main as evaluate_agents
from scorpion_env import ENV_IDS, VARIANTS, Rules, __version__
from scorpion_env.describe import layout_text, rules_text
from scorpion_env.env import ScorpionEnv
from scorpion_env.solver.answers import Answer
from scorpion_env.vector_env import ScorpionVectorEnv
from train.config import Config, Section, load_section
from train.imitation_config import Imitation
from train.rllib_config import RllibConfig

ROOT = Path(__file__).parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
}
CONFIGS: dict[str, type[Section]] = {
    "train": Config,
    "train.imitate": Imitation,
    "train.rllib": RllibConfig,
}
OURS = ("agents", "benchmarks", "docs", "tests", "train")
OTHERS = {".", "find", "pytest", "python", "ray"}  # programs that are not ours


def blocks(language: str) -> list[Any]:
    """The code blocks of a language, each named by its page."""
    return [
        pytest.param(code, id=f"{page}-{number}")
        for page, text in PAGES.items()
        for number, code in enumerate(re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL))
    ]


def commands() -> list[str]:
    """Every line of shell blocks, and every command that stands in a sentence."""
    found = []
    for text in PAGES.values():
        for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL):
            found += block.replace("\\\n", " ").splitlines()
        sentences = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
        for command in re.findall(r"`((?:scorpion|python -m|make|pip) [^`]+)`", sentences):
            found.append(" ".join(command.split()))
    return sorted(set(filter(None, found)))


def table_after(page: str, heading: str) -> list[list[str]]:
    """The cells of the first table after a line that holds ``heading``, without its head."""
    rows = PAGES[page].split(heading, 1)[1].split("\n|---", 1)[1].split("\n\n")[0].splitlines()
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[1:]]


def names_of(rows: list[list[str]]) -> list[str]:
    """What stands as code in the first column."""
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row[0])]


@pytest.mark.parametrize("code", blocks("python"))
def test_examples_run(
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "example.py"
    script.write_text(code)
    runpy.run_path(str(script))
    assert capsys.readouterr().out


class ParsedError(Exception):
    """Raised instead of what a command would do with its options."""


@pytest.mark.parametrize("command", commands())
def test_commands_parse(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(command, comments=True)
    while "=" in words[0]:  # SCORPION_LONG=1 ...
        words.pop(0)
    program, *rest = [words[0].removeprefix(".venv/bin/"), *words[1:]]
    if program == "make":
        assert f"\n{rest[0]}:" in (ROOT / "Makefile").read_text()
    elif program == "pip":
        known = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
        extras = re.findall(r"\[([\w,]+)\]", command)
        assert {name for e in extras for name in e.split(",")} <= set(
            known["optional-dependencies"]
        )
    elif program == "python" and rest[1].split(".")[0] in OURS:
        check_options(rest[1], rest[2:], monkeypatch)
    elif program == "scorpion":
        # named without its options, a command is there if it has a help
        options = rest if len(rest) > 1 else [*rest, "--help"]
        check_options("scorpion_env.cli", options, monkeypatch)
    else:
        assert program in OTHERS


def check_options(name: str, words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a module's own parser read the options, and load the config that they name."""
    is_package = (ROOT / name.replace(".", "/")).is_dir()
    module = importlib.import_module(f"{name}.__main__" if is_package else name)
    if "parse" not in inspect.getsource(module):
        assert not words
        return
    parse = argparse.ArgumentParser.parse_args

    def stop(*given: Any) -> None:
        raise ParsedError(parse(*given))

    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", stop)
    monkeypatch.setattr(sys, "argv", [name, *(words or ["--help"])])
    with pytest.raises((ParsedError, SystemExit)) as raised:
        module.main()
    if isinstance(raised.value, SystemExit):
        assert raised.value.code == 0
    elif name in CONFIGS and (options := raised.value.args[0]).config is not None:
        load_section(CONFIGS[name], ROOT / options.config, options.overrides)


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_to_files(page: str) -> None:
    for link in re.findall(r"\]\(([^)#\s]+)", PAGES[page]):
        if ":" not in link:
            assert (ROOT / page).parent.joinpath(link).is_file(), link


def defaults_of(kind: type) -> dict[str, str]:
    """The arguments of an environment with their defaults, as text."""
    found = inspect.signature(kind).parameters.values()
    return {
        p.name: str(p.default) if isinstance(p.default, Enum) else repr(p.default) for p in found
    }


def test_arguments_of_the_environments() -> None:
    page = "docs/environment.md"
    single, vector = defaults_of(ScorpionEnv), defaults_of(ScorpionVectorEnv)
    rows = table_after(page, "## Arguments")
    assert [(f"`{name}`", f"`{default}`") for name, default in single.items()] == [
        (name, default) for name, default, _ in rows
    ]
    rows = table_after(page, "## Vector environment")
    assert {f"`{name}`": f"`{vector[name]}`" for name in vector.keys() - single.keys()} == {
        name: default for name, default, _ in rows
    }


def test_keys_of_info_and_observation() -> None:
    page = "docs/environment.md"
    env = ScorpionEnv()
    observation, info = env.reset(seed=0)
    assert names_of(table_after(page, "## Information")) == list(info)
    rows = table_after(page, "## Observation space")
    shapes = [json.loads(row[1][row[1].index("[") :]) for row in rows]
    assert dict(zip(names_of(rows), shapes, strict=True)) == {
        name: list(part.shape) for name, part in observation.items()
    }


@pytest.mark.parametrize("name", VARIANTS)
def test_every_variant_has_its_section(name: str) -> None:
    rules = VARIANTS[name]
    facts = (layout_text(rules.layout), rules_text(rules), f"{rules.actions} actions")
    text = f"\n`{name}`, `{ENV_IDS[name]}`: {'; '.join(facts)}.\n"
    assert " ".join(text.split()) in " ".join(PAGES["docs/variants.md"].split())


def test_options_of_rules() -> None:
    rows = table_after("docs/variants.md", "## Options")
    types = get_type_hints(Rules)
    assert names_of(rows) == [field.name for field in fields(Rules)]
    for name, row in zip(names_of(rows), rows, strict=True):
        if get_origin(types[name]) is Literal:
            assert row[1] == ", ".join(f"`{value}`" for value in get_args(types[name]))


def test_fields_of_an_answer() -> None:
    rows = table_after("docs/guides/solve.md", "holds a line for each seed")
    assert names_of(rows)[: len(Answer._fields)] == list(Answer._fields)


def test_options_of_an_evaluation(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        evaluate_agents(["--help"])
    option = re.compile(r"(?<![\w|-])--[a-z-]+")
    told = option.findall(capsys.readouterr().out)
    assert set(told) == set(option.findall(PAGES["docs/guides/evaluate.md"]))


def keys_of(model: type[Section], prefix: str = "") -> Iterator[tuple[str, str]]:
    """The dotted keys of a config with their defaults, as text."""
    for name, field in model.model_fields.items():
        if isinstance(field.default, Section):
            yield from keys_of(type(field.default), f"{prefix}{name}.")
        else:
            is_text = isinstance(field.default, str)
            yield f"{prefix}{name}", field.default if is_text else json.dumps(field.default)


def test_keys_of_a_config() -> None:
    rows = table_after("docs/guides/train.md", "## The config")
    assert {f"`{key}`": f"`{default}`" for key, default in keys_of(Config)} == {
        row[0]: row[1] for row in rows
    }


def test_keys_of_a_run_on_rllib() -> None:
    own = dict(keys_of(RllibConfig)).items() - dict(keys_of(Config)).items()
    rows = table_after("docs/guides/distribute.md", "## Training on Ray RLlib")
    assert {f"`{key}`": f"`{default}`" for key, default in own} == {row[0]: row[1] for row in rows}


def test_citation_names_the_version() -> None:
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited["version"] == __version__
    assert f"\n## {cited['version']}" in PAGES["CHANGELOG.md"]
