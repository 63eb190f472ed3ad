"""Look-alike names: found whatever alphabet they borrow from, and different names stay different."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kontor_games.net.wire.names import _prototypes, skeleton
from kontor_games.net.wire.text import why_not_name

ALIKE = {
    "case": ("Anna", "aNNA"),
    "spaces and dashes": ("Anna Lee", "Anna-lee"),
    "punctuation at the end": ("Anna", "Anna."),
    "an exclamation mark": ("Anna", "Anna!"),
    "accents": ("Bjorn", "Björn"),
    "a stroke through a letter": ("Lodz", "Łódź"),
    "Cyrillic small": ("caspar", "саѕраr"),
    "Cyrillic capitals": ("ANTON", "АNТОN"),
    "Cyrillic with Latin-looking capitals": ("kate", "кате"),
    "Greek": ("Vito", "νito"),
    "Armenian": ("hugo", "հugօ"),
    "Cherokee": ("Wanda", "Ꮃanda"),
    "Lisu": ("Bruno", "ꓐruno"),
    "Canadian syllabics": ("Paul", "ᑭaul"),
    "Coptic": ("Otto", "Ⲟtto"),
    "full width": ("Clara", "Ｃｌａｒａ"),
    "mathematical": ("Emil", "𝕰𝖒𝖎𝖑"),
    "small capitals": ("rita", "ʀɪᴛᴀ"),
    "letters in circles": ("zoe", "ⓩⓞⓔ"),
    "letters in boxes": ("MAX", "🅼🅰🆇"),
    "regional indicators": ("DE", "🇩🇪"),
    "superscripts": ("hans", "ʰans"),
    "roman numerals": ("vivi", "ⅵvi"),
    "a ligature": ("fiona", "ﬁona"),
    "zero for o": ("Otto", "0tt0"),
    "one and capital i for l": ("Bill", "BiI1"),
    "a bar for l": ("Bill", "Bi||"),
    "digits for letters": ("Theresa", "Th3r3s4"),
    "signs for letters": ("Sascha", "$@scha"),
    "r n for m": ("Emma", "Ernma"),
    "v v for w": ("Wilma", "vvilma"),
    "c l for d": ("Magda", "Magcla"),
    "a soft sign for b": ("bob", "ьoь"),
    "palochka": ("Paul", "Pauӏ"),
    "a modifier letter": ("Anna", "Annaˈ"),
    "an Armenian apostrophe": ("Anna", "An՚na"),
    "a Hebrew point": ("Anna", "Annaִ"),
    "tatweel": ("على", "علـى"),
}


@pytest.mark.parametrize("what", ALIKE)
def test_names_that_can_be_taken_for_each_other_have_one_skeleton(what: str) -> None:
    one, other = ALIKE[what]
    assert one != other
    assert why_not_name(other) is None or not unicodedata.is_normalized("NFC", other), "nobody can have this name"
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Anna", "Hanna"),
        ("Anna", "Anne"),
        ("Clara", "Dara"),
        ("Nina", "Vina"),
        ("Una", "Yna"),
        ("Ben", "Len"),
        ("商人", "商入"),
        ("さくら", "さくらー"),
        ("人々", "人"),
        ("कि", "कु"),
        ("Анна", "Anna"),  # н is not taken for an n
        ("Anna 1", "Anna 2"),
        ("🙂", "🙃"),
    ],
)
def test_names_that_differ_at_a_glance_stay_different(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


def test_most_of_unicodes_table_is_found() -> None:
    """Every character that the table takes for a Latin letter is taken for it here, alone among other letters."""
    latin = {char: to for char, to in _prototypes().items() if len(to) == 1 and to.isascii() and to.isalpha()}
    missed = [char for char, to in latin.items() if skeleton(f"xx{char}xx") != skeleton(f"xx{to}xx")]
    assert len(latin) > 1200
    assert len(missed) < len(latin) / 50, [(char, latin[char]) for char in missed]


@given(st.text(max_size=24))
def test_every_name_has_a_skeleton_and_case_does_not_change_it(name: str) -> None:
    bare = skeleton(name)
    assert bool(bare) == bool(unicodedata.normalize("NFKC", name).casefold())
    assert skeleton(name) == bare


@given(st.text(st.characters(categories=("Lu", "Ll")), min_size=1, max_size=24))
def test_a_skeleton_does_not_depend_on_the_composed_form(name: str) -> None:
    assert skeleton(unicodedata.normalize("NFC", name)) == skeleton(unicodedata.normalize("NFD", name))


def test_the_table_says_where_it_comes_from() -> None:
    from importlib.resources import files

    head = files("kontor_games.net.wire").joinpath("confusables.txt").read_text(encoding="ascii")[:800]
    assert "Unicode 15.1" in head and "Licence" in head and "scripts/confusables" in head
    assert len(_prototypes()) > 6000 and _prototypes()["m"] == "rn"
