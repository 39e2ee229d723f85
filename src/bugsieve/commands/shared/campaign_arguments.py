"""The arguments of a campaign: what is looked for, how test states are made, when to stop."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.commands.shared import task_arguments
from bugsieve.commands.shared.numbers import real_number, seconds, whole_number
from bugsieve.commands.shared.options import Options, options_from

if TYPE_CHECKING:
    from bugsieve.campaigns.options import CostOptions
    from bugsieve.campaigns.stop_rules import StopRules
    from bugsieve.tasks.search import Limits

_USUAL_OBJECTIVE = "quantitative"
_WALK_OPTIONS = {
    *("--pool-size", "--walk-length", "--novelty", "--bias", "--insert", "--round-walks"),
    "--patience",
}
_LONGEST_NAME = 60  # letters of up to 4 bytes, where file names may have 255


class _RulesAction(argparse.Action):
    """A rules file as an objective; no `type`, which would be applied to defaults as well."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        setattr(namespace, self.dest, f"rules:{values}")


def judging_words(policy: str, objective: str, *, unit_cost: bool) -> list[str]:
    """The arguments that have the same policy judged in the same way."""
    words = ["--policy", policy, *(["--unit-cost"] if unit_cost else [])]
    return [*words, *([] if objective == _USUAL_OBJECTIVE else ["--objective", objective])]


def add_judging_arguments(parser: argparse.ArgumentParser, *, escalates: bool = False) -> None:
    """What counts as a bug, and who decides; campaigns come back to what was left open."""
    options = Options(parser, "judging")
    objective = options.exclusive()
    objective.add_argument(
        "--objective",
        default=_USUAL_OBJECTIVE,
        metavar="NAME",
        help="quantitative (default: cost), qualitative (only reaching the goal), "
        "probability (of reaching it, for policies that give distributions), "
        "'avoid:FORMULA' (never meeting a condition such as '(and (p a) (not (q b)))') or "
        "'rules:FILE' (never violating a rule of a rules file, nor of the :constraints of the "
        "PDDL; 'rules:constraints' for these alone)",
    )
    objective.add_argument(
        "--rules",
        dest="objective",
        action=_RulesAction,
        metavar="FILE",
        help="a rules file that runs must keep to, or 'constraints' for the :constraints of the "
        "PDDL; short for '--objective rules:FILE'",
    )
    options.add(
        "--oracle",
        action="append",
        metavar="SPEC",
        help="who judges test states; may be repeated. See 'bugsieve list oracles'",
    )
    options.number("--expansions", 20_000, "states an oracle may expand for one test state")
    options.add(
        "--oracle-time",
        type=seconds(),
        metavar="S",
        help="seconds an oracle may take for one test state; makes results depend on the machine",
    )
    memory = "memory a search of an oracle may take"
    options.number("--oracle-memory", 1024, memory, most=1 << 30, metavar="MIB")
    if escalates:
        last = "states a last search may expand for failing runs that nobody decided; 0: none"
        options.number("--escalate-to", 2_000_000, last, least=0, most=10**12)
    options.number("--step-limit", 10_000, "decisions in a run of the policy")


def add_fuzzing_arguments(parser: argparse.ArgumentParser) -> None:
    """How the pool of test states is made."""
    options = Options(parser, "test states")
    options.add(
        "--whole",
        choices=("auto", "yes", "no"),
        default="auto",
        help="test every reachable state, judged by exact costs, in place of walks: auto "
        "(default) does so for tasks of at most 200 000 reachable states, if the policy can be "
        "asked about all within --max-time (else 60 s) and no option of walks is given",
    )
    options.number("--pool-size", 200, "test states")
    options.number("--walk-length", 5, "longest walk", metavar="L")
    novelty = (
        "a new state must have a new combination of D facts; 0 takes all (2, then 3, then 0 where "
        "walks find nothing new)"
    )
    options.number("--novelty", None, novelty, least=0, most=3, metavar="D")
    options.add(
        "--bias",
        metavar="NAME",
        help="where walks go (policy-quality, or uniform where one answer of the policy takes "
        "10 ms or more). See 'bugsieve list biases'",
    )
    options.add(
        "--insert",
        default="one",
        metavar="HOW",
        help="of the unsolved states beside a walk, one enters the pool (one, the default) or all",
    )
    together = "walks that start together from the pool as it stands"
    options.number("--round-walks", 64, together, most=1 << 20, metavar="W")
    patience = "walks in a row that may find nothing new before fuzzing ends"
    options.number("--patience", 5000, patience)
    options.add(
        "--from",
        dest="from_states",
        metavar="FILE",
        help="start from the states of a JSON file or the pool of a campaign folder; without "
        "task files, a new campaign like the one in this folder",
    )
    options.add(
        "--test-states",
        metavar="CONDITION",
        help="only states in which a condition holds, as in '(empty-ferry)' or "
        "'(forall (?g - gripper) (free ?g))'",
    )
    options.add(
        "--along-runs",
        action="store_true",
        help="the states that the policy's runs from test states pass are test states, too; bugs "
        "among them are carried back along the runs",
    )
    options.add(
        "--separate",
        action="store_true",
        help="fill the pool first, then judge it, instead of judging states as they come",
    )


def add_from_argument(parser: argparse.ArgumentParser) -> None:
    """A campaign to repeat."""
    parser.add_argument(
        "--from",
        dest="from_folder",
        type=Path,
        metavar="DIR",
        help="a new campaign with the model, policy and options of the one in this folder; "
        "options that are given count instead",
    )


