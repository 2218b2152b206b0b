"""The named games, each a row of data.

Names without a source are those of the two source texts of the rules; ``pysol_...`` are PySolFC's
readings of the family.
"""

from __future__ import annotations

from typing import Any

from scorpion_env.rules import Layout, Rules

_SEVENS = (7,) * 7
_FIVES = (5,) * 10
_LAST_THREE_DOWN = (0,) * 7 + (3,) * 3

_OPEN = Layout(face_down=(0,) * 7)
_MICE = Layout(columns=_FIVES, face_down=_LAST_THREE_DOWN, reserve_cards=2, reserve_columns=())
_MICE_DEALT = Layout(columns=_FIVES, face_down=(3,) * 10, reserve_cards=2, reserve_columns=(0, 1))
_DOUBLE = Layout(
    columns=(7,) * 14,
    face_down=(3,) * 8 + (0,) * 6,
    reserve_cards=6,
    reserve_columns=tuple(range(6)),
    decks=2,
)
_PYSOL_II = Layout(columns=_SEVENS, face_down=(3,) * 3 + (0,) * 4)
_PYSOL_DOUBLE = Layout(
    columns=(10,) * 10,
    face_down=(4,) * 5 + (0,) * 5,
    reserve_cards=4,
    reserve_columns=tuple(range(4)),
    decks=2,
)
_PYSOL_TRIPLE = Layout(
    columns=(12,) * 13,
    face_down=(5,) * 5 + (0,) * 8,
    reserve_cards=0,
    reserve_columns=(),
    decks=3,
)

VARIANTS: dict[str, Rules] = {
    "classic": Rules(),
    "flexible": Rules(build="any_suit"),
    "traditional": Rules(sequences="stay", reserve="deal_when_idle"),
    "wasp": Rules(empty_column="any"),
    "scorpion_ii": Rules(_OPEN),
    "open_scorpion": Rules(undo_limit=None, step_limit=500),
    "three_blind_mice": Rules(_MICE, reserve="play"),
    "three_blind_mice_dealt": Rules(_MICE_DEALT),
    "double_scorpion": Rules(_DOUBLE),
    "pysol_scorpion_ii": Rules(_PYSOL_II),
    "pysol_wasp_ii": Rules(_PYSOL_II, empty_column="any"),
    "pysol_double_scorpion": Rules(_PYSOL_DOUBLE),
    "pysol_triple_scorpion": Rules(_PYSOL_TRIPLE),
    "pysol_scorpion_tail": Rules(build="alternate_colour", pattern="alternate_colour"),
    "pysol_farmers_wife": Rules(
        _MICE, build="alternate_colour", pattern="alternate_colour", reserve="play"
    ),
}

# The id under which Gymnasium knows each variant.
ENV_IDS: dict[str, str] = {
    "classic": "Scorpion-v0",
    "flexible": "ScorpionFlexible-v0",
    "traditional": "ScorpionTraditional-v0",
    "wasp": "Wasp-v0",
    "scorpion_ii": "ScorpionII-v0",
    "open_scorpion": "OpenScorpion-v0",
    "three_blind_mice": "ThreeBlindMice-v0",
    "three_blind_mice_dealt": "ThreeBlindMiceDealt-v0",
    "double_scorpion": "DoubleScorpion-v0",
    "pysol_scorpion_ii": "PySolScorpionII-v0",
    "pysol_wasp_ii": "PySolWaspII-v0",
    "pysol_double_scorpion": "PySolDoubleScorpion-v0",
    "pysol_triple_scorpion": "PySolTripleScorpion-v0",
    "pysol_scorpion_tail": "PySolScorpionTail-v0",
    "pysol_farmers_wife": "PySolFarmersWife-v0",
}


def find_rules(rules: str | Rules | dict[str, Any]) -> Rules:
    """Return the rules that a name of `VARIANTS` or a `Rules` object stands for.

    A dict of its fields does too: that is what Gymnasium reads from a spec saved as JSON.

    Raises
    ------
    ValueError
        If no variant has that name, or the dict is none of rules.
    """
    if isinstance(rules, Rules):
        return rules
    if isinstance(rules, str) and rules in VARIANTS:
        return VARIANTS[rules]
    if isinstance(rules, dict):
        try:
            options = dict(rules)
            return Rules(Layout(**options.pop("layout", {})), **options)
        except TypeError as error:
            raise ValueError(f"rules={rules!r} are no fields of Rules: {error}") from error
    raise ValueError(
        f"rules={rules!r} is unknown: give a Rules object or one of {', '.join(VARIANTS)}"
    )
