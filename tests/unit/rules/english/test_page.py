from __future__ import annotations

from pathlib import Path

from bugsieve.rooms.rules.english.grid import CONDITIONS, SCOPES, TIMINGS
from bugsieve.rooms.rules.english.page import english_page
from bugsieve.rooms.rules.english.reader import read_sentence
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place

PAGE = Path(__file__).parents[4] / "docs" / "english.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == english_page()


def test_every_row_is_read_as_it_says() -> None:
    rows = [
        [cell.strip().strip("`").replace("\\|", "|") for cell in row.strip("|\n").split(" | ")]
        for row in english_page().splitlines()
        if row.startswith("| `")
    ]
    sentences = {text: ltl for text, ltl in rows if " shall " in text}
    readings = {text: ltl for ltl, text in rows if text.endswith(".")}
    assert len(sentences) == len(SCOPES) * len(CONDITIONS) * len(TIMINGS)
    assert len(readings) == 15
    for text, ltl in {**sentences, **readings}.items():
        assert to_text(read_sentence(text, place=Place("page"))) == ltl
