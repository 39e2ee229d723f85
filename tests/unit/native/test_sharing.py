"""Work that threads of the core share: all of it is done, and ends when it must."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
DRIVER = Path(__file__).with_name("sharing.cpp")


def compiled(folder: Path, *options: str) -> Path | None:
    """The driver with native/basis/threads.cpp; None where the compiler does not know options."""
    compiler = shutil.which("c++") or shutil.which("g++")
    if compiler is None:
        pytest.skip("there is no C++ compiler")
    made = folder / "sharing"
    sources = [str(DRIVER), str(ROOT / "native" / "basis" / "threads.cpp")]
    command = [compiler, "-std=c++20", "-O1", "-g", "-pthread", f"-I{ROOT / 'native'}", *options]
    done = subprocess.run([*command, *sources, "-o", str(made)], capture_output=True, text=True)
    assert done.returncode == 0 or options, done.stderr
    return made if done.returncode == 0 else None


def test_threads_share_items(tmp_path: Path) -> None:
    """Under the sanitizer of threads where there is one."""
    driver = compiled(tmp_path, "-fsanitize=thread") or compiled(tmp_path)
    assert driver is not None
    done = subprocess.run([str(driver)], capture_output=True, text=True, timeout=120)
    if "unexpected memory mapping" in done.stderr:  # of the sanitizer, which this kernel refuses
        driver = compiled(tmp_path)
        done = subprocess.run([str(driver)], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
