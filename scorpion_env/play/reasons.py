"""Why a move is refused, in sentences for the person who tried it."""

from __future__ import annotations

from scorpion_env.cards import RANKS, RED_SUITS, rank_of, suit_of
from scorpion_env.game import Game
from scorpion_env.notation import name_card
from scorpion_env.rules import Rules


def why_refused(game: Game, card: int, column: int) -> str:
    """Return why a block may not go onto a column, in the app's words where it has them."""
    if card in game.position.columns[column][game.position.face_down[column] :]:
        return f"{name_card(game.rules, card)} lies there already"
    return game.rejection(card, column) or places_for(game.rules, card)


def why_it_stays(game: Game, card: int) -> str:
    """Return why a card that lies face-up can go nowhere."""
    if game.is_won or game.is_stuck:
        return f"the game is {'won' if game.is_won else 'lost'}"
    return f"{name_card(game.rules, card)} can go nowhere now: {places_for(game.rules, card)}"


def why_no_deal(game: Game) -> str:
    """Return why the reserve cannot be dealt."""
    if not game.rules.layout.reserve_columns:
        return "there is no reserve to deal in this game"
    if game.position.reserve[0] is None:
        return "the reserve has been dealt"
    if game.is_won:
        return "the game is won"
    return "the reserve waits until all else that moves is a whole column to an empty one"


def places_for(rules: Rules, card: int) -> str:
    """Return what a card can be put on."""
    layout = rules.layout
    rank = rank_of(card, layout.ranks)
    is_king = rank == layout.ranks - 1
    places = [] if is_king else [_next_higher(rules, card)]
    if is_king or rules.empty_column == "any":
        places.append("to an empty column")
    return f"it goes only {' or '.join(places)}"


def _next_higher(rules: Rules, card: int) -> str:
    layout = rules.layout
    higher = card % (layout.suits * layout.ranks) + 1
    if rules.build == "same_suit":
        return f"onto {name_card(rules, higher)}"
    rank = RANKS[rank_of(higher, layout.ranks)].replace("T", "10")
    if rules.build == "any_suit":
        return f"onto a card of rank {rank}"
    is_red = suit_of(card, layout.suits, layout.ranks) in RED_SUITS
    return f"onto a {'black' if is_red else 'red'} {rank}"
