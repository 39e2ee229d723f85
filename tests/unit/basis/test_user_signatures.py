"""Seals: only whoever has the key can make them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bugsieve.base.trust.user_signatures import KEY_FILE, is_sealed, seal_of


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "bugsieve"


def test_what_is_sealed_is_known_again() -> None:
    seal = seal_of(b"found")
    assert seal is not None and seal == seal_of(b"found")
    assert is_sealed(b"found", seal)
    assert not is_sealed(b"lost", seal) and not is_sealed(b"found", seal[:-1])
    assert not is_sealed(b"found", "")


def test_nobody_knows_seals_of_another_key(state: Path) -> None:
    seal = seal_of(b"found")
    assert seal is not None
    (state / KEY_FILE).unlink()
    assert not is_sealed(b"found", seal) and not (state / KEY_FILE).exists()
    assert seal_of(b"found") != seal


def test_a_key_that_others_could_have_written_is_none(state: Path) -> None:
    seal = seal_of(b"found")
    assert seal is not None and (state / KEY_FILE).stat().st_mode & 0o777 == 0o600
    (state / KEY_FILE).chmod(0o666)
    assert not is_sealed(b"found", seal) and seal_of(b"found") is None
    (state / KEY_FILE).chmod(0o600)
    (state / KEY_FILE).write_bytes(b"short")
    assert seal_of(b"found") is None


def test_without_a_folder_there_are_no_seals(state: Path) -> None:
    state.touch()
    assert seal_of(b"found") is None and not is_sealed(b"found", "0" * 64)
