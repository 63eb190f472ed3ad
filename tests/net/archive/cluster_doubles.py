"""Workers of a cluster that die over a file, or judge by something else; and a driver for them, in its own process.

`python -m tests.net.archive.cluster_doubles WHAT` prints what became of some files as JSON.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import time
import tracemalloc
from functools import partial
from unittest.mock import patch

import distributed
import msgspec

from kontor_games.engine.errors import StoreError
from kontor_games.net.archive import cluster_task, judge_cluster
from kontor_games.net.archive.cluster_task import BatchAnswers, OrderBatch
from kontor_games.net.archive.judge_pool import JudgePool, OrderDone
from kontor_games.net.archive.order_pipe import FileOrder

FILES = 120
POISON = {30: b"die", 31: b"hang", 77: b"raise"}
POISONED = """
import os, signal, time
from kontor_games.net.archive.judge_process import serve

def answer(order):
    if order.content == b"die":
        os.kill(os.getpid(), signal.SIGKILL)
    if order.content == b"hang":
        time.sleep(600)
    if order.content == b"raise":
        raise RecursionError("a file that nobody can judge")
    return order.content[::-1]

serve(answer)
"""


def mirrored(data: bytes) -> bytes:
    """Each content backwards; a content that says so kills its worker."""
    batch = msgspec.msgpack.decode(data, type=OrderBatch)
    if any(order.content == b"die" for _, order in batch.orders):
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    done = [OrderDone(number, order.content[::-1]) for number, order in batch.orders]
    return msgspec.msgpack.encode(BatchAnswers({}, done))


def poisoned_judges(data: bytes) -> bytes:
    """The task itself, with judges that a content can kill, stop or make raise."""
    with patch.object(cluster_task, "JudgePool", partial(JudgePool, command=(sys.executable, "-P", "-c", POISONED))):
        return cluster_task.judge_batch(data)


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
    cluster = judge_cluster.JudgeCluster("local", 2, warnings.append, limit=3.0)
    poison = {"poison": {30: b"die"}, "poisoned_judges": POISON}.get(what, {})
    contents = [poison.get(number, b"%d" % number) for number in range(FILES)]
    answers: dict[int, str | None] = {}
    reasons: dict[int, str] = {}
    workers = _workers(cluster)
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
                if done.answer is None:
                    reasons[done.number] = done.reason
            if what == "kills" and len(answers) > 20 and not killed:
                killed = next(iter(cluster._cluster.workers.values())).pid
                os.kill(killed, signal.SIGKILL)
    except Exception as error:
        print(json.dumps({"error": str(error), "warnings": warnings}))
        return
    else:
        died = workers != _workers(cluster)
    finally:
        cluster.close()
    print(json.dumps({"answers": answers, "reasons": reasons, "warnings": warnings, "died": died}))


def kept(data: bytes) -> bytes:
    batch = msgspec.msgpack.decode(data, type=OrderBatch)
    return msgspec.msgpack.encode(BatchAnswers({}, [OrderDone(number, b"") for number, _ in batch.orders]))


def growth() -> None:
    """How many bytes the driver (here also the scheduler) keeps of the second half of what it hands out."""
    judge_cluster.judge_batch = kept
    cluster = judge_cluster.JudgeCluster("local", 2, print)
    files, size, held = 6_000, 5_000, [0]
    tracemalloc.start()
    done = sent = 0
    while done < files:
        while sent < files and sent - done < cluster.room:
            cluster.submit(sent, FileOrder("judge", os.urandom(size)))
            sent += 1
        done += cluster.next(0.2) is not None
        if done in (files // 2, files) and len(held) < 1 + 2 * done // files:
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    cluster.close()
    print(json.dumps({"grown": held[2] - held[1], "sent": files // 2 * size}))


def latecomers() -> None:
    """A driver at a scheduler to which a worker comes a little later, and one to which none comes."""
    with distributed.LocalCluster(n_workers=0, dashboard_address=None, silence_logs=50) as company:
        with patch.object(judge_cluster, "JOIN_SECONDS", 0.5):
            try:
                judge_cluster.JudgeCluster(company.scheduler_address, None, print)
                alone = ""
            except StoreError as error:
                alone = str(error)
        coming = threading.Timer(1, company.scale, (1,))
        coming.start()
        cluster = judge_cluster.JudgeCluster(company.scheduler_address, None, print)
        told = {"alone": alone, "room": cluster.room}
        cluster.close()
        coming.join()
    print(json.dumps(told))


def _workers(cluster: judge_cluster.JudgeCluster) -> list[int]:
    return sorted(worker.pid or 0 for worker in cluster._cluster.workers.values())  # 0: it is being started again


if __name__ == "__main__":
    whole = {"growth": growth, "latecomers": latecomers}.get(sys.argv[1])
    whole() if whole else main(sys.argv[1])
