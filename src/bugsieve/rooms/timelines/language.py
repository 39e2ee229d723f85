"""NDDL as a language of what rules are tested on: one model of timelines, in one file or more."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bugsieve.base.errors import InputError, UnsupportedError, UsageError
from bugsieve.base.files_and_processes.foreign_json import FixedList, fitting, parse_json
from bugsieve.campaigns.store.certificate_blobs import json_text
from bugsieve.rooms.rules.campaign.options import RulesOptions, options_in
from bugsieve.rooms.rules.campaign.rule_subject import Bound
from bugsieve.rooms.rules.campaign.subject import RulesTasks, stored_tasks
from bugsieve.rooms.rules.file.reading import rules_of
from bugsieve.rooms.rules.file.source import Source
from bugsieve.rooms.rules.store.languages import Columns, SubjectLanguage
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import RulesSubject, RulesTaskRow
from bugsieve.rooms.timelines.binding import bind_rules
from bugsieve.rooms.timelines.bound import NDDL, BoundModel
from bugsieve.rooms.timelines.models.loading import load_timelines, read_model
from bugsieve.rooms.timelines.models.model import Model
from bugsieve.rooms.timelines.models.saved import SavedModel
from bugsieve.rooms.timelines.nddl.packages import load_lark
from bugsieve.rooms.timelines.nddl.reader import SUFFIX, parse, read_text
from bugsieve.rooms.timelines.plans.plan import token_text
from bugsieve.rooms.timelines.room import MAX_SLOTS
from bugsieve.tasks.grounded.translator import TranslationLimits


class NddlLanguage(SubjectLanguage):
    """A model of timelines."""

    suffix = SUFFIX
    what = "model"
    first_file = "model.nddl"
    about_files = "the model; the store has further files of it"
    loading = "reading the model"
    plans_only = True

    def check_options(self, options: RulesOptions) -> None:
        """There is a rules file, and nothing that only tasks have."""
        if options.lassos:
            raise UsageError("plans on timelines end: --lassos is for tasks")
        if not options.rules:
            raise UsageError("NDDL has no rules of this kind: name a rules file (*.toml)")
        slots = options.slots
        if slots is not None and not 1 <= slots <= MAX_SLOTS:
            raise UsageError(f"slots must be between 1 and {MAX_SLOTS}, got {slots}")

    def load(
        self, options: RulesOptions, source: Source | None, limits: TranslationLimits | None
    ) -> RulesTasks:
        """Read the model and bind the rules to it."""
        assert source is not None
        model = load_timelines(options.domain, *options.problems)
        bound = _bound(model, source, options, name=options.domain)
        if not bound.rules.rules:
            raise UsageError(f"{options.rules}: has no rule for the objects of this model")
        domain, rules = model.texts[0][1].encode(), source.text.encode()
        warnings = bound.rules.warnings
        subject = RulesSubject(bound.saved().name, domain, options.rules, rules, warnings, NDDL)
        return RulesTasks(subject, (bound,))

    def stored(self, records: RulesRecords, row: RulesTaskRow) -> BoundModel:
        """The model of the stored files."""
        load_lark()  # a user without it should not be told that the store is damaged
        with records.whole(f"table tasks, row {row.number}"):
            model = row.task.load()
            assert isinstance(model, Model)
        with records.whole("rules"):
            return _bound(model, _source(records), options_in(records), name=row.file)

    def own(self, records: RulesRecords) -> Sequence[Bound]:
        """The stored model, which is read anew each time."""
        return stored_tasks(records)

    def other(self, records: RulesRecords, file: Path) -> Sequence[BoundModel | str]:
        """The stored model with another first file."""
        text = read_text(file)
        parse(text, str(file))
        source, options = _source(records), options_in(records)
        found: list[BoundModel | str] = []
        for row in records.tasks():
            assert isinstance(row.task, SavedModel)
            try:
                model = read_model([(str(file), text), *row.task.files[1:]])
                found.append(_bound(model, source, options, name=str(file)))
            except (InputError, UnsupportedError) as error:
                found.append(str(error))
        return found

    def columns(self, saved: Any) -> Columns:
        """The files but the first."""
        rest = json_text(saved.files[1:]).encode()
        return saved.name, "", saved.sha256, "[]", "[]", rest

    def saved(self, subject: RulesSubject, file: str, columns: Columns) -> SavedModel:
        """The inverse."""
        first = (os.path.basename(file), subject.domain.decode())
        pairs = fitting(parse_json(columns[-1].decode()), [FixedList(str, str)])
        return SavedModel((first, *((path, text) for path, text in pairs)))

    def trace_text(self, certificate: Mapping[str, Any]) -> str:
        """The tokens of the plan."""
        return ", ".join(map(token_text, certificate["plan"]["tokens"]))


NDDL_LANGUAGE = NddlLanguage()


def _source(records: RulesRecords) -> Source:
    subject = records.header.subject
    return Source(subject.rules_file, subject.rules.decode())


def _bound(model: Model, source: Source, options: RulesOptions, *, name: str) -> BoundModel:
    """The model with the rules as they read there; `name` is for people."""
    if model.horizon is None:
        raise InputError(f"{name}: the model has no PlannerConfig, which says how long plans are")
    return BoundModel(name, model, bind_rules(rules_of(source), model), options.slots)
