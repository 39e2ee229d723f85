"""The reader: same words as the translator, clear sentences with lines for broken text."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.tasks.pddl import reader
from bugsieve.tasks.pddl.reader import parse, read_document, to_text


def complaint(text: str | bytes) -> str:
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(InputError) as caught:
        parse(data, "f.pddl")
    return str(caught.value)


def test_words_are_lower_case_and_know_their_lines() -> None:
    root = parse(b"(Define\n (domain D) ; (comment\n (:types A?x))", "f.pddl")
    assert to_text(root) == "(define (domain d) (:types a ?x))"
    assert [item.line for item in root] == [1, 2, 3]
    assert root[1][1].line == 2  # type: ignore[union-attr]


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"])
def test_every_line_ending_counts(ending: bytes) -> None:
    assert parse(b"(a" + ending + b"; x" + ending + b"b)", "f.pddl")[1].line == 3


def test_comments_may_hold_any_encoding() -> None:
    assert to_text(parse(b"(a ; \xe4\xff\n b)", "f.pddl")) == "(a b)"


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "marked.pddl"
    path.write_bytes(b"\xef\xbb\xbf(a\n b)")
    assert to_text(read_document(path).root) == "(a b)"


def test_unclosed_block_is_named_by_its_line() -> None:
    assert complaint("(define\n (domain d)\n (:init (a)") == (
        "f.pddl:3: the '(' on this line is never closed, "
        "the file ends on line 3 with 2 ')' missing"
    )


def test_unclosed_block_is_found_where_the_next_section_begins() -> None:
    text = "(define (domain d)\n(:action a\n :effect (and (p))\n(:action b :effect (p)))"
    assert "f.pddl:2: the '(' on this line is not closed before '(:action' begins on line 4" in (
        complaint(text)
    )


def test_closing_too_often_names_the_line() -> None:
    assert "f.pddl:3: this ')' closes nothing" in complaint("(define\n)\n)")


def test_text_after_the_end_is_left_over() -> None:
    assert "f.pddl:2: 'more' is left over" in complaint("(define)\nmore")
    assert "f.pddl:2: '(' is left over" in complaint("(define)\n(more)")


def test_other_texts_are_not_pddl() -> None:
    assert "f.pddl:1: is not PDDL" in complaint("begin_version\n3")
    assert "nothing but comments" in complaint("; only a comment")


def test_binary_data_are_no_text() -> None:
    assert "f.pddl: is not a text file (byte 0x00 at offset 3)" in complaint(b"(a \x00)")


def test_letters_beyond_ascii_are_named() -> None:
    assert "f.pddl:2: the character 'ä'" in complaint("(a\n ä)")
    assert "f.pddl:2: the byte 0xe4 is not allowed" in complaint(b"(a\n \xe4)")


def test_depth_is_limited_without_recursion() -> None:
    assert "f.pddl:1: nesting deeper than" in complaint("(" * 50_000)
    fine = "(a " * reader.MAX_DEPTH + ")" * reader.MAX_DEPTH
    assert to_text(parse(fine.encode(), "f.pddl")).count("a") == reader.MAX_DEPTH


def test_number_of_words_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_WORDS", 4)
    assert "f.pddl:2: more than 4 words" in complaint("(a b c\n d)")


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for name, reason in {"missing.pddl": "there is no such file", ".": "is a directory"}.items():
        with pytest.raises(InputError, match=reason):
            read_document(tmp_path / name)
    with pytest.raises(InputError, match=r"nor a folder '.*absent'"):
        read_document(tmp_path / "absent" / "f.pddl")
    empty = tmp_path / "empty.pddl"
    empty.write_text(" \n")
    with pytest.raises(InputError, match="empty.pddl: is empty"):
        read_document(empty)


def test_file_size_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MAX_BYTES", 1 << 20)
    large = tmp_path / "large.pddl"
    large.write_bytes(b"(" + b" " * (1 << 20) + b")")
    with pytest.raises(InputError, match="larger than 1 MiB"):
        read_document(large)
