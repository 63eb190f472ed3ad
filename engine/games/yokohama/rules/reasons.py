"""Why an action is not allowed: every sentence of the rules, each with an id of its own."""

from __future__ import annotations

from functools import lru_cache

from kontor_games.engine.core.reason import Reason

_remembered = lru_cache(maxsize=1024)  # menus ask the same questions again and again, with a few small numbers

# what is to be decided first
GOOD_FIRST = Reason("good_first", "choose a good first")
HIRE_FIRST = Reason("hire_first", "take pieces from the warehouse first, or say that you are done")
MOVE_FIRST = Reason("move_first", "move assistants first, or say that you are done")
STATION_FIRST = Reason("station_first", "place the station first")
REWARD_FIRST = Reason("reward_first", "choose a reward token first")
SOMETHING_FIRST = Reason("something_first", "something else must happen first")
KEEP_NOW = Reason("keep_now", "keep one of your starting orders")
BEFORE_MAIN = Reason("before_main", "this is the phase before the main action")
PLACE_NOW = Reason("place_now", "place assistants now")
MOVE_NOW = Reason("move_now", "move or recall your president now")
TAKE_BACK_NOW = Reason("take_back_now", "take assistants back now")
ACT_NOW = Reason("act_now", "carry out the action of the area now")
TOKEN_NOW = Reason("token_now", "take the 5-power token or decline it")
BUILD_NOW = Reason("build_now", "build or decline")
RECOVER_NOW = Reason("recover_now", "say how many assistants stay")
AFTER_MAIN = Reason("after_main", "this is the phase after the main action")
NOT_NOW = Reason("not_now", "this cannot be done now")
PAY_CHOSEN = Reason("pay_chosen", "pay for what you chose")
DONATED = Reason("donated", "you have donated: choose a space")
PAY_TECHNOLOGY = Reason("pay_technology", "pay for the technology you chose")
PAY_ORDER = Reason("pay_order", "pay for the second order first")
DROP_FIRST = Reason("drop_first", "put the lifted assistant down first")
LIFT_FIRST = Reason("lift_first", "choose the assistant to move first")
MUST_DECIDE = Reason("must_decide", "this must be decided")
UNFINISHED = Reason("unfinished", "finish the decision you have begun first")

# what does not exist
NO_ACTION = Reason("no_action", "Yokohama has no such action")
NO_AREA = Reason("no_area", "there is no such area")
NO_EXCHANGE = Reason("no_exchange", "there is no such exchange")
NO_DONATION = Reason("no_donation", "there is no such donation")
NO_SPACE = Reason("no_space", "there is no such space")
NO_CARD = Reason("no_card", "there is no card")
NO_GOOD = Reason("no_good", "there is no such good")
NO_PIECE = Reason("no_piece", "there is no such piece")
NO_ACHIEVEMENT = Reason("no_achievement", "there is no such achievement")
NO_TOKEN = Reason("no_token", "there is no token to take")
NO_PAYMENT = Reason("no_payment", "that is not a way to pay")
NO_ORDER = Reason("no_order", "that is not an order")
NO_SOURCE = Reason("no_source", "an assistant comes from the area or the hand")
NOT_LABORATORY = Reason("not_laboratory", "this is not a laboratory")
NOT_PORT = Reason("not_port", "this is not a port")
NOT_DRAWN = Reason("not_drawn", "you drew no such order")
NOT_IN_HAND = Reason("not_in_hand", "you have no such order in hand")
NOT_STARTING_ORDER = Reason("not_starting_order", "that is not your starting order")
ANOTHER_CARD = Reason("another_card", "your starting order is another card")
NOT_OFFERED = Reason("not_offered", "that token is not on offer")
NOTHING_DUE = Reason("nothing_due", "nothing is to pay")

# pieces
NONE_IN_HAND = Reason("none_in_hand", "you have no assistant in hand")
NONE_TO_CLAIM = Reason("none_to_claim", "you have no assistant in hand to put there")
NONE_FOR_BOARD = Reason("none_for_board", "you have no assistant to put on the board")
NONE_THERE = Reason("none_there", "you have no assistant there")
NONE_IN_AREA = Reason("none_in_area", "you have no assistant left in the area")
NONE_AT_STATION = Reason("none_at_station", "you have no assistant at the station")
NOT_SO_MANY = Reason("not_so_many", "you have not that many there")
THERE_ALREADY = Reason("there_already", "it stands there already")
NO_STANDING = Reason("no_standing", "nothing may stand on the canal")
NO_STOPPING = Reason("no_stopping", "nobody may stop on the canal")
NO_STATION_ON_CANAL = Reason("no_station_on_canal", "the station may not stand on the canal")
STACK_FULL = Reason("stack_full", "two assistants in one area are all you may place")
EXTRA_NEXT_TO = Reason("extra_next_to", "the extra assistant goes next to the two you placed")
SPREAD_APART = Reason("spread_apart", "spread assistants go to different areas")
PLACE_ONE = Reason("place_one", "you must place at least one assistant")
WAREHOUSE_EMPTY = Reason("warehouse_empty", "the warehouse has none left")
NO_ASSISTANT_STORED = Reason("no_assistant_stored", "there is no assistant in your warehouse")
NO_MORE_PIECES = Reason("no_more_pieces", "you may take no more pieces")
NO_HOUSE = Reason("no_house", "you have no trading house in hand")
NO_SHOP = Reason("no_shop", "you have no shop in hand")
HOUSE_TAKEN = Reason("house_taken", "the trading house space is taken")
OWN_SHOP = Reason("own_shop", "you have a shop on this tile already")
SHOPS_TAKEN = Reason("shops_taken", "all shop spaces are taken")
SPACE_TAKEN = Reason("space_taken", "that space is taken")

