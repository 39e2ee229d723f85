"""load_task: PDDL with and without the cache, SAS by name and by content."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import bugsieve
from bugsieve.base.errors import (
    BudgetError,
    InputError,
    InternalError,
    UnsupportedError,
    UsageError,
)
from bugsieve.tasks.grounded import loading
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.grounded.translator import translate
from tests.unit.tasks.pddl.texts import DOMAIN, replaced, write


@pytest.fixture
def translations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the problems that were really translated."""
    names: list[str] = []

    def counted(domain: bytes, problem: bytes, **options: Any) -> bytes:
        names.append(options["name"])
        return translate(domain, problem, **options)

    monkeypatch.setattr(loading, "translate", counted)
    return names


def test_second_loading_comes_from_the_cache(
    tmp_path: Path, cache_folder: Path, translations: list[str]
) -> None:
    files = write(tmp_path)
    first, second = bugsieve.load_task(*files), bugsieve.load_task(*files)
    assert len(translations) == 1
    assert first.to_sas() == second.to_sas()
    assert len(list(cache_folder.iterdir())) == 1


def test_changed_files_are_translated_anew(
    tmp_path: Path, cache_folder: Path, translations: list[str]
) -> None:
    bugsieve.load_task(*write(tmp_path))
    bugsieve.load_task(*write(tmp_path, replaced(DOMAIN, "(clear table)", "(clear ?from)")))
    assert len(translations) == 2
    assert len(list(cache_folder.iterdir())) == 2


def test_damaged_cache_is_repaired(
    tmp_path: Path, cache_folder: Path, translations: list[str]
) -> None:
    files = write(tmp_path)
    before = bugsieve.load_task(*files).to_sas()
    (entry,) = cache_folder.iterdir()
    whole = entry.read_bytes()
    entry.write_bytes(whole[:-5])
    assert bugsieve.load_task(*files).to_sas() == before
    assert len(translations) == 2
    assert entry.read_bytes() == whole


def test_loading_without_cache_leaves_no_trace(tmp_path: Path, cache_folder: Path) -> None:
    bugsieve.load_task(*write(tmp_path), cache=False)
    assert not cache_folder.exists()


@pytest.mark.parametrize("name", ["task.sas", "task.txt", "task"])
def test_sas_files_stand_alone(name: str, stack: Task, tmp_path: Path) -> None:
    stack.write_sas(tmp_path / name)
    task = bugsieve.load_task(tmp_path / name)
    assert task.name == "task"
    assert task.to_sas() == stack.to_sas()
    assert not task.objects
    assert not task.static_facts


def test_a_byte_order_mark_before_sas_is_skipped(stack: Task, tmp_path: Path) -> None:
    path = tmp_path / "marked"
    path.write_bytes(b"\xef\xbb\xbf" + stack.to_sas().encode())
    assert bugsieve.load_task(path).to_sas() == stack.to_sas()


def test_limits_reach_the_translation(tmp_path: Path, cache_folder: Path) -> None:
    limits = bugsieve.TranslationLimits(seconds=0.001)
    with pytest.raises(BudgetError, match=r"problem\.pddl: grounding took longer than 0\.001 s"):
        bugsieve.load_task(*write(tmp_path), limits=limits)


def test_a_domain_alone_is_not_enough(tmp_path: Path) -> None:
    domain, _ = write(tmp_path)
    with pytest.raises(UsageError, match=r"domain\.pddl: a PDDL domain needs a problem file"):
        bugsieve.load_task(domain)


@pytest.mark.parametrize("beginning", ["", "; a comment (define (domain\n( ; more\n"])
def test_a_problem_alone_is_called_one(beginning: str, tmp_path: Path) -> None:
    _, problem = write(tmp_path)
    text = problem.read_text()
    problem.write_text(beginning + (text.replace("(", "", 1) if beginning else text).upper())
    sentence = r"problem\.pddl: is a PDDL problem; give its domain file before it"
    with pytest.raises(UsageError, match=sentence):
        bugsieve.load_task(problem)


@pytest.mark.parametrize("more", [(), ("property.jani",)])
def test_a_model_is_for_other_commands(more: tuple[str, ...], tmp_path: Path) -> None:
    model = tmp_path / "model.jani"
    with pytest.raises(InputError, match="there is no such file"):
        bugsieve.load_task(model, *more)
    model.write_text("{}")
    with pytest.raises(UsageError, match=r"'bugsieve decide' judges their states"):
        bugsieve.load_task(model, *more)


def test_sas_mistakes_name_file_and_line(stack: Task, tmp_path: Path) -> None:
    path = tmp_path / "broken.sas"
    path.write_text(replaced(stack.to_sas(), "begin_goal", "begin_gaol"))
    with pytest.raises(InputError, match=r"broken\.sas:\d+: .*begin_goal"):
        bugsieve.load_task(path)


def test_translations_are_never_quoted_by_line_as_if_they_were_the_file(stack: Task) -> None:
    text = replaced(stack.to_sas(), "begin_goal", "begin_gaol").encode()
    with pytest.raises(InternalError, match=r"^p\.pddl: line \d+ of its translation"):
        loading.native_task(text, "p.pddl", translated=True)


def test_axioms_in_sas_files_are_refused(stack: Task, tmp_path: Path) -> None:
    path = tmp_path / "derived.sas"
    path.write_text(stack.to_sas().replace("\n-1\n2\n", "\n0\n2\n", 1))
    with pytest.raises(UnsupportedError, match=r"derived\.sas: .* uses axioms"):
        bugsieve.load_task(path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    domain, _ = write(tmp_path)
    for arguments in (
        (tmp_path / "no.sas",),
        (tmp_path / "no.pddl",),
        (domain, tmp_path / "no.p"),
    ):
        with pytest.raises(InputError, match=r"/no\.[a-z]+: there is no such file"):
            bugsieve.load_task(*arguments)
