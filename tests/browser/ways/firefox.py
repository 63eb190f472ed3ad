"""A real headless Firefox, driven through its own Marionette protocol: it needs no driver besides the browser.

A message is its length, a colon and JSON: `[0, id, command, parameters]` asks, `[1, id, error, result]` answers.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from ..driver import BrowserError, Page, free_port

START_SECONDS = 90.0
PREFERENCES = {
    "app.update.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.enabled": False,
}


def program() -> str | None:
    """Firefox, if this machine has it."""
    return shutil.which("firefox-esr") or shutil.which("firefox")


class Firefox(Page):
    """One window with an empty profile."""

    def __init__(self, width: int = 1280, height: int = 800) -> None:
        found = program()
        if found is None:
            raise BrowserError("there is no Firefox on this machine")
        self._profile = tempfile.mkdtemp(prefix="kontor-firefox-")
        port = free_port()
        lines = [
            f"user_pref({json.dumps(name)}, {json.dumps(value)});"
            for name, value in {**PREFERENCES, "marionette.port": port}.items()
        ]
        Path(self._profile, "user.js").write_text("\n".join(lines), encoding="utf-8")
        arguments = ["--headless", "--marionette", "--no-remote", f"--width={width}", f"--height={height}"]
        self._process = subprocess.Popen(
            [found, *arguments, "--profile", self._profile], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        self._number = 0
        self._buffer = b""
        self._socket: socket.socket | None = None
        try:
            self._socket = self._reach(port)
            self._read()  # it says which protocol it speaks
            self._ask("WebDriver:NewSession", {})
            self._ask("WebDriver:SetWindowRect", {"width": width, "height": height})
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Firefox:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the window."""
        if self._socket is not None:
            self._socket.close()
        self._process.terminate()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait(10)
        shutil.rmtree(self._profile, ignore_errors=True)

    def open(self, url: str) -> None:
        """Go to an address."""
        self._ask("WebDriver:Navigate", {"url": url})

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script in the page."""
        return self._ask("WebDriver:ExecuteScript", {"script": script, "args": list(arguments)})["value"]

    def point(self, x: float, y: float) -> None:
        """A click of a real mouse at a point of the window."""
        actions = [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y), "origin": "viewport"},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        mouse = {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": actions}
        self._ask("WebDriver:PerformActions", {"actions": [mouse]})

    def _reach(self, port: int) -> socket.socket:
        until = time.monotonic() + START_SECONDS
        while True:
            with contextlib.suppress(OSError):
                return socket.create_connection(("127.0.0.1", port), timeout=120)
            if self._process.poll() is not None or time.monotonic() > until:
                raise BrowserError("Firefox did not start")
            time.sleep(0.1)

    def _ask(self, command: str, parameters: dict[str, Any]) -> Any:
        assert self._socket is not None
        self._number += 1
        message = json.dumps([0, self._number, command, parameters]).encode()
        self._socket.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self._read()
        assert number == self._number
        if error is not None:
            raise BrowserError(f"{error['error']}: {error['message']}")
        return result

    def _read(self) -> Any:
        assert self._socket is not None
        while b":" not in self._buffer:
            self._receive()
        head, _, self._buffer = self._buffer.partition(b":")
        while len(self._buffer) < int(head):
            self._receive()
        body, self._buffer = self._buffer[: int(head)], self._buffer[int(head) :]
        return json.loads(body)

    def _receive(self) -> None:
        assert self._socket is not None
        got = self._socket.recv(65536)
        if not got:
            raise BrowserError("Firefox has gone away")
        self._buffer += got
