"""A proof of loss in words, for people."""

from __future__ import annotations

from typing import Literal

from scorpion_env.cards import SUITS
from scorpion_env.engine.state import State
from scorpion_env.notation import name_card
from scorpion_env.rules import Rules

Event = Literal["uncovered", "parted", "joined", "removed", "empty"]
Claim = tuple[Event, int]  # what never happens, and to which card (or family; 0 for "empty")
Need = Literal["turned", "joined", "uncovered", "bottom"]

LONGEST = 16  # sentences of a proof that are written out
SUIT_NAMES = {"C": "clubs", "D": "diamonds", "H": "hearts", "S": "spades"}


def explain(
    rules: Rules,
    state: State,
    need: Need,
    claims: dict[Claim, list[Claim]],
    cycle: tuple[int, ...],
) -> str:
    """Return the proof that ``claims`` (each with what it rests on) make, in sentences."""
    words = _Words(rules, state)
    sentences = [words.opening(need, next(iter(claims))[1])]
    shown = list(claims.items())[:LONGEST]
    sentences += [words.sentence(claim, reasons) for claim, reasons in shown]
    if len(claims) > LONGEST:
        sentences.append(f"({len(claims) - LONGEST} more of this kind.)")
    if cycle:
        names = [words.name(card) for card in cycle]
        following = [*names[1:], names[0]]
        waits = [f"{a} waits for {b}" for a, b in zip(names, following, strict=True)]
        sentences.append(f"A blocking cycle: {', '.join(waits)}.")
    elif all(claims.values()):
        sentences.append("Each of these waits for another, so none can come first.")
    return " ".join(sentences)


class _Words:
    """Sentences about the cards of one position."""

    def __init__(self, rules: Rules, state: State) -> None:
        self._rules, self._state = rules, state

    def name(self, card: int) -> str:
        """Return a card as text, with a word for its being face-down."""
        text = name_card(self._rules, card)
        column = int(self._state.column_of[card])
        if column >= 0 and self._state.height_of[card] < self._state.face_down[column]:
            return f"the face-down {text}"
        return text

    def opening(self, need: Need, card: int) -> str:
        """Return what a won game needs and cannot have."""
        name = self.name(card)
        sentence = {
            "turned": f"{name} can never be turned.",
            "joined": f"{name} can never be put on its next-higher card.",
            "uncovered": f"{name} can never be uncovered.",
            "bottom": f"{name} can never come to the bottom of a column.",
        }[need]
        return sentence[0].upper() + sentence[1:]

    def sentence(self, claim: Claim, reasons: list[Claim]) -> str:
        """Return why a claim holds if those hold that it rests on."""
        event, number = claim
        if event == "empty":
            bottoms = [self.name(card) for _, card in reasons]
            return f"A column becomes empty only if one of {', '.join(bottoms)} can leave it."
        if event == "removed":
            needed = [self._happening(reason) for reason in reasons]
            return f"{self._sequence(number)} is removed only if {' or '.join(needed)}."
        if event == "uncovered":
            cover = self.name(reasons[0][1])
            return f"{self._capital(number)} is uncovered only if {cover} leaves it."
        if not reasons:
            return f"{self._capital(number)} can go nowhere else."
        needed = list(dict.fromkeys(self._happening(reason) for reason in reasons))
        verb = "moves" if event == "parted" else "can be put there"
        return f"{self._capital(number)} {verb} only if {' or '.join(needed)}."

    def _capital(self, card: int) -> str:
        name = self.name(card)
        return name[0].upper() + name[1:]

    def _happening(self, claim: Claim) -> str:
        event, number = claim
        if event == "empty":
            return "a column becomes empty"
        if event == "removed":
            return f"{self._sequence(number).lower()} is removed"
        verbs = {"uncovered": "is uncovered", "parted": "moves", "joined": "is put there"}
        return f"{self.name(number)} {verbs[event]}"

    def _sequence(self, family: int) -> str:
        if self._rules.pattern == "alternate_colour":
            return "A sequence of its colours"
        return f"The sequence of {SUIT_NAMES[SUITS[family]]}"
