"""What a sweep asks of each deal, and its answer as a line of text."""

from __future__ import annotations

import csv
import io
import json
import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple, NoReturn, get_args

from scorpion_env.game import Game
from scorpion_env.rules import Rules
from scorpion_env.solver.solution import Solver, Status


@dataclass(frozen=True)
class Question:
    """What a sweep wants to know of every deal.

    Attributes
    ----------
    rules : Rules
        What is played.
    nodes : int
        Budget of positions for each deal.
    certificates : bool
        Whether proofs of loss are kept.
    """

    rules: Rules
    nodes: int
    certificates: bool = True


class Answer(NamedTuple):
    """What is known of the deal of one seed; see `scorpion_env.solver.Solution`."""

    seed: int
    deal: int  # the number of the deal, as in info["deal"]
    status: Status
    nodes: int
    seconds: float  # of processor time spent on this deal
    moves: tuple[int, ...]  # the actions of a won game
    certificate: dict[str, Any] | None  # `Certificate.to_json`


class SeedSolver:
    """Answers a question for one seed after another; compiled when it is made."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._solver = Solver(question.rules, question.nodes, certificates=question.certificates)
        self.answer(0)

    def answer(self, seed: int) -> Answer:
        """Solve the deal of ``ScorpionEnv.reset(seed=seed)``."""
        start = time.process_time()
        rules = self._question.rules
        game = Game(seed, rules)
        solution = self._solver.solve(game)
        proof = solution.certificate
        return Answer(
            seed=seed,
            deal=game.deal_number,
            status=solution.status,
            nodes=solution.nodes,
            seconds=round(time.process_time() - start, 6),
            moves=solution.actions,
            certificate=None if proof is None else proof.to_json(rules),
        )


CSV_HEAD = ",".join(Answer._fields)


def write_json(answer: Answer) -> str:
    """Return an answer as a JSON line, without its end."""
    return json.dumps(answer._asdict(), separators=(",", ":"))


def write_csv(answer: Answer) -> str:
    """Return an answer as a CSV line, without its end: moves with spaces, the certificate JSON."""
    *plain, moves, _ = answer
    certificate = "" if answer.certificate is None else json.dumps(answer.certificate)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow((*plain, " ".join(map(str, moves)), certificate))
    return line.getvalue()


def read_json(line: str) -> Answer:
    """Return the answer of a line of `write_json`; raise ValueError if it is none."""
    fields = json.loads(line, parse_constant=_no_number)
    if not isinstance(fields, dict) or set(fields) != set(Answer._fields):
        raise ValueError("this line has other fields than an answer")
    return _checked(Answer(**{**fields, "moves": tuple(fields["moves"])}))


def read_csv(line: str) -> Answer:
    """Return the answer of a line of `write_csv`; raise ValueError if it is none."""
    try:
        seed, deal, status, nodes, seconds, moves, certificate = next(csv.reader([line]))
    except csv.Error as problem:
        raise ValueError(f"this line is no CSV: {problem}") from None
    return _checked(
        Answer(
            seed=int(seed),
            deal=int(deal),
            status=status,
            nodes=int(nodes),
            seconds=float(seconds),
            moves=tuple(map(int, moves.split())),
            certificate=json.loads(certificate, parse_constant=_no_number) if certificate else None,
        )
    )


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is no number")


def _checked(answer: Answer) -> Answer:
    numbers = (answer.seed, answer.deal, answer.nodes, *answer.moves)
    if (
        answer.status not in get_args(Status)
        or any(type(number) is not int or not 0 <= number < 2**64 for number in numbers)
        or type(answer.seconds) not in (int, float)
        or not 0 <= answer.seconds < math.inf
        or not isinstance(answer.certificate, dict | None)
    ):
        raise ValueError("this line is no answer")
    return answer
