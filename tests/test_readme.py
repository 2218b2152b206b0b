"""README keeps what a newcomer needs, and its table is the code's."""

import re
from pathlib import Path

import pytest

from scorpion_env import ENV_IDS, VARIANTS
from scorpion_env.describe import layout_text, rules_text

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def test_example_has_ten_lines() -> None:
    first = re.findall(r"```python\n(.*?)```", README, re.DOTALL)[0]
    assert len([line for line in first.splitlines() if line]) <= 11


@pytest.mark.parametrize("name", VARIANTS)
def test_table_of_variants_is_the_codes(name: str) -> None:
    rules = VARIANTS[name]
    cells = [f"`{ENV_IDS[name]}`", f"`{name}`", layout_text(rules.layout), rules_text(rules)]
    assert f"| {' | '.join([*cells, str(rules.actions)])} |" in README


def test_make_targets_exist() -> None:
    makefile = (Path(__file__).parents[1] / "Makefile").read_text()
    for target in re.findall(r"^make (\w+)", README, re.MULTILINE):
        assert f"\n{target}:" in makefile
