"""Fingerprints, by which a campaign notices that a policy is not the one it began with."""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib.machinery import PathFinder

from bugsieve.base.files_and_processes.derived_data import content_key
from bugsieve.base.registry.spec_folder import spec_folder


class Fingerprinted:
    """Base of policies that know their spec."""

    spec: str

    def fingerprint(self) -> str:
        """Equal for equal policies: the spec, or a hash where files or numbers count as well."""
        return self.spec


def policy_fingerprint(policy: object) -> str:
    """The fingerprint of any policy; of an object of the user's own that has none, its class."""
    own = getattr(policy, "fingerprint", None)
    if callable(own):
        return str(own())
    kind = type(policy)
    return f"object {kind.__module__}.{kind.__qualname__}"


def network_key(policy: object) -> str | None:
    """The hash of all that a network decides by, in any file; None if it is not a network.

    Ids of bugs have it in the place of the spec.
    """
    own = getattr(policy, "network_key", None)
    return str(own()) if callable(own) else None


def earlier_spec(policy: object, fingerprint: str) -> str | None:
    """Return the spec of what the policy's own spec meant when it had this fingerprint.

    None if it means the same today, or if what it names has changed.
    """
    own = getattr(policy, "earlier_spec", None)
    found: str | None = own(fingerprint) if callable(own) else None
    return found


def files_fingerprint(
    spec: str, files: Iterable[str | os.PathLike[str]], *, more: Iterable[str] = ()
) -> str:
    """A hash of the spec, of what the files hold now, and of more; the spec if that is all."""
    contents = [*map(_digest, files), *(text.encode() for text in more)]
    return content_key([spec.encode("utf-8", "surrogateescape"), *contents]) if contents else spec


def module_file(name: str) -> str | None:
    """The source file that importing the module would read; nothing is imported to find it."""
    places: Iterable[str] | None = [spec_folder(), *sys.path]
    origin = None
    for part in name.split("."):
        found = None if places is None else PathFinder.find_spec(part, list(places))
        if found is None:
            return None
        places, origin = found.submodule_search_locations, found.origin
    return origin if origin is not None and os.path.isfile(origin) else None


def _digest(path: str | os.PathLike[str]) -> bytes:
    """The SHA-256 of a file; empty if it cannot be read, as programs may forbid."""
    digest = hashlib.sha256()
    with suppress(OSError), open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
        return digest.digest()
    return b""
