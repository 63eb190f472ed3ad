"""A lock on an open file that dies with its process."""

from __future__ import annotations

import sys
import time
from typing import BinaryIO

if sys.platform == "win32":
    import msvcrt

    _FAR = 0x7FFF_0000  # Windows locks bytes against reading too; lock one that no file of ours has

    def try_lock(file: BinaryIO) -> bool:
        """Take the lock if nobody has it."""
        position = file.tell()
        try:
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(position)
        return True

    def is_held(file: BinaryIO) -> bool:
        """Whether somebody has the lock; who only looks has it for a moment, so look again before believing it."""
        for _ in range(5):
            if try_lock(file):
                return False
            time.sleep(0.01)
        return True

else:
    import fcntl

    def try_lock(file: BinaryIO) -> bool:
        """Take the lock if nobody has it."""
        return _flock(file, fcntl.LOCK_EX)

    def is_held(file: BinaryIO) -> bool:
        """Whether somebody has the lock; any number may look at once without seeing each other."""
        return not _flock(file, fcntl.LOCK_SH)

    def _flock(file: BinaryIO, how: int) -> bool:
        try:
            fcntl.flock(file.fileno(), how | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
