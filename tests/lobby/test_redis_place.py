"""Addresses of Redis servers: what they mean, what is wrong with them, and that no password is ever shown."""

from __future__ import annotations

import pytest

from kontor_games.engine.errors import ConfigError
from kontor_games.lobby.store.redis.place import is_redis, read_place


def test_an_address_is_read_with_its_defaults() -> None:
    place = read_place("redis://db.example.org")
    assert (place.host, place.port, place.database, place.user, place.is_tls) == (
        "db.example.org",
        6379,
        0,
        "",
        False,
    )
    place = read_place("rediss://lobby:p%40ss@[2001:db8::1]:7000/3?ca=/etc/ca.pem")
    assert (place.host, place.port, place.database, place.user) == ("2001:db8::1", 7000, 3, "lobby")
    assert (place.password, place.is_tls, place.ca) == ("p@ss", True, "/etc/ca.pem")
    place = read_place("unix:///run/redis/redis.sock?db=2")
    assert (place.socket, place.database) == ("/run/redis/redis.sock", 2)


def test_a_password_is_never_shown() -> None:
    place = read_place("redis://lobby:sesame@db.example.org/1")
    assert "sesame" not in f"{place} {place!r}"
    assert str(place) == "redis://db.example.org:6379/1"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("redis://:sesame@host:port/0", "port"),
        ("redis://:sesame@/0", "host"),
        ("redis://:sesame@host/x", "database"),
        ("redis://:sesame@host/0?timeout=3", "timeout"),
        ("redis://:ses#ame@host/0", "port"),
        ("redis://:sesame@host/0#x", "%23"),
        ("unix://host/path", "socket"),
        ("http://:sesame@host", "redis://"),
        ("redis://host/0?password-file=/nowhere/at/all", "/nowhere/at/all"),
    ],
)
def test_a_wrong_address_is_told_in_words_and_without_its_password(text: str, words: str) -> None:
    with pytest.raises(ConfigError, match=words) as refused:
        read_place(text)
    assert "sesame" not in str(refused.value)


def test_settings_that_mean_redis_are_told_from_others() -> None:
    assert is_redis("redis://host") and is_redis("rediss://host") and is_redis("unix:///path")
    assert not is_redis("sqlite") and not is_redis("memory") and not is_redis("redis")
