"""Printed commands, as a shell takes them."""

from __future__ import annotations

import shlex
from pathlib import Path

from bugsieve.base.commands import command_line, quoted_command, typed_words


def test_plain_names_stay_as_they_are() -> None:
    assert command_line("explain", Path("out/x"), "3f") == "bugsieve explain out/x 3f"
    assert quoted_command("resume", "out") == "'bugsieve resume out'"
    assert typed_words(Path("out"), 7) == "out 7"


def test_a_shell_reads_what_was_meant() -> None:
    for name in ("my folder", "it's", 'a "b" c', "$HOME", "a;b", "-x", "*"):
        _, command, folder, bug = shlex.split(command_line("explain", Path(name), "3f"))
        assert (command, bug) == ("explain", "3f")
        assert Path(folder) == Path(name) and not folder.startswith("-")
        inside = quoted_command("resume", Path(name))
        mark = inside[0]
        assert inside[-1] == mark and mark not in inside[1:-1].replace("'\"'\"'", "")
        assert shlex.split(inside[1:-1])[0] == "bugsieve"
