"""One handler per request, in one file per family; this table is all that knows them all."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Any, NamedTuple, Protocol

from kontor_games.lobby.model.work import Who, Work
from kontor_games.net.wire.lobby_messages import (
    Describe,
    EnterByCode,
    Finish,
    ListPeople,
    ListTables,
    MakeTable,
    MarkKey,
    MatchOver,
    Queue,
    RawLines,
    Recall,
    Reply,
    Result,
    Say,
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
from kontor_games.net.wire.people_messages import Appear, AskProfile, Invite, ReportKey
from kontor_games.net.wire.way_messages import (
    AskPunch,
    AskRelay,
    Signal,
)

from . import acquaintances, chat, connect, people, queue, table_requests


class Handler(Protocol):
    """What does a request; refuses it by raising RequestRefused."""

    def __call__(self, work: Work, who: Who, ask: Any) -> Awaitable[Result | RawLines | None]: ...


class CommandEntry(NamedTuple):
    """A handler, and the token bucket that its request is taken from besides the one for all messages."""

    handler: Handler
    limit: str = ""


HANDLERS: dict[type, CommandEntry] = {
    MakeTable: CommandEntry(table_requests.make_table, "tables"),
    EnterByCode: CommandEntry(table_requests.enter_by_code),
    Enter: CommandEntry(table_requests.enter),
    Describe: CommandEntry(table_requests.describe, "tables"),
    ListTables: CommandEntry(table_requests.list_tables, "lists"),
    Finish: CommandEntry(table_requests.finish),
    MatchOver: CommandEntry(table_requests.match_over),
    **{
        kind: CommandEntry(table_requests.at_table)
        for kind in (Leave, Sit, Stand, Rename, Configure, PassHost, Remove, Ready, Unready, Agree, Object)
    },
    Queue: CommandEntry(queue.queue, "queue"),
    Unqueue: CommandEntry(queue.unqueue),
    Reply: CommandEntry(queue.reply),
    Say: CommandEntry(chat.say, "chat"),
    Recall: CommandEntry(chat.recall, "lists"),
    MarkKey: CommandEntry(people.mark_key, "marks"),
    ListPeople: CommandEntry(people.list_people, "lists"),
    Appear: CommandEntry(acquaintances.appear, "marks"),
    AskProfile: CommandEntry(acquaintances.ask_profile, "lists"),
    Invite: CommandEntry(acquaintances.invite, "invites"),
    ReportKey: CommandEntry(acquaintances.report, "reports"),
    Signal: CommandEntry(connect.signal, "signals"),
    AskRelay: CommandEntry(connect.ask_relay, "relays"),
    AskPunch: CommandEntry(connect.ask_punch, "relays"),
}
