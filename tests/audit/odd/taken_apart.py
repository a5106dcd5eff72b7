"""A file taken apart into a log of a stranger's: the same game or tournament, with all keys and
secrets replaced by the stranger's own, so that anything in it can be changed."""

from typing import Any, Final

import msgpack

from tests.audit.odd.follows import (
    ActNumber,
    Chain,
    Hash,
    HeadSignature,
    HiddenCommitment,
    Index,
    Link,
    LotIndex,
    NonceHash,
    Number,
    OpenedPath,
    OpenedSalt,
    OpenedSeq,
    OpenedValue,
    OrdersDigest,
    PackDigest,
    Packed,
    PicksDigest,
    Proof,
    Roster,
    Rotation,
    SaltsCommitment,
    Sealed,
    Signature,
    Time,
    WitnessSignature,
)
from tests.audit.odd.log import (
    BODY,
    HEAD,
    KIND,
    OPENINGS,
    RECORD,
    SECRETS,
    WITNESS,
    Frame,
    Log,
    Path,
    Tree,
    at,
    put,
    sha,
)

PACKED: Final = {"genesis": 7, "command": 7, "takeback": 2, "act": 6}
SERVER_KEY: Final = {"genesis": 12, "charter": 8}


def unpacked(data: bytes) -> Any:
    """A value with its arrays as lists, seals as msgpack has them."""
    return msgpack.unpackb(data, strict_map_key=True)


def taken_apart(data: bytes, server: bytes | None = None) -> Log:
    """The log of a sound file. `server` is the seed of the server's key, if the stranger has it."""
    return _Apart(data, server).log


