"""A small auditor written from `protocol/README.md` alone: nothing of this repository is imported, only hashing, check sums and msgpack.

It checks the evidence of a file (what that page lists under "What an auditor checks", 1 to 7) and folds the public board. It stands here to
prove that the page suffices; `warledger audit` is the auditor to use.
"""

import hashlib
import hmac
import zlib
from typing import Any

import msgpack

Seal = msgpack.ExtType
HEADER = bytes.fromhex("89574c4f470d0a01")
RECORD, OPENINGS, HEAD, SECRETS, END = 1, 2, 3, 4, 9


class Unsound(Exception):
    """The file is not what a server wrote."""


def need(good: bool, what: str) -> None:
    """Raise Unsound unless something holds."""
    if not good:
        raise Unsound(what)


# --- values -----------------------------------------------------------------------------------------------------------------------


def pack(value: Any) -> bytes:
    """Canonical bytes."""
    data: bytes = msgpack.packb(value)
    return data


def unpack(data: bytes) -> Any:
    """A value from canonical bytes."""
    try:
        value = msgpack.unpackb(data, strict_map_key=True)
    except Exception as error:
        raise Unsound(f"not msgpack: {error}") from error
    need(pack(value) == data, "not canonical")
    return value


def sha(*parts: bytes) -> bytes:
    """SHA-256 of the parts one after the other."""
    return hashlib.sha256(b"".join(parts)).digest()


# --- Ed25519, from RFC 8032 ---------------------------------------------------------------------------------------------------------

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


