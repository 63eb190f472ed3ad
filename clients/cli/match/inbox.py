"""What a client waits for, in one queue: lines that a person types and events of the node."""

from __future__ import annotations

import codecs
import os
import queue
import select
import sys
import threading
from collections import deque
from collections.abc import Iterable

from kontor_games.clients.text.terminal import Terminal, clean
from kontor_games.clients.values import Data

EOF: Data = {"kind": "eof"}


class Inbox:
    """Lines (texts) and events (dicts), in the order in which they came; safe for all threads."""

    def __init__(self) -> None:
        self._queue: queue.Queue[str | Data] = queue.Queue()
        self._again: deque[str | Data] = deque()  # taken and given back by the reader
        self._reader: threading.Thread | None = None
        self._wake: int | None = None  # can be read once its other end is closed
        self._waker: int | None = None

    def put(self, item: str | Data) -> None:
        """Something happened."""
        self._queue.put(item)

    def give_back(self, items: Iterable[str | Data]) -> None:
        """The reader has no use for these yet: they come first the next time, so that the order stays."""
        self._again.extendleft(reversed(list(items)))

    def get(self, seconds: float | None = None) -> str | Data | None:
        """The next line or event, None if nothing came in time."""
        if self._again:
            return self._again.popleft()
        try:
            return self._queue.get(timeout=seconds)
        except queue.Empty:
            return None

    def listen(self) -> None:
        """Begin to read lines; nothing of the person's typing is lost between two questions."""
        if self._reader is None:
            if sys.platform != "win32":  # there, only sockets can be waited for together
                self._wake, self._waker = os.pipe()
            self._reader = threading.Thread(target=self._read, name="stdin", daemon=True)
            self._reader.start()

    def hush(self) -> None:
        """Read no more lines: the keyboard is somebody else's from here on."""
        if self._waker is not None and self._reader is not None:
            os.close(self._waker)
            self._waker = None
            self._reader.join()

    def _read(self) -> None:
        # The bare descriptor: a thread that dies inside Python's buffered reader would spoil the exit.
        wake = self._wake
        decode = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")("replace").decode
        rest = ""
        while True:
            try:
                if wake is not None and wake in select.select([0, wake], [], [])[0]:
                    return
                data = os.read(0, 4096)
            except OSError:
                data = b""
            rest += decode(data, not data)
            *lines, rest = rest.split("\n")
            for line in lines:
                self.put(clean(line.strip()))
            if not data:
                if rest:
                    self.put(clean(rest.strip()))
                self.put(EOF)
                return


class LineTerminal(Terminal):
    """A terminal whose prompt is open while the world goes on: what is told in between stands above it."""

    def __init__(self, inbox: Inbox) -> None:
        super().__init__()
        self.inbox = inbox
        self.types = sys.stdin.isatty()  # a person types; otherwise a script
        self._open = ""  # the prompt that stands at the end of the last line

    def print(self, text: str = "", end: str = "\n") -> None:
        """Print a line; an open prompt is left standing in its own."""
        if self._open:
            self._open = ""
            super().print()
        super().print(text, end)

    def prompt(self, text: str) -> None:
        """Ask for a line; the same prompt is not asked twice in a row."""
        if self._open != text:
            self.print(text, end="")
            self._open = text

    def answered(self, line: str) -> None:
        """A line was typed: after a prompt a script's answer is shown, a person's is on the screen already."""
        if self._open and not self.types:
            Terminal.print(self, line)
        self._open = ""

    def ask(self, prompt: str) -> str | None:
        """One line, None when there will be none; events wait until it is answered."""
        self.prompt(prompt)
        waiting: list[str | Data] = []
        while True:
            item = self.inbox.get()
            if isinstance(item, str):
                self.answered(item)
                self.inbox.give_back(waiting)
                return item
            if item is None or item["kind"] in ("eof", "stopped"):
                self.print()
                self.inbox.give_back([*waiting, item] if item else waiting)
                return None
            waiting.append(item)
