"""Without the extra there is one clear sentence."""

from __future__ import annotations

import sys

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.rooms.timelines.nddl.packages import load_cp_model, load_lark


@pytest.mark.parametrize(
    ("load", "module", "name"),
    [(load_lark, "lark", "Lark"), (load_cp_model, "ortools.sat.python", "OR-tools")],
)
def test_a_missing_package_is_named(
    load: object, module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert callable(load)
    with pytest.raises(UsageError, match=rf"timelines need {name}, .*pip install 'bugsieve\[tim"):
        load()
