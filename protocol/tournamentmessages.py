"""The messages of tournaments on a server. A tournament is asked as a game is, by its id as `game`
and who acts ("d:NAME", "a:NAME", "e:NUMBER") as `seat`: `choices`, `submit`, `subscribe`,
`unsubscribe`, `view`, `head`, `head_of`. These are the further ones."""

from typing import Any, Final

from warledger.protocol import fields
from warledger.protocol.chain import Head as SignedHead
from warledger.protocol.limits import HASH_BYTES
from warledger.protocol.messageform import CLIENT, SERVER, Message
from warledger.protocol.messageform import message as _message

CHARTER_CHARS_MAX: Final = 32_768
"""Characters of a charter's file."""


@_message("tournaments", CLIENT, "tournament_list")
class Tournaments(Message):
    """Which tournaments are there?"""

    request: int = fields.number(1)


@_message("tournament_list", SERVER)
class TournamentList(Message):
    """Each is a map: `id name title entrants round state` ("entering", "playing", "finished")
    `delay_s mine` (as whom the client acts in it), the newest first."""

    request: int = fields.number(1)
    tournaments: tuple[dict[str, Any], ...] = fields.maps()


@_message("tournament", CLIENT, "tournament_is")
class Tournament(Message):
    """Ask for everything about a tournament that the client may see."""

    request: int = fields.number(1)
    game: str = fields.name()


@_message("tournament_is", SERVER)
class TournamentIs(Message):
    """`told` is a map: [the public values](#a-tournament-as-plain-values), and for whoever acts in
    it `drafted`, the round that is paired and not published (nil for none). `seq` is the record
    that it is told of, and `mine` as whom the client acts: each may be a `seat` here."""

    request: int = fields.number(1)
    game: str = fields.name()
    seq: int = fields.number()
    mine: tuple[tuple[str], ...] = fields.rows(str)
    told: Any = fields.value()


@_message("check_charter", CLIENT, "charter_is")
class CheckCharter(Message):
    """What is wrong with a charter, or what it says: `charter` is the text of its TOML file."""

    request: int = fields.number(1)
    charter: str = fields.text(CHARTER_CHARS_MAX)


@_message("charter_is", SERVER)
class CharterIs(Message):
    """`good` says whether a tournament can be opened with it; `findings` are [severity, place,
    problem, remedy]; `words` is the charter in sentences, where it is good."""

    request: int = fields.number(1)
    good: bool = fields.flag()
    findings: tuple[tuple[str, str, str, str], ...] = fields.rows(str, str, str, str)
    words: Any = fields.value()


@_message("open_tournament", CLIENT, "tournament_opened", "charter_is")
class OpenTournament(Message):
    """A host announces a tournament under an id, with its charter (the text of its TOML file), and
    says who directs it: the handle of an account, or any name."""

    request: int = fields.number(1)
    game: str = fields.name()
    director: str = fields.name()
    charter: str = fields.text(CHARTER_CHARS_MAX)


@_message("tournament_opened", SERVER)
class TournamentOpened(Message):
    """It is announced. `token` is its director's: shown here and never again."""

    request: int = fields.number(1)
    game: str = fields.name()
    token: str = fields.text(256)


@_message("enter_tournament", CLIENT, "entered", "refused")
class EnterTournament(Message):
    """Enter a tournament. `nonce_hash` commits to a nonce for the lots as `dice.bound_nonce_hash`
    makes it for the number `expects` (b"" for none); where another number is given meanwhile, the
    request is refused and nothing has changed. `token` is the SHA-256 of a token that the client
    has made, the id, a colon and 256 random bits: whoever shows that token acts as this entrant.
    Sent again with the same `token` it is one entry."""

    request: int = fields.number(1)
    game: str = fields.name()
    name: str = fields.name()
    rating: int = fields.number(0, 4_000)
    expects: int = fields.number(1)
    nonce_hash: bytes = fields.octets(0, HASH_BYTES)
    token: bytes = fields.octets(HASH_BYTES, HASH_BYTES)


@_message("entered", SERVER)
class Entered(Message):
    """The entrant's number. The signed head is a receipt."""

    request: int = fields.number(1)
    game: str = fields.name()
    number: int = fields.number(1)
    head: SignedHead = fields.head()


@_message("tournament_token", CLIENT, "token")
class TournamentToken(Message):
    """A host, or a director for anybody but directors: a new token for who acts as `seat`. The old
    one is invalid from then on."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()


@_message("tournament_seat", CLIENT, "token")
class TournamentSeat(Message):
    """An entrant asks for their seat in the game of a board. The token is a new one, and the
    seat's old one invalid; it is "" where the seat is kept with the account that the client is
    signed in to."""

    request: int = fields.number(1)
    game: str = fields.name()
    seat: str = fields.name()
    round: int = fields.number(1)
    board: int = fields.number(1)


@_message("tournament_paper", CLIENT, "paper_is")
class TournamentPaper(Message):
    """A file of a tournament: `entrants.csv`, `pairings.csv`, `results.csv`, `standings.csv`,
    `pairings.html`, `names.html`, `slips.html`, `pairings.txt`, `rounds.ics`, `report.trf16`,
    `report.trf26` or `tournament.wlog`, in a language. `round` is one of the stage in progress, 0
    the newest."""

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


__all__ = [
    "CHARTER_CHARS_MAX",
    "CharterIs",
    "CheckCharter",
    "EnterTournament",
    "Entered",
    "OpenTournament",
    "PaperIs",
    "Tournament",
    "TournamentIs",
    "TournamentList",
    "TournamentOpened",
    "TournamentPaper",
    "TournamentSeat",
    "TournamentToken",
    "Tournaments",
]
