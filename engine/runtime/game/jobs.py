"""What is asked of a game's task: jobs, what they propose, and the services that games need."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol

from attrs import define, frozen

from warledger.engine.archive.wheels import Archive, BadWheel
from warledger.engine.kernel.door import Submission
from warledger.engine.kernel.ledger import Batch
from warledger.engine.kernel.types import Rules
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.clock.deadlines import Calendar
from warledger.engine.runtime.game.answers import Answer, Done, Failed, Refusal
from warledger.engine.runtime.game.live import Live
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.snapshots.snapshots import Snapshots
from warledger.engine.runtime.titles import Title
from warledger.engine.store.port import FRAME_META, Store
from warledger.protocol.board.choices import refuse
from warledger.protocol.chance.seal import Opening
from warledger.protocol.log.chain import Signer
from warledger.protocol.log.records import Genesis


@frozen
class Meta:
    """What a proposal returns when it adds bookkeeping, or a witness, to the game's file, and no
    record."""

    payload: bytes
    kind: int = FRAME_META


Proposal = Callable[[Live], Batch[Any] | Done | Failed | Refusal | Meta]


class Starter(Protocol):
    """Starts a task that lives as long as the server does."""

    def __call__(self, function: Callable[[], Awaitable[object]], /) -> None: ...


class Public(Protocol):
    """The public streams of a fleet's games, which their owner writes behind the answer."""

    def show(self, game: str, records: int) -> None:
        """Everybody may see so many records now, or what was added beside the last of them. Plain
        and at once; nothing is done for a game of another node."""

    async def shown(self, game: str, records: int) -> bool:
        """Return once so many records are there for everybody. False if the game is another node's
        before."""


@frozen
class Services:
    """What every game needs from its surroundings."""

    store: Store
    titles: Mapping[str, Title]
    ambient: Ambient
    signer: Signer
    metrics: Metrics
    start: Starter
    log: Any
    calendar: Calendar
    snapshots: Snapshots | None = None
    archive: Archive | None = None
    public: Public | None = None

    def installed(self, genesis: Genesis) -> Title | None:
        """The installed title, if a game was begun with just these sources, or none are kept."""
        title = self.titles.get(genesis.title)
        same = title is not None and (self.archive is None or title.digest == genesis.digest)
        return title if same else None

    def rules_of(self, genesis: Genesis) -> Rules[Any] | None:
        """The rules that a game is played by: those of the archived release that it was begun with,
        if there is one and the installed rules are others; else those installed, or None. May
        block. Raises BadWheel for an archive that cannot be used."""
        title = self.titles.get(genesis.title)
        if self.archive is not None and (title is None or title.digest != genesis.digest):
            found = self.archive.rules(genesis.title, genesis.digest)
            if found is not None:
                return found
        return None if title is None else title.rules

    def rules_to_draw(self, genesis: Genesis) -> Rules[Any] | None:
        """A title's rules for looking at a game: those installed, if the archive cannot be used."""
        try:
            return self.rules_of(genesis)
        except BadWheel:
            title = self.titles.get(genesis.title)
            return None if title is None else title.rules

    let_go: Callable[[str], None] = lambda game: None
    """Another node has this game now: forget it here."""

    changed: Callable[[str], None] = lambda game: None
    """Spectators may see more of this game now, or it is kept here from now on."""


@define(eq=False)
class Job:
    """A request; `seat` is set if a seat made it.

    `prepare` may fetch what `propose` needs; it returns None if there is nothing to fetch. `done`
    is called exactly once, from the game's task, and must not block. `arrived_ms` is when the
    request arrived; 0 means when it is posted.
    """

    propose: Proposal
    done: Callable[[Answer], None]
    prepare: Callable[[Live], Awaitable[None] | None] | None = None
    principal: str = ""
    seat: str = ""
    arrived_ms: int = 0


def submit(command: Submission, ambient: Ambient, live: Live) -> Batch[Any] | Refusal:
    """Propose a standing answer."""
    clocks = live.position.clocks
    if clocks is None:
        return live.ledger.propose_command(command, ambient.now_ms())
    # A standing answer takes no time: it counts from the moment of the question, or from the end of
    # the pause that held it back.
    pause_ms = 0 if clocks.pause is None else clocks.pause.until
    return live.ledger.propose_command(command, max(pause_ms, live.ledger.last.at_ms))


def nothing(_: Live) -> Refusal:
    """A request that only makes the game look at its clocks."""
    return _NOTHING


_NOTHING: Final = refuse("", "refusal.no_flag_due")


def reveal(
    portion: tuple[Opening, ...], last: bool, ambient: Ambient, live: Live
) -> Batch[Any] | Refusal:
    """Propose a portion of what is opened after the end."""
    return live.ledger.propose_reveal(portion, ambient.now_ms(), last=last)


def ignore(_: Answer) -> None:
    """Nobody waits for the answer."""
