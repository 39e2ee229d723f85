"""PDDL as a language of what rules are tested on: a domain, its problems and their constraints."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting, parse_json
from bugsieve.campaigns.store.certificate_blobs import json_text
from bugsieve.campaigns.store.schema import damaged
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.rule_subject import BoundTask
from bugsieve.rooms.rules.campaign.subject import RulesTasks, require_obligations, source_of
from bugsieve.rooms.rules.file.binding import BoundRules, joined
from bugsieve.rooms.rules.file.constraints import constraint_rules
from bugsieve.rooms.rules.file.reading import RulesFile, rules_of
from bugsieve.rooms.rules.file.source import Source
from bugsieve.rooms.rules.store.languages import Columns, SubjectLanguage
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import RulesSubject, RulesTaskRow
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import TranslationLimits
from bugsieve.tasks.grounded.worlds import load_world
from bugsieve.tasks.pddl.domain import check_domain
from bugsieve.tasks.pddl.reader import read_document
from bugsieve.tasks.pddl.summary import without_constraints

_TRIVIAL = {
    False: "its goal cannot be reached, so that with --with-goal there is no trace to judge",
    True: "its goal holds in every state, so that --with-goal leaves out no trace",
}


class PddlLanguage(SubjectLanguage):
    """A domain of PDDL, and a task for each problem."""

    suffix = ""
    what = "domain"
    first_file = "domain.pddl"
    about_files = "the domain; the store has the problems"
    loading = "grounding the tasks"
    plans_only = False

    def check_options(self, options: RulesOptions) -> None:
        """There is a problem at least."""
        if not options.problems:
            raise UsageError("rules are tested on tasks: name at least one problem file")

    def load(
        self, options: RulesOptions, source: Source | None, limits: TranslationLimits | None
    ) -> RulesTasks:
        """Ground the tasks and bind the rules to each, those of the file and the constraints."""
        bound = [_loaded(options.domain, file, source, limits) for file in options.problems]
        if not any(item.rules.rules for item in bound):
            raise _no_rule(options, bound)
        first = bound[0].task
        assert first.pddl is not None and first.pddl_texts is not None
        warnings = dict.fromkeys(warning for item in bound for warning in item.rules.warnings)
        subject = RulesSubject(
            first.pddl.domain,
            first.pddl_texts.domain,
            options.rules,
            b"" if source is None else source.text.encode(),
            tuple(warnings),
        )
        return RulesTasks(subject, tuple(bound))

    def stored(self, records: RulesRecords, row: RulesTaskRow) -> BoundTask:
        """The task as it was grounded."""
        subject = records.header.subject
        with records.whole(f"table tasks, row {row.number}"):
            task = row.task.load()
            assert isinstance(task, Task) and task.pddl is not None
        with records.whole("rules"):
            rules = _bound(task, source_of(subject), subject.name, row.file)
        return BoundTask(row.file, task, rules)

    def own(self, records: RulesRecords) -> Sequence[BoundTask]:
        """The stored PDDL, grounded anew."""
        with tempfile.TemporaryDirectory() as place:
            domain = Path(place) / "domain.pddl"
            domain.write_bytes(records.header.subject.domain)
            found = _grounded(records, domain, Path(place))
        for number, task in enumerate(found):
            if isinstance(task, str):
                raise damaged(records.directory, f"table tasks, row {number}: {task}")
        bound = [task for task in found if not isinstance(task, str)]
        require_obligations(records, bound)
        return bound

    def other(self, records: RulesRecords, file: Path) -> Sequence[BoundTask | str]:
        """The stored problems with another domain."""
        _require_domain(file, records.header.subject.name)
        with tempfile.TemporaryDirectory() as place:
            return _grounded(records, file, Path(place))

    def columns(self, saved: Any) -> Columns:
        """The grounding and the problem."""
        texts = json_text(saved.objects), json_text(saved.static_facts)
        return saved.name, saved.sas, saved.sha256, *texts, saved.problem

    def saved(self, subject: RulesSubject, file: str, columns: Columns) -> SavedTask:
        """The inverse."""
        name, sas, _, objects, facts, problem = columns
        pairs = fitting(parse_json(objects), [FixedList(str, str)])
        return SavedTask(
            name,
            sas,
            tuple((item, kind) for item, kind in pairs),
            tuple(fitting(parse_json(facts), [str])),
            subject.domain,
            problem,
        )

    def trace_text(self, certificate: Mapping[str, Any]) -> str:
        """The actions."""
        return " ".join(certificate["trace"]["actions"]) or "in the initial state"


PDDL_LANGUAGE = PddlLanguage()


def _no_rule(options: RulesOptions, tasks: Sequence[BoundTask]) -> UsageError:
    if options.rules:
        return UsageError(f"{options.rules}: has no rule for the objects of these tasks")
    if any(list(_files(item.task, None, options.domain, item.file)) for item in tasks):
        return UsageError("the :constraints have no instance for the objects of these tasks")
    return UsageError("there is no rule to test: name a rules file (*.toml)")


def _require_domain(file: Path, name: str) -> None:
    """Raise an InputError if the file is not a domain, or is another one."""
    domain = check_domain(without_constraints(read_document(file)))
    if domain.name != name:
        raise InputError(f"{file}: defines the domain {domain.name!r}, but {name!r} was tested")


def _grounded(records: RulesRecords, domain: Path, place: Path) -> list[BoundTask | str]:
    source = source_of(records.header.subject)
    found: list[BoundTask | str] = []
    for row in records.tasks():
        problem = place / f"problem{row.number}.pddl"
        assert isinstance(row.task, SavedTask)
        problem.write_bytes(row.task.problem or b"")
        try:
            loaded = _loaded(str(domain), str(problem), source, None)
            found.append(BoundTask(row.file, loaded.task, loaded.rules))
        except (InputError, UnicodeDecodeError, UnsupportedError) as error:
            found.append(str(error).replace(str(problem), row.file))
    return found


def _loaded(
    domain: str, problem: str, source: Source | None, limits: TranslationLimits | None
) -> BoundTask:
    with doing(f"grounding {problem}"):
        world = load_world(domain, problem, limits=limits)
    bound = _bound(world.task, source, domain, problem)
    if world.goal_holds is None:
        return BoundTask(problem, world.task, bound)
    warnings = (*bound.warnings, f"{problem}: {_TRIVIAL[world.goal_holds]}")
    return BoundTask(problem, world.task, replace(bound, warnings=warnings))


def _bound(task: Task, source: Source | None, domain: str, problem: str) -> BoundRules:
    """The rules of the file, then the constraints of the PDDL."""
    return joined(*(file.bind(task) for file in _files(task, source, domain, problem)))


def _files(task: Task, source: Source | None, domain: str, problem: str) -> Iterator[RulesFile]:
    if source is not None:
        yield rules_of(source)
    assert task.pddl_texts is not None
    constraints = constraint_rules(task.pddl_texts, domain=domain, problem=problem)
    if constraints.rules:
        yield constraints
