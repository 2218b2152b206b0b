"""``python -m train.imitate configs/imitate_NAME.yaml``: teach the network over cards.

Stage by stage the network plays winnable deals, each legal move of its positions gets a label, and
it is fitted to the labels; the next stage plays with what came of it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from agents.evaluation import wilson_interval
from agents.network import Network
from agents.search import Budget, SearchAgent
from scorpion_env import VARIANTS
from scorpion_env.engine.deal import deal
from scorpion_env.rules import Rules
from scorpion_env.solver import Solver
from scorpion_env.solver.relations import relations_of
from scorpion_env.whole_file import write_whole
from train.checkpoint import checkpoints
from train.command import parse, run_command, run_parser
from train.distil import label_by_search
from train.fit import fit, is_mixed
from train.imitation_checkpoint import Progress, load_progress, save_progress
from train.imitation_config import Imitation, Stage
from train.lines import follow_line
from train.move_network import MoveNetwork
from train.network_export import export_network, usable_network
from train.positions import Kept, Play, judge_game, make_tools, packed_size, play_game
from train.rollouts import make_known, try_game
from train.solved_deals import OPTIONS, Deals, training_deals, winnable_deals

PROG = "python -m train.imitate"
ROWS_A_GAME = 100  # room for positions; what does not fit is left out
QUIET = 0.1  # share kept of positions whose moves all have the same outcome of rollouts

Tell = Callable[[str], None]


def label_positions(
    config: Imitation,
    stage: Stage,
    network: Network,
    deals: Deals,
    seed: int,
    valuer: Network | None = None,
) -> Kept:
    """Play the deals with a network, and a search with its valuer; return labelled positions."""
    rules = VARIANTS[config.rules]
    if stage.labels == "search":
        budget = Budget(iterations=stage.iterations)
        return label_by_search(
            rules, SearchAgent(rules, network, valuer, seed, budget), deals.seeds
        )
    compiled, relations = rules.compiled, relations_of(rules)
    tools = make_tools(rules, network, config.nodes, seed)
    play = Play(stage.noise, stage.rescue, config.nodes, config.step_limit)
    known = make_known(rules, config.step_limit)
    rows = len(deals.decks) * ROWS_A_GAME
    kept = Kept(
        np.zeros((rows, packed_size(rules)), np.uint8), np.zeros((rows, rules.actions), np.int8)
    )
    solver = Solver(rules, config.nodes)
    count = 0
    for deck in deals.decks:
        deal(compiled, tools.state, deck)
        deal(compiled, tools.tried, deck)
        if stage.labels == "solver":
            count += judge_game(compiled, relations, OPTIONS, network, tools, play, kept, count)
        elif stage.labels == "rollouts":
            count += try_game(compiled, relations, network, tools, known, play, QUIET, kept, count)
        else:
            line = np.array(solver.solve(tools.state).actions, np.int64)
            count += follow_line(compiled, tools, line, kept, count)
    return Kept(kept.packed[:count].copy(), kept.verdicts[:count].copy())


def count_won(rules: Rules, network: Network, decks: np.ndarray) -> int:
    """Return how many deals a network wins."""
    tools = make_tools(rules, network, 1, 0)
    won = 0
    for deck in decks:
        deal(rules.compiled, tools.state, deck)
        relations = relations_of(rules)
        won += play_game(rules.compiled, relations, network, tools, rules.max_steps)
    return won


def begin(config: Imitation) -> Progress:
    """Return where a new run stands."""
    sizes = config.network.model_dump()
    if config.start is not None:
        network = usable_network("start", config.start, sizes)
    else:
        network = MoveNetwork(VARIANTS[config.rules], **sizes).weights()
    return Progress(network, [], [], config.seed, np.random.default_rng(config.seed))


def imitate(config: Imitation, run: Path, tell: Tell, resume: bool = False) -> None:
    """Go through the stages that are left; write network, summary and checkpoint after each.

    Raises
    ------
    RunError
        If a network that the config names or the newest checkpoint cannot be used.
    """
    torch.set_num_threads(config.threads)
    torch.manual_seed(config.seed)
    rules = VARIANTS[config.rules]
    sizes = config.network.model_dump()
    saved = checkpoints(run) if resume else []
    progress = load_progress(config, saved[-1]) if saved else begin(config)
    network = MoveNetwork(rules, **sizes)
    network.take(progress.network)
    valuer = None
    if config.valuer is not None:
        valuer = usable_network("valuer", config.valuer, sizes)
    tests = winnable_deals(rules, 0, config.evaluation.deals, config.nodes)
    tell(f"{len(tests.seeds)} winnable deals to play, of seeds 0 to {tests.seeds[-1]}")
    for stage in config.stages[len(progress.reached) :]:
        positions = run_stage(config, stage, network, valuer, progress, tell)
        won = count_won(rules, progress.network, tests.decks)
        low, high = wilson_interval(won, len(tests.decks))
        tell(f"  wins {won / len(tests.decks):.2%} [{low:.2%}, {high:.2%}]")
        progress.reached.append({"won": won, "deals": len(tests.decks), "positions": positions})
        export_network(progress.network, config.rules, run, stages=len(progress.reached))
        write_whole(run / "summary.json", json.dumps(progress.reached, indent=2) + "\n")
        save_progress(progress, config, run)


def run_stage(
    config: Imitation,
    stage: Stage,
    network: MoveNetwork,
    valuer: Network | None,
    progress: Progress,
    tell: Tell,
) -> int:
    """Play, label and fit ``network``; return how many positions, changes ``progress``."""
    rules = VARIANTS[config.rules]
    deals = training_deals(rules, progress.next_seed, stage.games, config.nodes)
    progress.next_seed = int(deals.seeds[-1]) + 1
    progress.found.append(
        label_positions(config, stage, progress.network, deals, progress.next_seed, valuer)
    )
    used = progress.found[-1 - stage.keep :]
    kept = Kept(*(np.concatenate(parts) for parts in zip(*used, strict=True)))
    tell(
        f"stage {len(progress.found)} of {len(config.stages)}: {stage.games} games, "
        f"{len(kept.packed)} positions, {int(is_mixed(kept).sum())} with a wrong move"
    )
    for losses in fit(
        rules, network, kept, config.fit, stage.epochs, stage.learning_rate, progress.generator
    ):
        tell(f"  loss of each move {losses.each:.4f}, of the choice {losses.choice:.4f}")
    progress.network = network.weights()
    return len(kept.packed)


def main(arguments: list[str] | None = None) -> int:
    """Run the command; return its exit status."""
    parser = run_parser(
        PROG, "Teach the network over cards from solved deals, into a new run folder."
    )
    chosen = parse(parser, arguments)

    def start(config: Imitation, run: Path) -> bool:
        try:
            imitate(config, run, lambda line: print(line, file=sys.stderr), bool(chosen.resume))
        except KeyboardInterrupt:
            return False
        return True

    return run_command(PROG, chosen, Imitation, start)


if __name__ == "__main__":
    sys.exit(main())
