"""The argument parser of every command: errors are sentences, and no option is guessed."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

from bugsieve.base.errors import UsageError
from bugsieve.base.names import suggest
from bugsieve.commands.shared.streams import show

_WORDINGS = {
    ": must ": " must ",
    ": expected one argument": " must be followed by a value",
    ": ignored explicit argument ": " takes no value, got ",
}
"""From argparse's "argument --seed: …" to a sentence about `--seed`."""


class HelpText(argparse.HelpFormatter):
    """Wraps a text that is one line; lines that are already broken stay as they are."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """Raises UsageError instead of ending the process, and knows no abbreviations."""

    words: Sequence[str] = ()
    """What was last parsed."""
    unknown_hint = ""
    """What a command has to add about unknown options."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        ours = {"allow_abbrev": False, "formatter_class": HelpText}
        super().__init__(*args, **{**ours, **settings})

    def runs(
        self,
        command: Callable[[argparse.Namespace], int],
        description: str,
        *,
        epilog: str | None = None,
    ) -> None:
        """Make this the parser of a command, with a help that says what it does."""
        self.description, self.epilog = description, epilog
        self.set_defaults(run=command)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse; remembers the words, for commands that read them again."""
        self.words = list(args or ())
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Say what is wrong with the arguments, and where help is."""
        for theirs, ours in _WORDINGS.items():
            if message.startswith("argument ") and theirs in message:
                message = message.removeprefix("argument ").replace(theirs, ours, 1)
        raise UsageError(f"{message}; see '{self.prog} --help'")

    def refuse(self, argument: str) -> NoReturn:
        """Say that there is no such argument."""
        given = argument.partition("=")[0]
        nearest = suggest(given, self._option_string_actions)
        self.error(f"unknown argument {given!r}{nearest}{self.unknown_hint}")

    def refuse_unknown_options(self, words: Iterable[str]) -> None:
        """Refuse a mistyped option by its name, before argparse misses the one that was meant.

        Words from the first positional one on are left alone if another parser reads them.
        """
        hands_over = any(action.nargs == argparse.PARSER for action in self._actions)
        rest = iter(words)
        for word in rest:
            name, equals, _ = word.partition("=")
            if word == "--" or (hands_over and not word.startswith("-")):
                return
            action = self._option_string_actions.get(name)
            if action is None and name.startswith("--") and " " not in name:
                self.refuse(word)
            if action is not None and action.nargs != 0 and not equals:
                next(rest, None)

    def _print_message(self, message: str, file: object = None) -> None:
        """Print help; argparse itself would swallow a full disk."""
        show(message.removesuffix("\n"))
