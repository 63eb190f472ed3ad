"""Drafts on the disk: a killed node finds what its player had drafted, and what was committed but not sent yet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from kontor_games.engine import Action, canonical
from kontor_games.engine.core.action import ActionCodec
from kontor_games.engine.errors import KontorError
from kontor_games.net.system.private_file import write_private
from kontor_games.net.wire.chain import parts


class _Draft(msgspec.Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    tip: bytes
    committed: bool
    actions: tuple[msgspec.Raw, ...]


def save(path: Path, tip: bytes, actions: Sequence[Action], committed: bool = False) -> None:
    """Keep a draft that was made at this tip; an empty one is removed."""
    if not actions:
        path.unlink(missing_ok=True)
        return
    write_private(path, canonical(_Draft(tip, committed, parts(actions))), sync=committed)


def load(path: Path, tip: bytes, codec: ActionCodec) -> tuple[list[Action], bool]:
    """The actions drafted at this very tip, and whether they were committed; none if there are none."""
    try:
        draft = msgspec.msgpack.decode(path.read_bytes(), type=_Draft)
        actions = [codec.decode(bytes(raw)) for raw in draft.actions]
    except (OSError, msgspec.DecodeError, RecursionError, KontorError):
        return [], False
    plain = [action for action in actions if isinstance(action, Action)]
    if draft.tip != tip or len(plain) != len(actions):
        return [], False
    return plain, draft.committed
