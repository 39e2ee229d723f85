"""What is tested: tasks of one domain or a model of timelines, and the rules bound to each."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bugsieve.base.activity import doing
from bugsieve.base.errors import BudgetError, InputError, UnsupportedError, UsageError
from bugsieve.campaigns.store.schema import damaged
from bugsieve.rooms.rules.campaign.bound import Bound, BoundModel, BoundTask
from bugsieve.rooms.rules.campaign.options import RulesOptions, options_in
from bugsieve.rooms.rules.file.binding import BoundRules, joined
from bugsieve.rooms.rules.file.constraints import constraint_rules
from bugsieve.rooms.rules.file.reading import RulesFile, rules_of
from bugsieve.rooms.rules.file.rules import RuleDeclaration
from bugsieve.rooms.rules.file.source import Source, read_source
from bugsieve.rooms.rules.obligations.obligation import obligations_of
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import (
    NDDL,
    ObligationRow,
    RulesCases,
    RulesSubject,
    RulesTaskRow,
)
from bugsieve.rooms.timelines.binding import bind_rules
from bugsieve.rooms.timelines.models.loading import load_timelines
from bugsieve.rooms.timelines.models.model import Model
from bugsieve.rooms.timelines.nddl.packages import load_lark
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import TranslationLimits
from bugsieve.tasks.grounded.worlds import load_world
from bugsieve.tasks.pddl.summary import PddlTexts

_TRIVIAL = {
    False: "its goal cannot be reached, so that with --with-goal there is no trace to judge",
    True: "its goal holds in every state, so that --with-goal leaves out no trace",
}


@dataclass(frozen=True, eq=False)
class RulesTasks:
    """Everything that a campaign is given."""

    subject: RulesSubject
    tasks: tuple[Bound, ...]

    @property
    def name(self) -> str:
        """Of the domain."""
        return self.subject.name


def load_rules(options: RulesOptions, *, limits: TranslationLimits | None = None) -> RulesTasks:
    """Read the rules, ground the tasks or read the model, and bind the former to the latter."""
    source = read_source(options.rules) if options.rules else None
    if source is not None:
        rules_of(source)  # what is wrong there should be said before anything is grounded
    if options.is_timelines:
        assert source is not None
        return _load_timelines(options, source)
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


def _no_rule(options: RulesOptions, tasks: Sequence[BoundTask]) -> UsageError:
    if options.rules:
        return UsageError(f"{options.rules}: has no rule for the objects of these tasks")
    if any(list(_files(item.task, None, options.domain, item.file)) for item in tasks):
        return UsageError("the :constraints have no instance for the objects of these tasks")
    return UsageError("there is no rule to test: name a rules file (*.toml)")


def _load_timelines(options: RulesOptions, source: Source) -> RulesTasks:
    model = load_timelines(options.domain, *options.problems)
    bound = bound_model(model, source, options, name=options.domain)
    if not bound.rules.rules:
        raise UsageError(f"{options.rules}: has no rule for the objects of this model")
    domain, rules = model.texts[0][1].encode(), source.text.encode()
    warnings = bound.rules.warnings
    subject = RulesSubject(bound.saved().name, domain, options.rules, rules, warnings, NDDL)
    return RulesTasks(subject, (bound,))


def bound_model(model: Model, source: Source, options: RulesOptions, *, name: str) -> BoundModel:
    """The model with the rules as they read there; `name` is for people."""
    if model.horizon is None:
        raise InputError(f"{name}: the model has no PlannerConfig, which says how long plans are")
    return BoundModel(name, model, bind_rules(rules_of(source), model), options.slots)


def cases_of(tasks: Sequence[Bound]) -> RulesCases:
    """The tasks and all their obligations, in order."""
    rows = [RulesTaskRow(n, item.file, item.saved()) for n, item in enumerate(tasks)]
    found = ((n, one) for n, item in enumerate(tasks) for one in obligations_of(item.rules.rules))
    numbered = enumerate(found)
    return RulesCases(tuple(rows), tuple(ObligationRow(k, n, one) for k, (n, one) in numbered))


def stored_tasks(records: RulesRecords) -> list[Bound]:
    """The tasks of a stored campaign with their rules; InputError unless they are what they were.

    The obligations must be those of the rules: a stranger's folder shows nothing else.
    """
    is_timelines = records.header.subject.language == NDDL
    stored = _stored_model if is_timelines else _stored_task
    found = [stored(records, row) for row in records.tasks()]
    require_obligations(records, found)
    return found


def _stored_task(records: RulesRecords, row: RulesTaskRow) -> Bound:
    subject = records.header.subject
    with _whole(records, f"table tasks, row {row.number}"):
        task = row.task.load()
        assert isinstance(task, Task) and task.pddl is not None
    with _whole(records, "rules"):
        rules = _bound(task, _source(subject), subject.name, row.file)
    return BoundTask(row.file, task, rules)


def _stored_model(records: RulesRecords, row: RulesTaskRow) -> Bound:
    subject = records.header.subject
    load_lark()  # who lacks it should not be told that the store is damaged
    with _whole(records, f"table tasks, row {row.number}"):
        model = row.task.load()
        assert isinstance(model, Model)
    with _whole(records, "rules"):
        source = Source(subject.rules_file, subject.rules.decode())
        return bound_model(model, source, options_in(records), name=row.file)


def require_obligations(records: RulesRecords, tasks: Sequence[Bound]) -> None:
    """InputError unless the store has the obligations of these tasks and no others."""
    wanted, rows = cases_of(tasks).obligations, records.obligations()
    for one, other in zip(wanted, rows, strict=False):
        if one != other:
            raise damaged(
                records.directory, f"table obligations, row {other.number}: is none of the rules"
            )
    if len(wanted) != len(rows):
        raise damaged(
            records.directory, f"table obligations: has {len(rows)} rows, not {len(wanted)}"
        )


def bound_task(subject: RulesSubject, domain: str, problem: str, *, name: str) -> BoundTask:
    """The rules of a stored campaign on a problem of another domain; `name` is for people."""
    loaded = _loaded(domain, problem, _source(subject), None)
    return BoundTask(name, loaded.task, loaded.rules)


def declared_rules(records: RulesRecords) -> Mapping[int, Mapping[str, RuleDeclaration]]:
    """Of each task the rules as they are written, by name: of the file, then its constraints."""
    subject = records.header.subject
    found: dict[int, dict[str, RuleDeclaration]] = {}
    with _whole(records, "rules"):
        source = _source(subject)
        common = [] if source is None else list(rules_of(source).rules)
        for row in records.tasks():
            rules = list(common)
            if isinstance(row.task, SavedTask):
                texts = PddlTexts(subject.domain, row.task.problem or b"")
                file = constraint_rules(texts, domain=subject.name, problem=row.file)
                rules += file.rules
            found[row.number] = {rule.id: rule for rule in rules}
    return found


@contextlib.contextmanager
def _whole(records: RulesRecords, what: str) -> Iterator[None]:
    """Says that the store is damaged where what it holds is refused."""
    try:
        yield
    except (BudgetError, InputError, UnicodeDecodeError, UnsupportedError, UsageError) as error:
        raise damaged(records.directory, f"{what}: {error}") from None


def _source(subject: RulesSubject) -> Source | None:
    return Source(subject.rules_file, subject.rules.decode()) if subject.rules else None


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
