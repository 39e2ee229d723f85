"""`bugsieve rules` on models of timelines (NDDL)."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such
from bugsieve.basis.wording import counted
from bugsieve.cli.options import Options
from bugsieve.cli.streams import show, show_data

if TYPE_CHECKING:
    from bugsieve.cli.parser import Parser
    from bugsieve.rules.file.reading import RulesFile
    from bugsieve.timelines.models.model import Model
    from bugsieve.timelines.obligations import Outcome

SUFFIX = ".nddl"
_GOOD = ("pass", "covered", "confirmed impossible")
_NOT_COUNTED = ("infeasible", "undecidable on prefixes")


def register(parser: Parser) -> None:
    """The options that only models on timelines have."""
    options = Options(parser, "models on timelines (NDDL)")
    options.number("--slots", 12, "tokens that a timeline may have", most=2000, metavar="K")
    options.add(
        "--emit-nddl",
        type=Path,
        metavar="DIR",
        help="write each trap as NDDL beside the model, instead of testing",
    )
    options.add("--charts", type=Path, metavar="DIR", help="draw the plans that are found as SVG")


def run(args: argparse.Namespace) -> int:
    """Test the rules on the model, or write their traps as NDDL."""
    from bugsieve.rules.file.reading import read_rules
    from bugsieve.rules.ltl.causes import CRITERIA
    from bugsieve.timelines.models.loading import load_timelines

    models = [name for name in args.files if name.endswith(SUFFIX)]
    rules = [name for name in args.files if name.endswith(".toml")]
    if len(rules) != 1 or len(models) + len(rules) != len(args.files):
        args.parser.error("name the files of an NDDL model and one rules file")
    if args.criterion not in CRITERIA:
        raise UsageError(no_such("criterion", args.criterion, tuple(CRITERIA)))
    model, file = load_timelines(*models), read_rules(rules[0])
    if args.emit_nddl is not None:
        return _emit(args, model, file)
    return _test(args, model, file)


def _test(args: argparse.Namespace, model: Model, file: RulesFile) -> int:
    from bugsieve.cli.status_line import StatusLine
    from bugsieve.timelines.obligations import Settings, judge_rules

    with StatusLine("looking for plans on the timelines"):
        found = judge_rules(model, file, Settings(criterion=args.criterion, slots=args.slots))
    expected = {rule.id: rule.expect or "" for rule in file.rules}
    if args.json:
        show_data(json.dumps([_record(outcome) for outcome in found], indent=2))
    else:
        show("\n".join(_lines(found, expected)))
    if args.charts is not None:
        _draw(args.charts, found)
    if args.junit is not None:
        _write_junit(args.junit, file.path, found)
    return _exit_code(args, found, expected)


def _wrong(found: Sequence[Outcome], expected: Mapping[str, str]) -> list[str]:
    """The rules that are not as they should be: violated, or not though that is expected."""
    rules = dict.fromkeys(outcome.obligation.rule for outcome in found)
    failing = {outcome.obligation.rule for outcome in found if outcome.verdict == "fail"}
    return [
        rule
        for rule in rules
        if (rule in failing) != (expected.get(rule.partition("[")[0]) == "violated")
    ]


def _exit_code(
    args: argparse.Namespace, found: Sequence[Outcome], expected: Mapping[str, str]
) -> int:
    verdicts = [outcome.verdict for outcome in found]
    counting = [verdict for verdict in verdicts if verdict not in _NOT_COUNTED]
    if _wrong(found, expected) or (args.no_vacuous and "vacuous" in verdicts):
        return 1
    if not verdicts:
        return 5
    if "inconclusive" in verdicts or "undecidable on prefixes" in verdicts:
        return 6
    met = sum(verdict in _GOOD for verdict in counting)
    return int(100 * met < args.min_coverage * len(counting))


def _lines(found: Sequence[Outcome], expected: Mapping[str, str]) -> Iterator[str]:
    wrong = _wrong(found, expected)
    rules = counted(len({outcome.obligation.rule for outcome in found}), "rule")
    open_ones = [o for o in found if o.verdict in ("inconclusive", "undecidable on prefixes")]
    if wrong:
        yield f"{len(wrong)} of {rules} not as required: {', '.join(wrong)}"
    elif open_ones:
        yield f"no rule fails, but {counted(len(open_ones), 'test')} left undecided"
    elif "violated" in expected.values():
        yield f"all {rules} as expected, some of them violated"
    else:
        yield f"all {rules} hold, for plans of the size below"
    yield ""
    for number, outcome in enumerate(found):
        view = f" ({outcome.view})" if outcome.verdict == "covered" else ""
        yield f"{number:>4}  {_title(outcome)}: {outcome.verdict}{view}{_scope(outcome)}"
    counting = [o for o in found if o.verdict not in _NOT_COUNTED]
    met = sum(o.verdict in _GOOD for o in counting)
    if counting:
        yield ""
        share = 100 * met / len(counting)
        yield f"coverage {share:.1f} %: {met} of {len(counting)} obligations met, of the feasible"


def _title(outcome: Outcome) -> str:
    item = outcome.obligation
    if not item.literal:
        return f"{item.rule}: a violation"
    how = "falsified" if item.is_error else "satisfied"
    return f"{item.rule}: the rule {how} because of {item.literal}"


def _scope(outcome: Outcome) -> str:
    """What "none" was said of, or why nothing was said."""
    from bugsieve.timelines.deciding import PlanFound

    return "" if isinstance(outcome.decision, PlanFound) else f": {_reason(outcome)}"


def _reason(outcome: Outcome) -> str:
    from bugsieve.timelines.deciding import Inconclusive

    decision = outcome.decision
    return decision.reason if isinstance(decision, Inconclusive) else str(decision)


def _record(outcome: Outcome) -> dict[str, Any]:
    from bugsieve.timelines.obligations import plan_of

    plan, item = plan_of(outcome), outcome.obligation
    tokens = None if plan is None else [str(token) for token in plan.tokens]
    return {
        "rule": item.rule,
        "literal": item.literal,
        "polarity": item.polarity,
        "verdict": outcome.verdict,
        "view": outcome.view,
        "reason": "" if plan is not None else _reason(outcome),
        "plan": tokens,
    }


def _draw(folder: Path, found: Sequence[Outcome]) -> None:
    from bugsieve.basis.files import write_atomically
    from bugsieve.basis.ours import make_folders
    from bugsieve.timelines.obligations import plan_of
    from bugsieve.timelines.plans.charts import chart_svg

    make_folders(folder)
    for number, outcome in enumerate(found):
        plan = plan_of(outcome)
        if plan is not None:
            path = folder / f"test{number}.svg"
            write_atomically(path, chart_svg(plan, title=_title(outcome)).encode())
    show(f"plans are drawn in {folder}")


def _write_junit(path: Path, name: str, found: Sequence[Outcome]) -> None:
    from bugsieve.basis import junit
    from bugsieve.basis.files import write_atomically

    kinds: dict[str, junit.Outcome] = {"fail": "failure", "inconclusive": "error"}
    kinds |= dict.fromkeys(_NOT_COUNTED, "skipped")
    cases = [
        junit.JUnitCase(
            f"{number} {_title(o)}",
            o.obligation.rule,
            kinds.get(o.verdict, "passed"),
            _scope(o).removeprefix(": "),
        )
        for number, o in enumerate(found)
    ]
    write_atomically(path, junit.junit_text(name, cases).encode())


def _emit(args: argparse.Namespace, model: Model, file: RulesFile) -> int:
    """One NDDL file for each trap that has the form of the paper; others are named."""
    from bugsieve.basis.errors import UnsupportedError
    from bugsieve.basis.files import write_atomically
    from bugsieve.basis.ours import make_folders
    from bugsieve.timelines.binding import bind_rules
    from bugsieve.timelines.emission import emit_nddl
    from bugsieve.timelines.obligations import obligations

    bound = bind_rules(file, model)
    make_folders(args.emit_nddl)
    written = 0
    for rule in bound.rules:
        for number, item in enumerate(obligations(rule, args.criterion)):
            view, formula = item.formulas[-1]
            name = f"{rule.id}-{number}{SUFFIX}"
            try:
                text = emit_nddl(model, formula, bound.atoms)
            except UnsupportedError as error:
                show(f"{name}: not written: {error}")
                continue
            write_atomically(args.emit_nddl / _safe(name), text.encode())
            show(f"{args.emit_nddl / _safe(name)}: {item.literal or 'a violation'} ({view})")
            written += 1
    return 0 if written else 5


def _safe(name: str) -> str:
    """The name of a file: ids of rules may hold anything but white space."""
    return "".join(c if c.isalnum() or c in "-_." else "_" for c in name)
