"""Judges on other machines: a Dask cluster that is given batches of files. An adapter.

Batches, because a task of Dask costs about a millisecond and a small file little more; small ones, because a worker
that dies takes its batch with it. The rules, in order:

1. A batch has at most `BATCH_FILES` files and `BATCH_BYTES` bytes. It goes out when it is full, or when nobody else is
   going to come.
2. A file that kills or stops whoever judges it does so to a process beside its worker, which says that it could not be
   judged (`cluster_task.py`). If a worker dies itself (its machine, a memory that is full), Dask runs its batch on
   another one. After some such deaths it gives up, also on batches that only stood in line at those workers. Their
   files are suspects: each goes out alone, and never two at a time, so that what dies with a suspect is no worse than a
   suspect. A file over which Dask gives up twice so is not judged.
3. A worker that judges by other rules, other data or another program answers nothing (`cluster_task.py`). Its batch
   goes to others, it is not asked again, and the driver says so. If no other worker is there, the run stops.
4. An answer may die with the worker that has it, after Dask has said that it is there, and is then made anew. So
   answers are fetched beside the driver, which never waits for one; one that does not come in time is asked for anew.
5. A scheduler that is gone, or a cluster that has been without workers for `LONELY_SECONDS`, ends the run with a
   sentence. What was judged is in the cache.

What travels is our msgpack inside Dask's own messages, which are pickled: whoever can reach the scheduler can run
programs on all its workers. So a cluster belongs on a network of one's own, or behind Dask's TLS (docs/organising.md).
"""

from __future__ import annotations

import asyncio
import logging
import queue
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import resource_tracker
from typing import Any

import msgspec

from kontor_games.engine.errors import ConfigError, StoreError

from .cluster_task import BatchAnswers, OrderBatch, judge_batch
from .judge_identity import differences, judge_identity
from .judge_pool import ENDED, TIME_LIMIT, OrderDone
from .order_pipe import FileOrder

BATCH_FILES = 25
BATCH_BYTES = 128 * 1024  # some sealed files: with larger batches workers wait for the last one
BATCHES_AHEAD = 3  # for each worker: it never waits for the driver, and little is lost when the run is stopped
SUSPECT_TRIES = 2
CONNECT_SECONDS = 15
JOIN_SECONDS = 15  # for the first worker: it may have been started a moment before us
GATHER_SECONDS = 120  # for one answer to come over
LONELY_SECONDS = 120  # without a worker: they may be starting
LOGGED = 20  # messages that Dask keeps for those who look for its faults; each of ours has the bytes of a batch
_SILENT = logging.CRITICAL  # the least that is logged: what goes wrong is told in our own words
_FETCHERS = 4  # threads that fetch answers
_Orders = list[tuple[int, FileOrder]]


