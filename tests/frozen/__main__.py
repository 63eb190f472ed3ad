"""`python -m tests.frozen check [FAMILY] | record | together DIR`: see the package."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from kontor_games.lobby.commands.operators import perform
from kontor_games.lobby.store.sqlite import SqliteStore
from kontor_games.net.wire.lobby_messages import MakeTable, MarkKey, Queue, Say
from tests.lobby.bench import Lobby, done
from tests.worlds.world import identity

from . import facts, schedules
from .together import play_together

FAMILIES = {
    "golden": facts.goldens,
    "example": facts.examples,
    "local": facts.local_files,
    "departed": facts.departures,
    "sealed": facts.sealed_files,
    "lobby": facts.lobby_records,
    "schedules": schedules.schedules,
}


def differences(family: str = "") -> list[str]:
    """What this tree says differently from the day the facts were recorded; of one family alone if it is named."""
    makers = FAMILIES[family] if family else facts.all_facts
    recorded, now = facts.recorded(), dict(makers())
    recorded = {name: said for name, said in recorded.items() if name.startswith(family)}
    found = [f"{name}: {said} is now {now[name]}" for name, said in recorded.items() if now.get(name, said) != said]
    found += [f"{name} is gone" for name in recorded if name not in now]
    return found + [f"{name} is new: record it" for name in now if name not in recorded]


def record() -> int:
    """Add the files and facts that are not recorded yet; what was recorded is never written over."""
    facts.FILES.mkdir(exist_ok=True)
    for name, data in facts.sample_files():
        if not (facts.FILES / name).exists():
            (facts.FILES / name).write_bytes(data)
    if not (facts.FILES / "lobby.db").exists():
        _write_lobby(facts.FILES / "lobby.db")
    before, now = facts.recorded(), dict(facts.all_facts())
    changed = [name for name, said in before.items() if now.get(name) != said]
    if changed:
        print("\n".join(f"{name} is not what was recorded; nothing was written" for name in changed))
        return 1
    facts.FACTS.write_text(json.dumps(now, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{len(now) - len(before)} facts are new, {len(now)} in all")
    return 0


def _write_lobby(path: Path) -> None:
    """A lobby in which people sit, wait, talk, and one is banned."""
    store = SqliteStore(path)
    lobby = Lobby(store)
    anna, bruno, clara = (lobby.arrive(name, identity(n)) for n, name in enumerate(("Anna", "Bruno", "Clara")))
    lobby.do(anna, MakeTable("osaka", {"length": 2}, 3, note="after eight"))
    lobby.do(bruno, MakeTable("hansa", {}, 4, visibility="invite"))
    lobby.do(clara, Queue(("joban", "osaka"), (2, 3)))
    lobby.do(anna, Say("hall", "good evening"))
    lobby.do(bruno, MarkKey(clara.key, "mute"))
    lobby.run(lambda work: perform(work, {"do": "ban", "address": "203.0.113.0/24", "reason": "a flood"}))
    done(store.close())
    path.with_name(f"{path.name}.lock").unlink()


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["together"] and len(arguments) == 2:
        play_together(Path(arguments[1]))
        return 0
    if arguments == ["record"]:
        return record()
    if arguments[:1] != ["check"] or not set(arguments[1:]) <= set(FAMILIES) or len(arguments) > 2:
        print((sys.modules["tests.frozen"].__doc__ or "").strip())
        return 2
    family = arguments[1] if arguments[1:] else ""
    found = differences(family)
    count = sum(name.startswith(family) for name in facts.recorded())
    print("\n".join(found) or f"{count} facts, all as recorded")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
