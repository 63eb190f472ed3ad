"""One handler per request, in one file per family; this table is all that knows them all."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, NamedTuple, Protocol

from kontor_games.lobby.model.work import Who, Work
from kontor_games.net.wire.lobby_messages import (
    AskRelay,
    Describe,
    EnterByCode,
    Finish,
    ListPeople,
    ListTables,
    MakeTable,
    MarkKey,
    Queue,
    RawLines,
    Recall,
    Reply,
    Result,
    Say,
    Signal,
    Unqueue,
)
from kontor_games.net.wire.messages import (
    Agree,
    Configure,
    Enter,
    Leave,
    Object,
    PassHost,
    Ready,
    Remove,
    Rename,
    Sit,
    Stand,
    Unready,
)

from . import chat, connect, people, queue, table_requests


class Handler(Protocol):
    """What does a request; refuses it by raising Refused."""

    def __call__(self, work: Work, who: Who, ask: Any) -> Awaitable[Result | RawLines | None]: ...


class Entry(NamedTuple):
    """A handler, and the token bucket that its request is taken from besides the one for all messages."""

    handler: Handler
    limit: str = ""


HANDLERS: dict[type, Entry] = {
    MakeTable: Entry(table_requests.make_table, "tables"),
    EnterByCode: Entry(table_requests.enter_by_code),
    Enter: Entry(table_requests.enter),
    Describe: Entry(table_requests.describe, "tables"),
    ListTables: Entry(table_requests.list_tables, "lists"),
    Finish: Entry(table_requests.finish),
    **{
        kind: Entry(table_requests.at_table)
        for kind in (Leave, Sit, Stand, Rename, Configure, PassHost, Remove, Ready, Unready, Agree, Object)
    },
    Queue: Entry(queue.queue, "queue"),
    Unqueue: Entry(queue.unqueue),
    Reply: Entry(queue.reply),
    Say: Entry(chat.say, "chat"),
    Recall: Entry(chat.recall, "lists"),
    MarkKey: Entry(people.mark_key, "marks"),
    ListPeople: Entry(people.list_people, "lists"),
    Signal: Entry(connect.signal, "signals"),
    AskRelay: Entry(connect.ask_relay, "relays"),
}