def signed_by(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether the signature is the key's."""
    a, r = point(key), point(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    base = point((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))
    if a is None or r is None or s >= Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % Q
    left, right = times(s, base), add(r, times(h, a))
    same: bool = (left[0] * right[2] - right[0] * left[2]) % P == 0 and (left[1] * right[2] - right[1] * left[2]) % P == 0
    return same


# --- the file -----------------------------------------------------------------------------------------------------------------------


def frames(data: bytes) -> list[tuple[int, bytes]]:
    """The frames of a sealed file."""
    need(data[:8] == HEADER, "header")
    found: list[tuple[int, bytes]] = []
    at, ended = 8, False
    while at < len(data):
        need(not ended, "bytes behind the end")
        need(at + 9 <= len(data), "cut")
        length, kind, crc = int.from_bytes(data[at : at + 4], "big"), data[at + 4], int.from_bytes(data[at + 5 : at + 9], "big")
        payload = data[at + 9 : at + 9 + length]
        need(len(payload) == length and zlib.crc32(payload, zlib.crc32(data[at : at + 5])) == crc, "frame")
        if kind == END:
            need(int.from_bytes(payload[:4], "big") == len(found) and payload[4:] == sha(data[:at]), "end frame")
            ended = True
        else:
            need(kind in (1, 2, 3, 4, 5), "kind of frame")
            found.append((kind, payload))
        at += 9 + length
    need(ended, "no end frame")
    return found


# --- the audit ----------------------------------------------------------------------------------------------------------------------


def seals(value: Any, path: tuple[int, ...]) -> dict[tuple[int, ...], bytes]:
    """Every seal in a value by its path."""
    if isinstance(value, Seal):
        need(value.code == 1 and len(value.data) == 32, "extension")
        return {path: value.data}
    found: dict[tuple[int, ...], bytes] = {}
    if isinstance(value, list):
        for index, item in enumerate(value):
            found.update(seals(item, (*path, index)))
    return found


class Auditor:
    """One file, record by record."""

    def __init__(self) -> None:
        self.records: list[tuple[Any, bytes]] = []
        self.seals: dict[tuple[int, tuple[int, ...]], bytes] = {}
        self.values: dict[tuple[int, tuple[int, ...]], Any] = {}
        self.public: set[tuple[int, tuple[int, ...]]] = set()
        self.salts: dict[tuple[int, tuple[int, ...]], bytes] = {}
        self.holders: dict[str, bytes] = {}
        self.nonces: dict[str, bytes] = {}
        self.draws: dict[int, list[Any]] = {}
        self.hidden_draws: list[tuple[int, int, int, str]] = []
        self.counter = 0
        self.epoch = 1
        self.began = self.ended = False
        self.awaits: dict[str, int] = {}
        self.undo: tuple[list[int], str] = ([], "")
        self.after: dict[int, tuple[tuple[list[int], str], list[str]]] = {}
        self.ask: Any = None
        self.checked = 0

    def run(self, data: bytes) -> "Auditor":
        """Check everything. Raises Unsound."""
        heads = []
        for kind, payload in frames(data):
            if kind == RECORD:
                self.record(payload)
            elif kind == OPENINGS:
                for seq, path, salt, value, readers in unpack(payload):
                    need(seq == len(self.records) - 1 and all(reader in self.seats for reader in readers), "stray opening")
                    self.open(seq, path, salt, value)
            elif kind == HEAD:
                heads.append(unpack(payload))
        for game, seq, digest, signature in heads:
            need(game == self.game and self.records[seq][1] == digest, "head of another record")
            need(signed_by(self.key, b"warledger/head/1" + pack([game, seq, digest]), signature), "signature")
        return self

    def record(self, data: bytes) -> None:
        """One more record."""
        value = unpack(data)
        need(isinstance(value, list) and len(value) == 6, "form")
        seq, at_ms, actor, kind, body, previous = value
        last = self.records[-1] if self.records else ([-1, 0], bytes(32))
        need(seq == len(self.records) and at_ms >= last[0][1] and previous == last[1], "chain")
        need(not self.ended, "after the end")
        self.records.append((value, sha(data)))
        acts = {
            "genesis": self.genesis,
            "seat": self.seat,
            "command": self.command,
            "ask": self.asked,
            "answer": self.answer,
            "takeback": self.takeback,
            "open": self.opened,
            "end": self.end,
        }
        need(kind in acts, "kind")
        acts[kind](seq, actor, body)
        self.after[seq] = (self.undo, list(self.awaits))

    def genesis(self, seq: int, actor: str, body: Any) -> None:
        """Record 0."""
        need(seq == 0 and body[0] == 1, "format")
        self.game, self.seats = body[1], body[6]
        need(sha(body[7]) == body[8], "pack")
        self.link, self.hidden_commitment, self.salt_commitment, self.key = body[9:13]

    def seat(self, seq: int, actor: str, body: Any) -> None:
        """The ceremony."""
        act, seat = body[:2]
        need(seat in self.seats, "seat")
        if act == "taken":
            need(seat not in self.holders, "taken twice")
            self.holders[seat] = body[3]
        elif act == "nonce":
            need(len(self.holders) == len(self.seats) and seat not in self.nonces, "nonce too early or twice")
            need(sha(b"warledger/nonce/1", pack([self.game, seat, body[2]])) == self.holders[seat], "nonce")
            self.nonces[seat] = body[2]

    def command(self, seq: int, actor: str, body: Any) -> None:
        """A command."""
        decision, seat, picks, _, seen, draws, _, blob, opened, _, awaits = body
        if not self.began:
            need(len(self.nonces) == len(self.seats) and body[:5] == [0, "", ["begin"], b"", b""], "beginning")
            self.began = True
        else:
            need(actor == seat and self.awaits.get(seat) == decision, "not asked")
        need(seen == b"" or seen in [digest for _, digest in self.records[:-1]], "seen")
        here = {**seals(body, ()), **seals(unpack(blob), (7,))}
        self.seals.update({(seq, path): digest for path, digest in here.items()})
        for index, (epoch, counter, purpose, what) in enumerate(draws):
            need(counter == self.counter, "counter")
            self.counter += 1
            if epoch == 0:
                need(isinstance(what, Seal), "hidden draw")
                self.hidden_draws.append((seq, index, counter, purpose))
            else:
                need(epoch >= self.epoch, "a seed that was open")
                self.draws.setdefault(epoch, []).append((counter, purpose, *what))
        for item in opened:
            self.open(*item)
            self.public.add((item[0], tuple(item[1])))
        for name, asked in awaits:
            need(asked == seq or self.awaits.get(name) == asked, "awaits")
        self.awaits = dict(awaits)
        news = bool(draws or opened) or (not isinstance(picks, Seal) and any(path[0] == 6 for path in here))
        undo, owner = self.undo
        if news or not seat:
            self.undo = ([], "")
        else:
            self.undo = ([*undo, seq - 1] if owner == seat else [seq - 1], seat)
        self.ask = None

    def takeback(self, seq: int, actor: str, body: Any) -> None:
        """A takeback, free or consented to."""
        seat, to, _, awaits = body
        free = self.undo[1] == seat and to in self.undo[0]
        asked = self.ask is not None and self.ask[:3] == [seat, "takeback", to]
        need(free or (asked and len(self.ask[3]) == len(self.seats) - 1), "consent")
        undo, names = self.after[to]
        need(awaits == [[name, seq] for name in names], "awaits of a takeback")
        self.awaits, self.undo = dict(awaits), (undo if free else ([], ""))
        self.ask = None

    def asked(self, seq: int, actor: str, body: Any) -> None:
        """A request; a resignation waits for nobody."""
        need(actor == body[0] and self.began, "request")
        if body[1] != "resign":
            need(self.ask is None, "two requests")
            self.ask = [*body, []]

    def opened(self, seq: int, actor: str, body: Any) -> None:
        """The link of an epoch that ended."""
        self.opened_link(*body)

    def answer(self, seq: int, actor: str, body: Any) -> None:
        """An answer to a request."""
        need(self.ask is not None and body[0] != self.ask[0] and body[0] not in self.ask[3], "answer")
        if body[1]:
            self.ask[3].append(body[0])
        else:
            self.ask = None

    def open(self, seq: int, path: list[int], salt: bytes, value: Any) -> None:
        """An opening."""
        place = (seq, tuple(path))
        need(place in self.seals, "no seal there")
        need(sha(b"warledger/seal/1", pack([self.game, seq, path, salt, value])) == self.seals[place], "opening")
        self.values[place], self.salts[place] = value, salt

    def opened_link(self, epoch: int, link: bytes) -> None:
        """The link of an epoch, and the dice of that epoch."""
        need(epoch == self.epoch and sha(b"warledger/link/1", link) == self.link, "link")
        self.link, self.epoch = link, epoch + 1
        seed = sha(b"warledger/open-seed/1", pack([self.game, link, [self.nonces.get(seat, b"") for seat in self.seats]]))
        for counter, purpose, sides, index in self.draws.pop(epoch, []):
            self.draw(seed, counter, purpose, sides, index)

    def draw(self, seed: bytes, counter: int, purpose: str, sides: int, index: int) -> None:
        """Make a draw again."""
        fair, attempt = 2**256 - 2**256 % sides, 0
        while True:
            number = int.from_bytes(hmac.digest(seed, pack([counter, attempt, purpose]), "sha256"), "big")
            if number < fair:
                break
            attempt += 1
        need(number % sides == index, "die")
        self.checked += 1

    def end(self, seq: int, actor: str, body: Any) -> None:
        """Everything is open now."""
        _, _, _, openings, links, hidden, salts, _ = body
        need(sha(b"warledger/hidden/1", pack([self.game, hidden])) == self.hidden_commitment, "hidden value")
        need(sha(b"warledger/salt-key/1", pack([self.game, salts])) == self.salt_commitment, "salt key")
        for item in openings:
            self.open(*item)
            self.public.add((item[0], tuple(item[1])))
        need(self.public == set(self.seals), "not everything was opened")
        for (at, path), salt in self.salts.items():
            need(salt == hmac.digest(salts, pack([at, list(path)]), "sha256")[:16], "salt")
        for epoch, link in links:
            self.opened_link(epoch, link)
        seed = sha(b"warledger/hidden-seed/1", pack([self.game, hidden, [self.nonces.get(seat, b"") for seat in self.seats]]))
        for at, index, counter, purpose in self.hidden_draws:
            self.draw(seed, counter, purpose, *self.values[at, (5, index, 3)])
        need(not self.draws, "dice of an epoch never opened")
        self.ended = True


def audit(data: bytes) -> Auditor:
    """Audit a sealed file. Raises Unsound; anything else that goes wrong in a forged file is as good."""
    return Auditor().run(data)
