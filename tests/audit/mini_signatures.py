"""Ed25519 of the small auditor."""

import hashlib
from typing import Any

P = 2**255 - 19


Q = 2**252 + 27742317777372353535851937790883648493


D = -121665 * pow(121666, P - 2, P) % P


def add(a: Any, b: Any) -> Any:
    """The sum of two points of the curve, in extended coordinates."""
    s, t = (a[1] - a[0]) * (b[1] - b[0]) % P, (a[1] + a[0]) * (b[1] + b[0]) % P
    u, v = 2 * a[3] * b[3] * D % P, 2 * a[2] * b[2] % P
    e, f, g, h = t - s, v - u, v + u, t + s
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(n: int, point: Any) -> Any:
    """A point n times."""
    total = (0, 1, 1, 0)
    while n:
        if n & 1:
            total = add(total, point)
        point, n = add(point, point), n >> 1
    return total


def point(data: bytes) -> Any:
    """The point that 32 bytes stand for, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * pow(2, (P - 1) // 4, P) % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


def encoded(a: Any) -> bytes:
    """The 32 bytes of a point."""
    inverse = pow(a[2], P - 2, P)
    x, y = a[0] * inverse % P, a[1] * inverse % P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def small(a: Any) -> bool:
    """Whether eight times a point is the neutral one."""
    x, y, z, _ = times(8, a)
    return x % P == 0 and (y - z) % P == 0


def both(n: int, a: Any, m: int, b: Any) -> Any:
    """One point n times and another m times, added."""
    total, sums = (0, 1, 1, 0), {1: a, 2: b, 3: add(a, b)}
    for bit in range(max(n.bit_length(), m.bit_length()) - 1, -1, -1):
        total = add(total, total)
        which = (n >> bit & 1) + 2 * (m >> bit & 1)
        if which:
            total = add(total, sums[which])
    return total


BASE = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def signed_by(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature is the key's, by the rule of the page: no other spelling of a point, no
    point of small order, S below the order, and the equation without cofactor."""
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r = point(key), point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q or small(a) or small(r):
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % Q
    negative = (P - a[0], a[1], 1, P - a[3])
    return encoded(both(s, BASE, h, negative)) == signature[:32]
