"""Invitations, phones and codes: who comes in, who waits, who is out."""

from __future__ import annotations

import os

import pytest

from kontor_games.engine.errors import ConfigError
from kontor_games.net.api.guests.guest_book import MOST_GUESTS, MOST_TRYING, MOST_WAITING, TRIES, GuestBook, PhoneGuest
from kontor_games.net.api.guests.sealed_channel import Credential, id_of


def key() -> bytes:
    return os.urandom(32)


def test_a_link_is_used_up_by_the_first_phone_that_proves_it() -> None:
    book = GuestBook()
    link = book.invite("seat", 2)
    assert book.invite("seat", 2) == link, "one link for one seat"
    name = id_of(link.secret)
    assert book.secret_of(Credential.LINK, name) == link.secret
    assert book.secret_of(Credential.LINK, name) == link.secret, "looking it up burns nothing"
    guest = book.came_by_link(name, key(), "Bruno")
    assert (guest.seat, guest.is_accepted) == (2, False)
    assert book.secret_of(Credential.LINK, name) is None
    with pytest.raises(ConfigError, match="used by another phone"):
        book.came_by_link(name, key(), "Eve")
    assert [each.name for each in book.guests] == ["Bruno"]


def test_a_bad_name_does_not_burn_the_link() -> None:
    book = GuestBook()
    name = id_of(book.invite("seat", 2).secret)
    for bad in ("", " ", "a\nb", "\u202eanna", "x" * 25):
        with pytest.raises(ConfigError):
            book.came_by_link(name, key(), bad)
    assert book.came_by_link(name, key(), "Anna").name == "Anna"


def test_the_host_accepts_and_another_phone_takes_the_seat_over() -> None:
    book = GuestBook()
    first = book.came_by_link(id_of(book.invite("seat", 1).secret), key(), "Bruno")
    assert book.held == frozenset()
    accepted, before = book.accept(first.id)
    assert before is None and accepted.is_accepted and book.held == {1} and book.holder(1) == accepted
    with pytest.raises(ConfigError, match="already"):
        book.accept(first.id)
    second = book.came_by_link(id_of(book.invite("seat", 1).secret), key(), "Bruno")
    assert book.holder(1) == accepted, "nothing changes before the host says yes"
    replaced, before = book.accept(second.id)
    assert before == accepted and book.holder(1) == replaced
    assert book.secret_of(Credential.DEVICE, id_of(first.secret)) is None, "the old phone is out"
    assert book.secret_of(Credential.DEVICE, id_of(second.secret)) == second.secret


def test_watching_by_link_needs_no_yes_and_holds_no_seat() -> None:
    book = GuestBook()
    for kind in ("watch", "screen"):
        guest = book.came_by_link(id_of(book.invite(kind).secret), key(), f"A {kind}")
        assert guest.is_accepted and guest.seat is None
    assert book.held == frozenset()


def knock(book: GuestBook, code: str, name: str, where: str = "192.0.2.7") -> PhoneGuest:
    return book.came_by_code(code, key(), name, ("a", "b", "c"), where)


def test_three_wrong_codes_shut_their_sender_out_and_nobody_else() -> None:
    book = GuestBook()
    code = book.code
    for _ in range(TRIES):
        assert book.shut_out == ()
        with pytest.raises(ConfigError, match="not the code"):
            knock(book, "WRONG!", "Eve")
    assert book.shut_out == ("192.0.2.7",)
    for typed in ("WRONG!", code):
        with pytest.raises(ConfigError, match="ask the host for a new code"):
            knock(book, typed, "Eve")
    assert book.code == code and not book.guests
    guest = knock(book, f" {code[:3].lower()}-{code[3:]} ", "Bruno", "192.0.2.8")
    assert guest.words == ("a", "b", "c") and not guest.is_accepted and guest.seat is None
    with pytest.raises(ConfigError, match="not chosen a seat"):
        book.accept(guest.id)
    assert book.accept(book.wish(guest.id, 2).id)[0].seat == 2
    with pytest.raises(ConfigError, match="already"):
        book.wish(guest.id, 3)


def test_a_stranger_cannot_change_the_code_that_the_host_reads_out() -> None:
    book = GuestBook()
    code = book.code
    for number in range(10_000):
        with pytest.raises(ConfigError):
            knock(book, f"A{number:05}", "Eve")
    assert book.code == code
    assert knock(book, code, "Bruno", "192.0.2.8").name == "Bruno"


