"""A request that cannot be understood is answered in a sentence: the field, what it must be, what it is, what to do."""

from __future__ import annotations

import json

import pytest

from kontor_games.clients.node.node_link import Refused

from .kit import NodeProcess, new_match
from .test_play import HOT_SEAT

LOOK = "docs/local-api.md lists the fields of every request"


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("matches", '{"seats": [{"kind": "me"}]}', "game is missing: send it too"),
        ("matches", '{"game": "osaka", "seats": []}', "seats has 1 or more entries, not 0: add some"),
        ("matches", '{"game": 5, "seats": []}', "game must be a text, not 5"),
        ("matches", '{"game": "O S", "seats": []}', f'game cannot be "O S": {LOOK}'),
        ("matches", '{"game": "osaka", "seats": [{"kind": "me", "name": ""}]}',
         'seats[0].name has 1 or more characters, not 0: write more'),
        ("matches", '{"game": "osaka", "seats": [{"kind": "me", "name": "%s"}]}' % ("x" * 30),
         "seats[0].name has at most 24 characters, not 30: shorten it"),
        ("matches", '{"game": "osaka", "seats": [{"kind": "me"}], "options": {"a": [1]}}',
         'options (one of its values) must be true or false or a whole number or a text, not {"a": [1]}'),
        ("matches", '{"game": "osaka", "seats": [{"kind": "me"}], "speed": 1}',
         "there is no field speed here: leave it out"),
        ("matches/M/draft", '{"text": "take", "seat": 9}', "seat is at most 7, not 9: send a smaller number"),
        ("matches/M/undo", '{"to": -1}', "to is at least 0, not -1: send a larger number"),
        ("matches/M/undo", '{"to": "one"}', 'to must be a whole number or null, not "one"'),
        ("matches", "{nonsense", f"the body is not JSON in UTF-8: send an object such as {{}}; {LOOK}"),
        ("matches", "[]", "the body must be an object with fields, not []"),
        ("tables", '{"game": "osaka", "seats": 3, "recovery": "maybe"}', f'recovery cannot be "maybe": {LOOK}'),
        ("links", '{"a": 1}', "this request takes no body: send none"),
    ],
)  # fmt: skip
def test_a_body_that_is_wrong_is_explained(node: NodeProcess, path: str, body: str, expected: str) -> None:
    status, _, answer = node.raw("POST", f"/api/1/{path}", node.as_owner(), body.encode())
    assert (status, json.loads(answer)) == (400, {"error": "bad-request", "message": expected})


def test_a_refusal_of_the_rules_has_its_id_and_values(node: NodeProcess) -> None:
    link = node.link()
    match = new_match(link, "joban", HOT_SEAT, seed="reasons")
    state = link.get(f"matches/{match}")
    body = {"seat": state["seat"], "text": "pass"}
    with pytest.raises(Refused) as refusal:
        link.post(f"matches/{match}/draft", body)
    _, _, raw = node.raw("POST", f"/api/1/matches/{match}/draft", node.as_owner(), json.dumps(body).encode())
    answer = json.loads(raw)
    assert answer["error"] == "refused" and answer["message"] == str(refusal.value)
    assert isinstance(answer["id"], str) and isinstance(answer["values"], dict)
    told = link.post(f"matches/{match}/explain", body)
    assert told["reason"] == answer["message"] and (told["id"], told["values"]) == (answer["id"], answer["values"])
