"""The names that `import bugsieve` offers."""

from __future__ import annotations

from importlib import metadata

import pytest

import bugsieve


@pytest.mark.parametrize("name", bugsieve.__all__)
def test_every_public_name_is_there(name: str) -> None:
    assert getattr(bugsieve, name) is not None
    assert name in dir(bugsieve)


def test_version_is_that_of_the_package() -> None:
    assert bugsieve.__version__ == metadata.version("bugsieve")


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="module 'bugsieve' has no attribute 'load_tusk'"):
        bugsieve.load_tusk  # noqa: B018
