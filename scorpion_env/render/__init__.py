"""A game as text, as a picture, in a window and, recorded, as a page."""
