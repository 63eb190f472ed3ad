"""Shuffles and their forgeries (design groups 1, 4, 6, 7, 8 and 22)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import pytest

from kontor_games.engine.core.stream import H, Stream, u32
from kontor_games.net.sealed.algebra import group, mix, sigma
from kontor_games.net.sealed.algebra.group import G, Point, Q, Reject, add, base, face_point, generator, mul, sub
from kontor_games.net.sealed.algebra.mix import Pair, Shuffle, flat
from kontor_games.net.sealed.bodies import MixBody

from .kit import Ring, changed, refused

X = 123456789
KEY = base(X)
BOUND = b"b" * 32
Z = b"z" * 32


def deck(faces: Sequence[int]) -> list[Pair]:
    return [(G, add(face_point(face), KEY)) for face in faces]


def faces_of(pairs: Sequence[Pair], limit: int = 300) -> list[int]:
    points = {face_point(f): f for f in range(limit)}
    return [points[sub(B, mul(X, A))] for A, B in pairs]


@pytest.mark.parametrize("m", [1, 2, 6, 36])
def test_a_shuffle_keeps_the_cards_and_its_proof_holds(m: int) -> None:
    faces = [i // 2 for i in range(m)]  # equal faces repeat
    out = mix.verify(BOUND, KEY, deck(faces), mix.prove(Z, BOUND, KEY, deck(faces)))
    assert Counter(faces_of(out)) == Counter(faces)


@pytest.mark.long
@pytest.mark.parametrize("m", [108, 256])
def test_a_large_shuffle_keeps_the_cards(m: int) -> None:
    test_a_shuffle_keeps_the_cards_and_its_proof_holds(m)


def test_one_honest_peer_makes_every_order_equally_likely() -> None:
    """6 cards, 3 000 shuffles by one honest peer: chi-squared on the 36 positions."""
    seen: Counter[tuple[int, int]] = Counter()
    inputs = deck(range(6))
    for run in range(3000):
        order = Stream(Z, u32(run), KEY, flat(inputs)).permutation(6)  # the order `prove` uses
        seen.update(enumerate(order))
    chi = sum((seen[i, j] - 500) ** 2 / 500 for i in range(6) for j in range(6))
    assert chi < 60.4  # 25 degrees of freedom, one in ten thousand


@pytest.mark.long
def test_three_thousand_real_shuffles_are_uniform() -> None:
    seen: Counter[tuple[int, int]] = Counter()
    inputs = deck(range(6))
    for run in range(3000):
        out = mix.pairs_of([Point(p) for p in group.pieces(mix.prove(Z, u32(run), KEY, inputs).o)])
        seen.update(enumerate(faces_of(out, 6)))
    assert sum((seen[i, j] - 500) ** 2 / 500 for i in range(6) for j in range(6)) < 60.4


def test_the_prover_shuffles_in_the_order_of_its_stream() -> None:
    inputs = deck(range(6))
    for run in range(5):
        out = mix.pairs_of([Point(p) for p in group.pieces(mix.prove(Z, u32(run), KEY, inputs).o)])
        assert faces_of(out) == Stream(Z, u32(run), KEY, flat(inputs)).permutation(6)


# --- forgeries of a prover who knows everything about the protocol

Matrix = list[list[int]]
HALF = pow(2, -1, Q)


def _inverse2(n: Matrix) -> Matrix:
    (a, b), (c, d) = n
    det = pow(a * d - b * c, -1, Q)
    return [[d * det % Q, -b * det % Q], [-c * det % Q, a * det % Q]]


def _block(n: Matrix, m: int) -> Matrix:
    full = [[int(i == j) for j in range(m)] for i in range(m)]
    for i in range(2):
        full[i][:2] = n[i]
    return full


def forge(
    inputs: Sequence[Pair],
    n2: Matrix,
    identity_commitment: bool = False,
    free_end: bool = False,
    drop: int | None = None,
) -> Shuffle:
    """A «shuffle» by a 2×2 block N with u' = N·u; outputs are built so that (3) and (4) hold for every challenge."""
    m = len(inputs)
    N = _block(n2, m)
    (a, b), (c, d) = _inverse2(n2)
    M = _block([[a, c], [b, d]], m)  # N transposed and inverted
    rho, r, r_hat = ([group.h2s("test", kind, u32(i)) for i in range(m)] for kind in ("rho", "r", "hat"))
    outputs = [
        (
            group.msm([(M[i][j], inputs[j][0]) for j in range(m)] + [(rho[i], G)]),
            group.msm([(M[i][j], inputs[j][1]) for j in range(m)] + [(rho[i], KEY)]),
        )
        for i in range(m)
    ]
    weights = _block([[1, 0], [0, 1]], m) if identity_commitment else N
    commit = [group.msm([(r[j], G)] + [(weights[i][j], generator(i + 1)) for i in range(m)]) for j in range(m)]
    o, p = flat(outputs), b"".join(commit)
    digest, u = mix.challenges(BOUND, KEY, flat(inputs), o, p, m)
    moved = [sum(N[i][j] * u[j] for j in range(m)) % Q for i in range(m)]
    chain: list[Point] = []
    link, r_chain, product = generator(0), 0, 1
    for i in range(m):
        link = add(base(r_hat[i]), mul(moved[i], link))
        r_chain = (r_hat[i] + moved[i] * r_chain) % Q
        product = product * u[i] % Q
        chain.append(link)
    if free_end:
        chain[-1] = add(base(r_chain), mul(product, generator(0)))
    h = b"".join(chain)
    witnesses = [
        sum(r) % Q,
        r_chain,
        sum(x * y for x, y in zip(u, r, strict=True)) % Q,
        -sum(x * y for x, y in zip(moved, rho, strict=True)) % Q,
        *r_hat,
        *moved,
    ]
    sides = mix.right_sides(KEY, outputs, chain)
    if drop is not None:
        del sides[drop]
    c_raw, s_raw = sigma.prove(Z, H("mix", digest, h), sides, witnesses)
    return Shuffle(o, p, h, c_raw, s_raw)


