"""Group, hashing and the gates (design groups 5, 12 and 13)."""

from __future__ import annotations

import importlib.util
from hashlib import blake2b

import nacl.bindings
import pytest

from kontor_games.engine.core.stream import H, Stream
from kontor_games.net.sealed.algebra import group
from kontor_games.net.sealed.algebra.group import G, Point, Q, Reject, base, dec_point, dec_scalar, mul

T2 = ((1 << 255) - 20).to_bytes(32, "little")
ORDER4 = bytes(32)  # y = 0
ORDER8 = bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05")
NEUTRAL = (1).to_bytes(32, "little")
OFF_CURVE = (2).to_bytes(32, "little")
MIXED = nacl.bindings.crypto_core_ed25519_add(G, T2)
NON_CANONICAL = ((1 << 255) - 18).to_bytes(32, "little")
BAD_POINTS = {
    "neutral": NEUTRAL,
    "order 2": T2,
    "order 4": ORDER4,
    "order 8": ORDER8,
    "G + order 2": MIXED,
    "non-canonical": NON_CANONICAL,
    "off curve": OFF_CURVE,
}
BAD_SCALARS = {
    "q": Q.to_bytes(32, "little"),
    "q + 5": (Q + 5).to_bytes(32, "little"),
    "2^256 - 1": b"\xff" * 32,
}


@pytest.mark.parametrize("raw", BAD_POINTS.values(), ids=BAD_POINTS)
def test_the_point_gate_refuses_everything_outside_the_prime_order_group(raw: bytes) -> None:
    with pytest.raises(Reject, match="point"):
        dec_point(raw)


@pytest.mark.parametrize("raw", BAD_POINTS.values(), ids=BAD_POINTS)
@pytest.mark.parametrize("scalar", [1, 8, 12345, Q - 1])
def test_a_product_refuses_what_the_gate_refuses(raw: bytes, scalar: int) -> None:
    """Proofs that multiply all their points rely on it (`gated_by_products`)."""
    with pytest.raises(Reject):
        mul(scalar, Point(raw))
    with pytest.raises(Reject, match="point"):
        group.gated_by_products(G + raw, lambda: group.msm([(0, Point(raw)), (1, G)]))


@pytest.mark.parametrize("raw", [G[:31], G + b"\0", G.hex(), None, 7, bytearray(G), memoryview(G)])
def test_the_point_gate_refuses_other_lengths_and_types(raw: object) -> None:
    with pytest.raises(Reject, match="point"):
        dec_point(raw)


@pytest.mark.parametrize("raw", [*BAD_SCALARS.values(), b"", bytes(31), bytes(33), "0" * 32, None, 7, bytearray(32)])
def test_the_scalar_gate_refuses_all_but_canonical_scalars(raw: object) -> None:
    with pytest.raises(Reject, match="scalar"):
        dec_scalar(raw)


def test_the_gates_pass_what_is_right() -> None:
    assert dec_point(G) == G
    assert dec_scalar((Q - 1).to_bytes(32, "little")) == Q - 1


def test_neutral_results_are_refused() -> None:
    P = base(5)
    for call in (
        lambda: mul(0, P),
        lambda: base(Q),
        lambda: group.add(P, group.neg(P)),
        lambda: group.sub(P, P),
        lambda: group.msm([(0, P)]),
        lambda: group.total([]),
    ):
        with pytest.raises(Reject):
            call()


def test_arithmetic_agrees_with_the_scalars() -> None:
    assert group.add(base(3), base(4)) == base(7)
    assert group.sub(base(3), base(4)) == group.neg(base(1)) == base(Q - 1)
    assert group.msm([(2, base(3)), (0, base(9)), (5, G)]) == base(11)
    assert group.total([base(1), base(Q - 1), base(4)]) == base(4)  # passes through the neutral element


def _hash(label: str, *parts: bytes, size: int = 64) -> bytes:
    """A second implementation, written from the text of the design."""
    fields = [b"kontor/sd/1/" + label.encode("ascii"), *parts]
    body = bytearray()
    for one in fields:
        body += bytes([len(one) >> 24 & 255, len(one) >> 16 & 255, len(one) >> 8 & 255, len(one) & 255])
        body += one
    return blake2b(bytes(body), digest_size=size).digest()


class _SecondStream:
    def __init__(self, *seed: bytes) -> None:
        key = _hash("stream-key", *seed, size=32)
        self._bytes = (b for i in range(10**6) for b in _hash("stream", key, i.to_bytes(4, "big")))

    def take(self, k: int) -> bytes:
        return bytes(next(self._bytes) for _ in range(k))

    def below(self, k: int) -> int:
        while (v := int.from_bytes(self.take(8), "big")) >= 2**64 - 2**64 % k:
            pass
        return v % k

    def permutation(self, k: int) -> list[int]:
        p = list(range(k))
        for i in reversed(range(1, k)):
            j = self.below(i + 1)
            p[i], p[j] = p[j], p[i]
        return p


def test_vectors_of_the_design() -> None:
    assert H("test", "a", "")[:16].hex() == "058b42ee3a5fd6e15a53997fd32e90fa"
    assert group.generator(0).hex() == "cf6b5ee8eb6cdb8004c41e7b7c8724adee3836e8f4d6f7e78abcc6855c938c60"
    assert group.face_point(1).hex() == "aec4d0032c2ad045cea92c2a2dd3aa1d262eac8f3c8c325a3779dbbc0bc26f8b"
    assert Stream("seed").permutation(10) == [5, 1, 0, 6, 8, 9, 2, 4, 3, 7]


def test_a_second_implementation_of_hash_and_stream_agrees() -> None:
    assert _hash("test", b"a", b"") == H("test", "a", "")
    assert int.from_bytes(_hash("test", b"a"), "little") % Q == group.h2s("test", "a")
    ours, theirs = Stream(b"x", "y"), _SecondStream(b"x", b"y")
    assert [ours.below(k) for k in (3, 1000, 2**63 + 1, 7)] == [theirs.below(k) for k in (3, 1000, 2**63 + 1, 7)]
    assert ours.permutation(60) == theirs.permutation(60)
    assert ours.take(200) == theirs.take(200)


def test_import_fails_with_a_library_that_takes_every_point(monkeypatch: pytest.MonkeyPatch) -> None:
    def load() -> None:
        assert group.__file__ is not None
        spec = importlib.util.spec_from_file_location("kontor_games.net.sealed.group_again", group.__file__)
        assert spec is not None and spec.loader is not None
        spec.loader.exec_module(importlib.util.module_from_spec(spec))

    load()
    monkeypatch.setattr(nacl.bindings, "crypto_core_ed25519_is_valid_point", lambda raw: True)
    with pytest.raises(ImportError, match="self-test"):
        load()


def test_import_fails_with_a_library_that_computes_something_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group, "_is_valid", lambda raw: raw == G)
    group._self_test()
    monkeypatch.setattr(group, "_is_valid", lambda raw: False)
    with pytest.raises(ImportError):
        group._self_test()


def test_low_order_constants_are_what_they_are_called() -> None:
    def order(raw: bytes) -> int:
        total, count = raw, 1
        while total != NEUTRAL:
            total, count = nacl.bindings.crypto_core_ed25519_add(total, raw), count + 1
        return count

    assert [order(raw) for raw in (T2, ORDER4, ORDER8)] == [2, 4, 8]
