"""The named games, each a row of data."""

from __future__ import annotations

from scorpion_env.rules import Rules

VARIANTS: dict[str, Rules] = {
    "classic": Rules(),
}

# The id under which Gymnasium knows each variant.
ENV_IDS: dict[str, str] = {
    "classic": "Scorpion-v0",
}


def find_rules(rules: str | Rules) -> Rules:
    """Return the rules that a name of `VARIANTS`, or a `Rules` object, stands for.

    Raises
    ------
    ValueError
        If no variant has that name.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str) and rules in VARIANTS:
        return VARIANTS[rules]
    raise ValueError(f"rules={rules!r} is unknown: give a Rules object or {', '.join(VARIANTS)}")