def add_stop_arguments(parser: argparse.ArgumentParser, *, rounds: bool = True) -> None:
    """When to stop before all the work is done; campaigns with rounds may count these."""
    options = Options(parser, "stopping")
    time = "after so many seconds, counted once all is loaded and the policy has started"
    options.add("--max-time", type=seconds(), metavar="S", help=time)
    options.number("--max-bugs", None, "with so many bugs")
    if rounds:
        calls = (
            "before more than N questions to the policy; checks of its answers come on top, and "
            "no smallest examples are made"
        )
        options.number("--max-calls", None, calls)
    stale = "after S seconds without a new bug"
    options.add("--until-stale", type=seconds(), metavar="S", help=stale)
    if rounds:
        options.number("--stale-rounds", None, "after N rounds of walks without a new bug")


def add_examples_argument(parser: argparse.ArgumentParser) -> None:
    """What is spent on the smallest example of each cause."""
    tried = (
        "problems with fewer objects to try for the smallest example of each cause, when all is "
        "judged; DIR/smallest has them, 0: none"
    )
    Options(parser, "examples").number("--examples", 10, tried, least=0, most=10**6)


def add_look_arguments(parser: argparse.ArgumentParser) -> None:
    """When a measurement ends; also the stop rules that it shares with other campaigns."""
    options = Options(parser, "measuring")
    tests = "tests to make (1600): 100, or twice as many as often as you like"
    options.number("--tests", None, tests)
    options.add(
        "--until-risk",
        type=real_number(0.0, 1.0),
        metavar="R",
        help="stop once one more test shows a new cause with a probability of at most R",
    )


def add_output_arguments(parser: argparse.ArgumentParser, *, usual: str) -> None:
    """Where the results go; `usual` is the folder if none is named."""
    options = Options(parser)
    options.output("DIR", f"new folder for the results ({usual})")
    options.json("print the summary as JSON")


def add_workers_argument(
    parser: argparse.ArgumentParser, *, default: int | None, work: str = "judge"
) -> None:
    """How many processes judge, or do other `work`."""
    shown = "as before" if default is None else str(default)
    parser.add_argument(
        "--workers",
        type=whole_number(1, 1024),
        default=default,
        metavar="N",
        help=f"processes that {work}, at most ({shown}); results do not depend on it",
    )


def add_folders_arguments(parser: argparse.ArgumentParser) -> None:
    """The campaigns that a report is about, and which of their instances count."""
    parser.add_argument(
        "folders",
        nargs="+",
        type=Path,
        metavar="DIR",
        help="folders of campaigns or experiments, or folders of such",
    )
    parser.add_argument(
        "--all-instances",
        action="store_true",
        help="also count instances that the policy does not solve",
    )


def options_of(args: argparse.Namespace, *, task: tuple[str, ...] | None = None) -> CostOptions:
    """The options of the campaign that the arguments ask for; `task` if files do not matter."""
    from bugsieve.campaigns.options import INTERLEAVED, SEPARATE, with_typed_walks
    from bugsieve.pipeline.biases import check_bias
    from bugsieve.pipeline.pool.options import FuzzOptions

    if args.bias is not None:
        check_bias(args.bias)
    mode = SEPARATE if args.separate else INTERLEAVED
    options = _cost_options(args, task, mode=mode, fuzz=options_from(args, FuzzOptions))
    typed = {word.partition("=")[0] for word in args.parser.words}
    return with_typed_walks(options) if typed & _WALK_OPTIONS else options


def sample_options_of(
    args: argparse.Namespace, *, task: tuple[str, ...] | None = None
) -> CostOptions:
    """The same of a measurement."""
    from bugsieve.pipeline.pool.sample import ALL_TESTS, sampling

    fuzz = sampling(walk_length=args.walk_length, seed=args.seed)
    return _cost_options(args, task, sample=str(ALL_TESTS), fuzz=fuzz)


def _cost_options(
    args: argparse.Namespace, task: tuple[str, ...] | None, **others: Any
) -> CostOptions:
    from bugsieve.campaigns.options import CostOptions

    return options_from(
        args,
        CostOptions,
        task=tuple(map(os.fspath, task_arguments.files(args.task))) if task is None else task,
        policy_seed=args.seed,
        policy_limits=task_arguments.worker_limits(args),
        oracles=tuple(args.oracle or ()),
        limits=limits_of(args),
        stop=stop_rules_of(args),
        **others,
    )


def limits_of(args: argparse.Namespace) -> Limits:
    """What an oracle may spend on one state."""
    from bugsieve.tasks.search import Limits

    return Limits(args.expansions, args.oracle_time, args.oracle_memory << 20)


def stop_rules_of(args: argparse.Namespace) -> StopRules:
    """When to stop."""
    from bugsieve.campaigns.stop_rules import StopRules

    return options_from(args, StopRules)


def free_folder(wanted: Path | None, name: str) -> Path:
    """The folder for a new campaign: the one asked for, or one that does not exist yet."""
    if wanted is not None:
        return wanted
    letters = (c if c.isalnum() or c in "-_." else "-" for c in name[:_LONGEST_NAME])
    base = f"bugsieve-{''.join(letters)}"
    number = 1
    while (folder := Path(base if number == 1 else f"{base}-{number}")).exists():
        number += 1
    return folder
