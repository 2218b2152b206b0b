"""Moves as people type them: a move in the notation, or just the card where that says enough."""

from __future__ import annotations

from scorpion_env.cards import RANKS
from scorpion_env.game import Game
from scorpion_env.notation import name_card, name_move, parse_move
from scorpion_env.play.reasons import why_it_stays

_FIRST = frozenset(RANKS.lower() + RANKS + "1")


def type_on(typed: str, key: str, character: str | None) -> str | None:
    """Return what is typed after one more key, None if the key is for something else.

    Only the rank of a card begins a move; other letters are commands.
    """
    if not typed:
        return character if character in _FIRST else None
    if key == "escape":
        return ""
    if key == "backspace":
        return typed[:-1]
    return typed + character if character and character.isprintable() else None


def read_entry(game: Game, text: str) -> int:
    """Return the action that a text means; whether it is legal is asked only for a card alone.

    Parameters
    ----------
    game : Game
        The game it is said in.
    text : str
        A move such as ``5C>3``, or a card that can go to just one column. Of twins whose deck is
        not named the one that can move is meant.

    Raises
    ------
    ValueError
        If it is no move, or could mean several; the message says what to write.
    """
    columns = len(game.rules.layout.columns)
    card, arrow, _ = text.partition(">")
    action = parse_move(game.rules, text if arrow else f"{text}>1")
    meant = _twins(game, card, action // columns)
    mask = game.action_mask()
    if arrow:
        actions = [twin * columns + action % columns for twin in meant]
        return _only(game, [legal for legal in actions if mask[legal]] or [action])
    actions = [twin * columns + column for twin in meant for column in range(columns)]
    legal = [action for action in actions if mask[action]]
    if not legal:
        raise ValueError(why_it_stays(game, meant[0]))
    return _only(game, legal)


def _twins(game: Game, text: str, card: int) -> list[int]:
    """Return the cards that a text may mean: one, or one of each deck if it names no deck."""
    if text.strip()[-1:].isdecimal():
        return [card]
    pack = game.rules.layout.suits * game.rules.layout.ranks
    return list(range(card % pack, game.rules.layout.cards, pack))


def _only(game: Game, actions: list[int]) -> int:
    if len(actions) > 1:
        moves = " or ".join(_name_in_full(game, action) for action in actions)
        raise ValueError(f"this can mean several moves: write {moves}, or choose the card itself")
    return actions[0]


def _name_in_full(game: Game, action: int) -> str:
    """Return a move as text, the first deck named too where there are several."""
    layout = game.rules.layout
    card = action // len(layout.columns)
    name, move = name_card(game.rules, card), name_move(game.rules, action)
    is_of_first_deck = card < layout.suits * layout.ranks
    return move.replace(name, f"{name}1") if layout.decks > 1 and is_of_first_deck else move
