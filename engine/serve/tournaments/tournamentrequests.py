"""Tournaments on the server: who may do what in them, and what each request does. A tournament is
asked as a game is: `choices`, `submit`, `subscribe` and their like work on it.

Rules of this file:
- Who acts is the `seat` of a request: "d:ID", "a:ID" or "e:NUMBER". Whoever acts so has shown the
  token for it, or is signed in to the account of that id, or of that entrant. What they may then do
  is the tournament's door to say.
- Whom an act names is one text in a request, a handle, an id or a name; the server writes the id
  and the name.
- A host may give and end roles, as "server", and nothing else: they direct nothing unseen.
- Directors and arbiters see everything as it happens. So do entrants, but for a pairing that is not
  published. All others see it as late as the charter says. Sealed bids are their own bidder's, and
  a host's, who could read them on the disk.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from warledger.engine import boundedtoml
from warledger.engine.desk import accounts, papers, persons
from warledger.engine.desk.hall import ServerHall
from warledger.engine.desk.hosted import Hosted
from warledger.engine.desk.hosting import Hosting
from warledger.engine.desk.papers import NoPaper
from warledger.engine.kernel.rulings import offered
from warledger.engine.runtime import tokens
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Done, Failed, failed
from warledger.engine.runtime.game.jobs import Meta
from warledger.engine.runtime.supervisor import token_meta
from warledger.engine.runtime.titles import Title
from warledger.engine.serve.people import accountrequests, invitations
from warledger.engine.serve.tournaments.officials import (
    acts_as,
    audience_of,
    is_named,
    mine,
    sees_live,
)
from warledger.engine.serve.wire.client import Client, Denied, host_only
from warledger.engine.serve.wire.ratelimits import BYTE_SECONDS, LIGHT_SECONDS
from warledger.engine.store.port import FRAME_RECORD, StoreError
from warledger.engine.tournaments import charterform, charterwords, tally, tiebreakwords
from warledger.engine.tournaments.charterform import Playable
from warledger.engine.tournaments.deeds import account_of, actor_called, officiates
from warledger.engine.tournaments.entering import NONE
from warledger.protocol import tournaments as forms
from warledger.protocol.audience import ARBITER, PUBLIC
from warledger.protocol.board.choices import Picks, Refusal, Say, refuse, say
from warledger.protocol.board.findings import ERROR, Finding
from warledger.protocol.chance import dice
from warledger.protocol.lang import languages, phrases
from warledger.protocol.limits import ACT_ID_BYTES_MAX
from warledger.protocol.log import records
from warledger.protocol.log.records import SERVER, is_person
from warledger.protocol.wire import accountmessages as am
from warledger.protocol.wire import messages
from warledger.protocol.wire import messages as m
from warledger.protocol.wire import tournamentmessages as tm

BY_HOST: Final = frozenset(("grant", "end_grant"))
ENDS_OFFICES: Final = frozenset(("end_grant", "panel", "pair"))
"""Acts after which somebody may no longer see what they saw: their role has ended, or the panel
that they were of."""
"""What a host may do in a tournament, as "server"."""

# --- finding --------------------------------------------------------------------------------------


def _hosting(client: Client) -> Hosting:
    found = client.hub.hosting
    if found is None:
        raise Denied(failed("error.no_tournaments"))
    return found


async def hosted_of(client: Client, id: str) -> Hosted:
    """A tournament by its id. Raises Denied."""
    found = await _hosting(client).find(id)
    if found is None:
        raise Denied(failed("error.unknown_tournament", game=id))
    if isinstance(found, Failed):
        raise Denied(found)
    return found


def _must_be(client: Client, hosted: Hosted, who: str) -> None:
    if not acts_as(client, hosted, who):
        name = actor_called(hosted.at, who) if forms.is_who(who) else who
        raise Denied(failed("error.not_allowed", seat=name))


# --- as a game ------------------------------------------------------------------------------------


async def _choices(client: Client, hosted: Hosted, message: m.Choices) -> None:
    _must_be(client, hosted, message.seat)
    picks = await persons.of_server(client.hub.people).meant(hosted.at, message.picks)
    found = picks if isinstance(picks, Refusal) else hosted.tournament.choices(message.seat, picks)
    if message.seat == SERVER and not isinstance(found, Refusal):
        verbs = tuple(option for option in found.options if option.id in BY_HOST)
        if not message.picks:
            found = type(found)(found.slot, verbs)
        elif message.picks[0] not in BY_HOST:
            raise Denied(failed("error.not_allowed", seat=SERVER))
    client.connection.send(
        m.Refused(message.request, found)
        if isinstance(found, Refusal)
        else m.ChoicesAre(
            message.request,
            hosted.id,
            hosted.tournament.ledger.last.seq,
            say("tournament.act", name=hosted.at.charter.name),
            found,
        )
    )


async def _submit(client: Client, message: m.Submit) -> None:
    hosted = await hosted_of(client, message.game)
    _must_be(client, hosted, message.seat)
    verb = message.picks[0] if message.picks else ""
    if (message.seat == SERVER and verb not in BY_HOST) or (
        # Entering gives a token and names an account: it is a request of its own.
        verb == "enter" and forms.role_of(message.seat)[0] == forms.ENTRANT
    ):
        raise Denied(failed("error.not_allowed", seat=message.seat))
    await client.bill.turn()
    picks = await persons.of_server(client.hub.people).meant(hosted.at, message.picks)
    if isinstance(picks, Refusal):
        client.connection.send(m.Refused(message.request, picks))
        return

    async def carry_out() -> None:
        answer = await hosted.tournament.submit(
            message.seat, picks, message.command_id, message.seen
        )
        connection = client.connection
        if isinstance(answer, Done):
            if verb in ENDS_OFFICES:
                for other in list(client.hub.connections):
                    other.client.see_no_more()
            connection.send(
                m.Accepted(message.request, hosted.id, answer.seq, answer.head, answer.again)
            )
        elif isinstance(answer, Refusal):
            connection.send(m.Refused(message.request, answer))
        else:
            connection.send(m.Error(message.request, answer.code, answer.say, False))

    # A round may take a while to pair; the connection's other requests do not wait for it.
    client.connection.start(carry_out)


async def _preview(client: Client, hosted: Hosted, message: m.Preview) -> None:
    """How the place of an entrant came about: picks ["explain", number]."""
    match message.picks:
        case ("explain", int(number)):
            at = hosted.position(audience_of(client, hosted))
            # Anybody may ask, and every tie-break of a large table is worked out for it.
            world = client.hub.supervisor.ambient
            says = await client.bill.blocking(message.tag, world, partial(explained, at, number))
        case _:
            says = ()
    client.connection.send(m.PreviewIs(message.request, says))


def explained(at: Any, number: int) -> tuple[Any, ...]:
    """How the place of an entrant (by the number of their entry) came about, as sentences. There
    are none for somebody outside the stage in progress."""
    if number not in at.order:
        return ()
    start = at.order.index(number) + 1
    (row,) = (one for one in tally.ranking(at) if one.number == start)
    name = at.entrants[number].name
    first = say("tournament.why.place", name=name, place=row.place, points=row.points)
    table = tally.crosstable(at)
    return (first, *tiebreakwords.explained(row, at.rules.tiebreaks, table))


def _may_follow(client: Client, hosted: Hosted, audience: str) -> bool:
    if audience == ARBITER:
        return client.is_host
    return audience == PUBLIC or (audience != SERVER and acts_as(client, hosted, audience))


async def _subscribe(client: Client, hosted: Hosted, message: m.Subscribe) -> None:
    if not _may_follow(client, hosted, message.audience):
        raise Denied(failed("error.not_allowed", seat=message.audience))
    key = (hosted.id, message.audience)
    if key in client.cursors:
        raise Denied(failed("error.subscribed", game=hosted.id))
    if len(client.cursors) >= client.hub.limits.subscriptions:
        raise Denied(failed("error.too_many", most=client.hub.limits.subscriptions))
    channel = hosted.channel(message.audience)
    last = channel.next_seq - 1
    if message.after_seq > last:
        raise Denied(failed("error.no_such_record", seq=message.after_seq, last=last))
    connection = client.connection

    def lost(error: StoreError) -> None:
        client.cursors.pop(key, None)
        connection.send(m.Error(0, "quarantined", say("error.quarantined", game=hosted.id), False))

    connection.send(m.Subscribed(message.request, hosted.id, message.audience, last))
    client.bill.spent(message.tag, LIGHT_SECONDS)
    client.cursors[key] = channel.subscribe(connection.out, message.after_seq, lost)


async def _unsubscribe(client: Client, hosted: Hosted, message: m.Unsubscribe) -> None:
    cursor = client.cursors.pop((hosted.id, message.audience), None)
    if cursor is not None:
        cursor.channel.remove(cursor)
    client.connection.send(m.Unsubscribed(message.request, hosted.id, message.audience))


async def _view(client: Client, hosted: Hosted, message: m.View) -> None:
    """A tournament has no board: what it is drawn from is in `tournament_is`."""
    if not _may_follow(client, hosted, message.audience):
        raise Denied(failed("error.not_allowed", seat=message.audience))
    last = hosted.channel(message.audience).next_seq - 1
    seq = last if message.at_seq == messages.NOW else message.at_seq
    if seq > last:
        raise Denied(failed("error.no_such_record", seq=seq, last=last))
    client.connection.send(m.ViewIs(message.request, hosted.id, message.audience, seq, ()))


async def _head(client: Client, hosted: Hosted, message: m.Head) -> None:
    head = hosted.head(audience_of(client, hosted))
    client.connection.send(m.HeadIs(message.request, head))


async def _head_of(client: Client, hosted: Hosted, message: m.HeadOf) -> None:
    last = hosted.newest(audience_of(client, hosted)).seq
    if message.seq > last:
        raise Denied(failed("error.no_such_record", seq=message.seq, last=last))

    def find() -> bytes:
        frames = hosted.store.read(hosted.id, message.seq, 1)
        return records.hash_of(next(one.payload for one in frames if one.kind == FRAME_RECORD))

    found = await hosted.ambient.blocking(find)
    head = hosted.tournament.head_of(message.seq, found)
    client.connection.send(m.HeadIs(message.request, head))


AS_A_GAME: Final[dict[type[Any], Callable[[Client, Hosted, Any], Awaitable[None]]]] = {
    m.Choices: _choices,
    m.Preview: _preview,
    m.Subscribe: _subscribe,
    m.Unsubscribe: _unsubscribe,
    m.View: _view,
    m.Head: _head,
    m.HeadOf: _head_of,
}
"""Requests that work on a tournament as on a game."""

# --- of tournaments alone -------------------------------------------------------------------------


async def _tournaments(client: Client, message: tm.Tournaments) -> None:
    rows = []
    for hosted in await _hosting(client).listed():
        live = sees_live(client, hosted)
        row = papers.summary(hosted.id, hosted.at if live else hosted.shown)
        rows.append(
            dict(sorted({**row, "delay_s": hosted.delay_s, "mine": mine(client, hosted)}.items()))
        )
    client.connection.send(tm.TournamentList(message.request, tuple(rows)))


async def _tournament(client: Client, message: tm.Tournament) -> None:
    hosted = await hosted_of(client, message.game)
    roles = mine(client, hosted)
    audience = audience_of(client, hosted)
    drafted = hosted.officiates(audience)
    at = hosted.position(audience)
    # Who has checked in since then sees that they have, for the round which they see.
    present = at if audience == PUBLIC else hosted.at
    world, request, id = client.hub.supervisor.ambient, message.request, hosted.id
    seq = hosted.newest(audience).seq
    held = tuple((who,) for who in roles)

    def make() -> bytes:
        told = papers.told(id, at, draft=drafted, present=present)
        made = tm.TournamentIs(request, id, seq, held, _ordered(told))
        return messages.encode(made)

    payload = await client.bill.blocking(message.tag, world, make)
    client.bill.spent(message.tag, len(payload) * BYTE_SECONDS)
    client.connection.send_packed(tm.TournamentIs(request, id, seq, held, {}), payload)


def _ordered(value: Any) -> Any:
    """A value with the keys of its maps in order, and tuples for lists, as a message holds it."""
    if isinstance(value, Mapping):
        return {key: _ordered(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return tuple(map(_ordered, value))
    return value


def read_charter(text: str, titles: Mapping[str, Title]) -> charterform.Checked:
    """A charter as a host wrote it, checked against the titles that the server has, and for what
    it can run."""
    try:
        doc = boundedtoml.loads(text)
    except (ValueError, RecursionError) as error:
        what = Finding(ERROR, "charter", f"it is not TOML: {error}"[:500], "Write it as TOML")
        return charterform.Checked(None, (what,))
    playable = {
        name: Playable(
            title.rules.seats,
            {switch.name: tuple(switch.choices) for switch in offered(title.rules.switches)},
        )
        for name, title in titles.items()
    }
    return charterform.read(doc, playable)


def _charter_is(request: int, checked: charterform.Checked) -> tm.CharterIs:
    charter = checked.charter
    findings = tuple((f.severity, f.place, f.problem, f.remedy) for f in checked.findings)
    words = () if charter is None else charterwords.words(charter)
    return tm.CharterIs(
        request, charter is not None, findings, tuple(told.as_array() for told in words)
    )


async def _check_charter(client: Client, message: tm.CheckCharter) -> None:
    hub = client.hub
    read = partial(read_charter, message.charter, hub.titles)
    checked = await client.bill.blocking(message.tag, hub.supervisor.ambient, read)
    client.connection.send(_charter_is(message.request, checked))


async def _open(client: Client, message: tm.OpenTournament) -> None:
    host_only(client)
    hub = client.hub
    read = partial(read_charter, message.charter, hub.titles)
    checked = await client.bill.blocking(message.tag, hub.supervisor.ambient, read)
    if checked.charter is None:
        client.connection.send(_charter_is(message.request, checked))
        return
    known = persons.of_server(hub.people)
    try:
        charter = await known.announced(checked.charter)
    except persons.Unclear as error:
        why = error.refusal
        raise Denied(Failed("bad_account", Say(why.key, why.args, why.rule))) from None
    director = await known.known(message.director, ())
    by_token = known.find is None
    if director is None and by_token:
        director = "", message.director
    if director is not None and not is_person(director, known=False):
        raise Denied(failed("error.login_name", name=message.director))
    made = await _hosting(client).open(
        message.game, charter, director, hub.people.giver, by_token=by_token
    )
    if isinstance(made, Failed):
        raise Denied(made)
    hosted, token, who = made
    await accountrequests.opened(client, hosted.id)
    client.connection.send(tm.TournamentOpened(message.request, hosted.id, who, token))


async def _enter(client: Client, message: tm.EnterTournament) -> None:
    hosted = await hosted_of(client, message.game)
    connection, tournament = client.connection, hosted.tournament
    before = tournament.ledger.entered_as(message.token)
    if before:
        # Its answer was lost, or the server stopped between the entry and its token.
        who = f"e:{before}"
        if who not in hosted.digests:
            kept = await hosted.give(who, message.token)
            if kept is not None:
                raise Denied(kept)
        connection.send(tm.Entered(message.request, hosted.id, before, tournament.head))
        return
    if client.hub.people.are_there and client.person is None:
        raise Denied(failed("error.account_only"))
    if client.person is None and not client.is_host:
        wait = _hosting(client).entry_wait(connection.address)
        if wait:
            raise Denied(failed("error.slow_down", seconds=wait))
    account = NONE if client.person is None else client.person.id
    hashed = message.nonce_hash.hex() if message.nonce_hash else NONE
    # A turn of its own: the number that the nonce is bound to, the entry and its token.
    async with hosted.entering:
        number = len(hosted.at.entrants) + 1
        if message.nonce_hash and message.expects != number:
            connection.send(
                m.Refused(
                    message.request,
                    refuse("entry", "refusal.tournament.next_number", number=number),
                )
            )
            return
        who = f"e:{number}"
        picks: Picks = ("enter", message.name, account, message.rating, hashed)
        answer = await tournament.submit(who, picks, message.token)
        if isinstance(answer, Failed):
            raise Denied(answer)
        if isinstance(answer, Refusal):
            connection.send(m.Refused(message.request, answer))
            return
        # Only now: the token of an entry that was refused would be that of whoever enters next.
        kept = await hosted.give(who, message.token)
        if kept is not None:
            raise Denied(kept)
    connection.send(tm.Entered(message.request, hosted.id, number, answer.head))


async def _show_nonce(client: Client, message: tm.ShowNonce) -> None:
    hosted = await hosted_of(client, message.game)
    await client.bill.turn()
    # It is one act, however often and by whomever it is handed in.
    id = b"show:" + dice.bound_nonce_hash(
        hosted.at.founding.hash, forms.bid_reader(message.number), message.nonce
    )
    picks = ("show", message.number, message.nonce.hex())
    answer = await hosted.tournament.submit(SERVER, picks, id[:ACT_ID_BYTES_MAX])
    if isinstance(answer, Failed):
        raise Denied(answer)
    client.connection.send(
        m.Refused(message.request, answer)
        if isinstance(answer, Refusal)
        else m.Accepted(message.request, hosted.id, answer.seq, answer.head, answer.again)
    )


def _directs(client: Client, hosted: Hosted) -> bool:
    return any(
        forms.role_of(who)[0] == forms.DIRECTOR and officiates(hosted.at, who)
        for who in mine(client, hosted)
    )


def _plays_against(client: Client, hosted: Hosted, who: str) -> bool:
    """Whether the client plays in the tournament as another entrant than this one. What it has
    shown tells so, and the account of any of its roles."""
    roles = [forms.role_of(one) for one in mine(client, hosted)]
    own = {rest for role, rest in roles if role == forms.ENTRANT}
    ids = {rest for role, rest in roles if role != forms.ENTRANT}
    entrants = hosted.at.entrants.values()
    own |= {str(one.number) for one in entrants if one.account and one.account in ids}
    return bool(own - {forms.role_of(who)[1]})


async def _token(client: Client, message: tm.TournamentToken) -> None:
    hosted, who = await hosted_of(client, message.game), message.seat
    hosts = client.may_open and client.is_host
    if not hosts and not (_directs(client, hosted) and _is_below(hosted, who)):
        raise Denied(failed("error.not_allowed", seat=who))
    if forms.role_of(who)[0] == forms.ENTRANT and _plays_against(client, hosted, who):
        # With it they would read an opponent's sealed bids, and fetch the opponent's seats.
        raise Denied(failed("error.not_allowed", seat=who))
    if not forms.is_who(who) or not is_named(hosted.at, who):
        raise Denied(failed("error.no_such_seat", seat=who, known=()))
    people, account = client.hub.people, account_of(hosted.at, who)
    if account and people.are_there:
        known = await people.look(lambda at: accounts.of_id(at, account))
        if known is not None:
            raise Denied(Failed("not_allowed", say("error.signs_in", name=known.handle)))
    token = tokens.new_token(client.hub.supervisor.ambient, hosted.id)
    refused = await hosted.give(who, tokens.digest(token))
    if refused is not None:
        raise Denied(refused)
    for connection in list(client.hub.connections):
        forget(connection.client, hosted, who)
    client.connection.log.info("token reissued", tournament=hosted.id, who=who)
    client.connection.send(m.Token(message.request, hosted.id, who, token))


def _is_below(hosted: Hosted, who: str) -> bool:
    """Whether a director may give somebody a token: not to another director, and not to a member of
    the committee, who decides on what directors have ruled."""
    role, rest = forms.role_of(who)
    committee = hosted.at.charter.appeals.committee
    return role != forms.DIRECTOR and not (
        role == forms.ARBITER and any(rest == id for id, _ in committee)
    )


async def _code(client: Client, message: tm.TournamentCode) -> None:
    hosted, role = await hosted_of(client, message.game), message.role
    directing = (who for who in mine(client, hosted) if forms.role_of(who)[0] == forms.DIRECTOR)
    hosts = client.hosts(hosted.id) and role != forms.ENTRANT_ROLE
    granter = next(directing, SERVER if hosts else "")
    if not granter:
        raise Denied(failed("error.not_allowed", seat=role))
    code, until = await invitations.made(client, hosted.id, granter, role)
    client.connection.log.info("code made", tournament=hosted.id, role=role, by=granter)
    client.connection.send(am.Invitation(message.request, code, until))


def forget(client: Any, hosted: Hosted, who: str) -> None:
    """The token for `who` was replaced: whoever came with the old one acts and sees as them no
    more."""
    key = (hosted.id, who)
    shown = client.digests.get(key)
    if shown is None or hosted.holds(who, shown):
        return
    del client.digests[key]
    cursor = client.cursors.pop(key, None)
    if cursor is not None:
        cursor.channel.remove(cursor)
    why = failed("error.not_allowed", seat=actor_called(hosted.at, who))
    client.connection.send(m.Error(0, why.code, why.say, False))


async def _seat(client: Client, message: tm.TournamentSeat) -> None:
    hosted = await hosted_of(client, message.game)
    _must_be(client, hosted, message.seat)
    role, rest = forms.role_of(message.seat)
    one = hosted.at.round(message.round)
    board = None if one is None else one.board(message.board)
    if role != forms.ENTRANT or board is None or one is None or int(rest) not in board.entrants:
        raise Denied(failed("error.not_allowed", seat=message.seat))
    game = await client.hub.supervisor.game(board.game) if board.game else None
    if not isinstance(game, Game):
        raise Denied(game or failed("error.unknown_game", game=board.game))
    seat = hosted.at.seats(one.number)[board.entrants.index(int(rest))]
    account = hosted.at.entrants[int(rest)].account
    person, hall = client.person, hosted.hall
    if person is not None and person.id == account and isinstance(hall, ServerHall):
        await hall.seat_of(game, seat, account)
        client.digests[game.id, seat] = game.profile.tokens[seat]
        client.names[game.id, seat] = person.handle
        client.connection.send(m.Token(message.request, game.id, seat, ""))
        return
    token = tokens.new_token(client.hub.supervisor.ambient, game.id)
    payload = token_meta(seat, token)
    answer = await game.ask(lambda live: Meta(payload), principal=client.principal)
    if isinstance(answer, Failed):
        raise Denied(answer)
    for connection in list(client.hub.connections):
        connection.client.revoke(game, seat)
    if client.hub.peers is not None:
        await client.hub.peers.revoked(game.id, seat)
    client.connection.send(m.Token(message.request, game.id, seat, token))


async def _paper(client: Client, message: tm.TournamentPaper) -> None:
    hosted = await hosted_of(client, message.game)
    audience = audience_of(client, hosted)
    at = hosted.position(audience)
    if message.language not in languages():
        raise Denied(failed("error.unknown_language", language=message.language))
    if message.kind == "tournament.wlog":
        count = None if hosted.officiates(audience) else hosted.newest(audience).seq + 1
        body = await hosted.tournament.export(records_max=count)
    elif message.kind in papers.KINDS or message.kind in papers.REPORTS:

        def make() -> bytes:
            spoken = phrases(message.language, at.charter.title)
            round, url = message.round or None, client.hub.url
            return papers.write(hosted.id, at, message.kind, round, spoken, url)

        try:
            body = await client.bill.blocking(message.tag, hosted.ambient, make)
        except NoPaper as error:
            raise Denied(failed("error.no_paper", what=str(error))) from None
    else:
        raise Denied(failed("error.no_paper", what=message.kind))
    client.connection.send(tm.PaperIs(message.request, message.kind, body))


async def login(client: Client, message: m.Login, hosted: Hosted) -> bool:
    """Somebody shows a token of a tournament. Whether it is one."""
    who = hosted.of_token(message.token)
    if who is None:
        return False
    client.took(hosted.id, who, message)
    client.principal = message.name or actor_called(hosted.at, who)
    client.connection.log.info("role shown", role=who, tournament=hosted.id)
    await accountrequests.keep_seats(client)
    return True


TOURNAMENTS: Final[dict[type[Any], Callable[[Client, Any], Awaitable[None]]]] = {
    tm.Tournaments: _tournaments,
    tm.Tournament: _tournament,
    tm.CheckCharter: _check_charter,
    tm.OpenTournament: _open,
    tm.EnterTournament: _enter,
    tm.ShowNonce: _show_nonce,
    tm.TournamentToken: _token,
    tm.TournamentCode: _code,
    tm.TournamentSeat: _seat,
    tm.TournamentPaper: _paper,
    m.Submit: _submit,
}
