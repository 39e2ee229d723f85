"""`bugsieve rules`: test a planning domain against flight rules in temporal logic."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING

from bugsieve.base.commands import command_line
from bugsieve.base.errors import UsageError
from bugsieve.base.names import suggest
from bugsieve.campaigns.options import JUDGING
from bugsieve.commands.shared import build_servers, campaign_arguments, task_arguments
from bugsieve.commands.shared.numbers import real_number, seconds
from bugsieve.commands.shared.option_fields import add_options, add_to_group, options_from
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show
from bugsieve.policies.limits import WorkerLimits
from bugsieve.rooms.rules.campaign.options import REQUIRED, RulesOptions
from bugsieve.rooms.rules.commands.parts import PARTS

if TYPE_CHECKING:
    from bugsieve.commands.shared.parser import Parser
    from bugsieve.rooms.rules.campaign.subject import RulesTasks

DESCRIPTION = (
    "Test a planning domain against flight rules: a proof or a counterexample for each rule, "
    "traces in which every condition of a rule is the first and only cause of its truth, and the "
    "conditions that are vacuous. Every answer has a certificate, which checkers of their own "
    "have accepted. The domain is never changed."
)

EPILOG = """\
FILES are a domain, one problem or more, and a rules file (*.toml). Without a rules file, the
:constraints of the PDDL are the rules. A model on timelines is one or more NDDL files (*.nddl) and
a rules file; it needs 'bugsieve[timeline]'.

  bugsieve rules domain.pddl problem.pddl rules.toml
  bugsieve rules --show DIR [NUMBER]              every test of a campaign, or one step by step
  bugsieve rules example -o DIR                   a domain with rules to begin with
  bugsieve rules patterns                         patterns and scopes, with examples
  bugsieve rules edit DOMAIN PROBLEM -o FILE      a page to write rules with

A cause is shown "necessarily" (strong: whatever comes after the trace), "at the end of this trace"
(neutral) or "possibly" (weak: nothing in the trace speaks against it).

A trace refutes a rule if nothing that can come after it in this domain keeps the rule. What must
happen some day, and still can, is not decided: "safety part holds". Then --with-goal judges plans
alone, where the end of a plan is the end, and --lassos traces without end.

The exit code is 0 if all rules are as they should be; 1 if one is violated, if rules contradict
each other, with --min-coverage if fewer obligations are met, with --no-vacuous if a condition
is vacuous; 6 if no rule is violated but something was left open, as where a rule holds up to K
without --accept-bounded, or its safety part holds and its file expects more; 5 if nothing could be
tested, as where --with-goal meets tasks without any plan.

