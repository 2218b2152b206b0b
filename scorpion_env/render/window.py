"""A window that shows pictures to a person, at a person's pace."""

from __future__ import annotations

from scorpion_env.render.library import pygame

_SHARE_OF_DESKTOP = 0.9


class Window:
    """Shows one picture after the other; opens with the first, no larger than the desktop.

    pygame has one display for all, so several windows of one process share it. A person who closes
    the window ends the show, not the game: later pictures are not shown.

    Parameters
    ----------
    fps : float
        Pictures a second.
    """

    def __init__(self, fps: float) -> None:
        self._fps = fps
        self._clock = pygame.time.Clock()
        self._size = (0, 0)  # while it is not open
        self._was_closed = False

    def show(self, picture: pygame.Surface) -> None:
        """Show a picture, and wait for as long as the pace wants."""
        if self._was_closed:
            return
        display = pygame.display.get_surface()
        # another environment may have changed or closed the display
        if display is None or display.get_size() != self._size:
            display = self._open(picture)
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self._was_closed = True
            self.close()
            return
        display.blit(pygame.transform.smoothscale(picture, self._size), (0, 0))
        pygame.display.flip()
        self._clock.tick(self._fps)

    def _open(self, picture: pygame.Surface) -> pygame.Surface:
        pygame.display.init()
        pygame.display.set_caption("Scorpion")
        wide, high = pygame.display.get_desktop_sizes()[0]
        width, height = picture.get_size()
        share = min(1.0, _SHARE_OF_DESKTOP * wide / width, _SHARE_OF_DESKTOP * high / height)
        self._size = (int(width * share), int(height * share))
        return pygame.display.set_mode(self._size)

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._size != (0, 0):
            pygame.display.quit()
            self._size = (0, 0)