def verify_without(inputs: Sequence[Pair], given: Shuffle, drop: int) -> None:
    stmt, equations, _ = mix.statement(BOUND, KEY, inputs, given)
    del equations[drop]
    sigma.verify(stmt, equations, given.c, given.s)


M4 = 4
LAST = 5 + M4 - 1
SKEW: Matrix = [[2, Q - 1], [Q - 1, 2]]
STRETCH: Matrix = [[2, 0], [0, HALF]]
FORGERIES = {
    "block violates (1)": (SKEW, False, False, 1),
    "diagonal violates (0)": (STRETCH, False, False, 0),
    "diagonal with the commitment of the identity violates (2)": (STRETCH, True, False, 2),
    "block with a free last link violates (5)": (SKEW, False, True, LAST),
}


@pytest.mark.parametrize("n2, identity, free, violated", FORGERIES.values(), ids=FORGERIES)
def test_a_matrix_that_is_no_permutation_is_refused_by_exactly_one_equation(
    n2: Matrix, identity: bool, free: bool, violated: int
) -> None:
    inputs = deck([3, 1, 4, 1])
    with pytest.raises(Reject, match="proof"):
        mix.verify(BOUND, KEY, inputs, forge(inputs, n2, identity, free))
    # teeth: without the violated equation, and only without that one, the forgery passes
    verify_without(inputs, forge(inputs, n2, identity, free, drop=violated), violated)
    for other in set(range(5 + M4)) - {violated}:
        with pytest.raises(Reject, match="proof"):
            verify_without(inputs, forge(inputs, n2, identity, free, drop=other), other)


def test_the_forger_passes_with_an_honest_matrix() -> None:
    inputs = deck([3, 1, 4, 1])
    out = mix.verify(BOUND, KEY, inputs, forge(inputs, [[0, 1], [1, 0]]))
    assert faces_of(out) == [1, 3, 4, 1]


def _select(inputs: Sequence[Pair], commit_twice: bool) -> Shuffle:
    """Input 0 twice, input 1 never."""
    m = len(inputs)
    order = [0, 0, *range(2, m)]
    rho, r, r_hat = ([group.h2s("test", kind, u32(i)) for i in range(m)] for kind in ("rho", "r", "hat"))
    outputs = [(add(inputs[j][0], base(rho[i])), add(inputs[j][1], mul(rho[i], KEY))) for i, j in enumerate(order)]
    placed = order if commit_twice else list(range(m))
    commit = [
        group.msm([(r[j], G)] + [(1, generator(i + 1)) for i, source in enumerate(placed) if source == j])
        for j in range(m)
    ]
    o, p = flat(outputs), b"".join(commit)
    digest, u = mix.challenges(BOUND, KEY, flat(inputs), o, p, m)
    moved = [u[j] for j in order]
    chain, link, r_chain = [], generator(0), 0
    for i in range(m):
        link = add(base(r_hat[i]), mul(moved[i], link))
        r_chain = (r_hat[i] + moved[i] * r_chain) % Q
        chain.append(link)
    h = b"".join(chain)
    witnesses = [
        sum(r) % Q,
        r_chain,
        sum(x * y for x, y in zip(u, r, strict=True)) % Q,
        -sum(x * y for x, y in zip(moved, rho, strict=True)) % Q,
        *r_hat,
        *moved,
    ]
    c_raw, s_raw = sigma.prove(Z, H("mix", digest, h), mix.right_sides(KEY, outputs, chain), witnesses)
    return Shuffle(o, p, h, c_raw, s_raw)