'status' and 'rules --show' say what a folder holds; 'replay' finds it out anew, and is the way to
check a folder of somebody else.
"""

_COVERAGE = real_number(0, 100)
PATTERNS, EDIT, EXAMPLE = "patterns", "edit", "example"


def register(parser: Parser) -> None:
    """Describe the command."""
    parser.runs(run, DESCRIPTION, epilog=EPILOG)
    parser.add_argument("files", nargs="*", metavar="FILES", help="domain, problems and rules")
    add_options(parser, RulesOptions, JUDGING)
    options = Options(parser, REQUIRED)
    options.add(
        "--min-coverage",
        type=_COVERAGE,
        default=0.0,
        metavar="P",
        help="percentage of obligations that must be met (0)",
    )
    add_to_group(options, RulesOptions, REQUIRED)
    for part in PARTS.values():
        part.register(parser)
    options = Options(parser, "output")
    options.add(
        "--write-tasks",
        type=Path,
        metavar="DIR",
        help="write each test as a planning task in SAS and PDDL, instead of testing",
    )
    options.add("--show", type=Path, metavar="DIR", help="show the tests of a campaign")
    campaign_arguments.add_output_arguments(parser, usual="bugsieve-DOMAIN")
    build_servers.add_build_server_arguments(parser)
    task_arguments.add_translation_arguments(parser)
    time = "after so many seconds; 'bugsieve resume' goes on"
    Options(parser, "stopping").add("--max-time", type=seconds(), metavar="S", help=time)
    parser.set_defaults(parser=parser)


def run(args: argparse.Namespace) -> int:
    """Test the rules, or show what was tested."""
    first = args.files[0] if args.files else ""
    if args.show is not None:
        return _show(args)
    if first == PATTERNS and len(args.files) == 1:
        from bugsieve.rooms.rules.english.pattern_list import pattern_lines

        show("\n".join(pattern_lines()))
        return 0
    if first == EDIT:
        return _edit(args)
    if first == EXAMPLE:
        return _example(args)
    for part in PARTS.values():
        part.check_arguments(args)
    build_servers.check_build_server_arguments(args)
    return _test(args)


def _test(args: argparse.Namespace) -> int:
    from bugsieve.campaigns.campaign import Campaign, check_new
    from bugsieve.commands.shared.campaign_arguments import free_folder
    from bugsieve.commands.shared.campaign_report import run_and_report

    options = _options(args)
    for part in PARTS.values():
        code = part.write_instead(args, options)
        if code is not None:
            return code
    if args.write_tasks is not None:
        from bugsieve.rooms.rules.campaign.products import write_products

        for line in write_products(_load(args, options).tasks, options, args.write_tasks):
            show(line)
        return 0
    check_new(options, args.output)
    tasks = _load(args, options)
    folder = free_folder(args.output, tasks.name)
    with Campaign.create(folder, options, tasks) as campaign:
        code = run_and_report(campaign, args)
    for part in PARTS.values():
        part.write_beside(args, folder)
    return code


def _load(args: argparse.Namespace, options: RulesOptions) -> RulesTasks:
    from bugsieve.commands.shared.status_line import StatusLine
    from bugsieve.rooms.rules.campaign.subject import load_rules
    from bugsieve.tasks.grounded.translator import TranslationLimits

    limits = TranslationLimits(args.translation_time, args.translation_memory << 20)
    with StatusLine(options.subject_language.loading):
        return load_rules(options, limits=limits)


def _options(args: argparse.Namespace) -> RulesOptions:
    rules, tasks = _split(args)
    return options_from(
        args,
        RulesOptions,
        domain=tasks[0],
        problems=tuple(tasks[1:]),
        rules=rules,
        policy_limits=WorkerLimits(),  # there is no policy: --memory is that of a search
    )


def _split(args: argparse.Namespace) -> tuple[str, list[str]]:
    """The rules file, and the files of the tasks; a folder stands for its domain and problem."""
    rules = [name for name in args.files if name.endswith(".toml")]
    tasks = [name for name in args.files if not name.endswith(".toml")]
    if len(rules) > 1:
        args.parser.error(f"one rules file at a time, got {' and '.join(rules)}")
    if len(tasks) == 1 and os.path.isdir(tasks[0]):
        tasks = [os.path.join(tasks[0], name) for name in ("domain.pddl", "problem.pddl")]
    if len(tasks) == 1 and not os.path.exists(tasks[0]):
        near = suggest(tasks[0], (PATTERNS, EDIT, EXAMPLE))
        if near:
            args.parser.error(f"there is no file {tasks[0]!r}{near}")
    if len(tasks) < 2 and not any(part.is_model(tasks) for part in PARTS.values()):
        args.parser.error("name a domain, at least one problem, and a rules file")
    return (rules or [""])[0], tasks


def _show(args: argparse.Namespace) -> int:
    from bugsieve.rooms.rules.campaign.explanation import list_json, list_text, test_witness
    from bugsieve.rooms.rules.store.records import RulesRecords

    if not args.files:
        show((list_json if args.json else list_text)(args.show))
        return 0
    for word in args.files:
        if not (word.isascii() and word.isdigit()):
            raise UsageError(f"tests have numbers, not {word!r}: see 'rules --show {args.show}'")
        with RulesRecords(args.show) as records:
            test = test_witness(records, int(word))
        show(test.json() if args.json else test.text())
    return 0


def _edit(args: argparse.Namespace) -> int:
    from bugsieve.base.files_and_processes.files import write_atomically
    from bugsieve.rooms.rules.editor.page import editor_of_files

    if len(args.files) != 3 or args.output is None:
        args.parser.error("it is 'bugsieve rules edit DOMAIN PROBLEM -o FILE'")
    page = editor_of_files(*args.files[1:])
    write_atomically(args.output, page.encode())
    show(f"{args.output}: open it in a browser; it needs no network")
    return 0


def _example(args: argparse.Namespace) -> int:
    from bugsieve.base.files_and_processes.files import write_together
    from bugsieve.rooms.rules.examples import example_files

    if len(args.files) != 1 or args.output is None:
        args.parser.error("it is 'bugsieve rules example -o DIR'")
    folder = args.output
    try:
        folder.mkdir(parents=True)
    except FileExistsError:
        raise UsageError(f"{folder}: is there already; name a new folder") from None
    write_together({folder / name: data for name, data in example_files().items()})
    files = (folder / name for name in ("rover.pddl", "one-rover.pddl", "rules.toml"))
    show(f"{folder}: a rover and its flight rules\ntest them: {command_line('rules', *files)}")
    return 0
