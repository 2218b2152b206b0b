"""Checks proofs of loss by hand, from the theorem and the rules alone.

A proof is a set of events that never happen, of which a won game needs the first. It is closed if
none of them can be the first of the set to happen: each has not happened yet, and each way to it
needs another one before. The ways are those of the docstring of `scorpion_env.solver.relaxation`;
positions are read as plain tuples.
"""

from collections.abc import Iterable

from scorpion_env import Rules
from scorpion_env.position import Position
from scorpion_env.solver import Certificate

RED = (1, 2)
Claim = tuple[str, int]


class RefusedError(Exception):
    """A proof that does not hold."""


def check(rules: Rules, position: Position, certificate: Certificate) -> None:
    """Refuse a certificate that does not prove a position lost."""
    checker = Checker(rules, position, certificate.claims)
    checker.check_need(certificate.need, certificate.card, certificate.claims[0])
    checker.check_closed()


class Checker:
    """A set of claims about one position."""

    def __init__(self, rules: Rules, position: Position, claims: Iterable[Claim]) -> None:
        self.rules, self.layout, self.position = rules, rules.layout, position
        self.claims = set(claims)
        self.places = {
            card: (column, place)
            for column, cards in enumerate(position.columns)
            for place, card in enumerate(cards)
        }
        self.reserve = {card for card in position.reserve if card is not None}
        self.playable = self.reserve if rules.reserve == "play" else set()

    def check_need(self, need: str, card: int, first: Claim) -> None:
        """Refuse a first claim that keeps no card from what a won game needs of it."""
        rank, uncovered = self.rank(card), ("uncovered", card)
        proven = {
            "turned": first == uncovered and self.is_face_down(card),
            "joined": first == ("joined", card),
            "uncovered": rank == 0 and first == self.coming_free(card),
            "bottom": rank == self.layout.ranks - 1
            and self.rules.sequences == "stay"
            and first == ("parted", card)
            and self.places.get(card, (0, 0))[1] > 0,
        }
        if not proven[need]:
            raise RefusedError(f"{first} does not keep card {card} from being {need}")

    def check_closed(self) -> None:
        """Refuse claims of which one can be the first to come untrue."""
        for event, number in self.claims:
            holds = {
                "uncovered": self.never_uncovered,
                "parted": self.never_parts,
                "joined": self.never_joins,
                "removed": self.never_removed,
                "empty": self.never_empty,
            }[event]
            if not holds(number):
                raise RefusedError(f"{event} {number} may happen")

    def rank(self, card: int) -> int:
        return card % self.layout.ranks

    def suit(self, card: int) -> int:
        return card // self.layout.ranks % self.layout.suits

    def family(self, card: int) -> int:
        """Cards of one family may lie in one complete sequence."""
        if self.rules.pattern == "same_suit":
            return self.suit(card)
        return ((self.suit(card) in RED) + self.rank(card)) % 2

    def in_play(self, card: int) -> bool:
        return card in self.places or card in self.reserve

    def is_face_down(self, card: int) -> bool:
        column, place = self.places.get(card, (0, self.layout.cards))
        return place < self.position.face_down[column]

    def stays_face_down(self, card: int) -> bool:
        return self.is_face_down(card) and ("uncovered", card) in self.claims

    def coming_free(self, card: int) -> Claim:
        """The event by which others can be put on a card: a playable one has to be played."""
        return ("parted" if card in self.playable else "uncovered", card)

    def card_under(self, card: int) -> int | None:
        column, place = self.places.get(card, (0, 0))
        return self.position.columns[column][place - 1] if place > 0 else None

    def may_build(self, card: int, target: int) -> bool:
        """Whether the rules let a card be put on another."""
        if self.rank(target) != self.rank(card) + 1:
            return False
        if self.rules.build == "same_suit":
            return self.suit(card) == self.suit(target)
        colours_differ = (self.suit(card) in RED) != (self.suit(target) in RED)
        return self.rules.build == "any_suit" or colours_differ

    def follows(self, card: int, higher: int) -> bool:
        """Whether a card lies on another in a complete sequence."""
        is_next = self.rank(higher) == self.rank(card) + 1
        return is_next and self.family(card) == self.family(higher)

    def never_goes_onto(self, card: int, target: int) -> bool:
        """Whether a face-up card can never be put on one that it may be built on."""
        if not self.in_play(target) or self.card_under(card) == target:
            return True
        if self.coming_free(target) in self.claims:
            return True
        column, place = self.places.get(card, (-1, 0))
        other, top = self.places.get(target, (-2, 0))
        between = self.position.columns[column][place + 1 : top + 1] if column == other else ()
        return bool(between) and all(("parted", above) in self.claims for above in between)

    def never_uncovered(self, card: int) -> bool:
        if card not in self.places:
            return False
        column, place = self.places[card]
        above = self.position.columns[column][place + 1 :]
        return bool(above) and ("parted", above[0]) in self.claims

    def never_parts(self, card: int) -> bool:
        if card not in self.places and card not in self.playable:
            return False
        if self.stays_face_down(card):
            return True
        is_king = self.rank(card) == self.layout.ranks - 1
        if (is_king or self.rules.empty_column == "any") and ("empty", 0) not in self.claims:
            return False
        removed = ("removed", self.family(card))
        if is_king and self.rules.sequences == "removed" and removed not in self.claims:
            return False
        pack = range(self.layout.cards)
        return all(self.never_goes_onto(card, to) for to in pack if self.may_build(card, to))

    def never_joins(self, card: int) -> bool:
        if self.rank(card) == self.layout.ranks - 1 or not self.in_play(card):
            return False
        if card in self.reserve - self.playable:
            return False
        under = self.card_under(card)
        if under is not None and self.follows(card, under):
            return False
        pack = range(self.layout.cards)
        targets = [to for to in pack if self.follows(card, to) and self.may_build(card, to)]
        return self.stays_face_down(card) or all(self.never_goes_onto(card, to) for to in targets)

    def never_removed(self, family: int) -> bool:
        """Whether a rank has no card that can take its place in a sequence."""
        cards = [
            card
            for card in range(self.layout.cards)
            if self.family(card) == family and self.in_play(card)
        ]
        return any(
            all(self.is_unfit(card) for card in cards if self.rank(card) == rank)
            for rank in range(self.layout.ranks)
        )

    def is_unfit(self, card: int) -> bool:
        if self.stays_face_down(card) or ("joined", card) in self.claims:
            return True
        return self.rank(card) == 0 and self.coming_free(card) in self.claims

    def never_empty(self, _: int) -> bool:
        columns = self.position.columns
        return all(cards and ("parted", cards[0]) in self.claims for cards in columns)
