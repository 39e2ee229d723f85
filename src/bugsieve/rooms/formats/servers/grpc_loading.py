"""gRPC, if it is there; only policy servers need it."""

from __future__ import annotations

import os
from typing import Any

from bugsieve.base.errors import UsageError

PIP_COMMAND = "pip install 'bugsieve[grpc]'"


def load_grpc() -> Any:
    """The module `grpc`; UsageError, with what to do about it, where it cannot be imported."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # its core logs to the terminal by itself
    try:
        import grpc
    except ImportError as error:
        reason = " ".join(str(error).split())
        raise UsageError(
            f"policy servers need gRPC, which cannot be imported ({reason}): {PIP_COMMAND}"
        ) from None
    return grpc
