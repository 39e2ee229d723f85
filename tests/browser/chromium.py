"""A headless Chromium that is driven over the DevTools protocol, with the standard library alone.

The protocol runs over two pipes, messages end in a zero byte, so no websocket is needed.
"""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.depth import IS_DEEP

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
SECONDS = 60.0

LAUNCHER = """
import fcntl, os, sys
pipes = [fcntl.fcntl(int(number), fcntl.F_DUPFD, 10) for number in sys.argv[1:3]]
os.dup2(pipes[0], 3)
os.dup2(pipes[1], 4)
os.execvp(sys.argv[3], sys.argv[3:])
"""
"""Chromium reads commands from file descriptor 3 and answers on 4."""


def require_chromium() -> str:
    """The program; where there is none the test is skipped, or fails in depth."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        report = pytest.fail if IS_DEEP else pytest.skip
        report("needs a Chromium: install it with 'apt-get install chromium'")
    return found


class Page:
    """One page of a browser."""

    def __init__(self, to_browser: int, from_browser: int, process: subprocess.Popen[bytes]):
        self._to, self._from, self._process = to_browser, from_browser, process
        self._unread = b""
        self._number = 0
        self._session: str | None = None
        self.events: list[dict[str, Any]] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Call a method of the protocol and wait for its result."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session and not method.startswith(("Target.", "Browser.")):
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def open(self, path: Path) -> None:
        """Go to a file and wait until it is loaded."""
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        self.wait_until_loaded()

    def wait_until_loaded(self) -> None:
        """Wait until a page that was asked for is there."""
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait_for(self, script: str) -> Any:
        """The value of a promise in the page."""
        options = {"returnByValue": True, "awaitPromise": True}
        answer = self.send("Runtime.evaluate", expression=script, **options)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        for sign in text:
            self.send("Input.dispatchKeyEvent", type="keyDown", key=sign, text=sign)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=sign)

    def press(self, key: str, *, shift: bool = False) -> None:
        """Press a key that types nothing, such as Tab."""
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "ArrowDown": 40, "ArrowUp": 38}
        codes |= {"ArrowLeft": 37, "ArrowRight": 39}
        text = {"Enter": "\r", " ": " "}.get(key)
        down: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": codes[key]}
        down["modifiers"] = 8 if shift else 0
        kind = "keyDown" if text else "rawKeyDown"
        self.send("Input.dispatchKeyEvent", type=kind, **down, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **down)

    def resize(self, width: int, height: int) -> None:
        """Give the page a size."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **size)

    def prefer(self, scheme: str) -> None:
        """Light or dark."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.send("Emulation.setEmulatedMedia", features=features)

    def media(self, name: str) -> None:
        """How the page is shown: "print", or "" for screens."""
        self.send("Emulation.setEmulatedMedia", media=name)

    def screenshot(self, path: Path) -> None:
        """The whole page as a picture."""
        shot = self.send("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(shot["data"]))

    def complaints(self) -> list[str]:
        """What the console, uncaught errors and the log have said since the page was opened."""
        self.run("0")
        kinds = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [json.dumps(event) for event in self.events if event.get("method") in kinds]

    def requests(self) -> list[str]:
        """The addresses that the page has asked for."""
        wanted = "Network.requestWillBeSent"
        sent = [event for event in self.events if event.get("method") == wanted]
        return [event["params"]["request"]["url"] for event in sent]

    def _receive(self) -> dict[str, Any]:
        deadline = time.monotonic() + SECONDS
        while b"\0" not in self._unread:
            ready, _, _ = select.select([self._from], [], [], deadline - time.monotonic())
            assert ready, "the browser does not answer"
            data = os.read(self._from, 1 << 20)
            assert data, f"the browser has ended with {self._process.wait()}"
            self._unread += data
        message, _, self._unread = self._unread.partition(b"\0")
        received: dict[str, Any] = json.loads(message)
        return received


@contextmanager
def browser(folder: Path) -> Iterator[Page]:
    """A page of a browser whose profile is in the folder."""
    program = require_chromium()
    read_commands, write_commands = os.pipe()
    read_answers, write_answers = os.pipe()
    options = ["--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu"]
    options += ["--disable-dev-shm-usage", "--no-first-run", f"--user-data-dir={folder}"]
    pipes = (read_commands, write_answers)
    process = subprocess.Popen(
        [sys.executable, "-c", LAUNCHER, *map(str, pipes), program, *options],
        pass_fds=pipes,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(read_commands)
    os.close(write_answers)
    try:
        yield Page(write_commands, read_answers, process)
    finally:
        os.close(write_commands)
        process.terminate()
        process.wait(timeout=SECONDS)
        os.close(read_answers)
