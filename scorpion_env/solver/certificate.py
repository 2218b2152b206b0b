"""Why a position cannot be won, as facts that can be checked and sentences that can be read.

A certificate is a set of claims "this never happens" that is closed: whatever could make one of
them happen first needs another of them to have happened before. So none of them ever happens, and
one of them is needed for a win. `scorpion_env.solver.relaxation` has the rules by which events need
each other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from scorpion_env.engine.state import IN_RESERVE, OFF_TABLEAU, State
from scorpion_env.notation import name_card
from scorpion_env.rules import CompiledRules, Rules
from scorpion_env.solver.relations import Relations
from scorpion_env.solver.relaxation import (
    NEVER_AT_BOTTOM,
    NEVER_JOINED,
    NEVER_TURNED,
    NEVER_UNCOVERED,
    NO_PROOF,
    Facts,
    mark_joined,
    mark_needs,
    no_facts,
    relax,
)
from scorpion_env.solver.words import Claim, Event, Need, explain

_NEEDS: dict[int, Need] = {
    NEVER_TURNED: "turned",
    NEVER_JOINED: "joined",
    NEVER_UNCOVERED: "uncovered",
    NEVER_AT_BOTTOM: "bottom",
}
_FIRST_CLAIM: dict[Need, Event] = {
    "turned": "uncovered",
    "joined": "joined",
    "uncovered": "uncovered",
    "bottom": "parted",
}


@dataclass(frozen=True)
class Certificate:
    """A proof that a position is lost.

    Attributes
    ----------
    need : {"turned", "joined", "uncovered", "bottom"}
        What a won game needs and ``card`` can never do: be turned face-up, lie on its next-higher
        card, be uncovered (an ace), come to the bottom of a column (a king, where sequences stay).
    card : int
        The card.
    claims : tuple of (event, card)
        The closed set of events that never happen; the first one contradicts the need (an ace in a
        reserve that is played is uncovered by parting from it). Events are
        ``"uncovered"``, ``"parted"`` (the card leaves what it lies on, leading a block or with its
        removed sequence), ``"joined"`` (it lies on a next-higher card of its sequence),
        ``"removed"`` (a sequence of this family) and ``"empty"`` (any column).
    cycle : tuple of int
        The blocking cycle, where the proof comes down to one: each card waits for the next to be
        uncovered, the last for the first. Empty otherwise.
    text : str
        The proof in words.
    """

    need: Need
    card: int
    claims: tuple[Claim, ...]
    cycle: tuple[int, ...]
    text: str

    def to_json(self, rules: Rules) -> dict[str, Any]:
        """Return the certificate as plain data, cards as text."""
        named = [
            [event, number if event in ("removed", "empty") else name_card(rules, number)]
            for event, number in self.claims
        ]
        return {
            "need": self.need,
            "card": name_card(rules, self.card),
            "claims": named,
            "cycle": [name_card(rules, card) for card in self.cycle],
            "text": self.text,
        }


def certify(
    rules: Rules, compiled: CompiledRules, relations: Relations, state: State
) -> Certificate | None:
    """Return a proof that a position (one game's row) is lost, None if the relaxation has none.

    Of all needs that cannot be met it takes the one with the shortest proof.
    """
    facts = no_facts(compiled.cards, relations.families)
    if relax(compiled, relations, state, facts)[0] == NO_PROOF:
        return None
    needs = np.zeros(compiled.cards, np.int64)
    mark_needs(compiled, relations, state, facts, needs)
    reasons = _Reasons(compiled, relations, state, facts)
    proofs = []
    for card in np.flatnonzero(needs).tolist():
        need = _NEEDS[int(needs[card])]
        proofs.append((need, card, reasons.closed_set(reasons.first_claim(need, card))))
    need, card, claims = min(proofs, key=lambda proof: len(proof[2]))
    cycle = find_cycle(claims)
    text = explain(rules, state, need, claims, cycle)
    return Certificate(need, card, tuple(claims), cycle, text)


def find_cycle(claims: dict[Claim, list[Claim]]) -> tuple[int, ...]:
    """Return the cards of a blocking cycle if each claim rests on one other, else nothing."""
    if any(len(set(reasons)) != 1 for reasons in claims.values()):
        return ()
    path: list[Claim] = []
    claim = next(iter(claims))
    while claim not in path:
        path.append(claim)
        claim = claims[claim][0]
    return tuple(card for event, card in path[path.index(claim) :] if event == "uncovered")


class _Reasons:
    """Why events never happen in one position."""

    def __init__(
        self, compiled: CompiledRules, relations: Relations, state: State, facts: Facts
    ) -> None:
        self._compiled, self._relations, self._facts = compiled, relations, facts
        self._joined = np.zeros(compiled.cards, np.uint8)
        mark_joined(compiled, relations, state, facts, self._joined)
        self._column = state.column_of.tolist()
        self._place = state.height_of.tolist()
        self._columns = [
            state.tableau[column, :height].tolist()
            for column, height in enumerate(state.height.tolist())
        ]
        self._ranks, self._family = compiled.ids[:, 0].tolist(), relations.family.tolist()

    def first_claim(self, need: Need, card: int) -> Claim:
        """Return what never happens to a card although a won game needs it."""
        event = _FIRST_CLAIM[need]
        return self._never_uncovered(card) if event == "uncovered" else (event, card)

    def closed_set(self, first: Claim) -> dict[Claim, list[Claim]]:
        """Return the claims that ``first`` rests on, each with those that it rests on itself."""
        found: dict[Claim, list[Claim]] = {}
        waiting = [first]
        while waiting:
            claim = waiting.pop(0)
            if claim not in found:
                found[claim] = list(self._rests_on(claim))
                waiting += found[claim]
        return found

    def _rests_on(self, claim: Claim) -> Iterator[Claim]:
        event, number = claim
        if event == "uncovered":
            yield "parted", self._cover(number)
        elif event == "parted":
            yield from self._never_parts(number)
        elif event == "joined":
            yield from self._never_goes_onto(number, self._next_higher(number))
        elif event == "removed":
            yield from self._never_removed(number)
        else:
            yield from (("parted", cards[0]) for cards in self._columns)

    def _cover(self, card: int) -> int:
        return int(self._columns[self._column[card]][self._place[card] + 1])

    def _below(self, card: int) -> int | None:
        column, place = self._column[card], self._place[card]
        return self._columns[column][place - 1] if column >= 0 and place > 0 else None

    def _targets(self, card: int) -> list[int]:
        return [int(t) for t in self._relations.targets[card] if t >= 0]

    def _next_higher(self, card: int) -> list[int]:
        targets = self._targets(card)
        return [int(t) for t in self._relations.next_higher[card] if t >= 0 and t in targets]

    def _never_parts(self, card: int) -> Iterator[Claim]:
        if not self._facts.face_up[card]:
            yield "uncovered", card
            return
        yield from self._never_goes_onto(card, self._targets(card))
        if self._relations.leads[card]:
            yield "empty", 0
        is_king = self._ranks[card] == self._compiled.ranks - 1
        if is_king and not self._compiled.sequences_stay:
            yield "removed", self._family[card]

    def _never_goes_onto(self, card: int, targets: list[int]) -> Iterator[Claim]:
        if not self._facts.face_up[card]:
            yield "uncovered", card
            return
        for target in targets:
            if target == self._below(card) or self._column[target] == OFF_TABLEAU:
                continue
            if self._facts.uncovered[target]:
                # it lies in the card's own block, and no card between them ever parts
                low, high = self._place[card], self._place[target]
                for between in self._columns[self._column[card]][low + 1 : high + 1]:
                    yield "parted", between
            else:
                yield self._never_uncovered(target)

    def _never_uncovered(self, card: int) -> Claim:
        if self._column[card] == IN_RESERVE:
            return "parted", card
        return "uncovered", card

    def _never_removed(self, family: int) -> Iterator[Claim]:
        """Name why no card of one rank can take its place in a sequence of the family."""
        for rank in range(self._compiled.ranks):
            cards = [
                card
                for card in range(self._compiled.cards)
                if self._ranks[card] == rank
                and self._family[card] == family
                and self._column[card] != OFF_TABLEAU
            ]
            reasons = [self._unfit(card) for card in cards]
            if all(reason is not None for reason in reasons):
                yield from (reason for reason in reasons if reason is not None)
                return

    def _unfit(self, card: int) -> Claim | None:
        """Return why a card can be part of no sequence that is removed, None if it may be."""
        rank = self._ranks[card]
        if not self._facts.face_up[card]:
            return "uncovered", card
        if rank == 0 and not self._facts.uncovered[card]:
            return self._never_uncovered(card)
        if rank < self._compiled.ranks - 1 and not self._joined[card]:
            return "joined", card
        return None
