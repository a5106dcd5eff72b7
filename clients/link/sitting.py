"""Taking a seat, which makes a `Seat`."""

from warledger.clients.link.link import Link
from warledger.clients.link.seat import Seat


async def sit(
    link: Link,
    game: str,
    seat: str,
    *,
    client: str = "terminal",
    take_over: bool = False,
    unsigned: bool = False,
) -> Seat:
    """Take the seat (or come back to it), and reveal its nonce once every seat is taken and
    verified: play has not begun when this returns.

    The link must have shown the seat's token. `client` is what the log says about how the seat
    plays. With `take_over` a seat that plays with another key is taken over, which the log records
    permanently. `unsigned` takes it without a key, if the game allows that.

    Raises BadServer (including RecordsLost) if the log contradicts this client's receipts;
    CannotSit, SeatRefused; LookupError if the game has no such seat.
    """
    watch = await link.watch(game, seat)
    if seat not in watch.seats:
        raise LookupError(f"{game} has no seat {seat}; its seats are {', '.join(watch.seats)}")
    link.check_server()
    here = Seat(link, watch, seat, link.papers(watch), client, unsigned=unsigned)
    await here.settle_in(take_over=take_over)
    link.spawn(here.tend)
    return here


__all__ = ["sit"]
