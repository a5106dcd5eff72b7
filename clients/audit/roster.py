"""Level 1 of a tournament's lots: who takes part in them follows from the file, each nonce is that
committed to, and no lot stands before they are settled."""

from collections.abc import Callable
from typing import Any, Final

from warledger.clients.audit.found import Found
from warledger.clients.audit.verdict import ALLOW_DESK_LOTS, RESERVED, Reservation
from warledger.protocol import tournaments as forms
from warledger.protocol.board.choices import Say, say
from warledger.protocol.chance import dice
from warledger.protocol.log.records import SERVER, Record

MINUTE_MS: Final = 60_000


class Roster:
    """The entrants whose nonces go into the lots, as far as the records so far tell. `wrong` takes
    what contradicts the file, as record, field and words."""

    def __init__(
        self,
        charter: forms.Charter,
        wrong: Callable[[int | None, str, Say], None],
        reservations: list[Reservation],
    ) -> None:
        self.drawn = False
        self._charter, self._wrong, self._reservations = charter, wrong, reservations
        self._checks_in = charter.check_in_minutes > 0
        self._hashes: dict[int, bytes] = {}
        self._gone: set[int] = set()
        self._checked: set[int] = set()
        self._nonces: dict[int, bytes] = {}
        self._list: tuple[int, ...] | None = None
        self._until_ms = 0
        self._waited = False
        self._first: frozenset[int] | None = None  # who might play in the first round

    @property
    def missing(self) -> tuple[int, ...]:
        """Whose nonces are missing, of those on the list."""
        return tuple(number for number in self._list or () if number not in self._nonces)

    def settled(self) -> tuple[bytes, ...] | None:
        """The nonces of every lot: none where one is missing; None before that is settled."""
        if self._list is None or (self.missing and not self._waited):
            return None
        return () if self.missing else tuple(self._nonces[number] for number in self._list)

    def act(self, record: Record, act: forms.Act) -> None:
        """What the events of an act say of it."""
        for index, (tag, *values) in enumerate(act.events):
            place = f"events[{index}]"
            match tag, values:
                case "entered", [int(number), *_, bytes(hashed)]:
                    self._hashes[number] = hashed
                case "committed", [int(number), bytes(hashed)]:
                    if self._list is not None or act.who != forms.bid_reader(number):
                        self._told(record, place, "audit.tournament.commits_late", number=number)
                    self._hashes[number] = hashed
                case "checked", [int(number), _]:
                    self._checked.add(number)
                case "withdrew", [int(number)]:
                    self._gone.add(number)
                case "returned", [int(number)]:
                    self._gone.discard(number)
                case "rostered", [numbers, asked]:
                    self._rostered(record, act, place, numbers, asked)
                case "nonce", [number, nonce]:
                    self._nonce(record, act, place, number, nonce)
                case "waited", [missing]:
                    self._wait_ended(record, act, place, missing)
                case "published", _ if self._first is None:
                    self._first = self._there()

    def tell(self, found: Found) -> None:
        """Say so if lots come from the desk alone, or from the nonces of few. Nobody is blamed:
        whether an entrant kept a nonce back or the desk did not record it, the file looks the same.

        Whoever runs the desk knows its chain. If those on the roster are its own people, it knows
        their nonces, too, before they are committed to, and can choose lots. So most of those who
        play must be on it."""
        if not self.drawn:
            return
        there = self._there() if self._first is None else self._first
        count = len(there.intersection(self._list or ()))
        missing = self.missing
        if missing:
            why = say("audit.tournament.lots_missing", numbers=missing)
        elif len(self._list or ()) < 2:
            why = say("audit.tournament.lots_few")
        elif 2 * count < len(there):
            why = say("audit.tournament.lots_of_few", count=count, all=len(there))
        else:
            if count < len(there):
                found.remark(say("audit.remark.lots_of_some", count=count, all=len(there)))
            return
        said = say("audit.reservation.lots_of_desk", why=why.as_array())
        self._reservations.append(Reservation(said, RESERVED, ALLOW_DESK_LOTS))

    def _there(self) -> frozenset[int]:
        """The entrants who are there now: entered and, where there is a check-in, checked in."""
        return frozenset(
            number
            for number in self._hashes
            if number not in self._gone and (not self._checks_in or number in self._checked)
        )

    def _rostered(
        self, record: Record, act: forms.Act, place: str, numbers: Any, asked: Any
    ) -> None:
        right = tuple(number for number in sorted(self._there()) if self._hashes[number])
        early = self._checks_in and type(asked) is tuple and asked[:1] == ("number",)
        if self._list is not None or act.who != SERVER or early:
            self._told(record, place, "audit.tournament.roster_place")
        elif numbers != right:
            self._told(
                record, place, "audit.tournament.roster", written=_told(numbers), right=_told(right)
            )
        if self._list is None:
            self._list = right
            self._until_ms = record.at_ms + MINUTE_MS * self._charter.lots_minutes

    def _nonce(self, record: Record, act: forms.Act, place: str, number: Any, nonce: Any) -> None:
        if act.who != SERVER or self._waited or number not in self.missing:
            self._told(record, place, "audit.tournament.nonce_place", number=_told(number))
        elif record.at_ms >= self._until_ms:
            self._told(record, place, "audit.tournament.nonce_late", number=number)
        elif self._hashes[number] != dice.bound_nonce_hash(
            self._charter.hash, forms.bid_reader(number), nonce
        ):
            self._told(record, place, "audit.tournament.nonce", number=number)
        else:
            self._nonces[number] = nonce

    def _wait_ended(self, record: Record, act: forms.Act, place: str, missing: Any) -> None:
        early = act.who == SERVER and record.at_ms < self._until_ms
        by = act.who == SERVER or forms.role_of(act.who)[0] == forms.DIRECTOR
        if not by or early or self._waited or not self.missing or missing != self.missing:
            self._told(record, place, "audit.tournament.wait_ended")
        self._waited = True

    def _told(self, record: Record, place: str, key: str, **args: Any) -> None:
        self._wrong(record.seq, place, say(key, **args))


def _told(value: Any) -> str:
    """Numbers as a finding shows them."""
    return ", ".join(map(str, value)) if type(value) is tuple else str(value)
