"""What a node counts of its fleet, for operators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, Protocol

from prometheus_client import Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric

from warledger.engine.runtime.metrics import Metrics
from warledger.engine.store.fleet.cards import Cards
from warledger.engine.store.fleet.jetstream import JetStreamStore
from warledger.engine.store.fleet.nodemessages import Nodes
from warledger.engine.store.port import Damaged, Fenced, StoreError, StoreFailed

_SECONDS: Final = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Counted(Protocol):
    """What the node itself counts."""

    takeovers: int
    sent_on: int

    @property
    def probe_age(self) -> float:
        """For how many seconds the engine has acknowledged no commit of this node."""


class FleetFigures:
    """Adds a node's figures to those of its server."""

    def __init__(
        self,
        metrics: Metrics,
        log: Any,
        store: JetStreamStore,
        nodes: Nodes,
        cards: Cards,
        node: Counted,
    ) -> None:
        self._log = log
        self._store, self._nodes, self._cards, self._node = store, nodes, cards, node
        self.appends = Histogram(
            "warledger_fleet_append_seconds",
            "How long appends to the engine took, by what became of them",
            ("outcome",),
            buckets=_SECONDS,
            registry=metrics.registry,
        )
        self._stored = self.appends.labels("stored")
        self.takeover = Histogram(
            "warledger_fleet_takeover_seconds",
            "How long it took to take a game whose owner was gone",
            buckets=_SECONDS,
            registry=metrics.registry,
        )
        store.observed = self._observe
        metrics.registry.register(self)

    def _observe(self, error: StoreError | None, seconds: float) -> None:
        if error is None:
            self._stored.observe(seconds)
            return
        outcome = _outcome(error)
        self.appends.labels(outcome).observe(seconds)
        game = getattr(error, "game", "")
        self._log.warning("append not stored", outcome=outcome, game=game)

    def describe(self) -> Iterable[Metric]:
        """Nothing is collected to learn the names."""
        return ()

    def collect(self) -> Iterator[Metric]:
        """The figures as they are now."""
        store, node = self._store, self._node
        settling = store.settling
        for name, what, count in (
            ("tries", "Appends sent to the engine, again ones included", settling.tries),
            ("unknown_outcomes", "Tries whose outcome nobody could say", settling.unknowns),
            ("in_process", "Tries refused since another append was in process", settling.busy),
            ("fenced", "Appends refused since somebody else had appended", settling.fenced),
            ("claims", "Games taken", node.takeovers),
            ("sent_on", "Links and requests opened to other nodes", node.sent_on),
            ("follow_gaps", "Gaps in what the engine said live, filled by reading", self._gaps),
            (
                "server_changes",
                "Connections to the engine after the first",
                max(0, store.engine.connections - 1),
            ),
        ):
            yield CounterMetricFamily(f"warledger_fleet_{name}", what, value=count)
        for name, what, now in (
            ("games_owned", "Games that are this node's, among those in memory", store.owned()),
            ("nodes", "Nodes that are heard, this one included", len(self._nodes.alive())),
            ("cards", "Games of the fleet that have a card", len(self._cards)),
            ("probe_age_seconds", "Since the engine last acknowledged a commit", node.probe_age),
        ):
            yield GaugeMetricFamily(f"warledger_fleet_{name}", what, value=now)

    @property
    def _gaps(self) -> int:
        return self._cards.gaps + self._store.gaps


def _outcome(error: StoreError) -> str:
    """What became of an append that was not stored, as the figures call it."""
    match error:
        case Fenced():
            return "fenced"
        case Damaged():
            return "lost"
        case StoreFailed(outcome="not saved"):
            return "not_saved"
    return "unknown"
