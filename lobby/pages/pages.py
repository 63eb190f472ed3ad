"""The pages of one lobby process: made of their parts, opened, closed."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, cast
from urllib.parse import urlsplit

from twisted.internet.defer import Deferred, maybeDeferred
from twisted.internet.task import LoopingCall
from twisted.internet.threads import deferToThreadPool
from twisted.logger import Logger
from twisted.protocols.tls import TLSMemoryBIOFactory

from kontor_games.engine import game_ids
from kontor_games.engine import load as load_game
from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.model.work import Work
from kontor_games.lobby.settings.config import Config
from kontor_games.net.archive.judge_identity import identity_mark, judge_identity
from kontor_games.net.archive.verdict_cache import VerdictCache
from kontor_games.net.record.verify import Report
from kontor_games.net.system.buckets import Rate
from kontor_games.net.wire.address import join_address, own_addresses

from . import replay_pack
from .kit import PageKit
from .page_workers import PageWorkers
from .pages_certificate import PagesCertificate
from .pages_door import PagesDoor
from .pages_site import LobbyFacts, PagesSite
from .prepared_replays import PreparedReplays
from .public_hall import PublicHall
from .published_files import EVERY, PublishedFiles, why_not_verified, why_not_whole
from .replay_desk import ReplayDesk
from .shown_ladder import LadderFolder
from .told_matches import MatchTeller
from .visitor import Proxies
from .web_files import WebFiles

PATIENCE: Final = 4  # times the processor's seconds: so long a file may take by the clock
NO_KIT: Final = "pages need the files of the web client, which are not installed here"
_ANY: Final = ("", "0.0.0.0", "::")  # noqa: S104 - compared, not listened on
_log = Logger(namespace="kontor.lobby.pages")


class Pages:
    """Serves the pages of a lobby until it is closed."""

    def __init__(self, reactor: Any, config: Config, kit: PageKit | None, work: Callable[[], Work]) -> None:
        if kit is None:
            raise ConfigError(NO_KIT)
        settings = self._settings = config.pages
        self._reactor, self._config = reactor, config
        self._web = WebFiles(kit.web)
        self._titles = {id: load_game(id).title for id in game_ids()}
        cpu = settings.cpu_seconds
        self._workers = PageWorkers(reactor, settings.workers, kit.worker, PATIENCE * cpu, cpu)
        folder = config.directory / "pages"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        judge = identity_mark(judge_identity())
        self._cache = VerdictCache(folder / "verdicts.db", judge)
        self._shelves: list[PublishedFiles] = []
        self._ladder: LadderFolder | None = None
        if settings.files:
            self._add_shelf(Path(settings.files), why_not_whole)
        ladder = Path(settings.ladder) if settings.ladder else config.directory / "ladder" / "published"
        if settings.ladder or ladder.is_dir():
            self._ladder = LadderFolder(ladder, self._titles)
            self._add_shelf(self._ladder.files, why_not_verified)
        prepared = PreparedReplays(folder / "replays", _mark(judge, kit.mark), settings.cache_bytes)
        self._desk = ReplayDesk(reactor, self._workers, prepared)
        self._hall = PublicHall(reactor, work, self._titles)
        self._looking: Any = LoopingCall(self._look)
        self._looking.clock = reactor
        self._certificate: PagesCertificate | None = None
        self._site: PagesSite | None = None
        self._door: PagesDoor | None = None
        self._port: Any = None

    def _add_shelf(self, folder: Path, why_not: Callable[[Report], str | None]) -> None:
        most = self._settings.max_files
        self._shelves.append(PublishedFiles(self._reactor, folder, most, self._workers, self._cache, why_not))

    async def open(self, endpoint: Any, lobby_port: int, fingerprint: str) -> int:
        """Listen; the port."""
        settings = self._settings
        later = _Later()
        factory: Any = later
        if settings.certificate:
            self._certificate = PagesCertificate(settings.certificate, settings.private_key)
            factory = TLSMemoryBIOFactory(cast(Any, self._certificate), False, factory)
        self._port = await endpoint.listen(factory)
        port: int = self._port.getHost().port
        hosts = self._hosts(port)
        scheme = "https" if settings.certificate else "http"
        base = settings.url.rstrip("/") or f"{scheme}://{hosts[0]}"
        address = join_address(str(urlsplit(base).hostname), lobby_port)
        site = self._site = PagesSite(
            LobbyFacts(self._config.title, address, fingerprint),
            self._web,
            self._hall,
            self._shelves,
            self._desk,
            MatchTeller(self._titles, self._config.title, base),
            self._ladder,
        )
        rate = Rate(settings.requests_per_second, settings.requests_burst)
        is_strict = base.startswith("https://")
        self._door = PagesDoor(
            self._reactor, site, Proxies(settings.proxies), rate, settings.max_connections, is_strict
        )
        self._door.listening(hosts)
        later.door = self._door
        if self._shelves:
            self._looking.start(EVERY)
        return port

    def read_certificate(self) -> None:
        """Take the certificate as its files are now; ConfigError, and nothing has changed, if they cannot be used."""
        if self._certificate is not None:
            self._certificate.read_again()

    def rename(self, title: str) -> None:
        """The lobby has another title now."""
        if self._site is not None:
            self._site.rename(title)

    async def close(self) -> None:
        """Serve nobody any more."""
        if self._looking.running:
            self._looking.stop()
        if self._port is not None:
            await maybeDeferred(self._port.stopListening)
        if self._door is not None:
            self._door.stop()
        self._workers.close()
        self._cache.close()

    def _look(self) -> Any:
        return Deferred.fromCoroutine(self._look_at_all()).addErrback(
            lambda failure: None if self._workers.is_closed else _log.failure("published files", failure=failure)
        )

    async def _look_at_all(self) -> None:
        if self._ladder is not None:
            try:
                await deferToThreadPool(self._reactor, self._reactor.getThreadPool(), self._ladder.look)
            except (ValueError, OSError) as error:
                _log.warn("the ladder cannot be shown: {reason}", reason=str(error))
        for shelf in self._shelves:
            await shelf.look()

    def _hosts(self, port: int) -> list[str]:
        """The hosts that a browser may ask for, the one for links first."""
        settings = self._settings
        if settings.url:
            return [urlsplit(settings.url).netloc, *settings.hosts]
        host = settings.listen.rpartition(":")[0].strip("[]")
        own = own_addresses() if host in _ANY else [host]
        names = [*(address for address in own if address), "localhost", "127.0.0.1", "::1"]
        return [*(join_address(name, port) for name in dict.fromkeys(names)), *settings.hosts]


class _Later:
    """A factory for connections that come before the door is made, which are closed, and after it."""

    noisy = False
    door: PagesDoor | None = None

    def doStart(self) -> None: ...

    def doStop(self) -> None: ...

    def buildProtocol(self, addr: Any) -> Any:
        """Somebody has connected."""
        return None if self.door is None else self.door.buildProtocol(addr)


def _mark(judge: bytes, words: bytes) -> str:
    """What prepares replays: with another one of these, they are prepared anew."""
    program = Path(replay_pack.__file__).read_bytes()
    return blake2b(judge + words + blake2b(program).digest(), digest_size=12).hexdigest()
