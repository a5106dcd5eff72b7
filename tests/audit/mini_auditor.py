"""A small auditor written from the pages of `protocol/` alone: nothing of this repository is
imported (its own clocks and claims are beside it), only hashing, checksums and msgpack. It is one
file so that it can be read from top to bottom beside those pages.

It checks the evidence of a file (what that page lists under "What an auditor checks", 1 to 10). It
exists to prove that the page suffices; `warledger audit` is the auditor to
use.
"""

import hashlib
import hmac
import zlib
from typing import Any

import msgpack

from tests.audit.mini_clocks import Clocks, control_is_one
from tests.audit.mini_docket import Case, Docket, arbiter_is_one, desk_is_one

Seal = msgpack.ExtType
HEADER, FORMAT = bytes.fromhex("89574c4f470d0a"), 3
RECORD, OPENINGS, HEAD, SECRETS, META, WITNESS, END = 1, 2, 3, 4, 5, 6, 9


class Unsound(Exception):
    """The file is not what a server wrote."""


class NotRead(Exception):
    """The file is of another format, which says nothing against it."""


def need(good: bool, what: str) -> None:
    """Raise Unsound unless something holds."""
    if not good:
        raise Unsound(what)


# --- values ---------------------------------------------------------------------------------------


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
    need(may_be(value, 16), "not a value of the log")
    return value


def may_be(value: Any, levels: int) -> bool:
    """Whether a value is one of those under Values, in at most `levels` levels."""
    if type(value) is list:
        return levels > 0 and all(may_be(item, levels - 1) for item in value)
    if type(value) is dict:
        keys = list(value)
        texts = all(type(key) is str and may_be(key, 1) for key in keys) and keys == sorted(keys)
        return levels > 0 and texts and all(may_be(item, levels - 1) for item in value.values())
    if type(value) is msgpack.ExtType:
        return value.code == 1 and len(value.data) == 32
    if type(value) is str:
        return True  # what has been decoded is UTF-8
    if type(value) is int:
        return -(2**53) < value < 2**53
    return value is None or type(value) in (bool, bytes)


def is_number(value: Any) -> bool:
    """A whole number from 0, which no truth value is."""
    return type(value) is int and value >= 0


def are_orders(value: Any) -> bool:
    """A set of standing answers: one entry for a question and a span."""
    return (
        isinstance(value, list)
        and all(isinstance(entry, list) and len(entry) == 3 for entry in value)
        and all(isinstance(entry[0], str) and entry[0] for entry in value)
        and all(entry[2] in ("turn", "game") for entry in value)
        and len({(key, until) for key, _, until in value}) == len(value)
        and all(isinstance(each, list) and each for _, each, _ in value)
        and all(
            isinstance(one, list) and 0 < len(one) <= 512 for _, each, _ in value for one in each
        )
        and all(type(pick) in (str, int) for _, each, _ in value for one in each for pick in one)
    )


def sha(*parts: bytes) -> bytes:
    """SHA-256 of the parts one after the other."""
    return hashlib.sha256(b"".join(parts)).digest()


# --- Ed25519, from RFC 8032 -----------------------------------------------------------------------

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


# --- the file -------------------------------------------------------------------------------------


def frames(data: bytes) -> list[tuple[int, bytes]]:
    """The frames of a sealed file."""
    if is_of_another_format(data):
        raise NotRead
    need(data[:8] == HEADER + bytes([FORMAT]), "header")
    found: list[tuple[int, bytes]] = []
    at, ended = 8, False
    while at < len(data):
        need(not ended, "bytes behind the end")
        need(at + 9 <= len(data), "cut")
        length, kind, crc = (
            int.from_bytes(data[at : at + 4], "big"),
            data[at + 4],
            int.from_bytes(data[at + 5 : at + 9], "big"),
        )
        payload = data[at + 9 : at + 9 + length]
        need(
            len(payload) == length and zlib.crc32(payload, zlib.crc32(data[at : at + 5])) == crc,
            "frame",
        )
        if kind == END:
            need(
                int.from_bytes(payload[:4], "big") == len(found) and payload[4:] == sha(data[:at]),
                "end frame",
            )
            ended = True
        else:
            need(kind in (1, 2, 3, 4, 5, 6), "kind of frame")
            need(kind == RECORD or bool(found), "a frame before record 0")
            found.append((kind, payload))
        at += 9 + length
    return found


def is_of_another_format(data: bytes) -> bool:
    """Whether the header or the first record names another format, and neither names ours."""
    header = data[7] if data[:7] == HEADER and len(data) > 7 else None
    if header == FORMAT:
        return False
    try:
        named = msgpack.unpackb(data[17 : 17 + int.from_bytes(data[8:12], "big")])[4][0]
    except Exception:
        named = None
    return named != FORMAT and (header is not None or type(named) is int)


# --- the audit ------------------------------------------------------------------------------------


PACKED = {"genesis": 7, "command": 7, "takeback": 2}