# the president
PRESIDENT_IN_HAND = Reason("president_in_hand", "your president is in hand: deploy it")
PRESIDENT_ON_MAP = Reason("president_on_map", "your president is on the map")
PRESIDENT_WALKING = Reason("president_walking", "your president is walking")
PRESIDENT_THERE_ALREADY = Reason("president_there_already", "your president is there already")
PRESIDENT_THERE = Reason("president_there", "your president is there")
OTHER_PRESIDENT = Reason("other_president", "another president is there")
NOT_NEXT_TO = Reason("not_next_to", "that area is not next to your president")
TWICE = Reason("twice", "a walk enters no area twice")
NO_WAY_ON = Reason("no_way_on", "from there your president could not finish its move")
MOVE_OR_RECALL = Reason("move_or_recall", "move your president or recall it")

# goods, money, cards
NO_EXCHANGE_LEFT = Reason("no_exchange_left", "no exchange is left")
EXCHANGE_TOO_DEAR = Reason("exchange_too_dear", "you cannot pay for that exchange")
GIVEN_ALREADY = Reason("given_already", "you have given that already")
NOT_OWNED = Reason("not_owned", "you do not have that")
NOT_THAT_MUCH = Reason("not_that_much", "you do not have that much")
REST_TOO_DEAR = Reason("rest_too_dear", "then you could not pay the rest")
SECOND_TOO_DEAR = Reason("second_too_dear", "you cannot pay for a second order")
TOO_LITTLE_MONEY = Reason("too_little_money", "you have too little money")
NO_SILK = Reason("no_silk", "you have no silk")
GOODS_MISSING = Reason("goods_missing", "you lack the goods for it")
OUT_OF_REACH = Reason("out_of_reach", "no empty space can be reached")
THREE_ORDERS = Reason("three_orders", "you have three orders in hand already")
CLAIMED_ALREADY = Reason("claimed_already", "you have claimed it already")
AGENT_USED = Reason("agent_used", "an agent was used this turn already")
NO_AGENT = Reason("no_agent", "you have no unused agent")
NO_TRAM = Reason("no_tram", "you do not own the Tram")
NO_STATION = Reason("no_station", "you do not own the Station")
NO_MILL = Reason("no_mill", "you do not own the Spinning Mill")
NO_UNIVERSITY = Reason("no_university", "you do not own the University")
MILL_USED = Reason("mill_used", "the Spinning Mill was used this turn")
UNIVERSITY_USED = Reason("university_used", "the University was used this turn")


def wrong_area(name: str) -> Reason:
    return Reason("wrong_area", "this is not the {name}", name=name)


@_remembered
def little_faith(need: int, have: int) -> Reason:
    return Reason("little_faith", "that space needs {need} faith, you have {have}", need=need, have=have)


@_remembered
def customs_power(need: int, most: int) -> Reason:
    if need == 1:
        return Reason("customs_power_one", "that space needs 1 import, your power lets you pay {most}", most=most)
    return Reason(
        "customs_power", "that space needs {need} imports, your power lets you pay {most}", need=need, most=most
    )


@_remembered
def few_imports(need: int, have: int) -> Reason:
    if need == 1:
        return Reason("few_imports_one", "that space needs 1 import, you have {have}", have=have)
    return Reason("few_imports", "that space needs {need} imports, you have {have}", need=need, have=have)


@_remembered
def leave_at_most(most: int) -> Reason:
    return Reason("leave_at_most", "you may leave at most {most}", most=most)


def technology_owned(name: str) -> Reason:
    return Reason("technology_owned", "you own the {name} already", name=name)


def technology_too_dear(name: str) -> Reason:
    return Reason("technology_too_dear", "you cannot pay for the {name}", name=name)


@_remembered
def slot_needs(power: int) -> Reason:
    return Reason("slot_needs", "that slot needs power {power}", power=power)


@_remembered
def entry_too_dear(entry: int, yen: int) -> Reason:
    return Reason("entry_too_dear", "entering costs ¥{entry}, you have ¥{yen}", entry=entry, yen=yen)


@_remembered
def fee_too_dear(fee: int, yen: int) -> Reason:
    return Reason("fee_too_dear", "the presidents there ask ¥{fee}, you have ¥{yen}", fee=fee, yen=yen)


@_remembered
def have_of(have: int, need: int) -> Reason:
    return Reason("have_of", "you have {have} of {need}", have=have, need=need)


@_remembered
def spread_at_most(most: int) -> Reason:
    return Reason("spread_at_most", "you may spread at most {most} assistants", most=most)


@_remembered
def piece_too_dear(price: int, yen: int) -> Reason:
    return Reason("piece_too_dear", "that costs ¥{price}, you have ¥{yen}", price=price, yen=yen)
