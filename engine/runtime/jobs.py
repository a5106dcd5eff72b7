"""What is asked of a game's task: jobs, what they propose, and the services that games need."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Protocol

from attrs import define, frozen

from warledger.engine.kernel.ledger import Batch
from warledger.engine.runtime.ambient import Ambient
from warledger.engine.runtime.answers import Answer, Done, Failed, Refusal, Signer
from warledger.engine.runtime.calendar import Calendar
from warledger.engine.runtime.live import Live
from warledger.engine.runtime.metrics import Metrics
from warledger.engine.runtime.snapshots import Snapshots
from warledger.engine.runtime.titles import Title
from warledger.engine.store.port import FRAME_META, Store


@frozen
class Meta:
    """What a proposal returns when it adds bookkeeping, or a witness, to the game's file, and no
    record."""

    payload: bytes
    kind: int = FRAME_META


Proposal = Callable[[Live], Batch[Any] | Done | Failed | Refusal | Meta]


class Check(Protocol):
    """The check of a signature, which is made elsewhere meanwhile."""

    def is_awaited(self) -> bool:
        """Whether the check is under way, so that other tasks should have their turn first."""

    def holds(self) -> bool:
        """Whether the signature is valid. This is found out here and now if it is not known."""


class Starter(Protocol):
    """Starts a task that lives as long as the server does."""

    def __call__(self, function: Callable[[], Awaitable[object]], /) -> None: ...


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


@define(eq=False)
class Job:
    """A request; `seat` is set if a seat made it.

    `prepare` may fetch what `propose` needs; it returns None if there is nothing to fetch. `done`
    is called exactly once, from the game's task, and must not block. `arrived_ms` is when the
    request arrived; 0 means when it is posted. `check` is that of the request's signature. It is
    asked once there is a proposal, before anything is written or answered, so that the check can
    run beside the proposal.
    """

    propose: Proposal
    done: Callable[[Answer], None]
    prepare: Callable[[Live], Awaitable[None] | None] | None = None
    principal: str = ""
    seat: str = ""
    arrived_ms: int = 0
    check: Check | None = None
