"""Commands of GitHub workflows: annotations for what was checked, and text that holds none.

What is undecided is a warning there: it is not a pass, and nothing that was left out on purpose.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from bugsieve.base.wording import printable

if TYPE_CHECKING:
    from bugsieve.campaigns.checks import Check, CheckOutcome

_LEVELS: dict[CheckOutcome, str] = {"failure": "error", "error": "error", "undecided": "warning"}
_COMMAND = re.compile(r"^([ \t]*):(?=:)|(?<=#)#(?=\[)", re.MULTILINE)
_ESCAPES = {":": "\\u003a", "#": "\\u0023"}


def github_lines(checks: Sequence[Check]) -> list[str]:
    """A workflow command for each check that is not a pass, and nothing else."""
    return [_annotation(check) for check in checks if check.outcome in _LEVELS]


def _annotation(check: Check) -> str:
    about = f"{check.group}: {check.name}" if check.group != check.name else check.name
    properties = {"file": check.file or "", "title": f"{check.outcome}: {about}"}
    shown = ",".join(
        f"{key}={_property(printable(value))}" for key, value in properties.items() if value
    )
    message = "\n".join(map(printable, (check.reason, *check.details)))
    return f"::{_LEVELS[check.outcome]} {shown}::{_data(message)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def without_commands(text: str) -> str:
    """Return the text without what a workflow would obey instead of showing it.

    That is `::` at the start of a line, and `##[` anywhere in it. As for terminals, one character
    becomes an escape of JSON, so that JSON says the same.
    """
    return _COMMAND.sub(lambda match: f"{match[1] or ''}{_ESCAPES[match[0][-1]]}", text)
