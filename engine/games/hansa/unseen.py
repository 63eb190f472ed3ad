"""What the slots may hold that nobody, or not this seat, has seen: markers of the supply, and mission cards."""

from __future__ import annotations

from collections.abc import Iterable

from kontor_games.engine.core.chance import Mix
from kontor_games.engine.core.game import Unseen
from kontor_games.engine.core.value import Known

from .data import FIRST_MISSION, GOLD, MARKERS, MISSIONS
from .state import State


def unseen(state: State, known: Known) -> Unseen:
    """Markers among those not yet turned up; missions among those not yet shown."""
    known = {**dict(state.desk.faces), **known}
    missions = [player.mission for player in state.players if player.mission >= 0]
    groups = (
        (_markers_left(state), [*state.supply, *(slot for player in state.players for slot in player.plate)]),
        (list(range(FIRST_MISSION, FIRST_MISSION + len(MISSIONS))), missions),
    )
    mixing = state.desk.want.out if isinstance(state.desk.want, Mix) else ()
    found = (_without_known(faces, slots, known) for faces, slots in groups if not set(slots) & set(mixing))
    return tuple((faces, slots) for faces, slots in found if slots)


def _markers_left(state: State) -> list[int]:
    """The markers of the match that do not lie face up anywhere."""
    faces: list[int] = []
    open_markers = [marker - 1 for marker in state.markers if marker]
    open_markers += [*state.removed, *(promo.marker for promo in state.promos)]
    for player in state.players:
        open_markers += [*player.unused, *player.used, *player.waiting]
    for marker in range(len(MARKERS)):
        faces += [marker] * (GOLD[marker] + state.silver[marker] - open_markers.count(marker))
    return faces


def _without_known(faces: list[int], slots: Iterable[int], known: Known) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The group without the slots whose faces are known, and without those faces."""
    hidden = tuple(slot for slot in slots if slot not in known)
    for slot in slots:
        if slot in known:
            faces.remove(known[slot])
    return tuple(faces), hidden
