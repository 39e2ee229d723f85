"""Makes tasks from files: PDDL through the translator and its cache, SAS directly."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeAlias

from bugsieve import _native
from bugsieve.base.arguments import require_flag, require_kind, require_path
from bugsieve.base.errors import InputError, InternalError, UnsupportedError, UsageError
from bugsieve.base.files_and_processes.derived_data import DerivedData, content_key
from bugsieve.tasks.grounded.derived import DisjunctiveGoalError, without_axioms
from bugsieve.tasks.grounded.sas_text import may_have_axioms
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import (
    OPTIONS,
    TranslationLimits,
    WarmTranslator,
    translate,
    translator_version,
)
from bugsieve.tasks.pddl.check import PddlTask, check_pddl
from bugsieve.tasks.pddl.costs import MISSING_COST, missing_cost
from bugsieve.tasks.pddl.problem import goal_disjunction
from bugsieve.tasks.pddl.summary import without_constraints
from bugsieve.tasks.sources import MEBIBYTE, half_of_a_task, read_input, task_files

AnyPath: TypeAlias = str | os.PathLike[str]

MAX_SAS_BYTES = 512 * MEBIBYTE
# Changes whenever the same PDDL would give another SAS text, or none.
_TRANSLATION_FORMAT = b"bugsieve-translation-3"
_TRANSLATIONS = DerivedData("sas")
_PDDL_BEGINNING = re.compile(rb"(?:\s|;[^\n]*\n)*\(")
# The cost and the end of an operator that the translator would have dropped.
_MARKED_END = f"\n{MISSING_COST}\nend_operator".encode()
# Without a metric every operator costs 1; its own line does not count.
_METRIC, _NO_METRIC = b"begin_metric\n1\n", b"begin_metric\n0\n"


def load_task(
    domain: AnyPath,
    problem: AnyPath | None = None,
    *,
    cache: bool = True,
    limits: TranslationLimits | None = None,
    unit_cost: bool = False,
    constraints: bool = False,
) -> Task:
    """The task of a domain and a problem in PDDL, or of one SAS file.

    A folder stands for the files domain.pddl and problem.pddl that it holds. `limits` bound the
    translation of PDDL; a BudgetError says when they were too tight. With `unit_cost` every
    operator costs 1, whatever the files say. With `constraints` the files may have `:constraints`,
    which the task leaves out: whoever asks for it holds runs to them.
    """
    given = [require_path(domain, "domain")]
    given += [] if problem is None else [require_path(problem, "problem")]
    require_flag(cache, "cache")
    require_flag(unit_cost, "unit_cost")
    require_flag(constraints, "constraints")
    if limits is not None:
        require_kind(limits, TranslationLimits, "limits", "of type TranslationLimits, or None")
    name, *others = task_files(*given)
    if name.endswith(".jani") and os.path.isfile(name):
        raise UsageError(
            f"{name}: is a JANI model; 'bugsieve safety' tests policies on those, 'bugsieve "
            "decide' judges their states"
        )
    if others:
        rewrite = without_constraints if constraints else None
        pddl = check_pddl(name, others[0], rewrite=rewrite)
        task = task_of(pddl, others[0], cache=cache, limits=limits)
    else:
        task = _task_of_sas(name)
    return with_unit_costs(task) if unit_cost else task


def _task_of_sas(name: str) -> Task:
    text = read_input(name, kind="SAS", max_bytes=MAX_SAS_BYTES)
    if not name.endswith(".sas") and not text.startswith(b"begin_version"):
        if not _PDDL_BEGINNING.match(text):
            raise InputError(
                f"{name}: is neither PDDL nor SAS; give a domain and a problem file in PDDL, or "
                "one .sas file"
            )
        raise UsageError(f"{half_of_a_task(name, text)} (only a .sas file stands alone)")
    _reject_nul(text, name)
    return Task(native_task(text, name), name=Path(name).stem)


def with_unit_costs(task: Task) -> Task:
    """The same task in which every operator costs 1; the task itself if it has no costs."""
    if not task.uses_costs:
        return task
    text = task.to_sas().encode().replace(_METRIC, _NO_METRIC, 1)
    return Task(
        native_task(text, task.name),
        name=task.name,
        objects=task.objects,
        initial_atoms=task.static_facts,
        pddl_texts=task.pddl_texts,
        unit_cost=True,
    )


def _reject_nul(text: bytes, name: str) -> None:
    """Names may hold almost anything, but a NUL byte says that this is not a text."""
    place = text.find(b"\0")
    if place >= 0:
        line = text.count(b"\n", 0, place) + 1
        raise InputError(f"{name}:{line}: a NUL byte, which no SAS file has")


def native_task(text: bytes, name: str, *, translated: bool = False) -> _native.Task:
    """Parse a SAS text; `name` is the file in errors, or the one that was translated."""
    try:
        return _native.Task.from_sas(text)
    except _native.SasError as error:
        line, sentence = error.args
        if translated:
            raise InternalError(
                f"{name}: line {line} of its translation cannot be read ({sentence})"
            ) from None
        raise InputError(f"{name}:{line}: {sentence}") from None
    except _native.UnsupportedSasError as error:
        feature, user = error.args
        raise UnsupportedError(
            f"{name}: {user} uses {feature}, which Bugsieve does not support"
        ) from None


def task_of(
    pddl: PddlTask, name: str, *, cache: bool = True, limits: TranslationLimits | None = None
) -> Task:
    """The task of PDDL that has been checked; `name` is the problem file in errors."""
    made = partial(translate, limits=limits)
    text = _cached_translation(pddl, name, made) if cache else _translation(pddl, name, made)
    return _task(pddl, name, text)


def small_task_of(pddl: PddlTask, name: str, translator: WarmTranslator) -> Task:
    """The same of one of many small problems, whose translations are not kept."""
    return _task(pddl, name, _translation(pddl, name, translator.translate))


def _task(pddl: PddlTask, name: str, text: bytes) -> Task:
    return Task(
        native_task(text, name, translated=True),
        name=pddl.problem.name,
        objects=pddl.problem.objects,
        initial_atoms=pddl.problem.atoms,
        pddl_texts=pddl.given,
    )


def _cached_translation(pddl: PddlTask, name: str, made: Callable[..., bytes]) -> bytes:
    version = "\n".join((translator_version(), *OPTIONS)).encode()
    key = content_key((_TRANSLATION_FORMAT, version, *pddl.texts))
    return _TRANSLATIONS.get(key, lambda: _translation(pddl, name, made))


def _translation(pddl: PddlTask, name: str, made: Callable[..., bytes]) -> bytes:
    domain, problem = pddl.texts
    text = made(domain, problem, name=name)
    _reject_missing_costs(text, pddl)
    if not may_have_axioms(text):
        return text
    try:
        return without_axioms(text, name)
    except DisjunctiveGoalError:
        cause = goal_disjunction(pddl.problem)
        if cause is None:
            raise
        raise DisjunctiveGoalError(f"{name}:{cause.line}", f" ('{cause[0]}')") from None


def _reject_missing_costs(text: bytes, pddl: PddlTask) -> None:
    end = text.find(_MARKED_END)
    if end >= 0:
        operator = text[:end].rpartition(b"begin_operator\n")[2].split(b"\n", 1)[0]
        raise missing_cost(pddl.domain, pddl.problem, operator.decode("ascii"))
