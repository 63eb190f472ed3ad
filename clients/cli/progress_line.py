"""How far a long piece of work has come, in one line that is drawn again and again; on a terminal alone."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Mapping

from kontor_games.clients.text.terminal import clean

_BAR = 20
_EVERY = 0.2  # seconds
_WINDOW = 10.0  # seconds over which the rate is taken, so that it tells about now


class ProgressLine:
    """Files, rate, time left and what was found so far."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._is_shown = sys.stderr.isatty()
        self._drawn = 0.0
        self._begun = time.monotonic()
        self._marks = [(self._begun, 0)]  # when how many were done

    def draw(self, done: int, found: Mapping[str, int], total: int | None = None) -> None:
        """Show this, at most a few times a second; another total begins another piece of work."""
        now = time.monotonic()
        if not self._is_shown or now - self._drawn < _EVERY:
            return
        self._drawn = now
        if total is not None and total != self._total:
            self._total, self._marks = total, [(now, done)]
        self._marks.append((now, done))
        while len(self._marks) > 2 and now - self._marks[1][0] > _WINDOW:
            del self._marks[0]
        since, before = self._marks[0]
        rate = (done - before) / max(now - since, 0.001)
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r\x1b[K{progress_text(done, self._total, rate, found)[:width]}")
        sys.stderr.flush()

    def whole(self, done: int) -> str:
        """How long all of it took, and the rate, for whoever plans the next run."""
        seconds = time.monotonic() - self._begun
        return f"{duration(seconds)}, {_speed(done / max(seconds, 0.001))}"

    def wipe(self) -> None:
        """Leave the line to something else."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = 0.0

    def warn(self, words: str) -> None:
        """Say something beside the progress."""
        self.wipe()
        sys.stderr.write(f"kontor: {clean(words)}\n")


def progress_text(done: int, total: int, rate: float, found: Mapping[str, int]) -> str:
    """The line itself."""
    full = _BAR * done // max(total, 1)
    parts = [f"[{'#' * full}{'.' * (_BAR - full)}] {done:,} of {total:,} files"]
    if rate > 0:
        parts.append(f"{_speed(rate)}, {duration((total - done) / rate)} left")
    parts += [f"{count:,} {verdict}" for verdict, count in sorted(found.items()) if count]
    return "  ".join(parts)


def _speed(rate: float) -> str:
    return f"{rate:,.0f}/s" if rate >= 10 else f"{rate:.1f}/s"


def duration(seconds: float) -> str:
    """A time in words of one or two units."""
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02} min"
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"
