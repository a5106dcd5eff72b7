"""A case: one claim with everything that somebody needs who has never heard of the game to judge
it, in one zip file.

The game's log is the evidence. Everything else in the file is worked out from it and from nothing
else, by `build`: so whoever doubts a case builds it again and compares (`check`). Two cases of the
same log and claim are equal, byte for byte.
"""

import io
import json
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from attrs import frozen

from warledger.clients.audit.audit import Rulebook, audit
from warledger.clients.audit.casepictures import svg
from warledger.clients.audit.evidence import Evidence
from warledger.clients.audit.offers import Asked, Unknowable, chosen, offered
from warledger.clients.audit.plain import plain
from warledger.clients.audit.replay import BadReplay, replay
from warledger.clients.audit.report import Report
from warledger.clients.clockface import face
from warledger.clients.describing import of_genesis
from warledger.clients.terminal.story import tell
from warledger.protocol.audience import PUBLIC
from warledger.protocol.board.choices import Choices, Picks, Refusal, Say
from warledger.protocol.board.description import names
from warledger.protocol.board.effects import SAY
from warledger.protocol.clocks.clock import Reading
from warledger.protocol.clocks.clockcontrol import BadControl
from warledger.protocol.clocks.clockfold import Fold
from warledger.protocol.lang import phrases
from warledger.protocol.limits import HASH_BYTES
from warledger.protocol.log import bodies, deskbodies, records
from warledger.protocol.log.records import Record
from warledger.protocol.texts.phrases import LANGUAGES, Phrases
from warledger.protocol.wire.fields import write_choices

FORM: Final = "warledger/case/1"
LOG, KEY, CASE, AUDIT, README = "game.wlog", "server.pub", "case.json", "verdict.json", "README.txt"
_COURSE: Final = (records.RULING, records.TAKEBACK, records.CLOCK, records.END)
"""Kinds of records that belong to the course of a claim while it is open."""
BEFORE: Final = 20
"""How many records before the disputed one the story begins."""
FILE_BYTES_MAX: Final = 256 * 1024 * 1024
MEMBERS_MAX: Final = 512
_DATE: Final = (1980, 1, 1, 0, 0, 0)
"""The date of every file in a case, so that two cases of the same log are equal."""


class BadCase(ValueError):
    """No case can be made, or read. `key` and `args_by_name` say why."""

    def __init__(self, key: str, **args: Any) -> None:
        super().__init__(key)
        self.key = key
        self.args_by_name = args


@frozen
class Question:
    """Picks of a seat about which the case shows what the answer would have been before the
    disputed record."""

    seat: str
    picks: Picks


