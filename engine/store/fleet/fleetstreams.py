"""The streams of a fleet in the engine, and what a fleet says about itself there.

`fleet init` makes them. Every node compares them at its start with what they should be: a stream
changed by hand could lose games or show secrets. Nothing is ever remade or altered here: what
differs is named, and the operator decides.
"""

import json
from collections.abc import AsyncIterator, Mapping
from typing import Any, Final

from attrs import field, frozen

from warledger.engine.nats.jetstreamapi import JetStream, Rejected
from warledger.engine.store.fleet.jetstream import SHARDS
from warledger.engine.store.fleet.keyring import Ring

RELEASE: Final = 1
"""What this release writes into the engine, at most: the number that `fleet release` may name."""

FORMAT: Final = 1
NO_STREAM: Final = 10059
_SHARE: Final = {"WG": 60, "WP": 30, "WCARDS": 3, "WFLEET": 1}
"""Per cent of a server's room that streams of a kind may fill together. The rest stays free for
what the engine keeps beside the messages."""

FREE_TO_CHANGE: Final = ("max_bytes", "num_replicas")
"""What an operator may change in a running fleet."""


class BadFleet(Exception):
    """The engine does not hold the fleet that it should; the message names what differs."""


@frozen
class Stream:
    """A stream as it should be."""

    name: str
    subjects: tuple[str, ...]
    config: Mapping[str, Any]

    def differs(self, found: Mapping[str, Any], *, strict: bool) -> list[str]:
        """What differs in a configuration as the engine tells it. What an operator may change
        counts only if `strict`."""
        wanted = {"subjects": list(self.subjects), **self.config}
        return [
            f"{self.name}: {name} is {_told(found.get(name))} and should be {_told(value)}"
            for name, value in wanted.items()
            if (found.get(name) or None) != (value or None)
            and (strict or name not in FREE_TO_CHANGE)
        ]


