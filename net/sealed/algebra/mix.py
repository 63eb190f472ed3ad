"""Re-encryption shuffle with a Terelius–Wikström proof that outputs are the permuted inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from kontor_games.engine.core.stream import H, Stream, u32

from . import sigma
from .group import G, Point, Q, add, base, gated_by_products, generator, h2s, msm, mul, sub, taken_points, total
from .sigma import Equation, Terms

Pair: TypeAlias = tuple[Point, Point]  # a ciphertext (A, B)
MAX_CARDS = 256


@dataclass(frozen=True, slots=True)
class Shuffle:
    """One shuffle as it travels: outputs A'_0 B'_0 A'_1 …, commitment C, chain Ĉ, proof."""

    o: bytes
    p: bytes
    h: bytes
    c: bytes
    s: bytes


def flat(pairs: Sequence[Pair]) -> bytes:
    """A_0 || B_0 || A_1 || …"""
    return b"".join(a + b for a, b in pairs)


def pairs_of(points: Sequence[Point]) -> tuple[Pair, ...]:
    """The reverse of `flat` on points."""
    return tuple(zip(points[::2], points[1::2], strict=True))


def challenges(
    bound: bytes, key: Point, inputs: bytes, outputs: bytes, commit: bytes, m: int
) -> tuple[bytes, list[int]]:
    """d and u_0 … u_{m−1}."""
    d = H("mix-u", bound, key, inputs, outputs, commit)
    return d, [h2s("mix-ui", d, u32(j)) for j in range(m)]


def right_sides(key: Point, outputs: Sequence[Pair], chain: Sequence[Point]) -> list[Terms]:
    """Equations (0) … (5…) without their images; witnesses are Σr, R̂, Σur, v, then r̂_i, then u'_i."""
    m = len(outputs)
    first_u = 4 + m
    before = (generator(0), *chain[:-1])
    return [
        [(0, G)],
        [(1, G)],
        [(2, G), *((first_u + i, generator(i + 1)) for i in range(m))],
        [(3, G), *((first_u + i, a) for i, (a, _) in enumerate(outputs))],
        [(3, key), *((first_u + i, b) for i, (_, b) in enumerate(outputs))],
        *([(4 + i, G), (first_u + i, before[i])] for i in range(m)),
    ]


def images(inputs: Sequence[Pair], u: Sequence[int], commit: Sequence[Point], chain: Sequence[Point]) -> list[Point]:
    """The left sides of equations (0) … (5…)."""
    m = len(inputs)
    product = 1
    for factor in u:
        product = product * factor % Q
    return [
        sub(total(commit), total(generator(i) for i in range(1, m + 1))),
        sub(chain[-1], mul(product, generator(0))),
        msm(zip(u, commit, strict=True)),
        msm(zip(u, (a for a, _ in inputs), strict=True)),
        msm(zip(u, (b for _, b in inputs), strict=True)),
        *chain,
    ]


def prove(z: bytes, bound: bytes, key: Point, inputs: Sequence[Pair]) -> Shuffle:
    """Shuffle the inputs; all randomness follows from the secret and the situation."""
    m = len(inputs)
    stream = Stream(z, bound, key, flat(inputs))
    order = stream.permutation(m)
    rho, r, r_hat = ([int.from_bytes(stream.take(64), "little") % Q for _ in range(m)] for _ in range(3))
    outputs = [(add(inputs[j][0], base(rho[i])), add(inputs[j][1], mul(rho[i], key))) for i, j in enumerate(order)]
    commit = [Point(b"")] * m
    for i, j in enumerate(order):
        commit[j] = add(base(r[j]), generator(i + 1))
    o, p = flat(outputs), b"".join(commit)
    d, u = challenges(bound, key, flat(inputs), o, p, m)
    permuted = [u[j] for j in order]
    chain: list[Point] = []
    link, r_chain = generator(0), 0
    for i in range(m):
        link = add(base(r_hat[i]), mul(permuted[i], link))
        r_chain = (r_hat[i] + permuted[i] * r_chain) % Q
        chain.append(link)
    h = b"".join(chain)
    weighted = sum(x * y for x, y in zip(u, r, strict=True)) % Q
    shift = -sum(x * y for x, y in zip(permuted, rho, strict=True)) % Q
    witnesses = [sum(r) % Q, r_chain, weighted, shift, *r_hat, *permuted]
    c, s = sigma.prove(z, H("mix", d, h), right_sides(key, outputs, chain), witnesses)
    return Shuffle(o, p, h, c, s)


def statement(
    bound: bytes, key: Point, inputs: Sequence[Pair], given: Shuffle
) -> tuple[bytes, list[Equation], tuple[Pair, ...]]:
    """The statement digest, its equations in order, and the outputs.

    The points of the shuffle are taken as they are. All are multiplied: the commitment in image (2), outputs in terms
    of equations (3) and (4), the chain as images of equations (5…).
    """
    outputs = pairs_of(taken_points(given.o))
    commit, chain = taken_points(given.p), taken_points(given.h)
    d, u = challenges(bound, key, flat(inputs), given.o, given.p, len(inputs))
    equations = zip(images(inputs, u, commit, chain), right_sides(key, outputs, chain), strict=True)
    return H("mix", d, given.h), list(equations), outputs


def verify(bound: bytes, key: Point, inputs: Sequence[Pair], given: Shuffle) -> tuple[Pair, ...]:
    """The outputs, or `Reject`; the caller has checked the lengths of all fields against len(inputs)."""

    def proof() -> tuple[Pair, ...]:
        stmt, equations, outputs = statement(bound, key, inputs, given)
        sigma.verify(stmt, equations, given.c, given.s)
        return outputs

    return gated_by_products(given.o + given.p + given.h, proof)
