"""Imports run one way, and the library stays light."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# each part may import the parts before it
ORDER = [
    ["scorpion_env.cards"],
    ["scorpion_env.rules", "scorpion_env.engine.compile", "scorpion_env.intervals"],
    ["scorpion_env.version", "scorpion_env.threads", "scorpion_env.whole_file"],
    ["scorpion_env.engine.state"],
    ["scorpion_env.engine.mask", "scorpion_env.engine.moves"],
    ["scorpion_env.engine.deal", "scorpion_env.engine.outcome"],
    ["scorpion_env.describe", "scorpion_env.position", "scorpion_env.variants"],
    ["scorpion_env.planes", "scorpion_env.notation"],
    ["scorpion_env.render"],
    ["scorpion_env.render.design", "scorpion_env.render.library", "scorpion_env.render.outlines"],
    ["scorpion_env.render.scene"],
    ["scorpion_env.render.faces", "scorpion_env.render.svg", "scorpion_env.render.text"],
    ["scorpion_env.render.picture", "scorpion_env.render.window"],
    ["scorpion_env.render.renderer"],
    ["scorpion_env.deals", "scorpion_env.observation"],
    ["scorpion_env.batch", "scorpion_env.game", "scorpion_env.suites"],
    ["scorpion_env.game_record"],
    ["scorpion_env.records"],
    ["scorpion_env.solver.relations"],
    ["scorpion_env.solver.relaxation"],
    ["scorpion_env.solver.keys", "scorpion_env.solver.persistent", "scorpion_env.solver.estimate"],
    ["scorpion_env.solver.tree"],
    ["scorpion_env.solver.search", "scorpion_env.solver.words"],
    ["scorpion_env.solver.analysis", "scorpion_env.solver.certificate"],
    ["scorpion_env.solver.solution"],
    [
        "scorpion_env.solver.advice",
        "scorpion_env.solver.answers",
        "scorpion_env.solver.drawn_deals",
    ],
    ["scorpion_env.solver.sweep_file", "scorpion_env.solver.tally"],
    ["scorpion_env.solver.on_ray", "scorpion_env.solver.progress", "scorpion_env.solver.workers"],
    ["scorpion_env.solver.sweep"],
    [
        "scorpion_env.solver.command",
        "scorpion_env.solver.suites_command",
        "scorpion_env.solver.verdicts",
    ],
    ["scorpion_env.solver"],
    ["scorpion_env.render.words"],
    ["scorpion_env.render.page"],
    ["scorpion_env.render.replay_command"],
    [
        "scorpion_env.play",
        "scorpion_env.play.faces",
        "scorpion_env.play.reasons",
        "scorpion_env.play.spots",
    ],
    ["scorpion_env.play.entry", "scorpion_env.play.grid", "scorpion_env.play.hints"],
    ["scorpion_env.play.picture", "scorpion_env.play.session", "scorpion_env.play.thinker"],
    ["scorpion_env.play.board", "scorpion_env.play.help", "scorpion_env.play.saved"],
    ["scorpion_env.play.screens"],
    ["scorpion_env.play.app"],
    ["scorpion_env.play.command"],
    ["scorpion_env.env_state", "scorpion_env.handle"],
    ["scorpion_env.env"],
    ["scorpion_env.vector_env", "scorpion_env.cli"],
    ["scorpion_env"],
    ["agents"],
    ["train"],
]
OURS = ("scorpion_env", "agents", "train")


def modules() -> dict[str, Path]:
    """Every module of the repository's packages by name."""
    found = {}
    for package in OURS:
        for path in (ROOT / package).rglob("*.py"):
            parts = path.relative_to(ROOT).with_suffix("").parts
            found[".".join(part for part in parts if part != "__init__")] = path
    return found


def imported(path: Path) -> set[str]:
    """Absolute names of what a file imports, at the top or inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def level(module: str) -> int:
    """Place of a module in `ORDER`; a package stands for its modules that are not named."""
    parts = module.split(".")
    for length in range(len(parts), 0, -1):
        name = ".".join(parts[:length])
        for place, group in enumerate(ORDER):
            if name in group:
                return place
    raise AssertionError(f"{module} has no place in the order of imports")


@pytest.mark.parametrize("module", sorted(modules()))
def test_imports_run_one_way(module: str) -> None:
    for name in imported(modules()[module]):
        if name.split(".")[0] not in OURS:
            continue
        package = module.split(".")[0]
        if package in ("agents", "train") and name.split(".")[0] == package:
            continue
        # the package itself stands last, for what it exports; below it, modules name modules
        assert level(name) < level(module) or name == module, f"{module} imports {name}"


@pytest.mark.parametrize("module", [name for name in sorted(modules()) if "scorpion_env" in name])
def test_library_needs_no_training_package(module: str) -> None:
    heavy = {"torch", "stable_baselines3", "sb3_contrib", "safetensors", "yaml", "pydantic"}
    assert {name.split(".")[0] for name in imported(modules()[module])}.isdisjoint(heavy)


def test_engine_knows_no_gymnasium() -> None:
    for module, path in modules().items():
        if module.startswith("scorpion_env.engine"):
            assert not any(name.startswith("gymnasium") for name in imported(path)), module


def test_the_oracle_shares_no_code_with_the_library() -> None:
    assert imported(ROOT / "tests" / "oracle.py") <= {
        "collections.abc",
        "copy",
        "itertools",
        "typing",
    }
    assert imported(ROOT / "tests" / "oracle_env.py") - {"tests.oracle"} <= {
        "collections.abc",
        "copy",
        "numpy",
        "typing",
    }


def test_import_compiles_nothing_heavy() -> None:
    code = "import sys, scorpion_env; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert loaded.isdisjoint({"torch", "numba", "stable_baselines3", "matplotlib"})
