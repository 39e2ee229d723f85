from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.editor.page import (
    EditorVocabulary,
    Named,
    editor_of_files,
    editor_page,
    vocabulary_of,
)
from bugsieve.tasks.pddl.check import check_pddl

DOMAIN = """(define (domain rover) (:requirements :typing :strips)
  (:types camera - instrument rover waypoint)
  (:constants home - waypoint)
  (:predicates (at ?r - rover ?w - waypoint) (stowed ?i - instrument) (on))
  (:action go :parameters (?r - rover ?a ?b - waypoint) :precondition (at ?r ?a)
    :effect (and (not (at ?r ?a)) (at ?r ?b))))"""
PROBLEM = """(define (problem p1) (:domain rover) (:objects r1 - rover c - camera)
  (:init (at r1 home)) (:goal (at r1 home)))"""


def write(folder: Path) -> tuple[Path, Path]:
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "problem.pddl").write_text(PROBLEM)
    return folder / "domain.pddl", folder / "problem.pddl"


def test_the_vocabulary_of_a_task(tmp_path: Path) -> None:
    vocabulary = vocabulary_of(check_pddl(*write(tmp_path)))
    assert vocabulary == EditorVocabulary(
        domain="rover",
        problem="p1",
        predicates=[
            Named("at", ("rover", "waypoint")),
            Named("stowed", ("instrument",)),
            Named("on", ()),
        ],
        actions=[Named("go", ("rover", "waypoint", "waypoint"))],
        types=vocabulary.types,
        objects=["home", "r1", "c"],
    )
    assert vocabulary.types["camera"] == ["camera", "instrument", "object"]


def test_the_policy_allows_our_scripts_and_nothing_else(tmp_path: Path) -> None:
    page = editor_of_files(*write(tmp_path))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]*)"', page)
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    hashes = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (script, style)
    ]
    assert policy == (
        f"default-src 'none'; script-src 'sha256-{hashes[0]}'; style-src 'sha256-{hashes[1]}'; "
        "base-uri 'none'; form-action 'none'"
    )
    assert not re.search(r"https?:|//[a-z]+\.|@import|url\(", script + style)


def test_names_cannot_end_the_element_they_are_in() -> None:
    hostile = "</script><script>alert(1)</script><!-- {script} &amp; \u2028"
    page = editor_page(
        EditorVocabulary(hostile, hostile, [Named(hostile, (hostile,))], [], {}, [hostile])
    )
    assert page.count("<script") == page.count("</script>") == 2
    assert "alert(1)" in page
    assert "\u2028" not in page


def test_constraints_of_pddl_are_no_obstacle(tmp_path: Path) -> None:
    domain, problem = write(tmp_path)
    domain.write_text(DOMAIN.replace("(:action", "(:constraints (always (on))) (:action"))
    assert "rover" in editor_of_files(domain, problem)


def test_files_that_are_wrong(tmp_path: Path) -> None:
    domain, problem = write(tmp_path)
    with pytest.raises(InputError, match="swap them"):
        editor_of_files(problem, domain)
