"""What a worker of a cluster runs: a batch of orders, if it judges by the same rules, data and program as the driver.

Every task checks that anew. A worker that fails a check when it starts joins its cluster all the same, and one that was
updated in the meantime would judge half of an archive by other rules.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from .duties import answer
from .judge_identity import judge_identity
from .order_pipe import FileOrder


class OrderBatch(Struct, frozen=True, array_like=True):
    """Orders with their numbers, and what the driver judges by."""

    identity: dict[str, str]
    orders: list[tuple[int, FileOrder]]


class BatchAnswers(Struct, frozen=True, array_like=True):
    """Answers with the numbers of their orders; or none, and what this worker judges by."""

    identity: dict[str, str]
    answers: list[tuple[int, bytes]]


def judge_batch(data: bytes) -> bytes:
    """The answers to a batch, both as msgpack."""
    batch = msgspec.msgpack.decode(data, type=OrderBatch)
    ours = dict(judge_identity())
    if ours != batch.identity:
        return msgspec.msgpack.encode(BatchAnswers(ours, []))
    return msgspec.msgpack.encode(BatchAnswers({}, [(number, answer(order)) for number, order in batch.orders]))
