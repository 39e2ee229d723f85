"""Pages that are complete in one file: put together from parts, and sealed.

Names that a stranger chose enter as JSON in which no sign could end the element that holds it. No
script or style can run but ours: the page's policy names their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib.resources import files

_ESCAPES = {ord(sign): f"\\u{ord(sign):04x}" for sign in "<>&\u2028\u2029"}


def part_of(package: str | None, name: str) -> str:
    """A text file that lies in a package of ours."""
    assert package is not None
    return files(package).joinpath(name).read_text(encoding="utf-8")


def sealed_page(template: str, contents: Mapping[str, str], *, script: str, style: str) -> str:
    """The template with its gaps filled, `{script}`, `{style}` and `{policy}` among them.

    One pass from left to right: what is put in is never looked at for further gaps.
    """
    given = {**contents, "policy": _policy(script, style), "script": script, "style": style}
    head, *rest = template.split("{")
    filled = [head]
    for piece in rest:
        gap, _, after = piece.partition("}")
        filled += [given[gap], after]
    return "".join(filled)


def json_block(value: object) -> str:
    """JSON that may stand in an element of a page."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate(_ESCAPES)


def _policy(script: str, style: str) -> str:
    sources = f"script-src {_hash(script)}; style-src {_hash(style)}"
    return f"default-src 'none'; {sources}; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
