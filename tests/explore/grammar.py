"""What can go wrong: the misfortunes, wishes of people and lies that a schedule may contain beside deliveries."""

from __future__ import annotations

from itertools import combinations, permutations

from .starts import Liars
from .tricks import TRICKS
from .world import Step, World

# who may be the adversary at a start; None: nobody lies
LIARS: dict[str, tuple[Liars, ...]] = {
    "their turn": (2,),
    "shuffle": (None, 0, 1, 2),
    "shuffle of four": (None, 0, 1, 3),
    "turn of five": ((0, 1), (1, 3)),
    "vote of five": ((4, 1), (1, 2), (0, 2)),
    "one giv out": (None, 0),
    "stand-off": (2,),
    "damaged memory": (None,),
    "damaged journal": (2,),
    "damaged vote": (None,),
    "vanished": (2,),
}
REBOOTS = ("kept", "synced", "cut", "slot", "both", "secret")


ORDINARY = ("deliver", "work", "play", "notice", "replay", "link", "restart", "tick")  # what happens by itself


def kind_of(step: Step) -> str:
    """A word for a fault, whomever it befalls."""
    if step[0] == "trick":
        return str(step[1])
    return f"{step[0]} {step[2]}" if step[0] == "reboot" else str(step[0])


def liars(start: str) -> tuple[Liars, ...]:
    """The adversaries that are tried at a start."""
    return LIARS.get(start, (None, 0, 2))


def misfortunes(world: World) -> list[Step]:
    """What networks, disks and power do."""
    up = [host.number for host in world.hosts if host.alive]
    honest = [host.number for host in world.honest if host.alive]
    found: list[Step] = [("lose", a, b) for a, b in combinations(up, 2)]
    found += [("tick", n) for n in honest]
    found += [("reboot", n, how) for n in honest for how in REBOOTS]
    found += [("crash", n, "synced") for n in honest]
    found += [("fuse", n, effects, how) for n in honest for effects in range(3) for how in ("kept", "synced")]
    found += [("disk", n, True) for n in honest]
    found += [("noreplay", n) for n in honest]
    return found


def wishes(world: World) -> list[Step]:
    """What people may want at any time."""
    up = [host.number for host in world.honest if host.alive]
    found: list[Step] = [("vote", a, b) for a, b in permutations(up, 2)]
    found += [("bye", n) for n in up]
    found += [("chat", n) for n in up]
    return found


def lies(world: World) -> list[Step]:
    """What the adversary may do."""
    honest = [host.number for host in world.honest]
    found: list[Step] = []
    for liar in world.liars:
        found += [("trick", name, target, liar.number) for name in TRICKS for target in honest]
        found.append(("silence", liar.number))
    return found


def faults(world: World) -> list[Step]:
    """Everything; an adversary's schedules have its lies, the others what can befall honest peers."""
    return lies(world) if world.liars else [*misfortunes(world), *wishes(world)]
