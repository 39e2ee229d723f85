"""`bugsieve domain mutate`: which small mistakes in a domain do its tests notice?"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.base.errors import UsageError
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.status_line import StatusLine
from bugsieve.commands.shared.streams import show, show_data
from bugsieve.rooms.domain_testing.commands.files import (
    add_suite_arguments,
    files_of,
    run_options,
    suite_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.domain_testing.mutation import MutantResult, MutationTest

SUMMARY = "find out which small mistakes in a domain its tests notice"

_EPILOG = """\
A mutant is the domain with one mistake: a literal dropped or negated, two arguments of one type
swapped, a parameter's type widened, a precondition undone by an effect. It is killed if a verdict
of the suite changes; a spent budget kills nothing. Mutants that the reader or the translator
refuses do not count, and neither do those with the same reachable transitions as the domain in
all problems of the suite.
Exit codes: 0, 1 fewer killed than --min, 4 bad input, 5 no mutant counts."""


def register(parser: Parser) -> None:
    """Describe the action."""
    parser.runs(run, SUMMARY[0].upper() + SUMMARY[1:] + ".", epilog=_EPILOG)
    options: Options = add_suite_arguments(parser)
    options.add(
        "--domain", type=Path, metavar="FILE", help="which domain, if the suite names several"
    )
    options.number("--min", 0, "percent of mutants that must be killed", least=0, most=100)
    options.number(
        "--max-states", 1_000_000, "states of a problem that are compared before giving up"
    )
    options.add("--list", action="store_true", help="show the mutants without testing them")
    options.add(
        "--write", type=Path, metavar="DIR", help="write surviving mutants to a new folder"
    )
    options.json()


def run(args: argparse.Namespace) -> int:
    """Test all mutants and show those that survive."""
    from bugsieve.rooms.domain_testing.mutation import MutationOptions, MutationTest, score_of

    if args.write is not None and args.write.exists():
        raise UsageError(f"{args.write}: exists already, name a new folder")
    if args.list:
        return _list(args)
    options = MutationOptions(run_options(args), args.max_states)
    test = MutationTest(suite_of(args), files_of(args), options, domain=args.domain)
    results = []
    with StatusLine("testing mutants") as status:
        for result in test.run():
            results.append(result)
            status.update(f"{len(results)} of {len(test.mutants)} mutants tested")
    score = score_of(results)
    if args.write is not None:
        _write(args.write, results)
    if args.json:
        show_data(json.dumps(_record(test, results), indent=2))
    else:
        show("\n".join(_text(test, results)))
    if score.ratio is None:
        return 5
    return int(100 * score.killed < args.min * score.counted)


def _list(args: argparse.Namespace) -> int:
    from bugsieve.rooms.domain_testing.mutants import mutants_of
    from bugsieve.rooms.domain_testing.mutation import cases_of_one_domain
    from bugsieve.tasks.pddl.domain import check_domain

    domain, _ = cases_of_one_domain(suite_of(args), args.domain)
    mutants = mutants_of(check_domain(files_of(args).document(domain)))
    if args.json:
        records = [{**_mutant_record(each), "text": each.text} for each in mutants]
        show_data(json.dumps({"mutants": records}, indent=2))
    else:
        lines = [f"{m.number:>4}  {domain}:{m.line}: {m.description} [{m.kind}]" for m in mutants]
        show("\n".join(lines))
    return 0


def _text(test: MutationTest, results: Sequence[MutantResult]) -> list[str]:
    from bugsieve.rooms.domain_testing.mutants import changed_line
    from bugsieve.rooms.domain_testing.mutation import score_of

    document = test.files.document(test.domain)
    lines = []
    for result in results:
        if result.fate == "survived":
            mutant = result.mutant
            place = f"{test.domain}:{mutant.line}"
            lines.append(f"survived: {place}: {mutant.description} [{mutant.kind}]")
            lines.append(f"    {changed_line(document, mutant)}")
            lines += [f"    {result.reason}"] if result.reason else []
    failing = [result for result in test.baseline if result.outcome != "pass"]
    for each in failing:
        lines.append(f"on the domain itself, {each.case.title} is no pass: {each.reason}")
    score = score_of(results)
    share = "" if score.ratio is None else f" ({100 * score.ratio:.1f} %)"
    lines.append(
        f"{score.killed} of {score.counted} non-equivalent mutants killed{share}; "
        f"{score.equivalent} equivalent, {score.stillborn} stillborn, not counted"
    )
    return lines


def _mutant_record(mutant: Any) -> dict[str, Any]:
    names = ("number", "kind", "action", "line", "before", "after", "description")
    return {name: getattr(mutant, name) for name in names}


def _record(test: MutationTest, results: Sequence[MutantResult]) -> dict[str, Any]:
    from bugsieve.rooms.domain_testing.mutation import score_of

    score = score_of(results)
    return {
        "domain": str(test.domain),
        "problems": [str(problem) for problem in test.problems],
        **vars(score),
        "kill_ratio_of_non_equivalent": score.ratio,
        "mutants": [
            {**_mutant_record(each.mutant), "fate": each.fate, "reason": each.reason}
            for each in results
        ],
    }


def _write(folder: Path, results: Sequence[MutantResult]) -> None:
    from bugsieve.base.files_and_processes.files import write_text

    folder.mkdir(parents=True)
    for result in results:
        if result.fate == "survived":
            mutant = result.mutant
            text = f"; line {mutant.line}: {mutant.description}\n{mutant.text}"
            write_text(folder / f"mutant-{mutant.number}.pddl", text)
