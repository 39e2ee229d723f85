"""Asks whether a policy may be started that only a file names."""

from __future__ import annotations

import argparse
import sys

from bugsieve.base.trust.trust import Consent, agree
from bugsieve.commands.shared.streams import complain


def consent_of(args: argparse.Namespace) -> Consent:
    """Who answers for the command: its option, or the user at the terminal."""
    return agree if getattr(args, "trust_policy", False) else ask_on_terminal


def ask_on_terminal(question: str) -> bool:
    """Show the question and wait for the answer; no where nobody is there to give it."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    complain(f"bugsieve: {question}\nstart it, now and in future? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
