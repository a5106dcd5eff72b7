"""Matchers for tests: the one that is used, and a second opinion."""

from __future__ import annotations

from collections.abc import Sequence

import networkx

from warledger.engine.desk.matching import matched
from warledger.engine.tournaments.swiss.paired import BITS, Matcher

Edges = Sequence[tuple[int, int, int]]


def rustworkx_matcher(vertices: int, edges: Edges, perfect: bool) -> list[int]:
    """The matcher that pairs, in this process; its weights must be what was promised."""
    assert all(0 <= weight < 1 << BITS for _, _, weight in edges)
    return matched(vertices, edges, perfect)


def networkx_matcher(vertices: int, edges: Edges, perfect: bool) -> list[int]:
    """Another implementation, in pure Python."""
    graph = networkx.Graph()
    graph.add_nodes_from(range(vertices))
    graph.add_weighted_edges_from(edges)
    mates = [-1] * vertices
    for a, b in networkx.max_weight_matching(graph, maxcardinality=perfect):
        mates[a], mates[b] = b, a
    return mates


def reversed_matcher(vertices: int, edges: Edges, perfect: bool) -> list[int]:
    """The first, on the same graph with its vertices in the other order: of several best
    matchings another one comes out."""
    last = vertices - 1
    turned = [(last - b, last - a, weight) for a, b, weight in reversed(edges)]
    mates = matched(vertices, turned, perfect)
    return [last - mate if mate >= 0 else -1 for mate in reversed(mates)]


MATCHERS: tuple[Matcher, ...] = (rustworkx_matcher, networkx_matcher, reversed_matcher)
