"""The values for the phrase of each choice: ids that the catalogue words, numbers as people count them."""

from __future__ import annotations

from kontor_games.engine.core.action import Action
from kontor_games.engine.core.offer import Details, Path
from kontor_games.engine.core.value import Known
from kontor_games.engine.games.yokohama import actions as a
from kontor_games.engine.games.yokohama import events as e
from kontor_games.engine.games.yokohama.rules import areas, cards, queries
from kontor_games.engine.games.yokohama.state import ACT, BUILD, FIVE, MOVE, NONE, PHASE_C, PLACE, State
from kontor_games.engine.games.yokohama.tables import Tables

from .course import Course, costs, course, gains
from .kinds import kind
from .targets import leading


def details(t: Tables, s: State, path: Path, known: Known) -> Details:
    """The name of the phrase of a choice, and its values."""
    meant = leading(path)
    if isinstance(meant, a.EndPhase):
        return {"phrase": _end(t, s, path)}
    if isinstance(meant, a.Done):
        return _done(t, s)
    if isinstance(meant, a.Place | a.Deploy | a.Walk | a.Tram | a.ToStation | a.Recall):
        return _moved(t, s, path, meant)
    if isinstance(meant, a.Research | a.TakeOrder | a.Pay):
        return _paid(t, s, path, meant)
    if isinstance(meant, a.KeepOrder):
        return _kept(s, meant.which, known)
    return _rewarded(t, s, path, meant) or _plain(t, s, meant)


def _end(t: Tables, s: State, path: Path) -> str:
    if s.stage == PHASE_C:
        return "end"
    return "place_none" if len(path) > 1 else f"go_on_{kind(t, s, path)}"


def _done(t: Tables, s: State) -> Details:
    """What is declined, or stopped."""
    if s.queue:
        return {"phrase": f"stop_{s.queue[0].what}"}
    if s.stage == MOVE:
        return {"phrase": "stop_walk", "area": s.cells[s.me.president]}
    if s.stage == ACT:
        area = s.cells[s.area]
        return {"phrase": f"stop_{queries.kind_of(t, s, s.area).action}" if s.steps else "skip", "area": area}
    if s.stage == FIVE:
        return {"phrase": "leave_token"}
    if s.stage == PLACE:
        return {"phrase": "stop_place" if s.steps else "place_none"}
    return {"phrase": "no_building" if s.stage == BUILD else "stop_back"}


def _moved(t: Tables, s: State, path: Path, meant: Action) -> Details:
    """Pieces that go to an area, and what they pay on the way."""
    if isinstance(meant, a.Recall):
        return {"phrase": "recall"}
    done = course(t, s, path)
    fees = (event for events in done.events for event in events if isinstance(event, e.FeePaid | e.CanalPaid))
    values: Details = {"fee": sum(event.yen for event in fees)}
    match meant:
        case a.Place(area=area):
            again = s.stage == PLACE and area in s.steps
            return values | {"phrase": "place_again" if again else "place", "area": s.cells[area]}
        case a.Walk(area=area):
            walked = [s.cells[action.area] for action in path if isinstance(action, a.Walk)]
            phrase = "walk_on" if done.after.stage == MOVE else "walk"
            return values | {"phrase": phrase, "area": s.cells[area], "over": walked[:-1]}
        case a.Deploy(area=area):
            return values | {"phrase": "deploy", "area": s.cells[area]}
        case a.Tram(area=area):
            return values | {"phrase": "tram", "area": s.cells[area]}
        case _:
            return values | {"phrase": "to_station", "area": s.cells[s.station]}


def _paid(t: Tables, s: State, path: Path, meant: Action) -> Details:
    """Cards and how they are paid for."""
    done = course(t, s, path)
    paid = costs(s, done)
    values: Details = {"pay_yen": paid.get("yen", 0), "pay_import": paid.get("import", 0)}
    match meant:
        case a.Research(slot=slot):
            lab = s.labs[cards.laboratory(t, s)]
            values |= {"card": lab[slot], "slot": slot + 1}
            if done.after.card != NONE:
                owed = len(cards.bills(t, done.after))
                return values | {"phrase": "research_open", "payments": owed}
            twins = "_one_of" if lab.count(lab[slot]) > 1 else ""
            return values | {"phrase": ("research" if paid else "research_free") + twins}
        case a.TakeOrder(slot=slot):
            values["card"] = s.ports[cards.port(t, s)][slot]
            return values | {"phrase": "take_second" if s.steps else "take"}
        case _:
            return values | {"phrase": "pay"}


def _rewarded(t: Tables, s: State, path: Path, meant: Action) -> Details | None:
    """Choices that bring something at once."""
    done = course(t, s, path)
    values: Details = {**gains(s, done)}
    match meant:
        case a.Fulfil(card=card):
            return values | {"phrase": "fulfil", "card": card}
        case a.OpenOrder(card=card):
            return values | {"phrase": "open", "card": card}
        case a.Worship(space=space, source=source):
            phrase = "worship_hand" if source else "worship_area"
            return values | {"phrase": phrase, "space": space + 1, "faith": t.church[space].need}
        case a.Clear(space=space, source=source):
            phrase = "clear_hand" if source else "clear_area"
            return values | {"phrase": phrase, "space": space + 1, "imports": t.customs[space].need}
        case a.TakeToken():
            return values | {"phrase": "token"}
        case a.BuildShop(space=space):
            return values | {"phrase": "shop", "space": space + 1, "area": s.cells[s.area]}
        case a.BuildHouse():
            return values | {"phrase": "house", "area": s.cells[s.area]}
        case a.Claim(tile=tile):
            return {"phrase": "claim", "tile": s.achievements[tile], "points": values["points"]}
        case a.SpinningMill() | a.University() | a.Hire():
            return _bought(s, done, meant)
        case _:
            return None


def _bought(s: State, done: Course, meant: Action) -> Details:
    yen = costs(s, done).get("yen", 0)
    match meant:
        case a.SpinningMill():
            return {"phrase": "mill", "yen": gains(s, done)["yen"]}
        case a.Hire(item=item):
            return {"phrase": "hire", "item": item, "yen": yen}
        case _:
            return {"phrase": "university", "yen": yen}


def _kept(s: State, which: int, known: Known) -> Details:
    """A starting order by its name, to whoever may see it."""
    card = s.desk.face(s.me.hidden[which], known)
    return {"phrase": "keep_unseen", "which": which} if card is None else {"phrase": "keep", "card": card}


def _plain(t: Tables, s: State, meant: Action) -> Details:
    """Choices that their own fields tell."""
    match meant:
        case a.UseAgent() | a.TakeBack() | a.Drop() | a.PlaceStation():
            return {"phrase": _tag(meant), "area": s.cells[meant.area]}
        case a.Lift(source=source):
            return {"phrase": "lift_hand"} if source == NONE else {"phrase": "lift", "area": s.cells[source]}
        case a.Exchange(trade=trade):
            return {"phrase": "exchange", "trade": t.trades[trade].id}
        case a.Donate(what=what):
            faith = areas.faith(t, s) + t.donations[what].faith
            return {"phrase": "donate", "donation": t.donations[what].id, "faith": faith}
        case a.ChooseGood(good=good):
            return {"phrase": "good", "good": t.goods[good]}
        case a.ChooseReward(token=token):
            return {"phrase": "reward", "token": token}
        case a.Recover(leave=leave):
            phrase = "recover_leave" if leave else "recover_all"
            return {"phrase": phrase, "area": s.cells[s.area], "leave": leave}
        case _:
            return {"phrase": "back_all"}


def _tag(action: Action) -> str:
    return str(action.__struct_config__.tag)
