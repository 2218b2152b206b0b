"""A game as a scalable picture in SVG, made of text alone."""

from __future__ import annotations

from scorpion_env.engine.state import State
from scorpion_env.render import design
from scorpion_env.render.design import CARD_HEIGHT, CARD_WIDTH, Colour
from scorpion_env.render.outlines import SUITS, Outline
from scorpion_env.render.scene import Placed, Table, Word
from scorpion_env.rules import Rules

_FONT_SCALE = 0.75  # browsers' letters of a size are larger than pygame's


def draw_svg(rules: Rules, state: State, reveal: bool = False) -> str:
    """Return the picture of a game as an SVG document, which ends below the longest column.

    Parameters
    ----------
    rules : Rules
        The rules it is played by.
    state : State
        The game's row.
    reveal : bool
        Show face-down cards by name, on a blue ground.
    """
    table = Table(rules)
    scene = table.scene(state, reveal)
    width = table.size[0]
    feet = [placed.y + placed.seen for placed in scene.cards]
    height = max(table.columns[0][1] + CARD_HEIGHT, *feet) + design.MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" style="max-width:100%;height:auto" role="img" '
        f'aria-label="Scorpion: {", ".join(word.text for word in scene.words)}" '
        'font-family="Arial, Helvetica, sans-serif" font-weight="bold">',
        _rectangle(0, 0, width, height, design.TABLE_COLOUR),
        _rectangle(0, 0, width, design.BAR, design.BAR_COLOUR),
        _bar(scene.words),
        *(_empty_place(*place) for place in (*table.slots, *table.columns)),
        *(_label(number, *place) for number, place in enumerate(table.columns, start=1)),
        *(_card(placed) for placed in scene.cards),
        "</svg>",
    ]
    return "\n".join(parts)


def _bar(words: tuple[Word, ...]) -> str:
    gap = 2 * design.MARGIN
    spans = (f'<tspan dx="{gap}" fill="{_hex(w.colour)}">{w.text}</tspan>' for w in words)
    y = design.BAR // 2 + design.WORD_SIZE // 4
    size = _FONT_SCALE * design.WORD_SIZE
    return f'<text x="{-design.MARGIN}" y="{y}" font-size="{size:g}">{"".join(spans)}</text>'


def _empty_place(x: int, y: int) -> str:
    edge = f'rx="{design.CORNER}" stroke="{_hex(design.SLOT_COLOUR)}" stroke-width="2"'
    return _rectangle(x + 1, y + 1, CARD_WIDTH - 2, CARD_HEIGHT - 2, design.TABLE_COLOUR, edge)


def _label(number: int, x: int, y: int) -> str:
    style = f'font-size="{_FONT_SCALE * design.LABEL_SIZE:g}" fill="{_hex(design.LABEL_COLOUR)}"'
    return (
        f'<text x="{x + CARD_WIDTH // 2}" y="{y - 4}" text-anchor="middle" {style}>{number}</text>'
    )


def _card(placed: Placed) -> str:
    x, y, seen, face = placed
    if face is None:
        return _back(x, y)
    colour = _hex(design.RED if face.is_red else design.BLACK)
    ground = design.NAMED_COLOUR if face.face_down else design.CARD_COLOUR
    scale = placed.corner_scale
    left = x + design.CORNER_X
    suit_x, suit_y = left + scale * design.CORNER_SUIT_X, y + scale * design.CORNER_SUIT_Y
    corner = _suit(face.suit, suit_x, suit_y, scale * design.CORNER_SUIT)
    is_large_seen = seen > design.LARGE_SUIT_Y - design.LARGE_SUIT
    large = _suit(face.suit, x + design.LARGE_SUIT_X, y + design.LARGE_SUIT_Y, design.LARGE_SUIT)
    return (
        f'<g fill="{colour}">{_outlined(x, y, ground)}'
        f'<text x="{left}" y="{y + scale * (design.RANK_Y + 6):g}" '
        f'font-size="{scale * _FONT_SCALE * design.RANK_SIZE:g}">{face.rank_text}</text>'
        f'<path d="{corner}{large if is_large_seen else ""}"/></g>'
    )


def _back(x: int, y: int) -> str:
    inset = design.BACK_INSET
    edge = f'stroke="{_hex(design.BACK_LINES)}" stroke-width="2"'
    width, height = CARD_WIDTH - 2 * inset, CARD_HEIGHT - 2 * inset
    inner = _rectangle(x + inset, y + inset, width, height, design.BACK_COLOUR, edge)
    return _outlined(x, y, design.CARD_COLOUR) + inner


def _outlined(x: int, y: int, ground: Colour) -> str:
    edge = f'rx="{design.CORNER}" stroke="{_hex(design.EDGE_COLOUR)}"'
    return _rectangle(x + 0.5, y + 0.5, CARD_WIDTH - 1, CARD_HEIGHT - 1, ground, edge)


def _rectangle(x: float, y: float, width: int, height: int, colour: Colour, more: str = "") -> str:
    place = f'x="{x:g}" y="{y:g}" width="{width}" height="{height}"'
    return f'<rect {place} fill="{_hex(colour)}" {more}/>'


def _suit(suit: int, x: float, y: float, size: float) -> str:
    """Return the path of a suit around its middle, ``size`` to each side."""
    return "".join(_path(outline, x, y, size) for outline in SUITS[suit])


def _path(outline: Outline, x: float, y: float, size: float) -> str:
    points = [f"{x + size * px:.1f} {y + size * py:.1f}" for px, py in outline]
    return f"M{points[0]}C{' '.join(points[1:])}Z"


def _hex(colour: Colour) -> str:
    return "#" + bytes(colour).hex()
