"""A game that is played by an archived release: rules that nobody here can ask, and a ledger whose
records the release makes.

What the kernel keeps around a title's state (seats, the flow, who is asked, clocks, claims) follows
from the records without any rules. So it is folded here as for any game, and only the state is
missing. The release makes each batch of records whole, with its own kernel; here it is folded, made
durable and committed.
"""

import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from warledger.engine.archive import pipe
from warledger.engine.archive.release import Release, ReleaseFault
from warledger.engine.kernel.ledger import Batch, Ledger
from warledger.engine.kernel.position import Position
from warledger.engine.kernel.replay import fold_record
from warledger.engine.kernel.table import Undecoded
from warledger.engine.kernel.types import Fault, Outcome, Switch
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Decision, Option, Picks, Refusal, Say
from warledger.protocol.chance.seal import unpack_openings
from warledger.protocol.chance.secrets import Keys
from warledger.protocol.log import chain
from warledger.protocol.log.records import Genesis, Record

Log = Iterable[tuple[bytes, bytes]]
"""Every record's bytes, with its packed private openings (empty if there are none)."""


class ReleasedRules:
    """The rules of a title in an archived release, as far as a log can be folded with them. Raises
    as `Release.call`."""

    folders: tuple[str, ...] = ()
    sequences: Mapping[str, tuple[str, ...]] = {}
    steps: Mapping[str, Any] = {}
    events: tuple[type[Any], ...] = ()
    codec: Final = Undecoded(())

    def __init__(self, release: Release, title: str) -> None:
        _, self.digest, self.version, self.seats, switches = release.call(
            "title", title, seconds=120
        )
        self.release = release
        self.title = title
        self.switches = tuple(Switch(*one) for one in switches)

    def initial(self, genesis: Genesis) -> None:
        """No state: the release has it."""

    def evolve(self, state: None, event: Any) -> None:
        """Nothing changes here."""

    def triggers(self, table: Any, event: Any) -> None:
        """Nothing follows here."""

    def effects(self, before: None, event: Any, after: None) -> Iterable[Any]:
        """Effects stand in the records."""
        return ()

    def picture(self, state: None) -> Iterable[Any]:
        """There is no state to draw."""
        return ()

    def outcome(self, at: Position[Any]) -> Outcome | None:
        """The release knows it."""
        raise Fault("an archived release says itself how a game ends")

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """No game begins with an archived release."""
        raise Fault("no game begins with an archived release")

    def invariants(self, state: None) -> None:
        """There is no state."""

    def described(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> dict[str, Any]:
        """The description of a game, as clients get it. Raises as `Release.call`."""
        packed = canon.pack(canon.ordered(pack)), canon.pack(canon.ordered(options))
        found: dict[str, Any] = self.release.call("describe", self.title, *packed)[1]
        return found

    def describe(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
        """Raises ValueError: what travels is `described`."""
        raise ValueError("an archived release makes the description itself")


class ReleasedLedger(Ledger[Any]):
    """The ledger of a game whose records an archived release makes. `log` reads what is committed,
    for a process that does not have the game yet."""

    is_elsewhere = True

    def __init__(
        self,
        rules: ReleasedRules,
        genesis: Record,
        keys: Keys,
        told: tuple[Any, ...],
        log: Callable[[], Log],
    ) -> None:
        super().__init__(rules, genesis, keys)
        self.codec = rules.codec
        self._release = rules.release
        self._title = rules.title
        self._told_keys = told
        self._log = log
        self._handle = self._release.handle()
        weakref.finalize(self, self._release.forgotten.append, self._handle)
        self._known = 0
        self._lock = threading.RLock()

    def ask(self, what: str, *args: Any) -> tuple[Any, ...]:
        """Ask the release about this game; from any thread. Raises as `Release.call`, and
        ReleaseFault if the release cannot get to where this game is."""
        with self._lock:
            for _ in range(2):
                self.begin()
                answer = self._release.call(what, self._handle, self.last.hash, *args)
                if answer != ("behind",):
                    return answer
                self._known = 0
        raise ReleaseFault(f"the release does not follow to record {self.last.seq}")

    def begin(self) -> None:
        """Have the release take the game up, unless it has it. Raises as `Release.call`:
        ReleaseFault for a game that it cannot play."""

        def opening() -> tuple[Any, ...]:
            return (self._handle, self._title, self._told_keys, tuple(self._log()))

        with self._lock:
            self._known = self._release.ensure(self._known, opening)

    def offered(
        self, at: Position[Any], seat: str, picks: Picks
    ) -> tuple[Choices | Refusal, Decision | None]:
        """What the release offers, in the form of `Ledger.offered`. Raises as `Release.call`."""
        _, offer, refused, question = self.ask("choices", at.seq, seat, picks)
        decision = None if question is None else Decision(Say.from_array(question[0]), question[1])
        return (Refusal.from_array(refused) if offer is None else _offer(offer)), decision

    def previewed(self, at: Position[Any], seat: str, picks: Picks) -> tuple[Say, ...] | Refusal:
        """What the release previews, in `Ledger.previewed`'s form. Raises as `Release.call`."""
        word, found = self.ask("preview", at.seq, seat, picks)
        if word == "refused":
            return Refusal.from_array(found)
        return tuple(Say.from_array(one) for one in found)

    def _on_offer(self, seat: str, picks: Picks) -> bool:
        offered, _ = self.offered(self.position, seat, picks)
        return not isinstance(offered, Refusal) and offered.complete

    def _proposed(
        self, name: str, given: tuple[Any, ...], named: Mapping[str, Any]
    ) -> Batch[Any] | Refusal:
        then = next((one for one in given if isinstance(one, Position)), None)
        if name == "reveal":
            given = (tuple(given[0]), *given[1:])
        word, made = self.ask(
            "propose",
            name,
            tuple(pipe.told(one) for one in given),
            tuple((key, pipe.told(one)) for key, one in named.items()),
        )
        if word == "refused":
            return Refusal.from_array(made)

        def past(to: int) -> Position[Any]:
            found = self.past.get(to, then)
            if found is None:
                raise Fault(f"the position after record {to} is needed to go back to it")
            return found

        after = self.position
        written = tuple(chain.follow([data for data, _ in made], after=self.last))
        openings = tuple(unpack_openings(opened) for _, opened in made)
        for record, opened in zip(written, openings, strict=True):
            after = fold_record(self.rules, self.codec, after, record, opened, past, self.pace)
        return Batch(written, openings, after)


def _proposes(name: str) -> Callable[..., Batch[Any] | Refusal]:
    def propose(self: ReleasedLedger, *given: Any, **named: Any) -> Batch[Any] | Refusal:
        return self._proposed(name, given, named)

    propose.__doc__ = f"As `Ledger.propose_{name}`, by the release. Raises as `Release.call`."
    return propose


for _name in pipe.PROPOSALS:
    setattr(ReleasedLedger, f"propose_{_name}", _proposes(_name))


def _offer(told: tuple[Any, ...]) -> Choices:
    slot, options, span, complete, sealed, text = told
    labelled = tuple(
        Option(id, None if label is None else Say.from_array(label)) for id, label in options
    )
    return Choices(slot, labelled, span, complete, sealed, text)
