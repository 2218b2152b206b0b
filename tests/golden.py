"""Golden trajectories: what each id did when it was made, in ``tests/data/golden.json``.

``python -m tests.golden`` plays them all again and names what differs; with ``--write`` it writes
the record anew, which goes with a new version of each id that changed.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import gymnasium as gym

from scorpion_env import ENV_IDS, VARIANTS
from tests import conftest  # noqa: F401  throws away kernels compiled before a change
from tests.trajectories import CHUNK, play

RECORD = Path(__file__).parent / "data" / "golden.json"
SEEDS = range(4)
CLASSIC, WASP, OPEN = VARIANTS["classic"], VARIANTS["wasp"], VARIANTS["open_scorpion"]

# Each variant as it is, and options: a name that begins with the id, and what `gym.make` is given.
CASES: dict[str, dict[str, Any]] = {
    **{env_id: {} for env_id in ENV_IDS.values()},
    "Scorpion-v0 undo": {"rules": replace(CLASSIC, undo_limit=3)},
    "Wasp-v0 undo, sequences stay": {"rules": replace(WASP, undo_limit=None, sequences="stay")},
    "Scorpion-v0 sheet loss": {"rules": replace(CLASSIC, loss="sheet")},
    "Scorpion-v0 planes": {"observation": "planes"},
    "ThreeBlindMice-v0 planes": {"observation": "planes"},
    "DoubleScorpion-v0 both": {"observation": "both"},
    "Scorpion-v0 hidden cards revealed": {"observation": "both", "reveal_hidden": True},
    "ThreeBlindMiceDealt-v0 hidden cards revealed": {"reveal_hidden": True},
    "ScorpionFlexible-v0 progress": {"reward": "progress"},
    "OpenScorpion-v0 progress": {"reward": "progress"},
    "ScorpionII-v0 win": {"reward": "win"},
    "ScorpionII-v0 win bonus": {"win_bonus": 7.5},
    "Wasp-v0 progress, short": {"reward": "progress", "step_limit": 33},
}


def played(name: str) -> list[dict[str, Any]]:
    """Play the games of a case."""
    env = gym.make(name.split()[0], **CASES[name])
    return [asdict(play(env, seed)) for seed in SEEDS]


def recorded() -> dict[str, list[dict[str, Any]]]:
    """Return the games of each case as they were."""
    record: dict[str, list[dict[str, Any]]] = json.loads(RECORD.read_text())
    return record


def difference(name: str, was: list[dict[str, Any]], now: list[dict[str, Any]]) -> str:
    """Return how a case differs from its record and what that asks for; nothing if it does not."""
    if not was:
        return f"{name}: not recorded yet: run python -m tests.golden --write"
    found = [text for pair in zip(was, now, strict=True) if (text := _changed(*pair))]
    if not found:
        return ""
    env_id = name.split()[0]
    base, version = env_id.rsplit("-v", 1)
    return (
        f"{name}: {'; '.join(found)}. What an id does never changes: leave {env_id} as it was, or "
        f"register {base}-v{int(version) + 1}, note it in CHANGELOG.md and run "
        "python -m tests.golden --write"
    )


def _changed(was: dict[str, Any], now: dict[str, Any]) -> str:
    """Return the first steps of a game that differ, and all that its summary says otherwise."""
    if was == now:
        return ""
    told = [
        f"{name} was {was[name]}, is {now[name]}"
        for name in was
        if name != "chunks" and was[name] != now[name]
    ]
    if was["chunks"] != now["chunks"]:
        pairs = list(zip(was["chunks"], now["chunks"], strict=False))
        same = next((n for n, (one, other) in enumerate(pairs) if one != other), len(pairs))
        told.insert(0, f"other from steps {same * CHUNK} to {(same + 1) * CHUNK - 1} on")
    return f"seed {was['seed']}: {', '.join(told)}"


def write(path: Path) -> None:
    """Write the record of all cases, a game a line."""
    blocks = []
    for name in CASES:
        lines = ",\n".join("  " + json.dumps(episode) for episode in played(name))
        blocks.append(f"{json.dumps(name)}: [\n{lines}\n]")
    unfinished = path.with_suffix(".new")
    unfinished.write_text("{\n" + ",\n".join(blocks) + "\n}\n")
    unfinished.replace(path)


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare, or write; return 1 if something differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write the record anew")
    if parser.parse_args(arguments).write:
        write(RECORD)
        return 0
    record = recorded()
    wrong = [
        text for name in CASES if (text := difference(name, record.get(name, []), played(name)))
    ]
    print(*wrong, sep="\n", file=sys.stderr, end="\n" if wrong else "")
    steps = sum(episode["steps"] for episodes in record.values() for episode in episodes)
    print(
        f"{len(CASES)} cases, {len(CASES) * len(SEEDS)} games, {steps} steps: {len(wrong)} differ"
    )
    return int(bool(wrong))


if __name__ == "__main__":
    raise SystemExit(main())