@frozen
class Fleet:
    """What the engine says about its fleet. `host` is the digest of the host's token in
    hexadecimal, `keys` describes the key ring, `release` is the least that every node has.
    `replicas` is how many servers keep each message, `room` how many bytes a server has for all
    streams (0: no limit)."""

    shards: int = SHARDS
    replicas: int = 3
    room: int = 0
    release: int = RELEASE
    host: str = ""
    keys: Mapping[str, Any] = field(factory=dict)

    def streams(self) -> tuple[Stream, ...]:
        """Every stream of the fleet."""
        made: list[Stream] = []
        for shard in range(self.shards):
            name, subjects, config = private_stream(shard, self.replicas)
            made.append(Stream(name, tuple(subjects), config | self._room("WG", self.shards)))
        common = {
            "storage": "file",
            "num_replicas": self.replicas,
            "retention": "limits",
            "allow_direct": True,
        }
        for shard in range(self.shards):
            config = {
                **common,
                "discard": "new",
                "deny_delete": True,
                "duplicate_window": 120_000_000_000,
                "republish": {"src": f"wp.{shard}.>", "dest": "live.>"},
                **self._room("WP", self.shards),
            }
            made.append(Stream(f"WP{shard}", (f"wp.{shard}.>",), config))
        one = {**common, "max_msgs_per_subject": 1}
        cards = {**one, "republish": {"src": "card.>", "dest": "cardlive.>"}}
        made.append(Stream("WCARDS", ("card.>",), cards | self._room("WCARDS", 1)))
        made.append(Stream("WFLEET", ("fleet.*",), one | self._room("WFLEET", 1)))
        probe = {**one, "storage": "memory", "max_msgs": 1000}
        made.append(Stream("WPROBE", ("probe.*",), probe))
        return tuple(made)

    def _room(self, kind: str, streams: int) -> dict[str, int]:
        return {"max_bytes": self.room * _SHARE[kind] // 100 // streams} if self.room else {}

    def as_messages(self) -> dict[str, Any]:
        """What stands in `WFLEET`, by the last word of its subject."""
        return {
            "format": FORMAT,
            "streams": {"shards": self.shards, "replicas": self.replicas, "room": self.room},
            "release": self.release,
            "host": self.host,
            "keys": dict(self.keys),
        }


def private_stream(shard: int, replicas: int) -> tuple[str, list[str], dict[str, object]]:
    """Name, subjects and configuration of a private stream."""
    return (
        f"WG{shard}",
        [f"wg.{shard}.>"],
        {
            "storage": "file",
            "num_replicas": replicas,
            "retention": "limits",
            "discard": "new",
            "allow_direct": True,
            "allow_atomic": True,
            "deny_delete": True,
            "duplicate_window": 120_000_000_000,
            "republish": {"src": f"wg.{shard}.>", "dest": f"follow.{shard}.>"},
        },
    )


def _told(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


# --- making and reading ---------------------------------------------------------------------------


async def read_fleet(js: JetStream) -> Fleet | None:
    """What the engine says about the fleet, as its leader has it, or None if there is none. Raises
    BadFleet, Rejected, and what a request raises."""
    said = await read_fleet_messages(js)
    if not said:
        return None
    if said.get("format", 0) > FORMAT:
        raise BadFleet(
            f"the fleet has format {said['format']}, and this release reads {FORMAT}: install the "
            "release that the other nodes have"
        )
    try:
        return Fleet(
            **said["streams"], release=said["release"], host=said["host"], keys=said["keys"]
        )
    except (KeyError, TypeError) as error:
        raise BadFleet(
            "the stream WFLEET does not say what a fleet says: run `warledger fleet init` again, "
            "which puts in what is missing"
        ) from error


async def _compared(
    js: JetStream, fleet: Fleet, *, strict: bool
) -> AsyncIterator[tuple[str, list[str] | None]]:
    """Each stream of the fleet by name, with how it differs; None if it is missing."""
    for stream in fleet.streams():
        try:
            found = await js.describe(stream.name)
        except Rejected as error:
            if error.number != NO_STREAM:
                raise
            yield stream.name, None
        else:
            yield stream.name, list(stream.differs(found["config"], strict=strict))


async def differing(js: JetStream, fleet: Fleet, *, strict: bool = False) -> list[str]:
    """What is missing or differs among the fleet's streams, in words."""
    wrong: list[str] = []
    async for name, differs in _compared(js, fleet, strict=strict):
        wrong += [f"{name} is missing"] if differs is None else differs
    return wrong


async def make_fleet(js: JetStream, fleet: Fleet) -> bool:
    """Make the fleet's streams and what it says about itself, or what of them is missing in a fleet
    that was not finished. Returns whether anything was made.

    Raises BadFleet if something exists differently, or if a stream of games has gone from a fleet
    that was whole: games would be lost without a word.
    """
    before = await read_fleet_messages(js)
    gone: list[str] = []
    wrong: list[str] = []
    async for name, differs in _compared(js, fleet, strict=True):
        if differs is None:
            gone.append(name)
        else:
            wrong += differs
    said = fleet.as_messages()
    for name, value in before.items():
        if name in said and name != "release" and value != said[name]:
            wrong.append(f"fleet.{name} is {_told(value)} and should be {_told(said[name])}")
    if "format" in before:
        wrong += [f"{name} is missing, and this fleet had it" for name in gone]
    if wrong:
        raise BadFleet("; ".join(wrong))
    for stream in fleet.streams():
        if stream.name in gone:
            await js.make(stream.name, stream.subjects, **stream.config)
    # The format comes last: with it the fleet is whole.
    missing = [name for name in said if name not in before]
    for name in sorted(missing, key=lambda one: one == "format"):
        await tell(js, name, said[name], expected=0)
    return bool(gone or missing)


async def read_fleet_messages(js: JetStream) -> dict[str, Any]:
    """What stands in `WFLEET`; nothing if there is no such stream."""
    said: dict[str, Any] = {}
    for name in Fleet().as_messages():
        try:
            kept = await js.last("WFLEET", f"fleet.{name}", from_leader=True)
        except Rejected as error:
            if error.number == NO_STREAM:
                return {}
            raise
        if kept is not None:
            said[name] = json.loads(kept.payload)
    return said


async def tell(js: JetStream, name: str, value: Any, *, expected: int | None = None) -> None:
    """Let the fleet say something about itself from now on."""
    payload = json.dumps(value, sort_keys=True).encode()
    await js.append(f"fleet.{name}", payload, identity="", expected=expected, seconds=5.0)


async def check_node(js: JetStream, ring: Ring) -> Fleet:
    """The fleet that a node with this key ring may join. Raises BadFleet with all that is wrong,
    Rejected, and what a request raises."""
    fleet = await read_fleet(js)
    if fleet is None:
        raise BadFleet("there is no fleet in this engine: make one with `warledger fleet init`")
    if fleet.release > RELEASE:
        raise BadFleet(
            f"the fleet writes what release {fleet.release} reads, and this node is release "
            f"{RELEASE}: install what the other nodes have"
        )
    if missing := ring.missing(fleet.keys):
        raise BadFleet(
            f"the key ring is not the fleet's, or not its newest: {', '.join(missing)} differ. "
            "Copy it from another node"
        )
    if wrong := await differing(js, fleet):
        raise BadFleet("; ".join(wrong))
    return fleet
