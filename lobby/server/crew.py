"""This process as one of several that are one lobby: its heartbeat, the lease, the people of those that died.

The decisions are in lobby/commands/processes.py; here is when they are asked for. On a store that this process has to
itself there is nobody else: it always leads, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from msgspec.structs import replace
from twisted.logger import Logger

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.commands.processes import ALIVE, Replaced, beat, leave, led, left_behind, why_not_join
from kontor_games.lobby.commands.sign_in import gone
from kontor_games.lobby.model.codes import new_id
from kontor_games.lobby.model.records import ProcessRecord
from kontor_games.lobby.settings.config import Config

from .jobs import Job, Jobs, R

NO_ADDRESS: Final = (
    "this process of the lobby has no address of its own, so nobody would find the relay; its operators can set one"
)
WAIT_FOR_NAME: Final = 0.5
LOOK_EVERY: Final = 30  # sweeps after which people left behind are looked for, whatever we heard
_log = Logger(namespace="kontor.lobby")


class Crew:
    """The processes of one lobby, as this one knows them."""

    def __init__(self, config: Config, jobs: Jobs, key: bytes, is_shared: bool) -> None:
        self.leads = not is_shared
        self.others: tuple[ProcessRecord, ...] = ()
        self.is_shared = is_shared
        self.on_replaced: Callable[[str], None] = lambda reason: None  # another process has our name: end
        self.on_moved: Callable[[], None] = lambda: None  # other addresses of this lobby are known now
        self._must_look = True  # whether a process may have died since we last looked for its people
        self._sweeps = 0
        self._jobs = jobs
        self._me = ProcessRecord(config.process, new_id(), config.address, key, jobs.now if is_shared else 0, 0)

    def addresses(self) -> tuple[str, ...]:
        """Where else nodes reach this lobby."""
        return tuple(other.address for other in self.others if other.address)

    def why_not_relay(self) -> str | None:
        """Why nobody would find the way to this process's relay, or None."""
        return NO_ADDRESS if self.others and not self._me.address else None

    async def join(self, address: str) -> None:
        """Become one of the lobby's processes; ConfigError says why not."""
        if not self.is_shared:
            return
        self._me = replace(self._me, address=address)
        waited = 0.0
        while (reason := await why_not_join(self._jobs.work(), self._me)) is not None:
            if waited > ALIVE / 1000 + 1:
                raise ConfigError(reason)
            # It may be what we were before a crash: its record runs out by itself.
            await self._jobs.sleep(WAIT_FOR_NAME)
            waited += WAIT_FOR_NAME
        await self._hear()

    async def beat(self) -> bool:
        """Say that we live; whether the people here must be brought up to date."""
        return await self._hear() if self.is_shared else False

    async def _hear(self) -> bool:
        try:
            heard = await self._jobs.run(partial(beat, me=self._me))
        except Replaced as error:
            self.on_replaced(str(error))
            raise
        if heard.leads != self.leads:
            _log.info("leads" if heard.leads else "leads no longer", process=self._me.name)
        if heard.leads and not self.leads:
            self._must_look = True
        if {(other.name, other.run) for other in heard.others} != {(other.name, other.run) for other in self.others}:
            self._must_look = True
            _log.info("processes", others=", ".join(other.name for other in heard.others) or "none")
        addresses = self.addresses()
        self.leads, self.others = heard.leads, heard.others
        if addresses != self.addresses():
            self.on_moved()
        return heard.has_lapsed

    def led(self, job: Job[R]) -> Job[Any]:
        """The job, done only while the lease is ours."""
        return partial(led, me=self._me, job=job) if self.is_shared else job

    async def adopt(self) -> None:
        """The people of processes that died are away now; their places are kept as usual."""
        self._sweeps += 1
        if not self.is_shared or not self.leads or not (self._must_look or self._sweeps % LOOK_EVERY == 0):
            return
        left = await left_behind(self._jobs.work(), self._me)
        self._must_look = False
        if left:
            _log.info("people of a process that ended", people=len(left))
        await self._jobs.run_all(self.led(partial(gone, key=one.key, session=one.session)) for one in left)

    async def leave(self) -> None:
        """End in order."""
        if self.is_shared:
            await self._jobs.run(partial(leave, me=self._me))
