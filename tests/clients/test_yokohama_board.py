"""Yokohama in the terminal: what is drawn, how wide, and the words for every fact."""

from __future__ import annotations

import pytest

from kontor_games.clients.text.boards.yokohama import gain, letter, render
from kontor_games.clients.text.phrases import Words, load_catalogue, split
from kontor_games.engine import LocalMatch, event_dict, load, view
from kontor_games.engine.core.data import load_data
from kontor_games.engine.core.stream import Stream
from kontor_games.engine.games.yokohama.data import tables

from .test_words import goes_without_saying, is_worded

GAME = load("yokohama")
T = tables(load_data("yokohama")[0])


def plain(text: str, style: str) -> str:
    return text


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_every_line_fits_and_every_area_is_drawn(seats: int) -> None:
    match = LocalMatch(GAME, {"max_rounds": 15, "mini_1": True, "mini_2": True}, seats, b"draw")
    stream = Stream("draw")
    names = ["Ada", "Bo", "Cy", "Di"][:seats]
    plies = 0
    while match.result is None:
        for _ in match.settle():
            pass
        turn = match.turn
        if turn is None:
            break
        if plies % 7 == 0:
            for width in (80, 100):
                seen = {**view(GAME, match.state, turn, match.known(turn)), "names": names}
                lines = render(seen, width, plain)
                assert max(map(len, lines)) <= width
                text = "\n".join(lines)
                for area in seen["areas"]:
                    assert text.count(area["cell"]) >= 1
                assert all(name in text for name in names)
                assert render(seen, width, lambda text, style: text) == lines
        legal = match.legal()
        match.play(legal[stream.below(len(legal))])
        plies += 1
    final = {**view(GAME, match.state, None, {}), "names": names}
    assert "the match is over" in render(final, 100, plain)[0]


def test_pieces_and_rewards_have_signs_without_colour() -> None:
    assert gain({"points": 4, "yen": 2, "import": 1}) == "4pt+¥2+1im"
    assert (letter(0), letter(None), letter("neutral")) == ("A", ".", "#")


def test_the_catalogue_has_words_for_every_event_reason_category_and_component() -> None:
    words = load_catalogue("yokohama")
    assert set(words["events"]) == {event.__name__ for event in GAME.events}
    for event in GAME.events:
        for _, inside in split(words["events"][event.__name__]):
            if inside is not None:
                name, _, kind = inside.partition(":")
                assert name in event.__struct_fields__, (event, name)
                assert is_worded(kind, words), (event, kind)
    assert set(words["reasons"]) == {"trading_houses", "shops", "port", "church", "customs", "rounds"}
    names = words["names"]
    assert len(names["card"]) == len(GAME.faces) and len(names["area"]) == len(T.boards)
    assert len(names["token"]) == len(T.tokens) and len(names["achievement"]) == len(T.achievements)
    assert len(names["reward"]) == len(T.reward_tokens) and len(names["agent"]) == len(T.countries) + 1


def test_the_story_of_a_match_has_no_open_places() -> None:
    match = LocalMatch(GAME, {"max_rounds": 10, "mini_1": True}, 3, b"story")
    words = Words("yokohama", ["Ada", "Bo", "Cy"])
    stream = Stream("story")
    told = 0
    while match.result is None:
        events = [event for _, more in match.settle() for event in more]
        legal = match.legal()
        if legal:
            events += match.play(legal[stream.below(len(legal))])
        for event in events:
            sentence = words.event(event_dict(event))
            assert "{" not in sentence and (sentence.endswith((".", "!")) or goes_without_saying(event))
            told += 1
    assert match.result is not None and told > 100
    assert {name for name, _ in match.result.breakdown} <= set(load_catalogue("yokohama")["categories"])