@frozen
class Checked:
    """What came of checking a case: the audit of its log, and the names of the files that do not
    follow from it. Those that are `missing` and those that are no part of a case (`foreign`) are
    among them. `is_plain` says that the zip holds these files and nothing else, as `packed` writes
    them. `other_rules` says that the rules by which the game was played are not at hand: what is
    worked out from its log may differ from the case."""

    report: Report
    evidence: Evidence
    claim: int
    differing: tuple[str, ...]
    release: str
    missing: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    is_plain: bool = True
    other_rules: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether everything in it follows from its log."""
        return self.is_plain and not self.differing


def build(
    log: bytes,
    n: int,
    *,
    key: bytes | Sequence[bytes] | None,
    asked: Sequence[Question] = (),
    rulebook: Rulebook,
    release: str,
) -> dict[str, bytes]:
    """The files of a case by name, in their order. `key` is the server's, or all that it has
    published, of which the log's own goes into the case. `release` is the version of Warledger that
    makes it.

    Raises BadCase if the log cannot be read, or holds no such claim, or a question is about no seat
    of it.
    """
    report, found = audit(log, key=key, rulebook=rulebook)
    own = found.given_key
    genesis = found.genesis
    if genesis is None or not found.records:
        raise BadCase("cli.case.no_log")
    told = list(_about(found.records, n))
    disputed = _disputed(told)
    if disputed is None:
        raise BadCase("cli.case.no_claim", claim=n, claims=tuple(sorted(_claims(found.records))))
    if not 0 <= disputed < len(found.records):
        raise BadCase("cli.case.no_record", seq=disputed)
    for question in asked:
        if question.seat not in genesis.seats:
            raise BadCase("cli.case.no_seat", seat=question.seat, seats=genesis.seats)
    try:
        wanted = [(question.seat, question.picks) for question in asked]
        offers, why = offered(found, rulebook.rules, disputed, wanted), ""
    except Unknowable as error:
        offers, why = (), str(error)
    ended = any(record.kind == records.END for record in found.records)
    made = {README: _readme(genesis.game, n, ended=ended), LOG: log}
    if own is not None:
        made[KEY] = own.hex().encode() + b"\n"
    made[CASE] = _json(
        {
            "form": FORM,
            "release": release,
            "game": genesis.game,
            "title": genesis.title,
            "version": genesis.version,
            "claim": n,
            "record": disputed,
            "log": [_recorded(record) for record in told],
            "head": {"seq": found.records[-1].seq, "hash": found.records[-1].hash.hex()},
            "asked": [[question.seat, *question.picks] for question in asked],
            "clocks": [
                {"record": at.seq, "at_ms": at.at_ms, "seats": [_clock(one) for one in shown]}
                for at, shown in _clocks(found, told, disputed)
            ],
            "offers": [_offer(one) for one in offers],
            "offers_unknown": why,
        }
    )
    made[AUDIT] = _json(report.as_data(phrases("en", genesis.title)))
    for language in LANGUAGES:
        spoken = phrases(language, genesis.title, names(of_genesis(genesis).told))
        made[f"claim.{language}.txt"] = _lines(_course(found, told, disputed, spoken))
        made[f"story.{language}.txt"] = _lines(_story(found, disputed, spoken))
        made[f"offers.{language}.txt"] = _lines(_offers(offers, why, disputed, spoken))
        for audience in (PUBLIC, *genesis.seats):
            for moment, at in (("before", max(0, disputed - 1)), ("after", disputed)):
                name = f"board.{moment}.{audience}.{language}"
                made[f"{name}.txt"] = _lines(_board(found, at, audience, spoken))
                drawn = _picture(found, at, audience, spoken)
                if drawn is not None:
                    made[f"{name}.svg"] = drawn.encode()
    return made


def packed(files: dict[str, bytes]) -> bytes:
    """The case as one file. It is not compressed: then equal cases are equal bytes everywhere."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, _DATE)
            entry.external_attr = 0o644 << 16
            entry.create_system = 3
            archive.writestr(entry, data)
    return out.getvalue()


