"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from bugsieve.basis.wording import counted


@pytest.mark.parametrize(("number", "words"), [(0, "0 states"), (1, "1 state"), (2, "2 states")])
def test_plurals(number: int, words: str) -> None:
    assert counted(number, "state") == words
