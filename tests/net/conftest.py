"""Every test of this room is watched: nothing may be left behind in the reactor."""

from tests.guard import nothing_left_behind

__all__ = ["nothing_left_behind"]