def seals(kind: str, body: Any) -> dict[tuple[int, ...], bytes]:
    """Every seal of a record by its path: in arrays, and in packed effects and the pack."""
    found: dict[tuple[int, ...], bytes] = {}

    def look(value: Any, path: tuple[int, ...], packed: int | None = None) -> None:
        if isinstance(value, Seal):
            stands = may_be_sealed(kind, body, path)
            need(stands, "a seal where none may stand")
            found.update({path: value.data} if stands else {})
        elif isinstance(value, dict):
            need(not any(map(holds_seal, value.values())), "a seal in a map")
        elif isinstance(value, list):
            for index, item in enumerate(value):
                look(unpack(item) if index == packed else item, (*path, index))

    corrected = kind == "ruling" and body[0] == "corrected"
    look(body, (), 4 if corrected else PACKED.get(kind))
    return found


def may_be_sealed(kind: str, body: Any, path: tuple[int, ...]) -> bool:
    """Whether a seal may stand at a place of a record."""
    if kind != "command":
        return kind == "orders" and path == (1,)
    hidden = path[0] == 5 and path[2:] == (3,) and body[5][path[1]][0] == 0
    return path == (2,) or path[0] in (6, 7) or hidden


def holds_seal(value: Any) -> bool:
    """Whether there is a seal anywhere in a value."""
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, Seal) or (isinstance(value, list) and any(map(holds_seal, value)))


def shown(value: Any) -> bool:
    """A face, a value, pips: text, a number, true, false, nil, or an array of those."""
    if type(value) is list:
        return all(map(shown, value))
    return value is None or type(value) in (str, int, bool)


def named(value: Any) -> bool:
    """The arguments of a sentence."""
    return type(value) is list and all(
        type(item) is list and len(item) == 2 and type(item[0]) is str for item in value
    )


VEILED: dict[str, tuple[Any, ...]] = {
    "put": (str, str, shown, str),
    "move": (str, [str]),
    "flip": (str, shown),
    "take": (str, str),
    "mark": (str, str, shown),
    "track": (str, shown),
    "count": (str, shown),
    "roll": (str, int, shown),
    "say": (str, named, str),
}


def may_be_veiled(effect: Any) -> bool:
    """Whether a veil may hold an effect."""
    if not (type(effect) is list and effect and type(effect[0]) is str and effect[0] in VEILED):
        return False
    forms = VEILED[effect[0]]
    return len(effect) > len(forms) and all(
        type(value) is form
        if isinstance(form, type)
        else type(value) is list and all(type(item) is str for item in value)
        if isinstance(form, list)
        else form(value)
        for form, value in zip(forms, effect[1:], strict=False)
    )


class Seat:
    """A seat: who took it, its keys in force with [n, record seen], its newest standing answers."""

    def __init__(self, taken: list[Any], key: bytes) -> None:
        self.taken = taken
        self.keys: dict[bytes, list[int]] = {key: [0, -1]}
        self.orders = 0


