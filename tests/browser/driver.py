"""A real headless Chromium, driven through the W3C WebDriver protocol; no more of it than the tests need."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
)
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
LOOK_SECONDS, MOST_SECONDS = 0.02, 0.1  # between two looks at a page, at first and at most
KEYS = {
    "Enter": "\ue007",
    "Tab": "\ue004",
    "Left": "\ue012",
    "Up": "\ue013",
    "Right": "\ue014",
    "Down": "\ue015",
    "Escape": "\ue00c",
}


class BrowserError(Exception):
    """The browser refused; its own words."""


def programs() -> tuple[str, str] | None:
    """Chromium and its driver, if this machine has both."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


class Page:
    """What tests ask of a page, whichever browser shows it."""

    def open(self, url: str) -> None:
        """Go to an address."""
        raise NotImplementedError

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script in the page."""
        raise NotImplementedError

    def point(self, x: float, y: float) -> None:
        """A click at a point of the window."""
        raise NotImplementedError

    def has(self, css: str) -> bool:
        """Whether an element fits."""
        return bool(self.run("return document.querySelector(arguments[0]) !== null", css))

    def text(self, css: str) -> str:
        """The text of the first element that fits, empty without one."""
        return str(self.run("return document.querySelector(arguments[0])?.textContent ?? ''", css))

    def wait(self, script: str, *arguments: Any, seconds: float = 60) -> Any:
        """Wait until a script's value is true, and return it."""
        until = time.monotonic() + seconds
        pause = LOOK_SECONDS
        while True:
            value = self.run(script, *arguments)
            if value:
                return value
            if time.monotonic() > until:
                raise AssertionError(f"waited {seconds} s in vain for: {script}\n{self.text('main')[:600]}")
            time.sleep(pause)
            pause = min(1.3 * pause, MOST_SECONDS)  # each look costs the page what it needs to become ready

    def wait_for(self, css: str, seconds: float = 60) -> None:
        """Wait until an element fits."""
        self.wait("return document.querySelector(arguments[0]) !== null", css, seconds=seconds)