def test_a_new_code_of_the_hosts_gives_everybody_three_tries_again() -> None:
    book = GuestBook()
    for _ in range(TRIES):
        with pytest.raises(ConfigError):
            knock(book, "WRONG!", "Clara")
    book.renew_code()
    assert book.shut_out == ()
    with pytest.raises(ConfigError, match="not the code"):
        knock(book, "WRONG!", "Clara")
    assert knock(book, book.code, "Clara").name == "Clara"


def test_a_guest_who_mistypes_and_comes_in_leaves_three_tries_for_the_next_one() -> None:
    book = GuestBook()  # people behind one router have one address
    for name in ("Bruno", "Clara", "Dora"):
        for _ in range(TRIES - 1):
            with pytest.raises(ConfigError, match="not the code"):
                knock(book, "WRONG!", name)
        assert knock(book, book.code, name).name == name
    assert book.shut_out == ()


def test_a_code_is_good_for_a_bounded_number_of_guesses_however_many_machines_guess() -> None:
    book = GuestBook()
    code, guesses = book.code, 0
    for machine in range(2 * MOST_TRYING):
        for _ in range(TRIES):
            if book.code != code:
                break
            with pytest.raises(ConfigError):
                knock(book, "WRONG!", "Eve", f"10.0.{machine // 256}.{machine % 256}")
            guesses += 1
    assert book.code != code and guesses == TRIES * MOST_TRYING + 1


def test_whoever_was_refused_needs_the_new_code() -> None:
    book = GuestBook()
    old = book.code
    guest = knock(book, old, "Eve")
    book.remove(guest.id)
    assert book.code != old
    with pytest.raises(ConfigError, match="no such guest"):
        book.remove(guest.id)


def test_only_so_many_wait_at_once() -> None:
    book = GuestBook()
    for number in range(MOST_WAITING):
        knock(book, book.code, f"Eve {number}")
    with pytest.raises(ConfigError, match="too many guests are waiting"):
        knock(book, book.code, "Bruno")
    for number in range(MOST_WAITING, MOST_GUESTS):
        assert book.came_by_link(id_of(book.invite("watch").secret), key(), f"Anna {number}").is_accepted
    with pytest.raises(ConfigError, match="too many phones are here already"):
        book.came_by_link(id_of(book.invite("watch").secret), key(), "Anna")


def test_a_withdrawn_link_is_not_good_any_more() -> None:
    book = GuestBook()
    link = book.invite("seat", 1)
    book.invite("watch")
    assert book.withdraw(lambda each: each.seat == 1) and not book.withdraw(lambda each: each.seat == 1)
    assert book.secret_of(Credential.LINK, id_of(link.secret)) is None
    assert [each.kind for each in book.invitations] == ["watch"]


def test_guests_come_back_after_a_restart() -> None:
    book = GuestBook()
    book.accept(book.came_by_link(id_of(book.invite("seat", 1).secret), key(), "Bruno").id)
    knock(book, book.code, "Clara")
    book.invite("seat", 2)
    again = GuestBook.load(book.dump())
    assert (again.guests, again.invitations, again.code) == (book.guests, book.invitations, book.code)
    for raw in (b"", b"{}", book.dump()[:-1], book.dump().replace(b'"seat":1', b'"seat":99')):
        with pytest.raises(ConfigError, match="damaged"):
            GuestBook.load(raw)


def test_after_a_rematch_guests_sit_where_their_names_are() -> None:
    book = GuestBook()
    book.accept(book.came_by_link(id_of(book.invite("seat", 1).secret), key(), "Bruno").id)
    book.accept(book.came_by_link(id_of(book.invite("seat", 2).secret), key(), "Clara").id)
    book.came_by_link(id_of(book.invite("watch").secret), key(), "Wanda")
    knock(book, book.code, "Dora")
    book.wish(book.guests[-1].id, 2)
    book.invite("seat", 0)
    book.move({0: 2, 1: 0, 2: 1})
    assert [(each.name, each.seat, each.is_accepted) for each in book.guests] == [
        ("Bruno", 0, True),
        ("Clara", 1, True),
        ("Wanda", None, True),
        ("Dora", 1, False),
    ]
    assert book.invitations == (), "a link for a seat of the old match is not one for a seat of the new"