def unpacked(data: bytes) -> dict[str, bytes]:
    """The files of a case. Raises BadCase for anything that is not one: it may come from anybody,
    so nothing in it is unpacked to a disk, and no more is read than a case can hold."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            listed = [entry.filename for entry in entries]
            if len(entries) > MEMBERS_MAX or len(frozenset(listed)) != len(listed):
                raise BadCase("cli.case.not_one")
            if sum(entry.file_size for entry in entries) > FILE_BYTES_MAX or any(
                entry.compress_type != zipfile.ZIP_STORED or entry.flag_bits & 1
                for entry in entries
            ):
                raise BadCase("cli.case.not_one")
            return {entry.filename: archive.read(entry) for entry in entries}
    except BadCase:
        raise
    except Exception as error:  # zipfile raises what its many parsers raise
        raise BadCase("cli.case.not_one") from error


def check(data: bytes, *, key: bytes | Sequence[bytes] | None, rulebook: Rulebook) -> Checked:
    """Make a case again from the log in it, and compare. `key` is the server's from a source other
    than the case; without it the audit says that nobody vouches for the log.

    Raises BadCase if it is not a case, or names a claim that its log does not hold.
    """
    files = unpacked(data)
    try:
        case = json.loads(files[CASE])
        n, release, asked = case["claim"], case["release"], _questions(case["asked"])
        if case["form"] != FORM or type(n) is not int or type(release) is not str:
            raise BadCase("cli.case.not_one")
        log = files[LOG]
        own = bytes.fromhex(files[KEY].decode("ascii").strip()) if KEY in files else None
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        if isinstance(error, BadCase):
            raise
        raise BadCase("cli.case.not_one") from error
    if own is not None and len(own) != HASH_BYTES:
        raise BadCase("cli.case.not_one")
    # By the key from elsewhere, if there is one: then a key in the case that is missing or another
    # is what differs, and not the verdict that it would have given.
    believed: bytes | Sequence[bytes] | None = own if key is None else key
    again = build(log, n, key=believed, asked=asked, rulebook=rulebook, release=release)
    report, found = audit(log, key=key, rulebook=rulebook)
    return Checked(
        report,
        found,
        n,
        tuple(name for name in {**again, **files} if again.get(name) != files.get(name)),
        release,
        tuple(name for name in again if name not in files),
        tuple(name for name in files if name not in again),
        # What else a zip can hold (comments, other names in extra fields, bytes between its files)
        # another program may show, and this one would not.
        packed(files) == data,
        found.genesis is not None and not rulebook.has(found.genesis),
    )


# --- the parts ------------------------------------------------------------------------------------


def _questions(asked: Any) -> tuple[Question, ...]:
    if type(asked) is not list:
        raise BadCase("cli.case.not_one")
    found = []
    for one in asked:
        if (
            type(one) is not list
            or not one
            or type(one[0]) is not str
            or any(type(pick) not in (str, int) for pick in one)
        ):
            raise BadCase("cli.case.not_one")
        found.append(Question(one[0], tuple(one[1:])))
    return tuple(found)


def _claims(log: Iterable[Record]) -> Iterator[int]:
    for record in log:
        body = _ruling(record)
        if isinstance(body, deskbodies.Claim):
            yield body.n


def _ruling(record: Record) -> deskbodies.Ruling | None:
    """What a `ruling` record says; None for any other, and for one that has not the form: the audit
    names it."""
    if record.kind != records.RULING:
        return None
    try:
        return deskbodies.read_ruling(record.body)
    except (TypeError, ValueError, LookupError):
        return None


def _about(log: Iterable[Record], n: int) -> Iterator[Record]:
    """The `ruling` records about a claim; and of claim 0 the newest flag before them."""
    flag: Record | None = None
    for record in log:
        if record.kind == records.CLOCK and bodies.act_of(record) == deskbodies.Flag.WHAT:
            flag = record
        body = _ruling(record)
        if body is None or isinstance(body, deskbodies.Looked | deskbodies.Waived):
            continue
        if body.n == n:
            if flag is not None and n == 0:
                yield flag
                flag = None
            yield record


def _disputed(told: Sequence[Record]) -> int | None:
    """The record that is said to be wrong: that of the claim, or the flag itself; None if there is
    no such claim."""
    for record in told:
        if record.kind == records.CLOCK:
            return record.seq
        body = _ruling(record)
        if isinstance(body, deskbodies.Claim):
            return body.at_seq
    return None


def _recorded(record: Record) -> dict[str, Any]:
    return {
        "seq": record.seq,
        "at_ms": record.at_ms,
        "actor": record.actor,
        "hash": record.hash.hex(),
        "body": plain(record.body),
    }


def _clocks(
    found: Evidence, told: Sequence[Record], disputed: int
) -> Iterator[tuple[Record, list[Reading]]]:
    """What each clock showed as the disputed record came, and after the last record about the
    claim; nothing in a game without clocks."""
    assert found.genesis is not None
    try:
        fold = Fold(found.genesis)
    except BadControl:
        return
    if fold.control is None:
        return
    last = told[-1].seq
    for record in found.records:
        if record.seq == disputed:
            yield record, _readings(fold, record)
        if record.seq > last:
            return
        if record.seq:
            with suppress(LookupError, TypeError, ValueError):  # the audit names such a record
                fold.take(record)
        if record.seq == last != disputed:
            yield record, _readings(fold, record)


def _readings(fold: Fold, at: Record) -> list[Reading]:
    seats = () if fold.clocks is None else fold.clocks.seats
    found = (fold.reading(one.seat, at.at_ms) for one in seats)
    return [one for one in found if one is not None]


def _clock(one: Reading) -> dict[str, Any]:
    return {
        "seat": one.seat,
        "left_ms": one.left,
        "free_ms": one.free,
        "stopped": one.stopped,
        "deadline_ms": one.deadline,
    }


def _told_clocks(
    found: Evidence, told: Sequence[Record], disputed: int, spoken: Phrases
) -> Iterator[str]:
    for record, shown in _clocks(found, told, disputed):
        moment = "clocks_before" if record.seq == disputed else "clocks_after"
        yield spoken.text(f"cli.case.{moment}", seq=record.seq)
        for one in shown:
            left = spoken.text("ui.clock.line", seat=one.seat, left=face(one.left, spoken))
            state = f"ui.clock.stopped.{one.stopped}" if one.stopped else "ui.clock.runs"
            yield f"  {left} {spoken.text(state)}"


def _offer(one: Asked) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "after": one.after,
        "seat": one.seat,
        "picks": list(one.picks),
        "decision": one.decision,
    }
    if isinstance(one.answer, Refusal):
        return {**shown, "refused": plain(one.answer.as_array())}
    prompt = None if one.prompt is None else plain(one.prompt.as_array())
    return {**shown, "prompt": prompt, "choices": plain(write_choices(one.answer))}


def _json(value: Any) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _lines(lines: Iterable[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _readme(game: str, n: int, *, ended: bool) -> bytes:
    texts: list[str] = []
    for language in LANGUAGES:
        spoken = phrases(language)
        texts += [
            spoken.text("cli.case.readme_what", game=game, claim=n),
            spoken.text("cli.case.readme_parts"),
            spoken.text("cli.case.readme_check"),
            spoken.text("cli.case.readme_trust"),
            *([] if ended else [spoken.text("cli.case.readme_secret")]),
            "",
        ]
    return _lines(texts)


def _story(found: Evidence, disputed: int, spoken: Phrases) -> Iterator[str]:
    """The story from some records before the disputed one to the end of the file, as everybody was
    told it."""
    try:
        moment = replay(found, None, PUBLIC)
    except BadReplay as error:
        yield spoken.text(error.key, **error.args_by_name)
        return
    for record, effects in moment.told[max(0, disputed - BEFORE) :]:
        for line in tell(record, effects, spoken):
            yield f"{record.seq:>5}  {line.plain}"


def _course(
    found: Evidence, told: Sequence[Record], disputed: int, spoken: Phrases
) -> Iterator[str]:
    """The claim in short: what the disputed record was, what was said and ruled, and what followed
    at once, each with its record and the server's time."""
    try:
        moment = replay(found, None, PUBLIC)
    except BadReplay as error:
        yield spoken.text(error.key, **error.args_by_name)
        return
    yield spoken.text("cli.case.disputed", seq=disputed)
    first, last = told[0].seq, told[-1].seq
    for record, effects in moment.told:
        if record.seq == disputed:
            yield from _timed(record, effects, spoken)
            yield from _decided(found, record, effects, told, spoken)
    yield ""
    yield spoken.text("cli.case.course")
    for record, effects in moment.told:
        if first <= record.seq <= last and record.kind in _COURSE and record.seq != disputed:
            yield from _timed(record, effects, spoken)
    yield ""
    yield spoken.text("cli.case.result")
    yield from _result(found, told, spoken)
    yield from _end(moment.told, found.records[-1].seq, spoken)
    clocks = list(_told_clocks(found, told, disputed, spoken))
    if clocks:
        yield from ("", *clocks)


