"""The environment against the naive one; ``python -m tests.env_lockstep`` plays more."""

from collections import Counter

import pytest

from tests.env_lockstep import OPTIONS, Pair
from tests.lockstep import RULE_SETS


@pytest.mark.parametrize("options", OPTIONS)
def test_environment_equals_the_naive_one(options: str) -> None:
    counts: Counter[str] = Counter()
    for name in RULE_SETS:
        counts.update(Pair(name, options, seed=1).play(60))
    assert counts["steps"] == 60 * len(RULE_SETS)
    # each of these is compared at least so often
    assert counts["turned"] > 100
    assert counts["undone"] > 100
    assert counts["illegal"] > 30
    assert counts["planes"] >= len(RULE_SETS)
    assert counts["sequences"] > 0
