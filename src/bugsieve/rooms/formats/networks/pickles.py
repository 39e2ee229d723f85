"""Reads a pickle as plain data: nothing is imported, nothing is called.

What a pickle would create by a call is kept as `Call`, what it would import as `Name`; who reads
it decides what they mean. So a hostile file can only be wrong.
"""

from __future__ import annotations

import pickletools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bugsieve.base.allowances import take_memory, take_work


class PickleError(ValueError):
    """The bytes are not a pickle, or one with more than data in it."""


@dataclass(frozen=True)
class Name:
    """A name that would be imported."""

    module: str
    name: str

    def __str__(self) -> str:
        return f"{self.module}.{self.name}"


@dataclass(eq=False)
class Call:
    """A function that would be called; items that were put into the result are kept with it."""

    function: Any
    arguments: Any
    items: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Reference:
    """Something stored outside the pickle."""

    target: Any


_MARK = object()
_BYTES_OF_OPERATION = 72  # an empty dictionary and its place on the stack
_WORK_OF_OPERATION = 4


def read_pickle(data: bytes) -> Any:
    """The object in a pickle."""
    machine = _Machine()
    try:
        for opcode, argument, _ in pickletools.genops(data):
            take_memory(_BYTES_OF_OPERATION)
            take_work(_WORK_OF_OPERATION)
            if opcode.name == "STOP":
                return machine.pop()
            machine.run(opcode.name, argument)
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError) as error:
        raise PickleError(str(error)) from None
    raise PickleError("it has no end")


class _Machine:
    """The stack and the memory of a pickle."""

    def __init__(self) -> None:
        self._stack: list[Any] = []
        self._memory: dict[int, Any] = {}

    def run(self, name: str, argument: Any) -> None:
        # The operations listed here are all there are: one that could import or call has no entry
        # that does so.
        if name in _IGNORED:
            return
        if name in _LITERALS:
            self._stack.append(argument)
        elif name in _CONSTANTS:
            self._stack.append(_CONSTANTS[name]())
        elif name in _PUTS:
            self._memory[len(self._memory) if argument is None else argument] = self._stack[-1]
        elif name in _GETS:
            self._stack.append(self._memory[argument])
        elif name in _ACTIONS:
            _ACTIONS[name](self, argument)
        else:
            raise PickleError(f"the operation {name} is not read")

    def pop(self) -> Any:
        value = self._stack.pop()
        if value is _MARK:
            raise PickleError("a mark is in the wrong place")
        return value

    def marked(self) -> list[Any]:
        values: list[Any] = []
        while (value := self._stack.pop()) is not _MARK:
            values.append(value)
        return values[::-1]

    def mark(self, _: Any) -> None:
        self._stack.append(_MARK)

    def tuple_of(self, count: int) -> None:
        self._stack.append(tuple([self.pop() for _ in range(count)][::-1]))

    def marked_tuple(self, _: Any) -> None:
        self._stack.append(tuple(self.marked()))

    def extend(self, values: list[Any]) -> None:
        target = self._stack[-1]
        if not isinstance(target, list):
            raise PickleError("something is appended to what is no list")
        target.extend(values)

    def store(self, values: list[Any]) -> None:
        target = self._stack[-1]
        items = target.items if isinstance(target, Call) else target
        if not isinstance(items, dict) or len(values) % 2:
            raise PickleError("something is put into what is no dictionary")
        for key, value in zip(values[::2], values[1::2], strict=True):
            # Names of tensors are text, and what optimisers keep by number is not needed. Other
            # keys might not be hashable, or compare in ways of their own.
            if not isinstance(key, str | int):
                raise PickleError("a key is no text")
            if isinstance(key, str):
                items[key] = value

    def name(self, argument: Any) -> None:
        # pickletools hands over both words as one text.
        module, _, name = argument.partition(" ")
        self._stack.append(Name(module, name))

    def stacked_name(self, _: Any) -> None:
        name, module = self.pop(), self.pop()
        if not isinstance(module, str) or not isinstance(name, str):
            raise PickleError("a name is no text")
        self._stack.append(Name(module, name))

    def call(self, _: Any) -> None:
        arguments, function = self.pop(), self.pop()
        self._stack.append(Call(function, arguments))

    def drop(self, _: Any) -> None:
        self.pop()

    def refer(self, _: Any) -> None:
        self._stack.append(Reference(self.pop()))


_IGNORED = {"PROTO", "FRAME"}
_LITERALS = {
    *("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT"),
    *("BINUNICODE", "SHORT_BINUNICODE", "BINUNICODE8", "BINBYTES", "SHORT_BINBYTES"),
}
_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list,
    "EMPTY_DICT": dict,
}
_PUTS = {"BINPUT", "LONG_BINPUT", "MEMOIZE"}
_GETS = {"BINGET", "LONG_BINGET"}
_ACTIONS: dict[str, Callable[[_Machine, Any], None]] = {
    "MARK": _Machine.mark,
    "TUPLE": _Machine.marked_tuple,
    "TUPLE1": lambda machine, _: machine.tuple_of(1),
    "TUPLE2": lambda machine, _: machine.tuple_of(2),
    "TUPLE3": lambda machine, _: machine.tuple_of(3),
    "APPEND": lambda machine, _: machine.extend([machine.pop()]),
    "APPENDS": lambda machine, _: machine.extend(machine.marked()),
    "SETITEM": lambda machine, _: machine.store([machine.pop(), machine.pop()][::-1]),
    "SETITEMS": lambda machine, _: machine.store(machine.marked()),
    "GLOBAL": _Machine.name,
    "STACK_GLOBAL": _Machine.stacked_name,
    "REDUCE": _Machine.call,
    "BUILD": _Machine.drop,  # the state that it would set is not needed
    "BINPERSID": _Machine.refer,
    "POP": _Machine.drop,
}