def _decided(
    found: Evidence, record: Record, effects: Sequence[Any], told: Sequence[Record], spoken: Phrases
) -> Iterator[str]:
    """What was chosen in the disputed record, and whether the clause that the claim cites is one by
    which it was decided."""
    if record.kind == records.COMMAND:
        seat, picks = chosen(found, record.seq)
        if picks:
            said = ", ".join(spoken.pick(pick) for pick in picks)
            yield spoken.text("cli.case.chosen", seq=record.seq, seat=seat, picks=said)
    cited = tuple(dict.fromkeys(effect[3] for effect in effects if effect[0] == SAY and effect[3]))
    claims = (body for body in map(_ruling, told) if isinstance(body, deskbodies.Claim))
    clause = next((body.clause for body in claims), "")
    if cited and clause:
        word = "governed" if clause in cited else "not_governed"
        yield spoken.text(f"cli.case.{word}", seq=record.seq, clauses=cited, clause=clause)


def _timed(record: Record, effects: Sequence[Any], spoken: Phrases) -> Iterator[str]:
    at = datetime.fromtimestamp(record.at_ms // 1000, UTC)
    for line in tell(record, effects, spoken):
        yield f"{record.seq:>5}  {at:%Y-%m-%d %H:%M:%S} UTC  {line.plain}"


def _result(found: Evidence, told: Sequence[Record], spoken: Phrases) -> Iterator[str]:
    """What came of the claim: each finding, and the appeals."""
    last = found.records[-1].seq
    ruled = appeals = 0
    for record in told:
        body = _ruling(record)
        if isinstance(body, deskbodies.Ruled):
            ruled += 1
            finding = Say(f"ruling.{body.finding.replace(' ', '_')}", ()).as_array()
            yield spoken.text(
                "cli.case.ruled",
                seq=record.seq,
                arbiter=records.identified(record.actor),
                finding=finding,
                clause=body.clause,
            )
        elif isinstance(body, deskbodies.Appeal):
            appeals += 1
            yield spoken.text("cli.case.appeal", seq=record.seq, who=records.called(record.actor))
    if not ruled:
        yield spoken.text("cli.case.not_ruled", last=last)
    elif not appeals:
        yield spoken.text("cli.case.no_appeal", last=last)


def _end(told: Iterable[tuple[Record, Any]], last: int, spoken: Phrases) -> Iterator[str]:
    """How the game ended."""
    for record, effects in told:
        if record.kind == records.END:
            how = " ".join(line.plain for line in tell(record, effects, spoken))
            yield spoken.text("cli.case.ended", seq=record.seq, how=how)
            return
    yield spoken.text("cli.case.not_ended", last=last)


def _board(found: Evidence, at: int, audience: str, spoken: Phrases) -> Iterator[str]:
    """The board after a record, as an audience knew it then."""
    try:
        moment = replay(found, at, audience)
    except BadReplay as error:
        yield spoken.text(error.key, **error.args_by_name)
        return
    yield from moment.picture().describe(moment.board, spoken)


def _picture(found: Evidence, at: int, audience: str, spoken: Phrases) -> str | None:
    """The board after a record as a picture; None where it has no map, or cannot be shown."""
    try:
        moment = replay(found, at, audience)
    except BadReplay:
        return None
    return svg(of_genesis(moment.genesis).told, moment.board, spoken)


def _offers(offers: Sequence[Asked], why: str, disputed: int, spoken: Phrases) -> Iterator[str]:
    """What each seat was offered before the disputed record and after it, in words."""
    if why:
        yield spoken.text("cli.case.offers_unknown", why=why)
    at = -1
    for one in offers:
        if one.after != at:
            if at >= 0:
                yield ""
            at = one.after
            moment = "offers_before" if at < disputed else "offers_after"
            yield spoken.text(f"cli.case.{moment}", seq=disputed)
        told: dict[str, Any] = {"seat": one.seat, "seq": one.after}
        if one.picks:
            told["picks"] = ", ".join(spoken.pick(pick) for pick in one.picks)
        suffix = "_picks" if one.picks else ""
        if isinstance(one.answer, Refusal):
            refused = one.answer
            why_not = Say(refused.key, refused.args, refused.rule).as_array()
            yield spoken.text(f"cli.case.refused{suffix}", why=why_not, **told)
            continue
        prompt = () if one.prompt is None else one.prompt.as_array()
        yield spoken.text(f"cli.case.offered{suffix}", prompt=prompt, **told)
        yield from _choices(one.answer, spoken)


def _choices(found: Choices, spoken: Phrases) -> Iterator[str]:
    if found.span is not None:
        yield "  " + spoken.text("cli.look_span", low=found.span[0], high=found.span[1])
    for option in found.options:
        yield "  " + spoken.text("cli.look_option", id=str(option.id), name=str(option.id))
    if found.complete:
        yield "  " + spoken.text("cli.look_whole")
