"""Exact search and proofs of loss, for every rule set."""

from scorpion_env.solver.advice import Adviser, Votes
from scorpion_env.solver.certificate import Certificate
from scorpion_env.solver.drawn_deals import DrawnDeals
from scorpion_env.solver.solution import Solution, Solver, SolverError, Status, solve

__all__ = [
    "Adviser",
    "Certificate",
    "DrawnDeals",
    "Solution",
    "Solver",
    "SolverError",
    "Status",
    "Votes",
    "solve",
]
