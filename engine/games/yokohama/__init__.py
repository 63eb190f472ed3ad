"""Yokohama: merchants of the Meiji era, worker placement on a shuffled map."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from kontor_games.engine.core.data import load_data
from kontor_games.engine.core.game import Game, Option, OptionValue

from . import evaluate, notation, offer, rules, scoring, setup, view
from .actions import ACTIONS
from .data import tables
from .events import EVENTS
from .state import State
from .tables import Tables

RULES_VERSION = 2
MAX_ROUNDS = 1000


def _why_not_rounds(value: OptionValue) -> str | None:
    return None if 0 <= int(value) <= MAX_ROUNDS else f"max_rounds is 0 (none) to {MAX_ROUNDS}, not {value}"


def _why_not_combination(options: dict[str, OptionValue], seats: int) -> str | None:
    start = int(options["start"])
    return None if start < seats else f"start is seat 0 to {seats - 1}, or -1 for a random one, not {start}"


def _options(t: Tables) -> tuple[Option, ...]:
    def switch(name: str, default: bool, text: str) -> Option:
        return Option(name, default, (False, True), text)

    rule, ends = t.rules, t.ends
    houses, shops = int(ends["trading_houses_built"]), int(ends["shops_built"])
    return (
        switch("mini_1", False, "Mini expansion 1: a reward token for the third achievement."),
        switch("mini_2", False, "Mini expansion 2: free agents among the 5-power tokens."),
        Option("start", -1, tuple(range(-1, max(t.counts))), "The start player's seat; -1 draws one."),
        Option("max_rounds", 0, (), "Rounds after which the match is scored; 0 sets no limit.", _why_not_rounds),
        switch("placement_zero", bool(rule["placement_zero_allowed"]), "Placing no assistant is allowed."),
        switch(
            "recall_in_hand",
            bool(rule["recall_with_president_in_hand"]),
            "A recall is allowed with the president in hand.",
        ),
        switch(
            "station_assistant",
            bool(rule["station_move_requires_assistant"]),
            "Travelling to the station needs an own assistant there.",
        ),
        switch("station_canal", bool(rule["station_on_canal_allowed"]), "The station may stand on the canal."),
        switch("customs_up_to", bool(rule["customs_pay_up_to"]), "The customs power is a maximum of imports."),
        switch("port_bonus_card", bool(rule["port_bonus_needs_card"]), "The port's points at power 5 need a card."),
        switch("neutral_score", bool(rule["neutral_assistants_score"]), "Neutral assistants take part in majorities."),
        Option("houses_end", houses, (houses // 2, houses), "Trading houses of one player that end the match."),
        Option("shops_end", shops, (max(1, shops // 4), shops // 2, shops), "Shops of one player that end the match."),
    )


def build(raw: Mapping[str, Any], digest: bytes) -> Game[State]:
    """The game record over one data file."""
    t = tables(raw)
    return Game(
        id="yokohama",
        title=raw["meta"]["title"],
        rules_version=RULES_VERSION,
        data_digest=digest,
        seats=tuple(sorted(t.counts)),
        options=_options(t),
        actions=ACTIONS,
        events=EVENTS,
        notation=notation.notation(t),
        faces=t.faces,
        setup=partial(setup.setup, t),
        turn=rules.turn,
        why_not=partial(rules.why_not, t),
        candidates=partial(rules.candidates, t),
        apply=partial(rules.apply, t),
        chance=partial(rules.chance, t),
        left=partial(rules.left, t),
        stand_in=partial(evaluate.stand_in, t),
        result=partial(scoring.result, t),
        view=partial(view.view, t),
        evaluate=partial(evaluate.evaluate, t),
        offer=offer.offer(t),
        points=partial(offer.points, t),
        unseen=partial(offer.unseen, t),
        opens=rules.opens,
        why_not_combination=_why_not_combination,
        exact=True,
    )


GAME = build(*load_data("yokohama"))