class JudgeCluster:
    """The workers of a Dask scheduler; `local` starts one with workers on this machine."""

    def __init__(self, address: str, jobs: int | None, warn: Callable[[str], None], limit: float = TIME_LIMIT) -> None:
        self._dask = _library()
        self._limit = limit
        self._warn = warn
        self._cluster: Any = None
        self._client: Any = None
        self._identity = dict(judge_identity())
        self._batch: _Orders = []
        self._bytes = 0
        self._strangers: set[str] = set()  # workers that judge by something else
        self._under_way: dict[Any, tuple[_Orders, int | None]] = {}  # by future: its orders; a suspect's try
        self._suspects: deque[tuple[int, FileOrder, int]] = deque()  # with how many tries they had
        self._finished: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()  # futures, and what came of them
        self._fetchers = ThreadPoolExecutor(_FETCHERS, "answers")
        self._lonely_since: float | None = None
        self._done: deque[OrderDone] = deque()
        self._capacity = 0
        self._known: dict[str, int] = {}  # threads of each worker
        self._looked = float("-inf")
        try:
            self._connect(address, jobs)
        except BaseException:  # Ctrl-C, too
            self.close()
            raise

    def _connect(self, address: str, jobs: int | None) -> None:
        """Find the scheduler, or start one here, and wait for its first worker; raises StoreError."""
        import_module("dask").config.set({"distributed.admin.low-level-log-length": LOGGED})
        for name in [each for each in logging.root.manager.loggerDict if each.partition(".")[0] == "distributed"]:
            logging.getLogger(name).setLevel(_SILENT)
        try:
            if address != "local":
                _demand_address(address)
            else:
                with _unheard_by_children():
                    self._cluster = self._dask.LocalCluster(
                        n_workers=jobs,
                        threads_per_worker=1,
                        processes=True,
                        dashboard_address="127.0.0.1:0",
                        silence_logs=_SILENT,
                    )
            self._client = self._dask.Client(self._cluster or address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError, ValueError) as error:
            raise StoreError(f"the scheduler at {address} cannot be reached: {error}") from None
        if not self._await_workers():
            raise StoreError(f"the scheduler at {address} has no workers; start some (docs/organising.md)")

    @property
    def room(self) -> int:
        return max(self._capacity, 1) * BATCHES_AHEAD * BATCH_FILES

    def submit(self, number: int, order: FileOrder) -> None:
        self._batch.append((number, order))
        self._bytes += len(order.content)
        if len(self._batch) >= BATCH_FILES or self._bytes >= BATCH_BYTES:
            self._send_batch()

    def next(self, patience: float) -> OrderDone | None:
        if not self._done and patience and self._batch and len(self._under_way) < BATCHES_AHEAD * self._capacity:
            self._send_batch()  # the driver waits, so nothing more will come for this batch
        if not self._done:
            try:
                self._take(*(self._finished.get(timeout=patience) if patience else self._finished.get_nowait()))
            except queue.Empty:
                self._check_company()
        return self._done.popleft() if self._done else None

    def close(self) -> None:
        self._fetchers.shutdown(wait=False, cancel_futures=True)
        with suppress(Exception):  # a scheduler that is gone cannot be told
            self._client.cancel(list(self._under_way), force=True)
        with suppress(Exception):
            self._client.close(timeout=2)
        if self._cluster is not None:
            with suppress(Exception):
                self._cluster.close(timeout=5)

    def _await_workers(self) -> bool:
        """Whether somebody is there, or comes soon."""
        with suppress(TimeoutError, OSError):
            self._client.wait_for_workers(1, timeout=JOIN_SECONDS)
        return bool(self._workers())

    def _send_batch(self) -> None:
        batch, self._batch, self._bytes = self._batch, [], 0
        self._workers()  # some may have come
        self._send(batch, None)

    def _send_suspect(self) -> None:
        if self._suspects and all(tries is None for _, tries in self._under_way.values()):
            number, order, tries = self._suspects.popleft()
            self._send([(number, order)], tries)

    def _send(self, orders: _Orders, tries: int | None) -> None:
        data = msgspec.msgpack.encode(OrderBatch(self._identity, self._limit, orders))
        chosen = {"workers": self._workers()} if self._strangers else {}
        future = self._client.submit(judge_batch, data, pure=False, **chosen)
        self._under_way[future] = (orders, tries)
        future.add_done_callback(self._fetch_soon)

    def _fetch_soon(self, future: Any) -> None:
        with suppress(RuntimeError):  # we are closed
            self._fetchers.submit(self._fetch, future)

    def _fetch(self, future: Any) -> None:
        try:
            self._finished.put((future, future.result(timeout=GATHER_SECONDS)))
        except BaseException as error:
            self._finished.put((future, error))

    def _workers(self) -> list[str]:
        """Those that may be asked, as they were a second ago at most."""
        now = time.monotonic()
        if now - self._looked > 1:
            self._looked = now
            try:
                known = self._client.scheduler_info(n_workers=-1)["workers"]
            except OSError:  # the scheduler is gone; its futures will say so
                known = {}
            self._known = {address: about["nthreads"] for address, about in known.items()}
        found = [address for address in self._known if address not in self._strangers]
        self._capacity = sum(self._known[address] for address in found)
        return found

    def _take(self, future: Any, outcome: Any) -> None:
        """What became of a batch."""
        orders, tries = self._under_way.pop(future)
        match outcome:
            case bytes():
                self._answered(future, orders, tries, msgspec.msgpack.decode(outcome, type=BatchAnswers))
            case self._dask.KilledWorker():
                self._suspect(orders, tries)
            case TimeoutError():
                self._send(orders, tries)
            case CancelledError() | asyncio.CancelledError():
                raise StoreError("the scheduler is gone, or has dropped our work; what was judged is remembered")
            case _:
                raise StoreError(f"a worker cannot judge: {type(outcome).__name__}: {outcome!s:.300}")
        future.release()
        self._send_suspect()

    def _answered(self, future: Any, orders: _Orders, tries: int | None, answers: BatchAnswers) -> None:
        if answers.identity:
            self._meet_stranger(future, answers.identity)
            self._send(orders, tries)
        else:
            self._done.extend(answers.answers)

    def _check_company(self) -> None:
        """Whether somebody is there to judge."""
        if self._workers():
            self._lonely_since = None
        elif self._lonely_since is None:
            self._lonely_since = time.monotonic()
        elif time.monotonic() - self._lonely_since > LONELY_SECONDS:
            raise StoreError("the cluster has no workers any more; what was judged is remembered")

    def _suspect(self, orders: _Orders, tries: int | None) -> None:
        """Dask has given up on these."""
        if tries is not None and tries + 1 >= SUSPECT_TRIES:
            self._done.append(OrderDone(orders[0][0], None, ENDED))
        else:
            self._suspects += [(number, order, 0 if tries is None else tries + 1) for number, order in orders]

    def _meet_stranger(self, future: Any, identity: dict[str, str]) -> None:
        where = self._client.who_has([future]).get(future.key, ())
        new = set(where) - self._strangers
        self._strangers |= new
        reason = "; ".join(differences(self._identity, identity))
        for address in sorted(new):
            self._warn(f"the worker {address} is not asked: it judges by something else: {reason}")
        if not self._workers():
            raise StoreError(f"no worker judges by the same rules, data and program as we do: {reason}")


@contextmanager
def _unheard_by_children() -> Iterator[None]:
    """Keep Ctrl-C from whatever is started within: the driver hears it, afterwards, and ends them itself.

    A thread inherits the blocked signal, and so do processes that it starts later, such as the heir of a killed worker.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # whatever thread starts it hears the signal again afterwards
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _demand_address(address: str) -> None:
    """Raise ValueError for what cannot be an address: a client that finds out itself takes half a minute to let go."""
    addressing, registry = import_module("distributed.comm.addressing"), import_module("distributed.comm.registry")
    scheme, where = addressing.parse_address(address)
    registry.get_backend(scheme)
    addressing.parse_host_port(where)


def _library() -> Any:
    try:
        return import_module("distributed")
    except ImportError:
        raise ConfigError("a cluster needs further packages: pip install 'kontor-games[cluster]'") from None
