"""What a worker of a cluster runs: a batch of orders, if it judges by the same rules, data and program as the driver.

Every task checks that anew. A worker that fails a check when it starts joins its cluster all the same, and one that was
updated in the meantime would judge half of an archive by other rules.

The worker itself judges nothing. It has a judge of its own, a process as on one machine (`judge_pool.py`): a file that
makes it crash, hang or raise is «not judged» there, in the same words as anywhere, and the worker lives on and keeps
its cluster company. Each thread of a worker has one judge, started with its first batch.
"""

from __future__ import annotations

import threading

import msgspec
from msgspec import Struct

from kontor_games.engine.errors import StoreError

from .judge_identity import judge_identity
from .judge_pool import JudgePool, OrderDone
from .order_pipe import FileOrder

_own = threading.local()


class OrderBatch(Struct, frozen=True, array_like=True):
    """Orders with their numbers, what the driver judges by, and the seconds that one file may take."""

    identity: dict[str, str]
    limit: float
    orders: list[tuple[int, FileOrder]]


class BatchAnswers(Struct, frozen=True, array_like=True):
    """What became of each order; or nothing, and what this worker judges by."""

    identity: dict[str, str]
    answers: list[OrderDone]


def judge_batch(data: bytes) -> bytes:
    """The answers to a batch, both as msgpack."""
    batch = msgspec.msgpack.decode(data, type=OrderBatch)
    ours = dict(judge_identity())
    if ours != batch.identity:
        return msgspec.msgpack.encode(BatchAnswers(ours, []))
    try:
        return msgspec.msgpack.encode(BatchAnswers({}, _judged(batch)))
    except StoreError as error:  # this machine cannot start judges: as good as a worker with another program
        return msgspec.msgpack.encode(BatchAnswers({**ours, "judges": str(error)}, []))


def _judged(batch: OrderBatch) -> list[OrderDone]:
    judges = _judge_of_this_thread(batch.limit)
    for number, order in batch.orders:
        judges.submit(number, order)
    done: list[OrderDone] = []
    try:
        while len(done) < len(batch.orders):
            if (each := judges.next(1)) is not None:
                done.append(each)
    except StoreError:
        judges.close()
        _own.judges = None
        raise
    return done


def _judge_of_this_thread(limit: float) -> JudgePool:
    """It waits for the next batch; when its worker ends, so does it."""
    if getattr(_own, "judges", None) is None or _own.limit != limit:
        if getattr(_own, "judges", None) is not None:
            _own.judges.close()
        _own.judges, _own.limit = JudgePool(1, limit=limit), limit
    judges: JudgePool = _own.judges
    return judges
