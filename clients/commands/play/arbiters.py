"""Claims and rulings on a server: what `warledger claim`, `rule` and `look` do."""

from collections.abc import Iterable

from attrs import frozen

from warledger.clients.clockface import duration
from warledger.clients.commands.play.online import Where, seat_of
from warledger.clients.link import Link, sit
from warledger.clients.terminal import story
from warledger.clients.terminal.screen import Screen
from warledger.protocol.board.choices import Choices, Picks, Refusal, Say
from warledger.protocol.log import deskbodies
from warledger.protocol.log.deskbodies import Ruling
from warledger.protocol.wire import messages as m

UNSAID = "…"
"""The clause and text of a ruling that is only tried, until they are written."""

Prepared = tuple[deskbodies.Ruled, tuple[Picks, ...]]
"""A ruling, and the picks of each correction that it names."""

Remedies = tuple[tuple[tuple[object, ...], ...], tuple[Picks, ...]]
"""The remedies of a ruling, and the picks of each correction among them."""


@frozen
class Word:
    """What a seat has to say: a claim about record `at_seq`, a word about a claim, an appeal
    against its ruling, its withdrawal, or no protest against a held end."""

    at_seq: int | None
    clause: str
    text: str
    said: int | None
    appeal: int | None
    withdraw: int | None
    waive: bool = False


async def claim(where: Where, screen: Screen, game: str, seat: str, what: Word) -> bool:
    """Claim, or say something about a claim, as a seat."""
    async with where.link() as link:
        seat = await seat_of(link, screen, game, seat)
        at = await sit(link, game, seat)
        if what.waive:
            answer = await at.about_claim(deskbodies.Waived(seat))
            if isinstance(answer, Refusal):
                screen.say("cli.waive_refused", why=_why(answer))
                return False
            screen.say("cli.waived")
            return True
        if what.at_seq is not None:
            n, done = await at.claim(what.at_seq, what.clause, what.text)
        else:
            n = next(one for one in (what.said, what.appeal, what.withdraw) if one is not None)
            body: Ruling = deskbodies.Said(n, what.text)
            if what.appeal is not None:
                body = deskbodies.Appeal(n, what.text)
            elif what.withdraw is not None:
                body = deskbodies.Withdrawn(n)
            done = await at.about_claim(body)
    return _told(screen, n, done)


def _told(screen: Screen, n: int, done: object) -> bool:
    if isinstance(done, Refusal):
        screen.say("cli.claim_refused", claim=n, why=_why(done))
        return False
    screen.say("cli.claim_done", claim=n)
    return True


def _why(refusal: Refusal) -> tuple[object, ...]:
    return Say(refusal.key, refusal.args, refusal.rule).as_array()


# --- arbiters -------------------------------------------------------------------------------------


def remedies_of(given: Iterable[str], *, whole: bool = True) -> Remedies:
    """What the words of remedies stand for. Unless they must be `whole`, a correction may have no
    picks yet. Raises ValueError with what is wrong."""
    remedies: list[tuple[object, ...]] = []
    corrections: list[Picks] = []
    for text in given:
        word, *rest = text.split() or [""]
        if word == deskbodies.CORRECT and (rest or not whole):
            remedies.append((word,))
            corrections.append(picks_of(rest))
        elif word == deskbodies.BACK and len(rest) == 1 and rest[0].isdecimal():
            remedies.append((word, int(rest[0])))
        elif word == deskbodies.GIVE_TIME and len(rest) == 2:
            ms = duration(rest[1].removeprefix("-"))
            remedies.append((word, rest[0], -ms if rest[1].startswith("-") else ms))
        elif word == deskbodies.ADJUDICATE and len(rest) == 1:
            remedies.append((word, None if rest[0] == "nobody" else rest[0]))
        elif word == deskbodies.PENALTY and len(rest) > 1:
            remedies.append((word, rest[0], " ".join(rest[1:])))
        elif (word in _OF_NOBODY and not rest) or (word in _OF_A_SEAT and len(rest) == 1):
            remedies.append((word, *rest))
        else:
            raise ValueError(f'"{text}" is not a remedy; see warledger rule --help')
    return tuple(remedies), tuple(corrections)


_OF_NOBODY = (deskbodies.STAND, deskbodies.DRAWN)
_OF_A_SEAT = (deskbodies.FORFEIT, deskbodies.WARN, deskbodies.REPLACE)


def picks_of(words: Iterable[str]) -> Picks:
    """Picks as they are typed: what looks like a whole number is one."""
    return tuple([int(word) if word.removeprefix("-").isdecimal() else word for word in words])


