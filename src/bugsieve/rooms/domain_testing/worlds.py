"""The PDDL files of suites, and the tasks of their actions without regard to the goals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from bugsieve.rooms.domain_testing.constraints import Constraints
from bugsieve.tasks.grounded.translator import TranslationLimits
from bugsieve.tasks.grounded.worlds import ActionWorld, world_of
from bugsieve.tasks.pddl.check import PddlTask, check_documents
from bugsieve.tasks.pddl.reader import Document, read_document
from bugsieve.tasks.pddl.summary import constraint_words, without_constraints


@dataclass
class Files:
    """The PDDL files of a suite, each read once; some may stand for others, as mutants do."""

    limits: TranslationLimits | None = None
    changed: Mapping[Path, Document] = field(default_factory=dict)
    _documents: dict[Path, Document] = field(default_factory=dict)
    _pddl: dict[tuple[Path, Path], PddlTask] = field(default_factory=dict)
    _worlds: dict[tuple[Path, Path], ActionWorld] = field(default_factory=dict)

    def with_changed(self, path: Path, document: Document) -> Files:
        """The same files, but for one."""
        return Files(self.limits, {path: document}, self._documents)

    def document(self, path: Path) -> Document:
        """The content of a file; InputError if it is not PDDL."""
        if path in self.changed:
            return self.changed[path]
        if path not in self._documents:
            self._documents[path] = read_document(path)
        return self._documents[path]

    def pddl(self, domain: Path, problem: Path) -> PddlTask:
        """Domain and problem, checked together, without their `:constraints`."""
        key = domain, problem
        if key not in self._pddl:
            documents = self.document(domain), self.document(problem)
            self._pddl[key] = check_documents(*documents, rewrite=without_constraints)
        return self._pddl[key]

    def constraints(self, domain: Path, problem: Path) -> Constraints | None:
        """The `:constraints` of both, which plans must keep; None where there are none."""
        if not any(constraint_words(self.document(path)) for path in (domain, problem)):
            return None
        return Constraints(self.world(domain, problem).task)

    def world(self, domain: Path, problem: Path) -> ActionWorld:
        """The world of the actions, without regard to the goal."""
        key = domain, problem
        if key not in self._worlds:
            self._worlds[key] = world_of(self.pddl(domain, problem), limits=self.limits)
        return self._worlds[key]
