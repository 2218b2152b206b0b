"""A solver that tries everything, over the naive model of the rules alone.

It leaves nothing out but positions that it has seen, and knows nothing of proofs, keys or alike
columns. Undo is not tried: it only leads back.
"""

from tests.oracle import OracleGame

Key = tuple[tuple[tuple[int, ...], ...], tuple[int, ...], tuple[int | None, ...]]


def naive_status(game: OracleGame, limit: int) -> str:
    """Return "winnable", "unwinnable", or "unknown" if there are more than ``limit`` positions."""
    seen = {key_of(game)}
    waiting = [game]
    while waiting:
        game = waiting.pop()
        if game.won:
            return "winnable"
        for action in sorted(game.legal_actions() - {game.undo_action}):
            following = game.copy()
            following.play(action)
            key = key_of(following)
            if key in seen:
                continue
            if len(seen) == limit:
                return "unknown"
            seen.add(key)
            waiting.append(following)
    return "unwinnable"


def key_of(game: OracleGame) -> Key:
    """Return all of a position that matters for what can follow."""
    return tuple(map(tuple, game.columns)), tuple(game.down), tuple(game.reserve)
