"""The messages of tournaments on a server. A tournament is asked as a game is, by its id as `game`
and who acts ("d:ID", "a:ID", "e:NUMBER") as `seat`: `choices`, `submit`, `subscribe`,
`unsubscribe`, `view`, `head`, `head_of`. These are the further ones."""

from typing import Any

from warledger.protocol.limits import CHARTER_CHARS_MAX, HASH_BYTES
from warledger.protocol.log.chain import Head as SignedHead
from warledger.protocol.tournaments import DIRECTOR_ROLE, ENTRANT_ROLE
from warledger.protocol.wire import fields
from warledger.protocol.wire.fields import CLIENT, JOB, LINE, PAGE, SERVER, Message
from warledger.protocol.wire.fields import message as _message

CODED = (DIRECTOR_ROLE, "arbiter", "caster", ENTRANT_ROLE)
"""What a code of one use may give in a tournament."""


@_message("tournaments", CLIENT, "tournament_list", cost=LINE)
class Tournaments(Message):
    """Which tournaments does the server host?"""

    request: int = fields.number(1)


@_message("tournament_list", SERVER)
class TournamentList(Message):
    """Each is a map: `id name title entrants round state` ("entering", "playing", "finished")
    `delay_s mine` (as whom the client may act in it), the newest first."""

    request: int = fields.number(1)
    tournaments: tuple[dict[str, Any], ...] = fields.maps()


@_message("tournament", CLIENT, "tournament_is", cost=PAGE)
class Tournament(Message):
    """Ask for everything about a tournament that the client may see."""

    request: int = fields.number(1)
    game: str = fields.name()


@_message("tournament_is", SERVER)
class TournamentIs(Message):
    """`told` is a tournament as plain values, `seq` the newest record that whoever asks may have.
    For directors and arbiters `told` has `drafted`, the round that is paired and not published.
    Each of `mine` may be a `seat` in requests on this tournament."""

    request: int = fields.number(1)
    game: str = fields.name()
    seq: int = fields.number()
    mine: tuple[tuple[str], ...] = fields.rows(str)
    told: Any = fields.value()


@_message("check_charter", CLIENT, "charter_is", cost=JOB)
class CheckCharter(Message):
    """What is wrong with a charter, or what it says; `charter` is the text of its TOML file."""

    request: int = fields.number(1)
    charter: str = fields.text(CHARTER_CHARS_MAX)


@_message("charter_is", SERVER)
class CharterIs(Message):
    """`good` says whether a tournament can be opened with it; `findings` are [severity, place,
    problem, remedy]; `words` are says: the charter in sentences, where it is good."""

    request: int = fields.number(1)
    good: bool = fields.flag()
    findings: tuple[tuple[str, str, str, str], ...] = fields.rows(str, str, str, str)
    words: Any = fields.value()


@_message("open_tournament", CLIENT, "tournament_opened", "charter_is", cost=JOB)
class OpenTournament(Message):
    """A host announces a tournament under the id `game`. `director` is the handle or the id of an
    account; on a server without accounts any name."""

    request: int = fields.number(1)
    game: str = fields.name()
    director: str = fields.name()
    charter: str = fields.text(CHARTER_CHARS_MAX)


@_message("tournament_opened", SERVER)
class TournamentOpened(Message):
    """The director acts as `seat`. `token` is theirs, and is shown only here; it is "" for an
    account, which signs in. Where nobody has the account that was named, both are "": nobody
    directs yet, and `tournament_code` makes a code for whoever shall."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    token: str = fields.text(256)


@_message("enter_tournament", CLIENT, "entered", "refused", cost=LINE)
class EnterTournament(Message):
    """Enter a tournament. `token` is the SHA-256 of a token that the client has made: the id, a
    colon, and 256 random bits in base64url. Whoever shows it with `login` acts as this entrant. The
    same `token` is one entry, however often it is sent. `nonce_hash` commits to a nonce for the
    lots, bound to the hash of the charter's record and "e:" with the number `expects`. If another
    number is given meanwhile the request is refused."""

    request: int = fields.number(1)
    game: str = fields.name()
    name: str = fields.name()
    rating: int = fields.number(0, 4_000)
    expects: int = fields.number(1)
    nonce_hash: bytes = fields.octets(0, HASH_BYTES)
    token: bytes = fields.octets(HASH_BYTES, HASH_BYTES)


@_message("entered", SERVER)
class Entered(Message):
    """The entrant's number, and a receipt."""

    request: int = fields.number(1)
    game: str = fields.name()
    number: int = fields.number(1)
    head: SignedHead = fields.head()


@_message("show_nonce", CLIENT, "accepted", "refused", cost=LINE)
class ShowNonce(Message):
    """Hand in the nonce of an entrant whose lots wait for it. Anybody may, by any connection: that
    it fits the commitment is all the authority it needs. `accepted` has a head, which is a receipt.
    Whoever knows a nonce shows it only once they keep a head, signed by the server, of the roster's
    record or a later one."""

    request: int = fields.number(1)
    game: str = fields.name()
    number: int = fields.number(1)
    nonce: bytes = fields.octets(HASH_BYTES, HASH_BYTES)


@_message("tournament_token", CLIENT, "token", cost=LINE)
class TournamentToken(Message):
    """A host, or a director for anybody but directors and the committee, replaces the token of
    whoever acts as `seat`. Whoever has an account has no token: they sign in."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()


@_message("tournament_code", CLIENT, "invitation", cost=LINE)
class TournamentCode(Message):
    """A director, or the host who opened it for all but an `entrant`, grants `role` to somebody
    whom nobody here knows: by a code of one use. Whoever uses it, with `sign_up` or
    `change_account`, has the role from then on, by the id of their account. The ledger has nothing
    of it before."""

    request: int = fields.number(1)
    game: str = fields.name()
    role: str = fields.one_of(*CODED)


@_message("tournament_seat", CLIENT, "token", cost=LINE)
class TournamentSeat(Message):
    """An entrant fetches their seat in the game of a board. The token is a new one, and the seat's
    old one becomes invalid. It is "" where the seat is kept with the account that the client is
    signed in to."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    round: int = fields.number(1)
    board: int = fields.number(1)


@_message("tournament_paper", CLIENT, "paper_is", cost=PAGE)
class TournamentPaper(Message):
    """A file: `entrants.csv`, `pairings.csv`, `results.csv`, `standings.csv`, `pairings.html`,
    `names.html`, `slips.html`, `pairings.txt`, `pairings.json`, `standings.json`,
    `crosstable.json`, `rounds.ics`, `report.trf16`, `report.trf26`, `tournament.wlog`. It is of a
    round of the stage in progress, 0 for the newest."""

    request: int = fields.number(1)
    game: str = fields.name()
    kind: str = fields.name()
    round: int = fields.number()
    language: str = fields.name()


@_message("paper_is", SERVER)
class PaperIs(Message):
    """The file, as far as the client may see."""

    request: int = fields.number(1)
    kind: str = fields.name()
    body: bytes = fields.octets(0, 3 * 1024 * 1024)
