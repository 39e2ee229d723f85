"""JSON files with errors that name the line, however deeply the text is nested."""

from __future__ import annotations

import json
import os
import re
from typing import Any, NoReturn

from bugsieve.base.allowances import allowance, take_work
from bugsieve.base.errors import InputError
from bugsieve.tasks.sources import MEBIBYTE, read_input

MAX_DEPTH = 10_000
"""Levels of lists and objects inside each other that we read."""

_MAX_BYTES = 256 * MEBIBYTE
_WORK_OF_TOKEN = 5
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
_TOKEN = re.compile(r'[ \t\n\r]*(?:([\[\]{}:,])|("(?:[^"\\]|\\.)*")|([-+.\w]+))')


def load_json(
    path: str | os.PathLike[str], *, kind: str = "JANI", max_bytes: int = _MAX_BYTES
) -> Any:
    """The content of a JSON file; InputError with line and column where it is malformed."""
    with allowance(os.fspath(path)):
        return _load_json(path, kind, max_bytes)


def _load_json(path: str | os.PathLike[str], kind: str, max_bytes: int) -> Any:
    name = os.fspath(path)
    data = read_input(path, kind=kind, max_bytes=max_bytes)
    try:
        text = data.decode("utf-8")
        value = _parse(text)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"{name}: line {line}: is not UTF-8 text") from None
    except _TooDeepError as error:
        raise InputError(f"{name}: line {error.lineno}: {error.msg}") from None
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        reason = error.msg[0].lower() + error.msg[1:]
        raise InputError(f"{name}: {place}: is not valid JSON ({reason})") from None
    except _NoNumberError as error:
        raise InputError(f"{name}: is not valid JSON ({error})") from None
    except ValueError:  # from int()
        raise InputError(f"{name}: has a number of thousands of digits") from None
    if _SURROGATE.search(text):
        _require_text(value, name)
    return value


def _require_text(value: Any, name: str) -> None:
    """InputError if a text has half a character, which could not be written to any file."""
    todo = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            todo += [*part, *part.values()]
        elif isinstance(part, list):
            todo += part
        elif isinstance(part, str) and not part.isascii():
            try:
                part.encode()
            except UnicodeEncodeError:
                raise InputError(f"{name}: {part[:40]!a} is no valid text") from None


class _NoNumberError(ValueError):
    """NaN or an infinity."""


class _TooDeepError(json.JSONDecodeError):
    """The text may be right, but we do not follow it."""


def _parse(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        return _DeepParser(text).parse()


def _refuse_constant(name: str) -> NoReturn:
    raise _NoNumberError(f"{name} is no JSON number")


class _DeepParser:
    """Reads texts that are nested more deeply than Python's own parser can follow."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._open: list[list[Any] | dict[str, Any]] = []
        self._keys: list[str] = []  # of the open objects, where a value is awaited

    def parse(self) -> Any:
        """The value of the whole text."""
        value = self._value()
        while self._open:
            value = self._add(value)
        if self._text[self._position :].strip():
            self._fail("extra data")
        return value

    def _value(self) -> Any:
        """The next value, or the first scalar or empty container inside it."""
        while True:
            token = self._next()
            if token == "[":
                self._enter([])
                if self._peek() != "]":
                    continue
                self._next()
                return self._open.pop()
            if token == "{":
                self._enter({})
                if self._peek() != "}":
                    self._key()
                    continue
                self._next()
                return self._open.pop()
            return self._scalar(token)

    def _add(self, value: Any) -> Any:
        """Put a value into the innermost container; the next value, or the container if full."""
        container = self._open[-1]
        if isinstance(container, list):
            container.append(value)
        else:
            container[self._keys.pop()] = value
        token = self._next()
        if token == ",":
            if isinstance(container, dict):
                self._key()
            return self._value()
        if token != ("]" if isinstance(container, list) else "}"):
            self._fail("expecting ',' delimiter")
        return self._open.pop()

    def _enter(self, container: list[Any] | dict[str, Any]) -> None:
        if len(self._open) >= MAX_DEPTH:
            sentence = f"is nested more than {MAX_DEPTH} levels deep"
            raise _TooDeepError(sentence, self._text, self._position)
        self._open.append(container)

    def _key(self) -> None:
        token = self._next()
        if not token.startswith('"'):
            self._fail("expecting property name enclosed in double quotes")
        self._keys.append(self._scalar(token))
        if self._next() != ":":
            self._fail("expecting ':' delimiter")

    def _scalar(self, token: str) -> Any:
        try:
            return json.loads(token, parse_constant=_refuse_constant)
        except ValueError:
            self._fail("expecting value")

    def _peek(self) -> str:
        before = self._position
        token = self._next()
        self._position = before
        return token

    def _next(self) -> str:
        take_work(_WORK_OF_TOKEN)
        match = _TOKEN.match(self._text, self._position)
        if match is None:
            self._fail("expecting value")
        self._position = match.end()
        return match.group().lstrip(" \t\n\r")

    def _fail(self, reason: str) -> NoReturn:
        raise json.JSONDecodeError(reason, self._text, self._position)
