"""Small rule sets drawn at random, with every option in them."""

import random
from typing import get_args

from scorpion_env import Layout, Rules
from scorpion_env.rules import Build, EmptyColumn, Loss, Pattern, Reserve, Sequences

PACKS = [
    (decks, suits, ranks)
    for decks in (1, 2)
    for suits in (1, 2, 3, 4)
    for ranks in (2, 3, 4, 5)
    if 4 <= decks * suits * ranks <= 24
]


def random_rules(seed: int) -> Rules:
    """Return the rule set of a seed: 2 to 5 columns, 4 to 24 cards, options at random."""
    chooser = random.Random(seed)
    while True:
        try:
            return _draw(chooser)
        except ValueError:  # options that contradict each other
            continue


def _draw(chooser: random.Random) -> Rules:
    reserve: Reserve = chooser.choice(get_args(Reserve))
    return Rules(
        _draw_layout(chooser, reserve),
        build=chooser.choice(get_args(Build)),
        empty_column=chooser.choice(get_args(EmptyColumn)),
        reserve=reserve,
        sequences=chooser.choice(get_args(Sequences)),
        pattern=chooser.choice(get_args(Pattern)),
        loss=chooser.choice(get_args(Loss)),
        undo_limit=chooser.choice((0, 0, 1, 3, None)),
        step_limit=100,
    )


def _draw_layout(chooser: random.Random, reserve: Reserve) -> Layout:
    decks, suits, ranks = chooser.choice(PACKS)
    cards = decks * suits * ranks
    columns = chooser.randint(2, 5)
    left = chooser.randint(0, min(3, columns, cards - 1))
    sizes = [0] * columns
    for _ in range(cards - left):
        sizes[chooser.randrange(columns)] += 1
    hidden = chooser.random()
    down = [sum(chooser.random() < hidden for _ in range(size - 1)) for size in sizes]
    received = () if reserve == "play" else tuple(chooser.sample(range(columns), left))
    return Layout(tuple(sizes), tuple(down), left, received, decks, suits, ranks)


def random_deck(rules: Rules, seed: int) -> list[int]:
    """Return the cards in a random order."""
    deck = list(range(rules.layout.cards))
    random.Random(seed).shuffle(deck)
    return deck
