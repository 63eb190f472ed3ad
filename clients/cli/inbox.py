"""What a client waits for, in one queue: lines that a person types and news of the node."""

from __future__ import annotations

import codecs
import os
import queue
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable

from .api import Data
from .terminal import Terminal, clean

EOF: Data = {"news": "eof"}


class Inbox:
    """Lines (texts) and news (dicts), in the order in which they came; safe for all threads."""

    def __init__(self) -> None:
        self._queue: queue.Queue[str | Data] = queue.Queue()
        self._again: deque[str | Data] = deque()  # taken and given back by the reader

    def put(self, item: str | Data) -> None:
        """Something happened."""
        self._queue.put(item)

    def give_back(self, items: Iterable[str | Data]) -> None:
        """The reader has no use for these yet: they come first the next time, so that the order stays."""
        self._again.extend(items)

    def get(self, seconds: float | None = None) -> str | Data | None:
        """The next line or news, None if nothing came in time."""
        if self._again:
            return self._again.popleft()
        try:
            return self._queue.get(timeout=seconds)
        except queue.Empty:
            return None

    def listen(self) -> None:
        """Begin to read lines; nothing of the person's typing is lost between two questions."""
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def _read(self) -> None:
        # The bare descriptor: a thread that dies inside Python's buffered reader would spoil the exit.
        decode = codecs.getincrementaldecoder(sys.stdin.encoding or "utf-8")("replace").decode
        rest = ""
        while True:
            try:
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


class Moved(Exception):
    """The match went on while a question was open."""


class NetTerminal(Terminal):
    """A terminal whose questions do not stop the news: they are told above the prompt, which then comes again."""

    def __init__(self, inbox: Inbox) -> None:
        super().__init__()
        self.inbox = inbox
        self.is_left = False  # the person wants to go
        self.on_news: Callable[[Data], bool] | None = None  # True if it printed something; None: news wait

    def ask(self, prompt: str) -> str | None:
        """One line from the player, None when there will be none; raises Moved when the question is out of date."""
        self.print(prompt, end="")
        waiting: list[Data] = []
        try:
            while True:
                item = self.inbox.get()
                if isinstance(item, str):
                    return item
                if item is None or item["news"] in ("eof", "interrupt"):
                    self.is_left = True
                    self.print()
                    return None
                if self.on_news is None:
                    waiting.append(item)
                elif self.on_news(item):
                    self.print(prompt, end="")
        finally:
            self.inbox.give_back(waiting)
