"""A slow reading of a position as planes, from what `scorpion_env.planes` says that they mean."""

from collections.abc import Sequence

from scorpion_env import Rules
from scorpion_env.planes import plane_names
from scorpion_env.position import Position


def card_name(rules: Rules, card: int) -> str:
    """A card as the planes name it."""
    layout = rules.layout
    suit, rank = divmod(card % (layout.suits * layout.ranks), layout.ranks)
    deck = card // (layout.suits * layout.ranks) + 1
    return "A23456789TJQK"[rank] + "CDHS"[suit] + (f"/{deck}" if layout.decks > 1 else "")


def builds(rules: Rules, card: int, target: int) -> bool:
    """Whether a card may be built on another."""
    one, other = card_name(rules, card), card_name(rules, target)
    if "A23456789TJQK".index(other[0]) != "A23456789TJQK".index(one[0]) + 1:
        return False
    if rules.build == "alternate_colour":
        return (one[1] in "DH") != (other[1] in "DH")
    return rules.build == "any_suit" or one[1] == other[1]


class SlowPlanes:
    """What the planes of a position should be, by name, in ``values``.

    ``completed`` holds a flag a king; with ``reveal`` hidden cards are known.
    """

    def __init__(
        self, rules: Rules, position: Position, completed: Sequence[int], reveal: bool
    ) -> None:
        self.rules, self.position, self.reveal = rules, position, reveal
        self.values = dict.fromkeys(plane_names(self.rules), 0)
        self.unseen: set[int] = set()
        self.places = {
            card: (column, place)
            for column, cards in enumerate(self.position.columns)
            for place, card in enumerate(cards)
        }
        for card in range(self.rules.layout.cards):
            self.write_place(card)
        in_play = [*self.places, *(card for card in self.position.reserve if card is not None)]
        for card in in_play:
            if card not in self.unseen:
                self.write_targets(card)
        self.write_table(completed)

    def put(self, card: int, **planes: object) -> None:
        for name, value in planes.items():
            self.values[f"{card_name(self.rules, card)}.{name}"] = int(bool(value))

    def write_place(self, card: int) -> None:
        is_seen = self.reveal
        if card in self.position.reserve:
            is_seen |= self.rules.reserve == "play"
            self.put(card, in_reserve=is_seen)
            if self.reveal and self.rules.reserve != "play":
                place = self.position.reserve.index(card)
                self.put(card, **{f"column_{self.rules.layout.reserve_columns[place] + 1}": 1})
        elif card not in self.places:
            self.put(card, removed=1)
            return
        else:
            column, place = self.places[card]
            is_down = place < self.position.face_down[column]
            is_seen |= not is_down
            if is_seen:
                self.put(card, face_up=not is_down, is_known_down=is_down)
                self.put(card, **{f"column_{column + 1}": 1})
                self.write_neighbours(card, column, place)
        if not is_seen:
            self.unseen.add(card)
            self.put(card, unseen=1)

    def write_neighbours(self, card: int, column: int, place: int) -> None:
        cards, down = self.position.columns[column], self.position.face_down[column]
        below, above = cards[:place], cards[place + 1 :]
        self.put(card, uncovered=not above, at_bottom=not below)
        self.put(card, depth_2=above[1:], depth_4=above[3:], depth_8=above[7:])
        if below:
            is_named = self.reveal or place - 1 >= down
            self.put(card, on_face_down=place - 1 < down)
            self.put(card, on_next_higher=is_named and builds(self.rules, card, below[-1]))
        if above:
            fits = builds(self.rules, above[0], card)
            is_king = above[0] % self.rules.layout.ranks == self.rules.layout.ranks - 1
            self.put(card, under_next_lower=fits, under_king=is_king)
            self.put(card, under_other=not fits and not is_king)

    def write_targets(self, card: int) -> None:
        own, own_place = self.places.get(card, (None, 0))
        for target in range(self.rules.layout.cards):
            if not builds(self.rules, card, target):
                continue
            if target in self.unseen:
                self.put(card, target_unseen=1)
            elif target in self.places:
                column, place = self.places[target]
                if column == own and place < own_place:
                    self.put(card, target_below=1)
                if column != own and place == len(self.position.columns[column]) - 1:
                    self.put(card, target_uncovered=1)

    def write_table(self, completed: Sequence[int]) -> None:
        for number, cards in enumerate(self.position.columns, start=1):
            self.values[f"column_{number}.empty"] = int(not cards)
            for n in (1, 2, 3):
                down = self.position.face_down[number - 1]
                self.values[f"column_{number}.face_down_{n}"] = int(down >= n)
        for number, card in enumerate(self.position.reserve, start=1):
            self.values[f"reserve_{number}.present"] = int(card is not None)
        for number, flag in enumerate(completed, start=1):
            self.values[f"sequence_{number}.completed"] = int(flag)
