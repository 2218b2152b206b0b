"""The engine against the oracle, and its kernels' compiled signatures."""

import pytest

from tests.lockstep import RULE_SETS, lockstep


@pytest.mark.parametrize("name", RULE_SETS)
def test_engine_equals_oracle(name: str) -> None:
    games = sum(1 for _ in lockstep(RULE_SETS[name], seed=1, steps=1500))
    assert games >= 1500 // 120
