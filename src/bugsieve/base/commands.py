"""Commands that are printed to be copied into a shell: names of files are quoted where needed."""

from __future__ import annotations

import os
import shlex
from pathlib import Path


def command_line(*words: object) -> str:
    """`bugsieve explain 'my folder' 3f`; a path that begins with a dash stays a path."""
    return f"bugsieve {typed_words(*words)}"


def typed_words(*words: object) -> str:
    """Words as they are typed one after the other."""
    return shlex.join(map(_word, words))


def quoted_command(*words: object) -> str:
    """The same inside a sentence: in quotes, or in backticks where it has quotes itself."""
    line = command_line(*words)
    mark = "`" if "'" in line else "'"
    return f"{mark}{line}{mark}"


def _word(word: object) -> str:
    text = str(word)
    is_option = isinstance(word, Path) and text.startswith("-")
    return os.path.join(os.curdir, text) if is_option else text
