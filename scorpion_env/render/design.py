"""What a table and its cards look like: sizes in pixels, colours as red, green, blue."""

from __future__ import annotations

Colour = tuple[int, int, int]

CARD_WIDTH, CARD_HEIGHT, CORNER = 72, 100, 7
BACK_INSET = 4
# on a card: the rank and a small suit in the corner, a large suit below
CORNER_X = 6
RANK_SIZE, RANK_Y = 28, 14  # its middle
CORNER_SUIT, CORNER_SUIT_X, CORNER_SUIT_Y = 9.0, 39, 13  # half its width; its middle from CORNER_X
CORNER_SCALES = (1.0, 0.75, 0.55, 0.4)  # how large the corner is where cards are squeezed
LARGE_SUIT, LARGE_SUIT_X, LARGE_SUIT_Y = 21.0, 36, 62

MARGIN, GAP = 16, 12
BAR = 36  # the line of words at the top
WORD_SIZE, LABEL_SIZE = 20, 15
STEP, STEP_FACE_DOWN = 24, 10  # from a card to the one on it, where there is room

TABLE_COLOUR: Colour = (24, 92, 66)
BAR_COLOUR: Colour = (16, 68, 49)
SLOT_COLOUR: Colour = (58, 128, 101)  # outlines of empty places
LABEL_COLOUR: Colour = (140, 190, 168)  # numbers of columns
WORD_COLOUR: Colour = (232, 240, 235)
WON_COLOUR: Colour = (245, 200, 66)
LOST_COLOUR: Colour = (240, 150, 132)
CARD_COLOUR: Colour = (253, 253, 250)
NAMED_COLOUR: Colour = (203, 216, 236)  # a face-down card that is shown by name
EDGE_COLOUR: Colour = (120, 130, 134)
BLACK: Colour = (24, 28, 36)
RED: Colour = (200, 24, 42)
BACK_COLOUR: Colour = (44, 84, 156)
BACK_LINES: Colour = (120, 154, 210)