class _Apart:
    def __init__(self, data: bytes, server: bytes | None) -> None:
        self.log = Log()
        self.server_seed = server
        self.frames: list[Frame] = []
        self.old: list[Any] = []
        self.number: dict[bytes, Frame] = {}
        self.sealed: dict[tuple[int, Path], Sealed] = {}
        self.openings: dict[tuple[int, Path], Any] = {}
        self.server = b""
        self._read(data)
        self._secrets()
        for frame in self.frames:
            self._frame(frame)

    def _read(self, data: bytes) -> None:
        place, end = 8, len(data)
        while place < end:
            length, kind = int.from_bytes(data[place : place + 4], "big"), data[place + 4]
            payload = data[place + 9 : place + 9 + length]
            place += 9 + length
            if kind == 9:
                continue
            frame = Frame(kind, unpacked(payload))
            self.log.frames.append(frame)
            self.frames.append(frame)
            if kind == RECORD:
                frame.old = len(self.old)
                self.old.append(unpacked(payload))
                self.number[sha(payload)] = frame
        self.log.sealed = kind == 9

    def _secrets(self) -> None:
        """The stranger's secrets, and what was hidden."""
        log, first = self.log, self.old[0][BODY]
        name = str(first[1]).encode()
        log.root, log.hidden, log.salts = (sha(name, what) for what in (b"r", b"h", b"s"))
        self.server = log.key(self.old[0][BODY][SERVER_KEY[self.old[0][KIND]]], self.server_seed)
        log.length = 64
        for record in self.old:
            kind, body = record[KIND], record[BODY]
            told = []
            if kind == "command":
                told = body[8]
            elif kind == "reveal":
                told = body[0]
            elif kind == "act":
                told = body[7]
            elif kind == "end":
                ledger = len(body) == 4
                told = body[0] if ledger else []
                log.length = body[1 if ledger else 3][0][0]
            elif kind == "seat" and body[0] == "nonce":
                log.nonces[body[1]] = body[2]
            self._opened(told)
            if kind == "act":
                for event in body[5]:
                    if event[0] == "nonce":
                        log.nonces[f"e:{event[1]}"] = event[2]
        for frame in self.frames:
            if frame.kind == OPENINGS:
                self._opened(frame.tree)

    def _opened(self, told: Any) -> None:
        for item in told:
            self.openings.setdefault((item[0], tuple(item[1])), item[3])

    # --- frames -----------------------------------------------------------------------------------

    def _frame(self, frame: Frame) -> None:
        tree = frame.tree
        if frame.kind == RECORD:
            frame.tree = self._record(frame.old, tree)
        elif frame.kind == OPENINGS:
            frame.tree = [[*self._opening(item), item[4]] for item in tree]
        elif frame.kind == HEAD:
            key = self._server_key(tree)
            frame.tree = [tree[0], *self._named(tree[1], tree[2]), HeadSignature(key)]
        elif frame.kind == WITNESS:
            named = self._named(tree[2], tree[3])
            frame.tree = [tree[0], self.log.key(tree[1]), *named, WitnessSignature()]
        elif frame.kind == SECRETS:
            frame.tree = [self.log.root, self.log.hidden, self.log.salts, tree[3]]
            self.log.length = tree[3]

    def _named(self, seq: Any, hashed: bytes) -> list[Any]:
        frame = self.number.get(hashed)
        return [seq, hashed] if frame is None else [Number(frame), Hash(frame)]

    def _server_key(self, head: Any) -> bytes:
        """The key that was in force at a head's record."""
        key = self.server
        for record in self.old[: head[1] + 1]:
            if record[KIND] == "rotate":
                key = self.log.key(record[BODY][0])
        return key

    def _record(self, seq: int, tree: Tree) -> Tree:
        kind, body = tree[KIND], tree[BODY]
        if kind in PACKED:
            body[PACKED[kind]] = Packed(unpacked(body[PACKED[kind]]))
        if kind == "ruling" and body[0] == "corrected":
            body[4] = Packed(unpacked(body[4]))
        body = self._seals(seq, body, ())
        make = getattr(self, f"_{kind}", None)
        if make is not None:
            body = make(body)
        before = self.old[seq - 1][1] if seq else 0
        return [Number(), Time(tree[1] - before), tree[2], kind, body, Hash()]

    def _seals(self, seq: int, value: Tree, path: Path) -> Tree:
        if type(value) is msgpack.ExtType:
            inner = self.openings.get((seq, path), ["what nobody has opened", value.data[:4]])
            made = Sealed(inner, (seq, path))
            self.sealed[seq, path] = made
            return made
        if type(value) is list:
            return [self._seals(seq, item, (*path, index)) for index, item in enumerate(value)]
        if type(value) is Packed:
            value.inner = self._seals(seq, value.inner, path)
        return value

    def _opening(self, item: Any) -> list[Any]:
        sealed = self.sealed.get((item[0], tuple(item[1])))
        if sealed is None:
            return list(item[:4])
        return [OpenedSeq(sealed), OpenedPath(sealed), OpenedSalt(sealed), OpenedValue(sealed)]

    def _ref(self, value: Any) -> Any:
        frames = [frame for frame in self.frames if frame.kind == RECORD]
        return Number(frames[value]) if type(value) is int and 0 < value < len(frames) else value

    def _by(self, by: Any) -> Any:
        if type(by) is not list or len(by) != 4:
            return by
        key = self.log.key(by[0]) if by[0] else b""
        seen = self.number.get(by[2])
        return [key, ActNumber(), by[2] if seen is None else Hash(seen), Signature()]

    def _questions(self, awaits: Any) -> Any:
        return [[seat, self._ref(asked), key] for seat, asked, key in awaits]

    # --- bodies -----------------------------------------------------------------------------------

    def _genesis(self, body: Any) -> Any:
        body[8:13] = [
            PackDigest(),
            Chain(),
            HiddenCommitment(),
            SaltsCommitment(),
            self.server,
        ]
        return body

    def _seat(self, body: Any) -> Any:
        word = body[0]
        if word == "taken":
            body[4] = NonceHash() if body[1] in self.log.nonces else body[4]
        elif word == "nonce":
            body[3] = Roster()
        elif word == "device":
            body[2:4] = [self.log.key(body[2]), Proof()]
        elif word == "revoked":
            body[2] = self.log.key(body[2])
        places = (5, 6) if word == "replaced" else (len(body) - 1,)
        for place in places:
            body[place] = self._by(body[place])
        return body

    def _command(self, body: Any) -> Any:
        by = body[4]
        body[0] = self._ref(body[0])
        body[4] = [self._ref(by[0]), *by[1:]] if len(by) == 3 else self._by(by)
        for draw in body[5]:
            self._drawn(draw)
        body[8] = [self._opening(item) for item in body[8]]
        body[10] = self._questions(body[10])
        if body[11]:
            body[11] = PicksDigest()
        return body

    def _drawn(self, draw: Any) -> None:
        result = draw[3].inner if type(draw[3]) is Sealed else draw[3]
        if type(result) is list and len(result) == 2:
            result[1] = Index(draw, result, result[1])

    def _ask(self, body: Any) -> Any:
        if body[1] == "takeback":
            body[2] = self._ref(body[2])
        return [*body[:3], self._by(body[3])]

    def _answer(self, body: Any) -> Any:
        return [*body[:2], self._ref(body[2]), self._by(body[3])]

    def _takeback(self, body: Any) -> Any:
        seat, to, told, awaits, ask, by = body
        told.inner = put(told.inner, (0, 1), self._ref(at(told.inner, (0, 1))))
        return [seat, self._ref(to), told, self._questions(awaits), self._ref(ask), self._by(by)]

    def _orders(self, body: Any) -> Any:
        return [*body[:2], OrdersDigest(), self._by(body[3])]

    def _rotate(self, body: Any) -> Any:
        old, self.server = self.server, self.log.key(body[0])
        return [self.server, Rotation(old)]

    def _open(self, body: Any) -> Any:
        return [body[0], Link()]

    def _end(self, body: Any) -> Any:
        if len(body) == 4:
            return [
                [self._opening(item) for item in body[0]],
                [[epoch, Link()] for epoch, _ in body[1]],
                self.log.hidden,
                self.log.salts,
            ]
        body[3:6] = [[[self.log.length, self.log.root]], self.log.hidden, self.log.salts]
        return body

    def _reveal(self, body: Any) -> Any:
        return [[self._opening(item) for item in body[0]], body[1]]

    def _clock(self, body: Any) -> Any:
        return [*body[:-1], self._by(body[-1])]

    def _ruling(self, body: Any) -> Any:
        if body[0] == "claim":
            body[3] = self._ref(body[3])
        if body[0] == "looked":
            body[2:4] = map(self._ref, body[2:4])
        if body[0] == "ruled":
            for remedy in body[5]:
                if remedy[0] == "back":
                    remedy[1] = self._ref(remedy[1])
        return [*body[:-1], self._by(body[-1])]

    # --- a tournament's ledger --------------------------------------------------------------------

    def _charter(self, body: Any) -> Any:
        servers = body[4].get("servers")
        if servers:
            body[4]["servers"] = [self.log.key(bytes.fromhex(one)).hex() for one in servers]
        body[5:9] = [Chain(), HiddenCommitment(), SaltsCommitment(), self.server]
        return body

    def _act(self, body: Any) -> Any:
        seen = self.number.get(body[3])
        body[3] = body[3] if seen is None else Hash(seen)
        for draw in body[4]:
            draw[3] = LotIndex(draw[3])
        for event in body[5]:
            self._event(event)
        body[7] = [self._opening(item) for item in body[7]]
        return body

    def _event(self, event: Any) -> None:
        word = event[0]
        if word == "entered" and f"e:{event[1]}" in self.log.nonces:
            event[6] = NonceHash(event[1])
        elif word == "committed" and f"e:{event[1]}" in self.log.nonces:
            event[2] = NonceHash(event[1])
        elif word == "reported":
            event[5] = HeadSignature(self._reporting(), self._game_of(event[1], event[2]))

    def _reporting(self) -> bytes:
        servers = self.old[0][BODY][4].get("servers")
        return self.log.key(bytes.fromhex(servers[0])) if servers else self.server

    def _game_of(self, round: int, board: int) -> Any:
        for record in self.old:
            for event in record[BODY][5] if record[KIND] == "act" else []:
                if event[:3] == ["opened", round, board]:
                    return event[3]
        return ""
