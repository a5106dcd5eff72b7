"""Taking a seat, which makes a `Seat`."""

from warledger.clients.link.errors import BadServer
from warledger.clients.link.link import Link
from warledger.clients.link.seat import Seat
from warledger.clients.link.watch import Watch
from warledger.protocol.board.choices import say
from warledger.protocol.log.records import TOURNAMENT


async def sit(
    link: Link,
    game: str,
    seat: str,
    *,
    client: str = "terminal",
    take_over: bool = False,
    unsigned: bool = False,
    number: int | None = None,
) -> Seat:
    """Take the seat (or come back to it), and reveal its nonce once every seat is taken and
    verified: play has not begun when this returns.

    The link must have shown the seat's token. `client` is what the log says about how the seat
    plays. With `take_over` a seat that plays with another key is taken over, which the log records
    permanently. `unsigned` takes it without a key, if the game allows that. `number` is the
    player's own in the tournament of which the game is a board. Where it is not given, it is known
    by what is kept of the entry.

    Raises BadServer (including RecordsLost) if the log contradicts this client's receipts, gives
    the seat to another entrant, or says that a program plays every seat. Raises CannotSit,
    SeatRefused, and LookupError if the game has no such seat.
    """
    watch = await link.watch(game, seat)
    if seat not in watch.seats:
        raise LookupError(f"{game} has no seat {seat}; its seats are {', '.join(watch.seats)}")
    link.check_server()
    check_entrant(link, watch, seat, number)
    if watch.genesis.self_play and not unsigned:
        raise BadServer(say("link.self_play", game=game))
    here = Seat(link, watch, seat, link.papers(watch), client, unsigned=unsigned)
    await here.settle_in(take_over=take_over)
    link.spawn(here.tend)
    return here


def check_entrant(link: Link, watch: Watch, seat: str, number: int | None) -> None:
    """Raise BadServer where the game is a board of a tournament in which this player has a number,
    and the seat is that of another."""
    genesis = watch.genesis
    given = genesis.entrants.get(seat)
    if given is None:
        return
    _, tournament, charter, *_ = genesis.terms[TOURNAMENT]
    own = [number] if number is not None else link.numbers_in(tournament, charter)
    if own and given not in own:
        raise BadServer(say("link.other_entrant", game=genesis.game, seat=seat, number=given))
