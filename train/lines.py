"""Labels where moves can be taken back by others: the lines that the solver won with.

There nearly every move still wins, so that verdicts teach nothing, and who follows them goes round
in circles. A line leads somewhere.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from scorpion_env.engine.compile import kernel
from scorpion_env.engine.moves import apply
from scorpion_env.engine.outcome import settle
from scorpion_env.engine.state import PLAYING
from scorpion_env.rules import CompiledRules
from scorpion_env.solver.analysis import LOSES, NOT_JUDGED, WINS
from scorpion_env.solver.tree import pack
from train.positions import Kept, Tools


@kernel
def follow_line(
    rules: CompiledRules,
    tools: Tools,
    line: npt.NDArray[np.int64],
    kept: Kept,
    first: int,
) -> int:
    """Play ``tools.state`` along a line; keep its positions from row ``first`` of ``kept`` on.

    The line's move is labelled WINS, every other one LOSES. Returns the number of rows kept.
    """
    count = 0
    for step in range(line.shape[0]):
        row = first + count
        if row == kept.packed.shape[0] or settle(rules, tools.state, tools.mask) != PLAYING:
            break
        verdicts = kept.verdicts[row]
        legal = 0
        for action in range(verdicts.shape[0]):
            verdicts[action] = NOT_JUDGED
        for action in range(rules.deal_action + 1):
            if tools.mask[action]:
                verdicts[action] = LOSES
                legal += 1
        verdicts[line[step]] = WINS
        if legal > 1:
            pack(rules, tools.state, kept.packed[row])
            count += 1
        apply(rules, tools.state, line[step])
    return count
