"""Seats, keys, acts and standing answers, for the small auditor."""

from typing import Any

from tests.audit.mini_log import Log, Seat
from tests.audit.mini_signatures import signed_by
from tests.audit.mini_values import Seal, are_orders, is_number, need, pack, sha


class Seats(Log):
    """Who may sign what."""

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
