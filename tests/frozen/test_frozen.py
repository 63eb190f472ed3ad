"""Files of before open and mean what they meant; nothing that others see has changed."""

from __future__ import annotations

import pytest

from . import facts, schedules
from .__main__ import differences


def test_short_files_of_before_are_judged_as_before() -> None:
    recorded = facts.recorded()
    now = dict(facts.verdicts("hansa*")) | dict(facts.verdicts("evidence*"))
    assert len(now) > 20
    assert now == {name: recorded[name] for name in now}


def test_a_lobby_opens_the_database_of_before() -> None:
    recorded = facts.recorded()
    now = dict(facts.lobby_records())
    assert now and now == {name: recorded[name] for name in now}


def test_sessions_say_what_they_said_in_recorded_schedules() -> None:
    recorded = facts.recorded()
    now = dict(schedules.schedules(count=2 * schedules.BLOCK))
    assert now == {name: recorded[name] for name in now}


@pytest.mark.long
def test_not_a_byte_has_changed() -> None:
    assert not differences()
