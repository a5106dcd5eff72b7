"""Figures for operators: plain numbers while the server runs, prometheus families when they are
collected.

Counting is an attribute's increment, since it happens with every command. Only the event loop's lag
is a real histogram.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import trio
from attrs import define, field
from prometheus_client import CollectorRegistry, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import generate_latest
from prometheus_client.parser import text_string_to_metric_families

LAG_PROBE_SECONDS = 0.1


@define(eq=False)
class Metrics:
    """What has happened since the server started. `gauges` are called when the figures are
    collected."""

    connections: int = 0
    connections_opened: int = 0
    connections_refused: int = 0
    connections_evicted: int = 0
    peer_faults: int = 0
    commands_accepted: int = 0
    commands_refused: int = 0
    commands_again: int = 0
    commits: int = 0
    commits_failed: int = 0
    records: int = 0
    faults: int = 0
    quarantined: int = 0
    loads: int = 0
    passivations: int = 0
    catch_up_reads: int = 0
    slow_clients_closed: int = 0
    standing_answers: int = 0
    http_requests: int = 0
    gauges: dict[str, tuple[str, Callable[[], float]]] = field(factory=dict)
    registry: CollectorRegistry = field(factory=CollectorRegistry)
    lag: Histogram = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.lag = Histogram(
            "warledger_loop_lag_seconds",
            "How late the event loop comes round",
            buckets=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1.0),
            registry=self.registry,
        )
        self.registry.register(_Collector(self))

    async def watch_lag(self) -> None:
        """Measure the event loop's lag for ever."""
        while True:
            due = trio.current_time() + LAG_PROBE_SECONDS
            await trio.sleep_until(due)
            self.lag.observe(max(0.0, trio.current_time() - due))


_COUNTERS = {
    "connections_opened": "Connections accepted",
    "connections_refused": "Connections turned away",
    "connections_evicted": "Connections ended because their place was needed",
    "peer_faults": "Connections ended because of what the peer sent",
    "commands_accepted": "Commands accepted",
    "commands_refused": "Commands refused by the rules",
    "commands_again": "Commands sent again after they had been accepted",
    "commits": "Batches made durable",
    "commits_failed": "Batches that the store could not make durable",
    "records": "Records written",
    "faults": "Bugs that a command met",
    "quarantined": "Games stopped because their log does not fold",
    "loads": "Games loaded from the store",
    "passivations": "Games whose state was let go",
    "catch_up_reads": "Reads of the store for subscribers that are behind",
    "slow_clients_closed": "Connections closed because they took nothing for too long",
    "standing_answers": "Commands submitted by standing answers",
    "http_requests": "HTTP requests",
}


class _Collector:
    def __init__(self, metrics: Metrics) -> None:
        self._metrics = metrics

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterator[Metric]:
        for name, what in _COUNTERS.items():
            yield CounterMetricFamily(f"warledger_{name}", what, value=getattr(self._metrics, name))
        yield GaugeMetricFamily(
            "warledger_connections", "Connections open", value=self._metrics.connections
        )
        for name, (what, ask) in self._metrics.gauges.items():
            yield GaugeMetricFamily(f"warledger_{name}", what, value=ask())


PUBLIC_FIGURES: Final = (
    "warledger_connections",
    "warledger_subscribers",
    "warledger_http_requests",
    "warledger_loop_lag_seconds",
    "warledger_store_ok",
)
"""The figures from which nothing about any one game can be learnt."""


class _Families:
    """Families that have been collected, as a registry."""

    def __init__(self, collect: Callable[[], Iterable[Metric]]) -> None:
        self._collect = collect

    def collect(self) -> Iterable[Metric]:
        return self._collect()


def public_figures(metrics: Metrics) -> Any:
    """The registry that everybody may see."""
    return _Families(
        lambda: (family for family in metrics.registry.collect() if family.name in PUBLIC_FIGURES)
    )


def figures(registry: Any) -> str:
    """The figures of a registry as text."""
    return generate_latest(registry).decode()


def merged(texts: Iterable[tuple[str, str]]) -> Any:
    """The registry for the figures of a fleet's nodes: the label `node` of each sample says whose
    it is."""
    families: dict[str, Metric] = {}
    for node, text in texts:
        for family in text_string_to_metric_families(text):
            whole = families.setdefault(
                family.name, Metric(family.name, family.documentation, family.type)
            )
            for sample in family.samples:
                whole.add_sample(sample.name, {**sample.labels, "node": node}, sample.value)
    return _Families(families.values)
