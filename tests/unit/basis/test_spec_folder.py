"""Where files with absolute names are that a spec of another machine names."""

from __future__ import annotations

from pathlib import Path

from bugsieve.base.registry.spec_folder import located, rooted_at, typed_in


def test_absolute_names_are_sought_below_the_root_first(tmp_path: Path) -> None:
    here, there = tmp_path / "net", Path(f"{tmp_path}/root{tmp_path}/net")
    there.parent.mkdir(parents=True)
    there.touch()
    assert located(str(here)) == str(here)
    with rooted_at(f"{tmp_path}/root"):
        assert located(str(here)) == str(there)
        assert located(str(there)) == str(there)
        assert located("/usr/bin/env") == "/usr/bin/env"
        with typed_in(str(there.parent)):
            assert located("net") == str(there)
    assert located(str(here)) == str(here)
