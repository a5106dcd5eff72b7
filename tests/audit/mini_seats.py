"""Seats, keys, acts and standing answers, for the small auditor."""

from typing import Any

from tests.audit.mini_forms import is_orders, is_picks
from tests.audit.mini_log import Log, Seat
from tests.audit.mini_signatures import signed_by
from tests.audit.mini_values import Seal, need, pack, sha


class Seats(Log):
    """Who may sign what."""

    def act(
        self, seat: str, kind: str, by: Any, body: Any, since: int = 0, new: bool = False
    ) -> int:
        """An act of a seat. Returns the record it names as seen."""
        need(seat in self.seated and len(by) == 4, "act")
        key, n, seen, signature = by
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
            need(key not in self.owners, "a key shown before")
            self.owners[key] = seat
        else:
            self.unsigned.add(seat)

    def roster(self) -> list[Any]:
        """[seat, account, name, key, nonce hash] of every seat."""
        return [self.seated[seat].taken for seat in self.seats]

    def seat(self, seq: int, actor: str, body: Any) -> None:
        """The ceremony, and the keys of a seat."""
        what, seat = body[:2]
        need(seat in self.seats and actor == seat, "seat")
        if what == "taken":
            _, _, account, name, nonce_hash, client, by = body
            need(seat not in self.seated, "taken")
            need(bool(by[0]) or "unsigned_seats" in self.terms, "a seat that signs nothing")
            self.new_key(seat, by[0])
            self.seated[seat] = Seat([seat, account, name, by[0], nonce_hash], by[0])
            self.act(seat, "taken", by, [account, name, nonce_hash, client], new=True)
            return
        need(seat in self.seated, "a seat that nobody has taken")
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
            need(self.began, "replaced")
            _, _, account, name, client, by, handed = body
            need(bool(by[0]) or b"" in sitting.keys, "a keyed seat signs")
            if handed:
                self.act(seat, "handed", handed, [name, by[0]])
            if not handed or not handed[0]:
                self.handed_over.append(seq)
            if by[0]:
                self.unsigned.discard(seat)
                self.unsigned |= {seat} if not sitting.taken[3] else set()
            self.new_key(seat, by[0])
            sitting.keys, sitting.orders = {by[0]: [0, -1]}, 0
            self.act(seat, "replaced", by, [account, name, client], new=True)

    def orders(self, seq: int, actor: str, body: Any) -> None:
        """Standing answers, sealed."""
        seat, _, digest, by = body
        need(actor == seat and self.began, "orders")
        self.act(seat, "orders", by, [digest])
        self.seated[seat].orders = seq
        self.orders_of[seq] = (body, self.turns)

    def rotate(self, seq: int, actor: str, body: Any) -> None:
        """The server goes over to another key."""
        new, signature = body
        old = self.server_keys[-1][1]
        need(actor == "server" and new not in self.owners, "rotation")
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
            over = self.turns > self.orders_of[by[0]][1]
            self.by_orders.append((seq, body, self.awaits[seat][1], over))
            return
        need(bool(id) and len(digest) == 32 and (seat, id) not in self.ids, "command id")
        self.ids.add((seat, id))
        since = max(decision, self.docket.corrected)
        self.act(seat, "command", by, [decision, id, digest], since=since)
        if isinstance(picks, Seal):
            self.sealed_picks.append((seq, body))
        else:
            self.same_picks(seq, body, picks)

    def same_picks(self, seq: int, body: Any, opened: Any) -> None:
        """The digest stands for the picks."""
        need(is_picks(opened) and len(opened[1]) == 32, "picks and blind", seq)
        picks, blind = opened
        message = [self.genesis_hash, body[1], body[0], body[3], blind, picks]
        same = sha(b"warledger/picks/2", pack(message)) == body[11]
        need(same, "other picks than were signed", seq)

    def same_orders(self, seq: int, body: Any, opened: Any) -> None:
        """The digest stands for the standing answers."""
        good = type(opened) is list and len(opened) == 2
        good = good and type(opened[1]) is bytes and len(opened[1]) == 32
        need(good and type(opened[0]) is list, "orders and blind", seq)
        orders, blind = opened
        need(len(pack(orders)) <= 4096, "too many orders", seq)
        need(is_orders(orders), "orders", seq)
        message = [self.genesis_hash, body[0], blind, orders]
        need(sha(b"warledger/orders/2", pack(message)) == body[2], "other orders", seq)

    def promises(self) -> None:
        """What was sealed, as far as it is open."""
        for seq, body in self.sealed_picks:
            if (seq, (2,)) in self.values:
                self.same_picks(seq, body, self.values[seq, (2,)])
            else:
                self.waiting += 1
        for seq, (body, _) in self.orders_of.items():
            if (seq, (1,)) in self.values:
                self.same_orders(seq, body, self.values[seq, (1,)])
            else:
                self.waiting += 1
        for seq, body, key, over in self.by_orders:
            opened = self.values.get((seq, (2,))) if isinstance(body[2], Seal) else body[2]
            orders, entry, alternative = body[4]
            given = self.values.get((orders, (1,)))
            if opened is None or given is None:
                self.waiting += 1
                continue
            need(is_picks(opened) and opened[1] == b"", "blind of a standing answer", seq)
            stands = [
                each[alternative : alternative + 1]
                for asked, each, until in given[0][entry : entry + 1]
                if asked == key and not (until == "turn" and over)
            ]
            need(stands == [[opened[0]]], "no such order", seq)
