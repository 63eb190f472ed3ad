"""Tests here play or judge sealed matches in this process."""

from tests.worlds.quick_algebra import quick_algebra

__all__ = ["quick_algebra"]
