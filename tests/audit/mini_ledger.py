"""The ledgers of tournaments, for the small auditor: level 1, from `protocol/tournaments.md`. It
stops at the first thing that is wrong."""

import hmac
from typing import Any

from tests.audit.mini_files import HEAD, OPENINGS, RECORD, SECRETS, WITNESS, File
from tests.audit.mini_forms import OPENING, array, data, each, is_head, text
from tests.audit.mini_ledgerforms import (
    check_ledger_form,
    is_act_picks,
    is_who,
    key_of,
    minutes_of,
)
from tests.audit.mini_lots import Lots
from tests.audit.mini_seals import holds_seal
from tests.audit.mini_signatures import signed_by
from tests.audit.mini_values import Seal, is_number, need, pack, sha, unpack

PRIVATE = each(array(*[lambda value: True] * 4, each(text())))
SECRETS_FORM = array(data(32), data(32), data(32), is_number)
KINDS = ("charter", "act", "open", "end")


class Ledger(Lots):
    """One file, record by record."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[tuple[Any, bytes]] = []
        self.hashes: set[bytes] = set()
        self.at: Any = None
        """The record in hand."""
        self.ids: set[tuple[str, bytes]] = set()
        self.games: dict[tuple[int, int], str] = {}
        self.reported: set[tuple[int, int]] = set()
        self.results: set[tuple[int, int]] = set()
        self.pairings: dict[Any, Any] = {}
        self.bids: dict[tuple[int, int], list[int]] = {}
        self.panels: dict[tuple[int, int], list[int]] = {}
        self.sealed: dict[int, bytes] = {}
        self.public: dict[int, bytes] = {}
        """The salts of the records that are open to everybody."""
        self.private_salts: dict[int, bytes] = {}
        self.unseen: list[int] = []
        self.owed: list[str] = []
        self.ended = False
        self.vouched = -1

    # --- frames -----------------------------------------------------------------------------------

    def run(self, bytes_of_file: bytes, key: bytes | None) -> "Ledger":
        """Check everything. Raises Unsound, which names the record."""
        file = File(bytes_of_file)
        heads: list[tuple[int, bytes]] = []
        witnesses: list[int] = []
        for kind, payload, _ in file.frames:
            self.at = len(self.records) - (kind != RECORD)
            if kind == RECORD:
                self.record(payload)
            elif kind == OPENINGS:
                self.private(payload)
            elif kind == SECRETS:
                self.at = 0
                self.secrets(payload)
            elif kind == HEAD:
                heads.append((self.at, payload))
            elif kind == WITNESS:
                witnesses.append(self.at)
        need(bool(self.records), "no records")
        self.known_lots()
        need(not self.unseen, "a record seen that is not there", min(self.unseen, default=0))
        need(key is None or key == self.server_key, "another key", 0)
        for self.at, payload in heads:
            self.head(payload)
        need(not witnesses, "a witness in a ledger", min(witnesses, default=0))
        file.check_end()
        return self

    def record(self, payload: bytes) -> None:
        """One more record."""
        value = unpack(payload)
        need(isinstance(value, list) and len(value) == 6, "form of a record")
        seq, at_ms, actor, kind, body, previous = value
        need(is_number(seq) and is_number(at_ms), "form of a record")
        last = self.records[-1] if self.records else ([-1, 0], bytes(32))
        need(seq == len(self.records) and at_ms >= last[0][1] and previous == last[1], "chain")
        need(isinstance(kind, str) and kind in KINDS and (kind == "charter") == (seq == 0), "kind")
        need(not self.ended, "after the end")
        check_ledger_form(kind, body)
        need(actor == (body[0] if kind == "act" else "server"), "actor")
        for index, item in enumerate(body):
            told = unpack(item) if (kind, index) == ("act", 6) else item
            picks = (kind, index) == ("act", 1) and isinstance(item, Seal)
            need(picks or not holds_seal(told), "a seal where none may stand")
        owed, self.owed = self.owed, self.owed[1:]
        need(not owed or kind == owed[0], "what must follow")
        self.records.append((value, sha(payload)))
        if kind == "charter":
            self.charter(body)
        elif kind == "act":
            self.act(at_ms, body)
        elif kind == "open":
            need(owed[:1] == ["open"] and body[0] == self.epoch, "a link opened early")
            self.opened_link(body[1])
        else:
            need(owed[:1] == ["end"], "an end that nothing brought about")
            self.end(body)
        self.hashes.add(self.records[-1][1])

    def private(self, payload: bytes) -> None:
        """The private openings beside a record."""
        value = unpack(payload)
        need(PRIVATE(value) and all(OPENING(one[:4]) for one in value), "form of openings")
        for seq, path, salt, shown, readers in value:
            need(seq == self.at, "stray opening")
            self.opening(seq, path, salt, shown)
            need(readers == [self.records[seq][0][4][0]], "readers")
            self.private_salts[seq] = salt

    def secrets(self, payload: bytes) -> None:
        """The server's secrets, in an arbiter's file."""
        value = unpack(payload)
        need(SECRETS_FORM(value) and 1 <= value[3] <= 65536, "form of secrets")
        link, hidden, salts, length = value
        self.commitments(hidden, salts)
        for epoch in range(length, 0, -1):
            self.known[epoch], link = link, sha(b"warledger/link/1", link)
        need(link == self.chain, "last link")

    def head(self, payload: bytes) -> None:
        """A signed head."""
        value = unpack(payload)
        need(is_head(value), "form of a head", self.at)
        name, seq, digest, signature = value
        message = b"warledger/head/1" + pack([name, seq, digest])
        need(signed_by(self.server_key, message, signature), "signature", seq)
        need(name == self.name, "head of another", seq)
        need(seq < len(self.records), "head of a record that is not there", seq)
        need(self.records[seq][1] == digest, "head of another record", seq)
        self.vouched = max(self.vouched, seq)

    # --- records ----------------------------------------------------------------------------------

    def charter(self, body: Any) -> None:
        """Record 0."""
        self.name, settings = body[1], body[4]
        self.chain = self.link = body[5]
        self.hidden_commitment, self.salts_commitment, self.server_key = body[6:]
        servers = settings.get("servers", [])
        need(isinstance(servers, list) and all(map(key_of, servers)), "servers")
        self.servers = [key_of(one) for one in servers]
        self.checks_in = minutes_of(settings, "absence", "check_in_minutes") > 0
        self.wait_ms = 60_000 * minutes_of(settings, "lots", "minutes")
        self.charter_hash = self.records[0][1]

    def act(self, at_ms: int, body: Any) -> None:
        """An act."""
        who, picks, id, seen, draws, events, _, opened = body
        need(is_who(who), "who acts")
        need(not id or (who, id) not in self.ids, "an id twice")
        self.ids.add((who, id))
        if seen and seen not in self.hashes:
            self.unseen.append(self.at)
        for lot in draws:
            self.lot(self.at, *lot)
        tags = [event[0] for event in events]
        self.owed = [
            kind for tag, kind in (("published", "open"), ("finished", "end")) if tag in tags
        ]
        for event in events:
            self.of_roster(at_ms, who, event)
        if isinstance(picks, Seal):
            self.sealed[self.at] = picks.data
        for event in events:
            self.event(picks, event)
        settled = [seq for event in events for seq in self.settled(*event)]
        for item in opened:
            need(item[0] in settled, "a seal opened early")
            self.publish(item)
        need(all(seq in self.public for seq in settled), "a seal that is not opened with others")

    def settled(self, tag: str, *rest: Any) -> list[int]:
        """The records whose seals an event settles."""
        if tag in ("sides", "called"):
            return self.bids.get(rest[:2], [])
        return self.panels.get(rest[:2], []) if tag == "adjudicated" else []

    def event(self, picks: Any, event: Any) -> None:
        """What an event changes."""
        tag, *rest = event
        where = tuple(rest[:2])
        if tag in ("bid", "judged") and isinstance(picks, Seal):
            of = self.bids if tag == "bid" else self.panels
            of.setdefault(tuple(rest[-2:]), []).append(self.at)
        elif tag == "panelled":
            self.panels[where] = []
        elif tag == "opened":
            self.game(where, rest[2])
        elif tag == "reported":
            self.report(where, rest)
        elif tag == "result":
            corrects = isinstance(picks, list) and picks[0] == "correct"
            need(where not in self.results or corrects, "a second result")
            self.results.add(where)
        elif tag == "paired" and rest[2] != "hand":
            inputs, made = (rest[0], rest[2], rest[3]), rest[4:]
            need(self.pairings.setdefault(inputs, made) == made, "paired otherwise")

    def game(self, where: Any, game: str) -> None:
        """A board has a game."""
        named = f"{self.name}-r{where[0]}-b{where[1]}"
        need(game == named or bool(self.servers), "the game's id")
        need(where not in self.games and game not in self.games.values(), "a game twice")
        self.games[where] = game

    def report(self, where: Any, rest: Any) -> None:
        """The last head of a board's game."""
        need(where in self.games and where not in self.reported, "a report of nothing, or twice")
        self.reported.add(where)
        message = b"warledger/head/1" + pack([self.games[where], rest[2], rest[3]])
        keys = self.servers or [self.server_key]
        need(any(signed_by(key, message, rest[4]) for key in keys), "signature of a report")

    def end(self, body: Any) -> None:
        """The end: all that is left is opened."""
        openings, links, hidden, salts = body
        need([epoch for epoch, _ in links] == [self.epoch], "links of the end")
        self.opened_link(links[0][1])
        self.commitments(hidden, salts)
        for item in openings:
            self.publish(item)
        for seq, salt in (*self.private_salts.items(), *self.public.items()):
            right = hmac.digest(salts, pack([seq, [1]]), "sha256")[:16]
            need(salt == right, "salt", seq)
        for seq in self.sealed:
            need(seq in self.public, "a seal that nothing opens", seq)
        self.ended = True

    # --- seals ------------------------------------------------------------------------------------

    def publish(self, item: Any) -> None:
        """An opening for everybody."""
        seq = item[0]
        need(0 < seq < self.at and seq not in self.public, "opened twice, or nothing")
        self.opening(*item)
        self.public[seq] = item[2]

    def opening(self, seq: int, path: Any, salt: bytes, value: Any) -> None:
        """An opening fits its seal, and shows the picks of an act."""
        need(path == [1] and seq in self.sealed, "no seal there")
        told = pack([self.name, seq, path, salt, value])
        need(sha(b"warledger/seal/1", told) == self.sealed[seq], "opening")
        need(is_act_picks(value), "picks")

    def commitments(self, hidden: bytes, salts: bytes) -> None:
        """Hidden value and salt key are those of the charter."""
        told = sha(b"warledger/hidden/1", pack([self.name, hidden]))
        need(told == self.hidden_commitment, "hidden value")
        told = sha(b"warledger/salt-key/1", pack([self.name, salts]))
        need(told == self.salts_commitment, "salt key")


__all__ = ["Ledger"]
