"""When figures are computed."""

from __future__ import annotations

import pytest

from bugsieve.pipeline.measuring.looks import ERROR, error_at, is_look, look_from, looks


def test_looks_double() -> None:
    assert looks(1600) == [100, 200, 400, 800, 1600]
    assert looks(99) == []
    assert looks(399) == [100, 200]


def test_errors_add_up_to_what_is_promised() -> None:
    errors = [error_at(look) for look in looks(100 << 20)]
    assert errors[:3] == pytest.approx([0.05 / 2, 0.05 / 6, 0.05 / 12])
    assert ERROR * 0.95 < sum(errors) < ERROR


def test_only_looks_are_looks() -> None:
    assert [count for count in range(1000) if is_look(count)] == [100, 200, 400, 800]
    assert [look_from(count) for count in (0, 100, 101, 1600)] == [100, 100, 200, 1600]