class Browser(Page):
    """One window with an empty profile."""

    prefix: tuple[str, ...] = ()  # before the driver's command, to run it elsewhere

    def __init__(self, width: int = 1280, height: int = 900, dark: bool = False, is_trusting: bool = False) -> None:
        found = programs()
        if found is None:
            raise BrowserError("there is no Chromium with chromedriver on this machine")
        self._profile = tempfile.mkdtemp(prefix="kontor-browser-")
        self._port = free_port()
        command = [*self.prefix, found[1], f"--port={self._port}", "--log-level=OFF"]
        self._driver = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self._session = ""
        try:
            self._wait_for_driver()
            arguments = [*FLAGS, f"--user-data-dir={self._profile}", f"--window-size={width},{height}"]
            wanted = {
                "goog:chromeOptions": {"binary": found[0], "args": arguments},
                "acceptInsecureCerts": is_trusting,  # as somebody who has answered the browser's question
                "goog:loggingPrefs": {"browser": "ALL"},
                "timeouts": {"script": 120_000, "pageLoad": 120_000},  # milliseconds: a busy machine takes its time
            }
            answer = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
            self._session = f"/session/{answer['sessionId']}"
            self.resize(width, height, dark)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the window and its driver."""
        if self._session:
            with contextlib.suppress(OSError, BrowserError, http.client.HTTPException):
                self._ask("DELETE", self._session)
            self._session = ""
        self._driver.terminate()
        self._driver.wait(10)
        shutil.rmtree(self._profile, ignore_errors=True)

    # ---- what a person does

    def open(self, url: str) -> None:
        """Go to an address."""
        self._ask("POST", f"{self._session}/url", {"url": url})

    def forget(self) -> None:
        """An empty page in a window that remembers nothing of what was open before."""
        self.open("about:blank")
        self.devtools("Network.clearBrowserCookies", {})
        self.devtools("Network.clearBrowserCache", {})
        self.devtools("Storage.clearDataForOrigin", {"origin": "*", "storageTypes": "all"})
        self.devtools("Emulation.setTouchEmulationEnabled", {"enabled": False})
        self.resize(1280, 900)
        self.complaints()

    def reload(self) -> None:
        """Load the page again."""
        self._ask("POST", f"{self._session}/refresh", {})

    def click(self, css: str) -> None:
        """A real click in the middle of the first element that fits; once more if the page drew it anew meanwhile."""
        try:
            self._click(css)
        except BrowserError as error:
            if "stale element" not in str(error):
                raise
            self._click(css)

    def _click(self, css: str) -> None:
        found = self._ask("POST", f"{self._session}/element", {"using": "css selector", "value": css})
        self._ask("POST", f"{self._session}/element/{found[ELEMENT]}/click", {})

    def press(self, *keys: str) -> None:
        """Press keys one after the other: letters, or names such as Enter and Tab."""
        actions = []
        for key in keys:
            value = KEYS.get(key, key)
            actions += [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        body = {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]}
        self._ask("POST", f"{self._session}/actions", body)

    def point(self, x: float, y: float, touch: bool = False) -> None:
        """A click, or a tap of a finger, at a point of the window; unlike `click` it scrolls nothing into view."""
        kind = "touch" if touch else "mouse"
        actions = [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y), "origin": "viewport"},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        body = {"actions": [{"type": "pointer", "id": kind, "parameters": {"pointerType": kind}, "actions": actions}]}
        self._ask("POST", f"{self._session}/actions", body)

    def resize(self, width: int, height: int, dark: bool = False, scale: float = 1) -> None:
        """Another size of the window, light or dark."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": False}
        self.devtools("Emulation.setDeviceMetricsOverride", metrics)
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.devtools("Emulation.setEmulatedMedia", {"features": scheme})

    # ---- what a test asks

    def run(self, script: str, *arguments: Any) -> Any:
        """The value of a script in the page."""
        return self._ask("POST", f"{self._session}/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script: str, *arguments: Any) -> Any:
        """The value a script hands to its last argument."""
        return self._ask("POST", f"{self._session}/execute/async", {"script": script, "args": list(arguments)})

    def complaints(self) -> list[str]:
        """What the browser's console said since last asked: errors of scripts and of the security policy."""
        entries = self._ask("POST", f"{self._session}/se/log", {"type": "browser"})
        return [entry["message"] for entry in entries if entry["level"] in ("SEVERE", "WARNING")]

    def picture(self, path: Path, clip: tuple[int, int, float] | None = None) -> None:
        """The page as a PNG file; or its upper left part: width, height and scale."""
        parameters: dict[str, Any] = {"format": "png", "captureBeyondViewport": True}
        if clip is not None:
            width, height, scale = clip
            parameters["clip"] = {"x": 0, "y": 0, "width": width, "height": height, "scale": scale}
        taken = self.devtools("Page.captureScreenshot", parameters)
        path.write_bytes(base64.b64decode(taken["data"]))

    def devtools(self, command: str, parameters: dict[str, Any]) -> Any:
        """A command of the browser's own protocol."""
        return self._ask("POST", f"{self._session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    # ---- the wire

    def _wait_for_driver(self) -> None:
        until = time.monotonic() + 20
        while True:
            try:
                if self._ask("GET", "/status")["ready"]:
                    return
            except OSError:
                if time.monotonic() > until:
                    raise
            time.sleep(0.05)

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=150)
        try:
            data = None if body is None else json.dumps(body)
            connection.request(method, path, data, {"Content-Type": "application/json"})
            answer = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(answer, dict) and "error" in answer and "stacktrace" in answer:
            raise BrowserError(f"{answer['error']}: {answer['message'].splitlines()[0]}")
        return answer


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
