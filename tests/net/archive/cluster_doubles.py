"""Workers of a cluster that die over a file, or judge by something else; and a driver for them, in its own process.

`python -m tests.net.archive.cluster_doubles WHAT` prints what became of some files as JSON.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import distributed
import msgspec

from kontor_games.net.archive import judge_cluster
from kontor_games.net.archive.cluster_task import BatchAnswers, OrderBatch
from kontor_games.net.archive.order_pipe import FileOrder

FILES = 120


def mirrored(data: bytes) -> bytes:
    """Each content backwards; a content that says so kills its worker."""
    batch = msgspec.msgpack.decode(data, type=OrderBatch)
    if any(order.content == b"die" for _, order in batch.orders):
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return msgspec.msgpack.encode(BatchAnswers({}, [(number, order.content[::-1]) for number, order in batch.orders]))


def strange(data: bytes) -> bytes:
    """One of the workers has another engine."""
    batch = msgspec.msgpack.decode(data, type=OrderBatch)
    if distributed.get_worker().name == 0:
        return msgspec.msgpack.encode(BatchAnswers({**batch.identity, "engine": "other"}, []))
    return mirrored(data)


def all_strange(data: bytes) -> bytes:
    batch = msgspec.msgpack.decode(data, type=OrderBatch)
    return msgspec.msgpack.encode(BatchAnswers({**batch.identity, "engine": "other"}, []))


def broken(data: bytes) -> bytes:
    raise ImportError("there is no kontor_games here")


def main(what: str) -> None:
    warnings: list[str] = []
    judge_cluster.judge_batch = {"poison": mirrored, "kills": mirrored}.get(what) or globals()[what]
    cluster = judge_cluster.JudgeCluster("local", 2, warnings.append)
    contents = [b"die" if what == "poison" and number == 30 else b"%d" % number for number in range(FILES)]
    answers: dict[int, str | None] = {}
    try:
        for number, content in enumerate(contents):
            cluster.submit(number, FileOrder("judge", content))
        killed = 0
        until = time.monotonic() + 800
        while len(answers) < FILES and time.monotonic() < until:
            done = cluster.next(0.2)
            if done is not None:
                assert done.number not in answers, "answered twice"
                answers[done.number] = None if done.answer is None else done.answer.decode()
            if what == "kills" and len(answers) > 20 and not killed:
                killed = next(iter(cluster._cluster.workers.values())).pid
                os.kill(killed, signal.SIGKILL)
    except Exception as error:
        print(json.dumps({"error": str(error), "warnings": warnings}))
        return
    finally:
        cluster.close()
    print(json.dumps({"answers": answers, "warnings": warnings}))


if __name__ == "__main__":
    main(sys.argv[1])