@pytest.mark.parametrize("commit_twice", [True, False])
def test_choosing_one_input_twice_is_refused(commit_twice: bool) -> None:
    inputs = deck([3, 1, 4])
    with pytest.raises(Reject, match="proof"):
        mix.verify(BOUND, KEY, inputs, _select(inputs, commit_twice))


# --- wrong shuffles at a table: refused, the shuffler named, the state unchanged


@pytest.fixture(scope="module")
def table_at_mix() -> tuple[Ring, MixBody]:
    ring = Ring(2).start()
    ring.open(ring.mix_want([7, 7, 9]))
    body = ring.players[0].make("mix")
    assert isinstance(body, MixBody)
    return ring, body


def _swap(o: bytes, make: Callable[[list[bytes]], list[bytes]]) -> bytes:
    return b"".join(make(list(group.pieces(o))))


OUTPUT_FORGERIES: dict[str, Callable[[list[bytes]], list[bytes]]] = {
    "card duplicated": lambda o: o[:2] + o[:2] + o[4:],
    "card duplicated and re-encrypted": lambda o: [add(Point(o[2]), G), o[3], *o[2:]],
    "foreign card": lambda o: [o[0], add(Point(o[1]), sub(face_point(3), face_point(7))), *o[2:]],
    "B shifted by a known point": lambda o: [o[0], add(Point(o[1]), base(5)), *o[2:]],
    "two outputs exchanged": lambda o: o[2:4] + o[:2] + o[4:],
}


@pytest.mark.parametrize("forgery", OUTPUT_FORGERIES.values(), ids=OUTPUT_FORGERIES)
def test_changed_outputs_are_refused(
    table_at_mix: tuple[Ring, MixBody], forgery: Callable[[list[bytes]], list[bytes]]
) -> None:
    ring, body = table_at_mix
    refused(ring.table, 0, changed(body, o=_swap(body.o, forgery)), "mix.proof")


def test_lists_of_other_lengths_are_refused(table_at_mix: tuple[Ring, MixBody]) -> None:
    ring, body = table_at_mix
    refused(ring.table, 0, changed(body, o=body.o[:-64], p=body.p[:-32], h=body.h[:-32], s=body.s[:-64]), "mix.form")
    for name in ("o", "p", "h", "s"):
        for raw in (getattr(body, name)[:-32], getattr(body, name) + bytes(32), getattr(body, name)[:-1], b""):
            refused(ring.table, 0, changed(body, **{name: raw}), "mix.form")


@pytest.mark.parametrize("name", ["o", "p", "h", "c", "s"])
def test_one_flipped_bit_is_refused(table_at_mix: tuple[Ring, MixBody], name: str) -> None:
    ring, body = table_at_mix
    raw = getattr(body, name)
    for place in range(0, len(raw), 32):
        for bit in (0, 77, 255):
            flipped = bytearray(raw)
            flipped[place + bit // 8] ^= 1 << bit % 8
            refused(ring.table, 0, changed(body, **{name: bytes(flipped)}), "mix.point", "mix.proof", "mix.scalar")


def test_a_shuffle_out_of_turn_or_for_another_request_is_refused(table_at_mix: tuple[Ring, MixBody]) -> None:
    ring, body = table_at_mix
    refused(ring.table, 1, body, "mix.unexpected")
    refused(ring.table, 0, changed(body, r=body.r + 1), "mix.unexpected")


# --- cost


def _count(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    counts: Counter[str] = Counter()
    for name in ("_multiply", "_multiply_base", "_is_valid"):
        original = getattr(group, name)

        def counted(*args: bytes, _name: str = name, _original: Callable[..., object] = original) -> object:
            counts[_name] += 1
            return _original(*args)

        monkeypatch.setattr(group, name, counted)
    return counts


@pytest.mark.parametrize("m", [2, 5, 12])
def test_a_shuffle_takes_exactly_the_multiplications_of_the_design(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = [(base(i + 2), add(face_point(i), KEY)) for i in range(m)]  # no input equals G, whose cost is another
    for i in range(m + 1):
        generator(i)
    counts = _count(monkeypatch)
    given = mix.prove(Z, BOUND, KEY, inputs)
    assert counts == {"_multiply": 6 * m + 1, "_multiply_base": 4 * m + 4}
    counts.clear()
    mix.verify(BOUND, KEY, inputs, given)
    assert counts == {"_multiply": 8 * m + 7, "_multiply_base": m + 4}  # which check the points that they multiply
