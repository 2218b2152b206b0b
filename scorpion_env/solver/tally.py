"""Counting answers: the win rate, its interval, and what is left unknown."""

from __future__ import annotations

from dataclasses import dataclass

from scorpion_env.intervals import wilson_interval
from scorpion_env.solver.answers import Answer


@dataclass
class Tally:
    """How many deals are winnable, and how much that took."""

    winnable: int = 0
    unwinnable: int = 0
    unknown: int = 0
    nodes: int = 0
    most_nodes: int = 0
    seconds: float = 0.0  # of processor time

    def add(self, answer: Answer) -> None:
        """Count one more deal."""
        setattr(self, answer.status, getattr(self, answer.status) + 1)
        self.nodes += answer.nodes
        self.most_nodes = max(self.most_nodes, answer.nodes)
        self.seconds += answer.seconds

    @property
    def deals(self) -> int:
        """All deals counted."""
        return self.winnable + self.unwinnable + self.unknown

    @property
    def rates(self) -> tuple[float, float]:
        """The win rate if all unknown deals were lost, and if all were won."""
        return self.winnable / self.deals, (self.winnable + self.unknown) / self.deals

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % Wilson interval of the win rate; with unknown deals, from bound to bound."""
        low, _ = wilson_interval(self.winnable, self.deals)
        _, high = wilson_interval(self.winnable + self.unknown, self.deals)
        return low, high

    def short_text(self) -> str:
        """Return the win rate so far in a few words."""
        if not self.deals:
            return ""
        low, high = self.interval
        unknown = f", {self.unknown} unknown" if self.unknown else ""
        return f"{self.winnable / self.deals:.2%} won [{low:.2%}, {high:.2%}]{unknown}"

    def text(self) -> str:
        """Return the tally in three lines."""
        if not self.deals:
            return "0 deals"
        low, high = self.interval
        lost, won = self.rates
        rate = f"win rate {lost:.2%}"
        if self.unknown:
            rate = f"win rate from {lost:.2%} (unknown deals lost) to {won:.2%} (won)"
        return (
            f"{self.deals} deals: {self.winnable} winnable, {self.unwinnable} unwinnable, "
            f"{self.unknown} unknown\n"
            f"{rate}, 95 % Wilson interval [{low:.2%}, {high:.2%}]\n"
            f"positions a deal: mean {self.nodes / self.deals:.1f}, most {self.most_nodes}; "
            f"{self.seconds:.1f} seconds of processor time"
        )
