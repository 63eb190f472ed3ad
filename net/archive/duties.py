"""What is done with the bytes of one file, in whatever process: judge, describe or rate it. The bytes alone decide."""

from __future__ import annotations

import io

import msgspec

from kontor_games.net.record.verify import Report, verify_stream

from .match_rows import describe
from .order_pipe import FileOrder
from .rated_facts import rated_facts

_reports = msgspec.msgpack.Decoder(Report)


def answer(order: FileOrder) -> bytes:
    """The answer to an order, as msgpack; a report calls the file nothing, and only a verified file is described."""
    if order.duty == "rate":
        return msgspec.msgpack.encode(rated_facts(order.content))
    if order.duty == "describe":
        return msgspec.msgpack.encode(describe(order.content))
    return msgspec.msgpack.encode(verify_stream(io.BytesIO(order.content), ""))


def report_in(data: bytes) -> Report:
    """The report in an answer; raises msgspec.DecodeError."""
    return _reports.decode(data)