def steps(
    n: int,
    *,
    hear: bool,
    freeze: bool,
    thaw: bool,
    ruling: tuple[str | None, str, str],
    of: Remedies,
    said: str = "",
    at_seq: int | None = None,
) -> list[tuple[Ruling, tuple[Picks, ...]]]:
    """What is written, in order; with a record the arbiter's own claim about it comes first. The
    picks of corrections go with the ruling."""
    finding, clause, text = ruling
    found: list[tuple[Ruling, tuple[Picks, ...]]] = []
    if at_seq is not None:
        found.append((deskbodies.Claim(n, "", at_seq, clause, text), ()))
    if hear:
        found.append((deskbodies.Heard(n), ()))
    if freeze:
        found.append((deskbodies.Froze(n), ()))
    if said:
        found.append((deskbodies.Said(n, said), ()))
    if finding is not None:
        found.append(ruled(n, (finding, clause, text), of))
    if thaw:
        found.append((deskbodies.Thawed(n), ()))
    return found


def ruled(n: int, ruling: tuple[str | None, str, str], of: Remedies) -> Prepared:
    """A ruling on a claim: finding, clause and text, with its remedies."""
    finding, clause, text = ruling
    assert finding is not None
    remedies, corrections = of
    return deskbodies.Ruled(n, finding, clause, text, remedies), corrections


async def rule(
    where: Where, screen: Screen, game: str, todo: Iterable[tuple[Ruling, tuple[Picks, ...]]]
) -> bool:
    """Write each in turn; what is refused ends it."""
    async with where.link() as link:
        for body, corrections in todo:
            answer = await link.rule(game, body.write(), corrections)
            if isinstance(answer, Refusal):
                screen.say("cli.rule_refused", what=f"cli.rule.{body.WHAT}", why=_why(answer))
                return False
            screen.say("cli.rule_done", what=f"cli.rule.{body.WHAT}", seq=answer.seq)
    return True


async def preview(where: Where, screen: Screen, game: str, todo: Prepared) -> bool:
    """Tell what a ruling would write now, and how the game would then stand by its score, or why it
    would be refused. Or tell how a correction that is not whole yet may go on. Nothing is
    written."""
    body, corrections = todo
    async with where.link() as link:
        screen.of_title((await link.watch(game)).genesis.title)
        more = await _goes_on(link, game, body, corrections)
        if more is not None:
            _tell_correction(screen, *more)
            return True
        answer = await link.try_ruling(game, body.write(), corrections)
        if isinstance(answer, Refusal):
            screen.say("cli.rule_refused", what="cli.rule.ruled", why=_why(answer))
            return False
    screen.say("cli.rule_would", seq=answer.seq)
    for record in answer.records:
        screen.tell(story.tell(record, (), screen.spoken))
    stands = answer.stands
    if stands is not None and stands.reached:
        name = screen.spoken.name
        told = [f"{name(seat)} {n / stands.points:g}" for seat, n in stands.reached]
        who = name(stands.winner) if stands.winner else screen.spoken.text("cli.rule_nobody")
        screen.say("cli.rule_stands", points=tuple(told), who=who)
    if any(remedy[0] == deskbodies.BACK for remedy in body.remedies):
        screen.say("cli.rule_fresh")
    screen.say("cli.rule_not_written")
    return True


async def _goes_on(
    link: Link, game: str, body: deskbodies.Ruled, corrections: tuple[Picks, ...]
) -> tuple[Picks, Choices] | None:
    """The first correction that is not whole yet, with what may follow. None where all are whole;
    and where one may not be made, which the ruling is refused for."""
    back = sum(int(str(one[1])) for one in body.remedies if one[0] == deskbodies.BACK)
    for made, picks in enumerate(corrections):
        offered = await link.correctable(game, body.n, back, corrections[:made], picks)
        if isinstance(offered, Refusal):
            return None
        if not offered.complete:
            return picks, offered
    return None


def _tell_correction(screen: Screen, picks: Picks, offered: Choices) -> None:
    words = " ".join([deskbodies.CORRECT, *map(str, picks)])
    screen.say("cli.rule_correct", words=words, slot=f"slot.{offered.slot}")
    for option in offered.options:
        known = f"correction.{option.id}"
        name = screen.spoken.text(known) if screen.spoken.has(known) else str(option.id)
        screen.say("cli.look_option", id=str(option.id), name=name)
    if offered.span is not None:
        screen.say("cli.look_span", low=offered.span[0], high=offered.span[1])


async def look(
    where: Where, screen: Screen, game: str, seat: str, at_seq: int, words: Iterable[str]
) -> bool:
    """Show what a seat was offered at a record."""
    picks = picks_of(words)
    async with where.link() as link:
        seat = await seat_of(link, screen, game, seat)
        answer = await link.request(lambda n: m.ChoicesAt(n, game, seat, at_seq, picks))
    if isinstance(answer, m.Refused):
        screen.say("cli.look_refused", seat=seat, seq=at_seq, why=_why(answer.refusal))
        return False
    offered = answer.choices
    screen.say("cli.look_asked", seat=seat, seq=at_seq, prompt=answer.prompt.as_array())
    if offered.span is not None:
        screen.say("cli.look_span", low=offered.span[0], high=offered.span[1])
    for option in offered.options:
        screen.say("cli.look_option", id=str(option.id), name=str(option.id))
    if offered.complete:
        screen.say("cli.look_whole")
    return True
