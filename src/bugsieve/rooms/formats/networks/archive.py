"""Zip files of others, whose contents are bounded before anything is unpacked."""

from __future__ import annotations

import io
import lzma
import struct
import zipfile
import zlib

from bugsieve.base.allowances import take_memory
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.networks.network import MAX_BYTES, check_length, shortened

_MAX_MEMBERS = 10_000
_WRONG = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    RuntimeError,  # encrypted, or an unknown compression
    EOFError,
    OSError,
    ValueError,
    LookupError,
    OverflowError,
)


def unpack(file: str, data: bytes, kind: str) -> dict[str, bytes]:
    """The members of a zip file by name; `kind` says what was expected."""
    if not data.startswith(b"PK"):
        raise InputError(f"{file}: is no {kind} file, which would begin with 'PK'")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_sizes(file, archive)
            take_memory(sum(info.file_size for info in archive.infolist()))
            check_length(file, archive.namelist())
            return {info.filename: _member(file, archive, info) for info in archive.infolist()}
    except _WRONG as error:
        raise InputError(f"{file}: is truncated or damaged ({shortened(error)})") from None


def _check_sizes(file: str, archive: zipfile.ZipFile) -> None:
    infos = archive.infolist()
    if len(infos) > _MAX_MEMBERS or sum(info.file_size for info in infos) > MAX_BYTES:
        raise InputError(
            f"{file}: unpacks to more than {MAX_BYTES >> 20} MiB or {_MAX_MEMBERS} parts"
        )


def _member(file: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as member:
        # No more than was promised: the sizes in the directory are what was checked, and the data
        # may say otherwise.
        data = member.read(info.file_size)
    if len(data) != info.file_size:
        raise InputError(f"{file}: part {info.filename!r} is truncated")
    return data
