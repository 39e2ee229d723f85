"""The languages of what rules are tested on: each binds rules, replays and stores what is its own.

A campaign names its language by a key of the table; options know it by the name of the first file.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

from bugsieve.base.registry.families import FAMILIES
from bugsieve.base.registry.members import MemberTable

if TYPE_CHECKING:
    from pathlib import Path

    from bugsieve.rooms.rules.campaign.options import RulesOptions
    from bugsieve.rooms.rules.campaign.rule_subject import Bound
    from bugsieve.rooms.rules.campaign.subject import RulesTasks
    from bugsieve.rooms.rules.file.source import Source
    from bugsieve.rooms.rules.store.records import RulesRecords
    from bugsieve.rooms.rules.store.rows import RulesSubject, RulesTaskRow
    from bugsieve.tasks.grounded.translator import TranslationLimits

Columns: TypeAlias = tuple[str, str, str, str, str, bytes]
"""Name, SAS, SHA-256, objects, static facts and further file of a row of the table `tasks`."""


class Saved(Protocol):
    """A task or model in a form that can be stored."""

    @property
    def name(self) -> str:
        """The name of the language in certificates."""

    @property
    def sha256(self) -> str:
        """Content hash."""

    def load(self) -> object:
        """The task or model, ready for use."""


class SubjectLanguage(ABC):
    """A language; the files of a campaign are its first file, further ones, and the rules."""

    suffix: ClassVar[str]
    """Of the names of its files; empty for the language of all other files."""
    what: ClassVar[str]
    """The kind of the first file."""
    first_file: ClassVar[str]
    """The name of that file in the folder of a campaign."""
    about_files: ClassVar[str]
    """The words of the folder about it."""
    loading: ClassVar[str]
    """The words shown while the files are read."""
    plans_only: ClassVar[bool]
    """True if every trace is a plan, from the start to the end."""

    @abstractmethod
    def check_options(self, options: RulesOptions) -> None:
        """UsageError for options that do not go with the language."""

    @abstractmethod
    def load(
        self, options: RulesOptions, source: Source | None, limits: TranslationLimits | None
    ) -> RulesTasks:
        """Read the files that the options name, and bind the rules to them."""

    @abstractmethod
    def stored(self, records: RulesRecords, row: RulesTaskRow) -> Bound:
        """The task or model of a row with its rules; InputError where it is damaged."""

    @abstractmethod
    def own(self, records: RulesRecords) -> Sequence[Bound]:
        """The tested subjects, read anew; InputError if they differ from what is stored."""

    @abstractmethod
    def other(self, records: RulesRecords, file: Path) -> Sequence[Bound | str]:
        """The subjects with another first file, or reasons why the rest does not go with it."""

    @abstractmethod
    def columns(self, saved: Any) -> Columns:
        """The columns that the store keeps beside the first file, which is the subject's."""

    @abstractmethod
    def saved(self, subject: RulesSubject, file: str, columns: Columns) -> Saved:
        """The inverse; ValueError for anything else."""

    @abstractmethod
    def trace_text(self, certificate: Mapping[str, Any]) -> str:
        """The actions of a trace, in one line."""


LANGUAGES: MemberTable[SubjectLanguage] = MemberTable(FAMILIES["rule-subjects"])


def language_of(file: str) -> SubjectLanguage:
    """The language that the name of a first file stands for."""
    named = (item for item in LANGUAGES.values() if item.suffix and file.endswith(item.suffix))
    return next(named, LANGUAGES["pddl"])
