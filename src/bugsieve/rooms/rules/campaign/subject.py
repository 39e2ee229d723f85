"""The subject of tests: tasks of one domain or a model, and the rules bound to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bugsieve.campaigns.store.schema import damaged
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.rule_subject import Bound
from bugsieve.rooms.rules.file.constraints import constraint_rules
from bugsieve.rooms.rules.file.reading import rules_of
from bugsieve.rooms.rules.file.rules import RuleDeclaration
from bugsieve.rooms.rules.file.source import Source, read_source
from bugsieve.rooms.rules.obligations.obligation import obligations_of
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import ObligationRow, RulesCases, RulesSubject, RulesTaskRow
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.translator import TranslationLimits
from bugsieve.tasks.pddl.summary import PddlTexts


@dataclass(frozen=True, eq=False)
class RulesTasks:
    """Everything that a campaign is given."""

    subject: RulesSubject
    tasks: tuple[Bound, ...]

    @property
    def name(self) -> str:
        """The name of the domain."""
        return self.subject.name


def load_rules(options: RulesOptions, *, limits: TranslationLimits | None = None) -> RulesTasks:
    """Read the rules and the tasks or the model, and bind the former to the latter."""
    source = read_source(options.rules) if options.rules else None
    if source is not None:
        rules_of(source)  # mistakes there should be told before anything is grounded
    return options.subject_language.load(options, source, limits)


def cases_of(tasks: Sequence[Bound]) -> RulesCases:
    """The tasks and all their obligations, in order."""
    rows = [
        RulesTaskRow(n, item.file, item.saved(), item.language) for n, item in enumerate(tasks)
    ]
    found = ((n, one) for n, item in enumerate(tasks) for one in obligations_of(item.rules.rules))
    numbered = enumerate(found)
    return RulesCases(tuple(rows), tuple(ObligationRow(k, n, one) for k, (n, one) in numbered))


def stored_tasks(records: RulesRecords) -> list[Bound]:
    """The tasks of a stored campaign with their rules; InputError unless they are what they were.

    The obligations must be those of the rules: a stranger's folder shows nothing else.
    """
    found = [records.subject_language.stored(records, row) for row in records.tasks()]
    require_obligations(records, found)
    return found


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


def declared_rules(records: RulesRecords) -> Mapping[int, Mapping[str, RuleDeclaration]]:
    """The rules of each task as written, by name: those of the file, then its constraints."""
    subject = records.header.subject
    found: dict[int, dict[str, RuleDeclaration]] = {}
    with records.whole("rules"):
        source = source_of(subject)
        common = [] if source is None else list(rules_of(source).rules)
        for row in records.tasks():
            rules = list(common)
            if isinstance(row.task, SavedTask):
                texts = PddlTexts(subject.domain, row.task.problem or b"")
                file = constraint_rules(texts, domain=subject.name, problem=row.file)
                rules += file.rules
            found[row.number] = {rule.id: rule for rule in rules}
    return found


def source_of(subject: RulesSubject) -> Source | None:
    """The stored rules file; None where all rules come from the PDDL."""
    return Source(subject.rules_file, subject.rules.decode()) if subject.rules else None
