"""The client library: connect to a server, follow games with every record verified, take a seat and
play.

async with connect("localhost", 7470, token=token) as link:
    watch = await link.watch(game)
    async for seen in watch:
        print(seen.record.seq, seen.effects)
"""

from warledger.clients.link.errors import (
    BadServer,
    CannotSit,
    Disconnected,
    LinkError,
    OutcomeUnknown,
    RecordsLost,
    SeatRefused,
    ServerError,
    Unsettled,
)
from warledger.clients.link.link import Link, connect, linked
from warledger.clients.link.receipts import BadReceipt, Papers, Receipts, read_receipts
from warledger.clients.link.seat import Offer, Seat
from warledger.clients.link.sitting import sit
from warledger.clients.link.watch import Seen, Watch

__all__ = [
    "BadReceipt",
    "BadServer",
    "CannotSit",
    "Disconnected",
    "Link",
    "LinkError",
    "Offer",
    "OutcomeUnknown",
    "Papers",
    "Receipts",
    "RecordsLost",
    "Seat",
    "SeatRefused",
    "Seen",
    "ServerError",
    "Unsettled",
    "Watch",
    "connect",
    "linked",
    "read_receipts",
    "sit",
]