class Auditor:
    """One file, record by record."""

    def __init__(self) -> None:
        self.records: list[tuple[Any, bytes]] = []
        self.seq_of: dict[bytes, int] = {}
        self.seals: dict[tuple[int, tuple[int, ...]], bytes] = {}
        self.values: dict[tuple[int, tuple[int, ...]], Any] = {}
        self.public: set[tuple[int, tuple[int, ...]]] = set()
        self.veils: set[tuple[int, tuple[int, ...]]] = set()
        self.salts: dict[tuple[int, tuple[int, ...]], bytes] = {}
        self.nonces: dict[str, bytes] = {}
        self.draws: dict[int, list[Any]] = {}
        self.hidden_draws: list[tuple[int, int, int, str]] = []
        self.counter = 0
        self.epoch = self.drawn_to = 1
        self.owed = 0
        self.began = self.ended = self.whole = False
        self.left: list[tuple[int, tuple[int, ...]]] = []
        self.awaits: dict[str, tuple[int, str]] = {}
        self.depth = 0
        self.undo: tuple[list[int], str] = ([], "")
        self.after: dict[int, tuple[tuple[list[int], str], list[tuple[str, str]], int, int]] = {}
        self.ask: Any = None
        self.must: Any = None
        self.over = False
        self.waived_now = False
        self.checked = 0
        self.seated: dict[str, Seat] = {}
        self.owners: dict[bytes, str] = {}
        self.server_keys: list[tuple[int, bytes]] = []
        self.moved = 0
        self.ids: set[tuple[str, bytes]] = set()
        self.sealed_picks: list[Any] = []
        self.orders_of: dict[int, tuple[Any, int]] = {}
        self.by_orders: list[tuple[int, Any, str, bool]] = []
        self.turns = self.closed = self.closed_most = 0
        self.stood = 0
        self.targets: set[int] = set()
        self.clocks: Clocks | None = None
        self.pausing: int | None = None
        self.acts = 0
        self.witnesses: list[str] = []

    def run(self, data: bytes) -> "Auditor":
        """Check everything. Raises Unsound."""
        heads, witnesses = [], []
        for kind, payload in frames(data):
            if kind == RECORD:
                self.record(payload)
            elif kind == OPENINGS:
                for seq, path, salt, value, readers in unpack(payload):
                    need(
                        seq == len(self.records) - 1
                        and all(reader in self.seats for reader in readers),
                        "stray opening",
                    )
                    self.open(seq, path, salt, value)
                    body, what = self.records[seq][0][4], self.records[seq][0][3]
                    if (what, path) in (("command", [2]), ("orders", [1])):
                        need(readers == [body[1] if what == "command" else body[0]], "readers")
            elif kind == HEAD:
                heads.append(unpack(payload))
            elif kind == WITNESS:
                witnesses.append((len(self.records) - 1, unpack(payload)))
        need(bool(self.records), "no records")
        for game, seq, digest, signature in heads:
            need(game == self.game and self.records[seq][1] == digest, "head of another record")
            until = [since for since, _ in self.server_keys[1:]]
            good = [
                key
                for index, (_, key) in enumerate(self.server_keys)
                if index == len(until) or until[index] > seq
            ]
            need(
                any(
                    signed_by(key, b"warledger/head/1" + pack([game, seq, digest]), signature)
                    for key in good
                ),
                "signature",
            )
        for at, (seat, key, seq, digest, signature) in witnesses:
            last = self.records[-1]
            need(
                self.whole and at == seq == len(self.records) - 1 and digest == last[1],
                "witness",
            )
            need(bool(key) and key in self.seated[seat].keys, "witness's key")
            need(
                signed_by(
                    key, b"warledger/witness/2" + pack([self.genesis_hash, seq, digest]), signature
                ),
                "witness's signature",
            )
            self.witnesses.append(seat)
        self.promises()
        return self

    def record(self, data: bytes) -> None:
        """One more record."""
        value = unpack(data)
        need(isinstance(value, list) and len(value) == 6, "form")
        seq, at_ms, actor, kind, body, previous = value
        need(isinstance(actor, str) or arbiter_is_one(actor), "actor")
        actor = actor if isinstance(actor, str) else tuple(actor)
        last = self.records[-1] if self.records else ([-1, 0], bytes(32))
        need(seq == len(self.records) and at_ms >= last[0][1] and previous == last[1], "chain")
        need(not self.whole, "after the last record")
        need(not self.ended or kind == "reveal", "after the end")
        need(not self.owed or kind == "open", "a link that is not opened")
        held = self.over and self.docket.protest > 0
        need(not self.over or held or kind in ("open", "end"), "nobody is asked")
        need(not self.waived_now or kind == "end", "every seat has waived a protest")
        self.waived_now = False
        must, self.must = self.must, None
        need(
            must is None or (kind == must[0] and body[: len(must[1])] == must[1]),
            "what must follow",
        )
        self.caused = must is not None
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
            "reveal": self.reveal,
            "orders": self.orders,
            "rotate": self.rotate,
            "clock": self.clock,
            "ruling": self.ruling,
        }
        if seq:
            ruled_end = self.docket.due and self.docket.must()[0] == "end"
            need(self.docket.follows(actor, kind, body), "what a ruling asks for")
            self.caused = self.caused or bool(ruled_end)
        need(kind in acts and (kind == "genesis") == (seq == 0), "kind")
        pausing, self.pausing = self.pausing, None
        need((pausing is not None) == (kind == "clock" and body[0] == "pause"), "pause")
        need(pausing is None or body[2] == pausing, "end of a pause")
        if seq and self.docket.frozen and kind == "seat":
            need(body[0] == "replaced", "a frozen game")
        elif seq and self.docket.frozen and actor in self.seats:
            need(kind in ("ruling", "end"), "a frozen game")
        if held and kind in ("ask", "takeback"):
            need(kind == "takeback" and body[0] == "", "a request after the game is over")
        if held and kind == "end":
            need(self.caused or self.docket.no_protest(at_ms), "an end that is still held")
        self.seals.update({(seq, path): found for path, found in seals(kind, body).items()})
        acts[kind](seq, actor, body)
        if seq and kind == "command":
            self.docket.over = at_ms if self.over else 0
        elif kind == "takeback":
            self.docket.over, self.over = 0, False
            self.docket.waived = set()
        elif kind == "ruling":
            self.waived_now = bool(self.over and self.docket.all_waived and self.docket.settled)
        if kind == "seat" and body[0] in ("taken", "replaced") and body[2]:
            self.docket.players.append(body[2])
        if seq and self.clocks is not None:
            told = unpack(body[7]) if kind == "command" else []
            opened = sum(effect[:2] == ["open", "turn"] for effect in told)
            wrong = self.clocks.take(at_ms, actor, kind, body, opened)
            need(not wrong, wrong)
            if kind == "clock" and body[0] == "flag":
                over = self.clocks.over()
                more = [one for one in self.clocks.seats.values() if one.deadline is not None]
                if self.clocks.control.get("fall") == "freeze":
                    self.docket.cases[0] = Case("server")
                    self.docket.cases[0].frozen = True
                if over and not any(one.deadline == body[2] for one in more):
                    self.must = ("end", over)
        if kind in ("command", "takeback") or (kind == "ruling" and body[0] == "corrected"):
            self.stood = seq
            self.targets.add(seq)
        self.seq_of[self.records[-1][1]] = seq
        asked = [(name, key) for name, (_, key) in self.awaits.items()]
        self.after[seq] = (self.undo, asked, self.depth, self.closed)

    def genesis(self, seq: int, actor: str, body: Any) -> None:
        """Record 0."""
        need(seq == 0 and actor == "server" and body[0] == FORMAT, "format")
        need(len(body) == 15, "genesis")
        self.game, self.seats = body[1], body[6]
        need(0 < len(set(self.seats)) == len(self.seats) <= 64, "seats")
        need(sha(body[7]) == body[8], "pack")
        self.link, self.hidden_commitment, self.salt_commitment, key = body[9:13]
        self.terms = body[13]
        need(isinstance(self.terms, dict) and body[14] is None, "terms")
        need(
            all(self.terms.get(term, True) is True for term in ("unsigned_seats", "self_play")),
            "terms",
        )
        delay = self.terms.get("delay")
        need(
            isinstance(delay, list)
            and len(delay) == 2
            and all(type(one) is int for one in delay)
            and 0 <= delay[0] <= 86_400
            and 0 <= delay[1] <= 64
            and type(self.terms.get("rated")) is bool,
            "delay and rated",
        )
        if "clock" in self.terms:
            control = self.terms["clock"]
            need(control_is_one(control, self.seats), "control of clocks")
            self.clocks = Clocks(control, self.seats)
        desk = self.terms.get("desk")
        need("desk" not in self.terms or desk_is_one(desk), "desk")
        protest = self.terms.get("protest_ms", 0)
        need(type(protest) is int and 0 <= protest <= 400 * 86_400_000, "time for a protest")
        self.docket = Docket(desk, self.seats, protest)
        if self.clocks is not None:
            self.clocks.at_once = self.docket.rules.get("stop") == "claim"
        self.server_keys = [(0, key)]
        self.owners = {key: "server"}
        self.genesis_hash = self.records[0][1]

    # --- who signed what --------------------------------------------------------------------------

    def act(
        self, seat: str, kind: str, by: Any, body: Any, since: int = 0, new: bool = False
    ) -> int:
        """An act of a seat. Returns the record it names as seen."""
        need(seat in self.seated and isinstance(by, list) and len(by) == 4, "act")
        key, n, seen, signature = by
        need(len(key) in (0, 32) and len(signature) == 2 * len(key) and n > 0, "form of an act")
        keys = self.seated[seat].keys
        need(key in keys, "key")
        if key:
            message = b"warledger/act/2" + pack([self.genesis_hash, key, seat, kind, n, seen, body])
            need(signed_by(key, message, signature), "signature of an act")
            self.acts += 1
        need(seen in self.seq_of, "seen")
        at, last = self.seq_of[seen], keys[key]
        need(at >= since and (new or (n > last[0] and at >= last[1])), "order of acts")
        keys[key] = [n, at]
        return at

    def new_key(self, seat: str, key: bytes) -> None:
        """A key that nobody has shown."""
        if key:
            need(len(key) == 32 and key not in self.owners, "a key shown before")
            self.owners[key] = seat

    def roster(self) -> list[Any]:
        """[seat, account, name, key, nonce hash] of every seat."""
        return [self.seated[seat].taken for seat in self.seats]

    def player(self, account: Any, name: Any) -> bool:
        """Whether these are the account and the name of somebody who sits down."""
        texts = isinstance(account, str) and isinstance(name, str)
        return texts and len(account) <= 59 and 0 < len(name) <= 64

    def seat(self, seq: int, actor: str, body: Any) -> None:
        """The ceremony, and the keys of a seat."""
        what, seat = body[:2]
        need(seat in self.seats and actor == seat, "seat")
        if what == "taken":
            _, _, account, name, nonce_hash, client, by = body
            need(seat not in self.seated and len(nonce_hash) == 32, "taken")
            need(self.player(account, name) and isinstance(client, str), "form of taken")
            need(bool(by[0]) or "unsigned_seats" in self.terms, "a seat that signs nothing")
            self.new_key(seat, by[0])
            self.seated[seat] = Seat([seat, account, name, by[0], nonce_hash], by[0])
            self.act(seat, "taken", by, [account, name, nonce_hash, client], new=True)
            return
        sitting = self.seated[seat]
        if what == "nonce":
            _, _, nonce, roster, by = body
            need(len(self.seated) == len(self.seats) and seat not in self.nonces, "nonce")
            need(
                sha(b"warledger/nonce/2", pack([self.genesis_hash, seat, nonce]))
                == sitting.taken[4],
                "nonce's hash",
            )
            need(
                roster == sha(b"warledger/roster/2", pack([self.genesis_hash, self.roster()])),
                "roster",
            )
            self.act(seat, "nonce", by, [nonce, roster])
            self.nonces[seat] = nonce
        elif what == "device":
            _, _, key, proof, by = body
            need(b"" not in sitting.keys and len(sitting.keys) < 8, "device")
            self.act(seat, "device", by, [key])
            self.new_key(seat, key)
            need(
                signed_by(
                    key, b"warledger/device/2" + pack([self.genesis_hash, seat, key, by[0]]), proof
                ),
                "proof",
            )
            sitting.keys[key] = [0, -1]
        elif what == "revoked":
            _, _, key, by = body
            self.act(seat, "revoked", by, [key])
            need(key in sitting.keys and len(sitting.keys) > 1, "revoked")
            del sitting.keys[key]
        else:
            need(what == "replaced" and self.began, "replaced")
            _, _, account, name, client, by, handed = body
            need(self.player(account, name) and isinstance(client, str), "form of replaced")
            need(bool(by[0]) or b"" in sitting.keys, "a keyed seat signs")
            if handed:
                self.act(seat, "handed", handed, [name, by[0]])
            self.new_key(seat, by[0])
            sitting.keys, sitting.orders = {by[0]: [0, -1]}, 0
            self.act(seat, "replaced", by, [account, name, client], new=True)

    def orders(self, seq: int, actor: str, body: Any) -> None:
        """Standing answers, sealed."""
        seat, sealed, digest, by = body
        need(
            actor == seat and self.began and isinstance(sealed, Seal) and len(digest) == 32,
            "orders",
        )
        self.act(seat, "orders", by, [digest])
        self.seated[seat].orders = seq
        self.orders_of[seq] = (body, self.turns)

    def rotate(self, seq: int, actor: str, body: Any) -> None:
        """The server goes over to another key."""
        new, signature = body
        old = self.server_keys[-1][1]
        need(actor == "server" and len(new) == 32 and new not in self.owners, "rotation")
        need(
            signed_by(old, b"warledger/rotate/2" + pack([self.genesis_hash, old, new]), signature),
            "the old key's signature",
        )
        self.owners[new] = "server"
        self.server_keys.append((seq, new))

    def who_commanded(self, seq: int, actor: str, body: Any) -> None:
        """Who gave a command: the seat with its signature, or the server by the seat's standing
        answers."""
        decision, seat, picks, id, by, digest = *body[:5], body[11]
        if len(by) == 3:
            need(
                id == b"" and digest == b"" and by[0] and by[0] == self.seated[seat].orders,
                "a command by standing answers",
            )
            need(all(is_number(place) for place in by), "a command by standing answers")
            over = self.turns > self.orders_of[by[0]][1]
            self.by_orders.append((seq, body, self.awaits[seat][1], over))
            return
        need(0 < len(id) <= 32 and len(digest) == 32 and (seat, id) not in self.ids, "command id")
        self.ids.add((seat, id))
        since = max(decision, self.docket.corrected)
        self.act(seat, "command", by, [decision, id, digest], since=since)
        if isinstance(picks, Seal):
            self.sealed_picks.append((seq, body))
        else:
            self.same_picks(body, picks)

    def same_picks(self, body: Any, opened: Any) -> None:
        """The digest stands for the picks."""
        picks, blind = opened
        need(isinstance(blind, bytes) and len(blind) == 32, "blind")
        need(len(picks) <= 512, "picks")
        message = [self.genesis_hash, body[1], body[0], body[3], blind, picks]
        need(sha(b"warledger/picks/2", pack(message)) == body[11], "other picks than were signed")

    def promises(self) -> None:
        """What was sealed, as far as it is open."""
        for seq, body in self.sealed_picks:
            if (seq, (2,)) in self.values:
                self.same_picks(body, self.values[seq, (2,)])
        for seq, (body, _) in self.orders_of.items():
            if (seq, (1,)) in self.values:
                orders, blind = self.values[seq, (1,)]
                need(len(pack(orders)) <= 4096, "too many orders")
                need(are_orders(orders), "orders")
                need(isinstance(blind, bytes) and len(blind) == 32, "blind")
                need(
                    sha(b"warledger/orders/2", pack([self.genesis_hash, body[0], blind, orders]))
                    == body[2],
                    "other orders",
                )
        for seq, body, key, over in self.by_orders:
            opened = self.values.get((seq, (2,))) if isinstance(body[2], Seal) else body[2]
            orders, entry, alternative = body[4]
            given = self.values.get((orders, (1,)))
            if opened is not None and given is not None:
                need(opened[1] == b"", "blind of a standing answer")
                stands = [
                    each[alternative : alternative + 1]
                    for asked, each, until in given[0][entry : entry + 1]
                    if asked == key and not (until == "turn" and over)
                ]
                need(stands == [[opened[0]]], "no such order")

    # --- the course of the game -------------------------------------------------------------------

    def command(self, seq: int, actor: str, body: Any) -> None:
        """A command."""
        need(len(body) == 12, "form of a command")
        decision, seat, picks, _, _, draws, events, blob, opened, flow, awaits = body[:11]
        need(
            isinstance(events, list)
            and all(
                isinstance(event, list) and event and isinstance(event[0], str) for event in events
            ),
            "events",
        )
        need(
            isinstance(blob, bytes)
            and isinstance(opened, list)
            and all(len(item) == 4 for item in opened),
            "form of a command",
        )
        need(len(flow) == 2 and is_number(flow[0]) and isinstance(flow[1], list), "flow")
        need(
            all(
                len(frame) == 3 and isinstance(frame[0], str) and is_number(frame[2])
                for frame in flow[1]
            ),
            "flow",
        )
        need(
            all(
                isinstance(effect, list) and effect and isinstance(effect[0], str)
                for effect in unpack(blob)
            ),
            "effects",
        )
        if not self.began:
            need(actor == "server" and len(self.nonces) == len(self.seats), "beginning")
            begin = [0, "", [["begin"], b""], b"", []]
            need(body[:5] == begin and body[11] == b"", "beginning")
            self.began = True
        else:
            need(actor == seat and self.awaits.get(seat, (0, ""))[0] == decision, "not asked")
            self.who_commanded(seq, actor, body)
        here = [path for at, path in self.seals if at == seq]
        learnt = False
        for index, effect in enumerate(unpack(blob)):
            if effect[0] == "veil":
                need(len(effect) == 2 and isinstance(effect[1], Seal), "veil")
                self.veils.add((seq, (7, index, 1)))
                learnt = learnt or not isinstance(picks, Seal)
            learnt = learnt or effect == ["learn", seat]
        need(
            not draws or all(name == seat for name in self.awaits),
            "drawn while another seat is asked",
        )
        closed = sum(effect[:2] == ["close", "turn"] for effect in unpack(blob))
        self.closed += closed
        self.owed = max(0, self.closed - self.closed_most)
        self.closed_most += self.owed
        self.turns += bool(closed)
        for index, (epoch, counter, purpose, what) in enumerate(draws):
            need(counter == self.counter, "counter")
            self.counter += 1
            if epoch == 0:
                need(isinstance(what, Seal), "hidden draw")
                self.hidden_draws.append((seq, index, counter, purpose))
            else:
                self.result_of(what)
                need(max(self.epoch, self.drawn_to) <= epoch <= self.epoch + self.owed, "epoch")
                self.drawn_to = epoch
                self.draws.setdefault(epoch, []).append((counter, purpose, *what))
        for item in opened:
            self.open(*item)
            self.public.add((item[0], tuple(item[1])))
        for name, asked, key in awaits:
            need(isinstance(key, str) and 0 < len(key) <= 4096, "the key of a question")
            need(asked == seq or self.awaits.get(name) == (asked, key), "awaits")
            need(asked == seq or name != seat, "a question that was answered")
        names = [name for name, *_ in awaits]
        need(names == [name for name in self.seats if name in names], "order of awaits")
        need(flow[0] <= self.depth, "flow")
        self.depth = flow[0] + len(flow[1])
        self.awaits = {name: (asked, key) for name, asked, key in awaits}
        self.over = not awaits
        news = bool(draws or opened or learnt or self.owed) or (
            not isinstance(picks, Seal) and any(path[0] == 6 for path in here)
        )
        undo, owner = self.undo
        if news or not seat:
            self.undo = ([], "")
        else:
            self.undo = ([*undo, self.stood] if owner == seat else [self.stood], seat)
        self.ask, self.moved = None, seq

    def takeback(self, seq: int, actor: str, body: Any) -> None:
        """A takeback, free or consented to."""
        seat, to, _, awaits = body[:4]
        need(to in self.targets, "a record to go back to")
        free = self.undo[1] == seat and to in self.undo[0]
        asked = (
            self.ask is not None
            and self.ask[:3] == [seat, "takeback", to]
            and len(self.ask[-1]) == len(self.seats) - 1
        )
        ask, by = body[4:]
        need(
            body[2] == pack([["rewind", to], ["await", [name for name, *_ in awaits]]]),
            "effects of a takeback",
        )
        if seat == "":
            need(bool(self.after[to][1]), "a record to go back to")
            free = False
        elif ask == 0:
            need(free and actor == seat, "takeback")
            self.act(seat, "ask", by, ["takeback", to], since=self.moved)
        else:
            need(asked and by == [] and actor == "server" and self.ask[3] == ask, "consent")
            free = False
        undo, asked_then, depth, self.closed = self.after[to]
        need(awaits == [[name, seq, key] for name, key in asked_then], "awaits of a takeback")
        self.awaits, self.depth = {name: (seq, key) for name, key in asked_then}, depth
        self.undo = undo if free and undo[1] in ("", seat) else ([], "")
        self.ask, self.moved = None, seq

    def asked(self, seq: int, actor: str, body: Any) -> None:
        """A request; a resignation waits for nobody."""
        seat, what, to = body[:3]
        need(
            actor == seat
            and seat in self.seats
            and self.began
            and what in ("takeback", "draw", "resign", "pause", "adjourn", "flag"),
            "request",
        )
        timed = what in ("pause", "adjourn", "flag")
        need(not timed or self.clocks is not None, "no clocks")
        self.act(seat, "ask", body[3], [what, to], since=self.moved)
        need(what in ("takeback", "pause", "adjourn") or to == 0, "record to go back to")
        if what == "flag":
            clocks = self.clocks
            assert clocks is not None
            fallen = [name for name, one in clocks.seats.items() if one.fallen]
            need(bool(fallen) and clocks.control.get("fall") == "claim", "nobody fell")
            self.must = ("end", clocks.lost(fallen[0]))
        elif what == "resign":
            others = [other for other in self.seats if other != seat]
            self.must = (
                "end",
                [others[0] if len(others) == 1 else None, "outcome.resigned", [["seat", seat]]],
            )
        else:
            need(self.ask is None, "two requests")
            need(timed or (0 < to < seq) == (what == "takeback"), "record to go back to")
            if what == "takeback":
                need(to in self.targets, "a record that nobody goes back to")
                need(seat in dict(self.after[to][1]), "nobody can go back there")
                need(
                    not (self.undo[1] == seat and to in self.undo[0]), "a request for what is free"
                )
            self.ask = [seat, what, to, seq, []]

    def clock(self, seq: int, actor: str, body: Any) -> None:
        """Who wrote what is told of time; what it says is for the clocks."""
        need(self.clocks is not None, "no clocks")
        if body[0] == "credit" and len(body) == 5:
            need(actor == "server", "time that nobody gave")
            return
        forms = {"flag": 4, "pause": 3, "resume": 3, "credit": 6, "outage": 3, "leave": 5}
        need(len(body) == {**forms, "night": 5}.get(body[0]), "form of a record of time")
        numbers = [value for value in body if type(value) is int]
        counts = {"resume": 0, "flag": 2, "outage": 2, "leave": 2, "night": 2}
        need(len(numbers) == counts.get(body[0], 1), "form of a record of time")
        if body[0] in ("flag", "pause", "outage"):
            need(actor == "server", "actor of a record of time")
            return
        need(body[1] in self.seats and actor in self.seats, "seat")
        need(body[0] == "credit" or actor == body[1], "actor of a record of time")
        self.act(actor, "clock", body[-1], body[:-1])

    def ruling(self, seq: int, actor: str, body: Any) -> None:
        """Claims, and what arbiters write."""
        need(self.began, "a ruling before play")
        own = {"claim": 6, "said": 3, "appeal": 3, "withdrawn": 2, "waived": 2}
        need(isinstance(body, list) and bool(body) and isinstance(body[0], str), "ruling")
        signed = actor in self.seats
        need(not signed or body[0] in own, "a seat that rules")
        if signed:
            need(len(body) == own[body[0]] + 1, "form of a ruling")
            since = body[3] if body[0] == "claim" else 0
            self.act(actor, "ruling", body[-1], body[:-1], since=since)
        else:
            need(body[0] != "waived", "a waiver of nobody")
            plain = {**own, "heard": 2, "looked": 4, "frozen": 2, "ruled": 6, "corrected": 6}
            need(len(body) == {**plain, "thawed": 2}.get(body[0]), "form of a ruling")
        fallen: list[str] = []
        if self.clocks is not None:
            fallen = [name for name, one in self.clocks.seats.items() if one.fallen]
        wrong = self.docket.take(seq, self.records[-1][0][1], actor, body, fallen)
        need(not wrong, wrong)
        if body[0] == "ruled":
            backs = [remedy[1] for remedy in body[5] if remedy[0] == "back"]
            need(set(backs) <= self.targets, "a record to go back to")
        if body[0] == "corrected":
            self.undo, self.ask, self.moved = ([], ""), None, seq

    def opened(self, seq: int, actor: str, body: Any) -> None:
        """The link of an epoch that ended."""
        need(actor == "server" and self.owed > 0, "a link opened early")
        self.owed -= 1
        self.opened_link(*body)

    def answer(self, seq: int, actor: str, body: Any) -> None:
        """An answer to a request."""
        seat, consents = body[:2]
        need(isinstance(consents, bool), "form of an answer")
        need(self.ask is not None and actor == seat and seat in self.seats, "answer")
        need(seat != self.ask[0] and seat not in self.ask[4], "answer")
        need(body[2] == self.ask[3], "another request")
        self.act(seat, "answer", body[3], [body[2], consents], since=body[2])
        if not consents:
            self.ask = None
            return
        self.ask[4].append(seat)
        if len(self.ask[4]) == len(self.seats) - 1 and self.ask[1] in ("pause", "adjourn"):
            self.pausing, self.ask = self.ask[2], None
        elif len(self.ask[4]) == len(self.seats) - 1:
            agreed = [None, "outcome.draw_agreed", []]
            self.must = (
                ("end", agreed)
                if self.ask[1] == "draw"
                else ("takeback", [self.ask[0], self.ask[2]])
            )

    def open(self, seq: int, path: list[int], salt: bytes, value: Any) -> None:
        """An opening."""
        place = (seq, tuple(path))
        need(place in self.seals, "no seal there")
        need(not holds_seal(value), "an opened value holds a seal")
        need(
            sha(b"warledger/seal/1", pack([self.game, seq, path, salt, value]))
            == self.seals[place],
            "opening",
        )
        if place in self.veils:
            need(isinstance(value, list), "veil")
            need(all(may_be_veiled(effect) for effect in value), "veil")
        self.values[place], self.salts[place] = value, salt

    def opened_link(self, epoch: int, link: bytes) -> None:
        """The link of an epoch, and the dice of that epoch."""
        need(epoch == self.epoch and sha(b"warledger/link/1", link) == self.link, "link")
        self.dice_of(self.epoch, link)
        self.link, self.epoch = link, self.epoch + 1

    def dice_of(self, epoch: int, link: bytes) -> None:
        """The dice of an epoch whose link is known."""
        seed = sha(
            b"warledger/open-seed/1",
            pack([self.game, link, [self.nonces.get(seat, b"") for seat in self.seats]]),
        )
        for counter, purpose, sides, index in self.draws.pop(epoch, []):
            self.draw(seed, counter, purpose, sides, index)

    def result_of(self, what: Any) -> None:
        """What a draw chose among, and what it chose."""
        sides, index = what
        need(is_number(sides) and is_number(index), "a draw")
        need(1 <= sides <= 2**32 and index < sides, "a draw")

    def draw(self, seed: bytes, counter: int, purpose: str, sides: int, index: int) -> None:
        """Make a draw again."""
        fair, attempt = 2**256 - 2**256 % sides, 0
        while True:
            number = int.from_bytes(
                hmac.digest(seed, pack([counter, attempt, purpose]), "sha256"), "big"
            )
            if number < fair:
                break
            attempt += 1
        need(number % sides == index, "die")
        self.checked += 1

    def end(self, seq: int, actor: str, body: Any) -> None:
        """The end; openings follow."""
        winner, reason, arguments, links, hidden, salts, clause, scores, by = body
        caused = self.must_have_been(reason)
        self.result(actor, winner, reason, arguments, clause)
        need(by == caused, "what ended the game")
        seats = [seat for seat, _ in scores]
        need(
            seats == [seat for seat in self.seats if seat in seats]
            and (self.began or not seats)
            and all(type(points) is int for _, points in scores),
            "scores",
        )
        self.secrets(links, hidden, salts)
        self.left = sorted(set(self.seals) - self.public, reverse=True)

    def must_have_been(self, reason: str) -> str:
        """What ended a game, by what stands before its end."""
        if not self.began:
            return "expired"
        if not self.caused:
            return "rules"
        if reason in ("outcome.forfeited", "outcome.draw_ruled"):
            return "ruling"
        if reason == "outcome.adjudicated":
            return "adjudicated"
        if reason in ("outcome.flag", "outcome.flags"):
            return "flag"
        return "resign" if reason == "outcome.resigned" else "draw"

    def reveal(self, seq: int, actor: str, body: Any) -> None:
        """After the end: what was hidden, in order, each once."""
        openings, last = body
        need(self.ended and actor == "server" and isinstance(last, bool), "openings")
        need(last or bool(openings), "no openings")
        for item in openings:
            need(
                bool(self.left) and self.left.pop() == (item[0], tuple(item[1])),
                "order of openings",
            )
            self.open(*item)
            self.public.add((item[0], tuple(item[1])))
        if last:
            self.all_open()

    def result(self, actor: str, winner: Any, reason: Any, arguments: Any, clause: Any) -> None:
        """Who won, and why."""
        need(actor == "server" and (winner is None or winner in self.seats), "end")
        need(isinstance(reason, str) and isinstance(clause, str), "form of an end")
        need(
            all(len(argument) == 2 and isinstance(argument[0], str) for argument in arguments),
            "form of an end",
        )
        if not self.began:
            silent = [seat for seat in self.seats if seat not in self.nonces]
            lapsed = len(self.seated) == len(self.seats)
            expected = (
                [None, "outcome.lapsed", [["seats", silent]]]
                if lapsed
                else [None, "outcome.expired", []]
            )
            need([winner, reason, arguments] == expected, "cause of the end")
        elif not self.caused:
            by_rules = self.over and reason not in (
                "outcome.resigned",
                "outcome.draw_agreed",
                "outcome.expired",
                "outcome.lapsed",
                "outcome.flag",
                "outcome.flags",
                "outcome.forfeited",
                "outcome.draw_ruled",
                "outcome.adjudicated",
            )
            need(by_rules, "cause of the end")

    def secrets(self, links: Any, hidden: bytes, salts: bytes) -> None:
        """The server's secrets, and the links not opened yet."""
        need(
            sha(b"warledger/hidden/1", pack([self.game, hidden])) == self.hidden_commitment,
            "hidden value",
        )
        need(
            sha(b"warledger/salt-key/1", pack([self.game, salts])) == self.salt_commitment,
            "salt key",
        )
        ((length, link),) = links
        need(max([1, self.epoch - 1, *self.draws]) <= length <= 65536, "length of the chain")
        opened = {}
        for epoch in range(length, self.epoch - 1, -1):
            opened[epoch], link = link, sha(b"warledger/link/1", link)
        need(link == self.link, "last link")
        for epoch in sorted(opened):
            self.dice_of(epoch, opened[epoch])
        self.hidden, self.salt_key = hidden, salts
        self.ended, self.over = True, False

    def all_open(self) -> None:
        """Nothing is hidden any more."""
        need(self.public == set(self.seals), "not everything was opened")
        for (at, path), salt in self.salts.items():
            need(salt == hmac.digest(self.salt_key, pack([at, list(path)]), "sha256")[:16], "salt")
        seed = sha(
            b"warledger/hidden-seed/1",
            pack([self.game, self.hidden, [self.nonces.get(seat, b"") for seat in self.seats]]),
        )
        for at, index, counter, purpose in self.hidden_draws:
            what = self.values[at, (5, index, 3)]
            self.result_of(what)
            self.draw(seed, counter, purpose, *what)
        need(not self.draws, "dice of an epoch never opened")
        self.whole = True


def audit(data: bytes) -> Auditor:
    """Audit a file. Raises Unsound; anything else that goes wrong in a forged file is as good."""
    return Auditor().run(data)
