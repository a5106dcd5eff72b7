"""The verdict of an audit: one value for a game's file or a tournament's. One function turns it
into words, one into an exit code, and one composes several.

A finding is something wrong. A reservation is something that is not wrong and yet keeps a file from
being plain *Sound*. Each names the flag with which an auditor can allow it; one without a flag
remains until its cause is removed. A remark is what the verdict's line must name beside its word. A
note is anything else that an auditor should know. Each may be about a game of the tournament that
is audited, which it then names.

Nobody else reads a part of a verdict: whoever uses a game asks for `code`, so that nothing that was
found is left out by accident.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from attrs import evolve as replace
from attrs import field, frozen

from warledger.protocol.board.choices import Say, say
from warledger.protocol.texts.phrases import Phrases

SOUND, UNSOUND, USAGE, RESERVED, UNVOUCHED = range(5)
"""Exit codes."""

SO_FAR: Final = "so-far"
ALLOW_REPLACED: Final = "allow-replaced"
ALLOW_UNSIGNED: Final = "allow-unsigned-seats"
ALLOW_NO_HEAD: Final = "allow-no-head"
ALLOW_UNOPENED: Final = "allow-unopened"
ALLOW_SELF_PLAY: Final = "allow-self-play"
CHAIN_ONLY: Final = "chain-only"
GAME_FLAGS: Final = (
    *(SO_FAR, ALLOW_UNOPENED, ALLOW_REPLACED, ALLOW_UNSIGNED, ALLOW_NO_HEAD),
    *(ALLOW_SELF_PLAY, CHAIN_ONLY),
)
"""Flags for games: with a tournament's file they apply to it and to all its games."""
ALLOW_DESK_LOTS: Final = "allow-desk-lots"
ALLOW_BY_HAND: Final = "allow-by-hand"
LEDGER_ONLY: Final = "ledger-only"
LEDGER_FLAGS: Final = (ALLOW_DESK_LOTS, ALLOW_BY_HAND, LEDGER_ONLY)
"""Flags for a tournament's own file, which never allow anything of a game."""
FLAGS: Final = (*GAME_FLAGS, *LEDGER_FLAGS)

SHOWN_GAME: Final = 3
"""How many findings or reservations of a game's file the words list; `as_data` has all."""
SHOWN_LEDGER: Final = 6
"""How many findings or reservations of a tournament's file with its games the words list."""
NAMED: Final = 3
"""How many games one line names."""
COUNTED: Final = (
    "forfeit",
    "adjudicated",
    "bye",
    "replaced",
    "ruled",
    "on_time",
    "outages",
    "amended",
    "one_account",
)
"""Remarks that the verdict's line counts."""
URGENT: Final = (
    "audit.tournament.signed_after",
    "audit.tournament.signed_before",
    "audit.note.key_changed",
    "audit.note.meta",
)
"""Notes that the words tell at once: who can have written what is wrong, a key to ask for, a file
not to pass on. Of each the first."""

SEEN: Final = "audit.tournament.seen_elsewhere"
"""The finding that an act names as seen a record which is not in the file. It is never the first
cause: it tells that an earlier record was changed."""


@frozen
class Finding:
    """Something wrong: the record (None for the file as a whole), the field of it, and what is
    wrong.

    `offset` is where in the file the damage begins, in bytes, when it is the bytes that are wrong.
    `game` is the game of a tournament whose file it is about, "" for the file itself.
    """

    seq: int | None
    field: str
    said: Say
    offset: int | None = None
    game: str = ""


@frozen
class Reservation:
    """What prevents a file with no findings from being plain Sound, and its exit code. It has the
    flag that allows it ("" if none), and its game of a tournament ("" for the file itself)."""

    said: Say
    code: int
    flag: str
    game: str = ""

    @property
    def name(self) -> str:
        """Its name, for programs."""
        return self.said.key.rpartition(".")[2]


@frozen
class About:
    """A remark or a note, and the game of a tournament that it is about ("" for the file
    itself)."""

    said: Say
    game: str = ""


@frozen
class Verdict:
    """What an audit found.

    level          what was examined whole: 0 the file could not be read, 1 the evidence, 2 every
                   record decided again as well
    decided        how many of the `records` were decided again (also where that did not reach the
                   last, and the level is 1)
    games          how many games of a tournament were audited with its file
    of_tournament  whether the file is a tournament's
    self_play      whether one program played every seat
    """

    level: int = 0
    records: int = 0
    decided: int = 0
    games: int = 0
    of_tournament: bool = False
    self_play: bool = False
    _findings: tuple[Finding, ...] = field(default=(), alias="findings")
    _reservations: tuple[Reservation, ...] = field(default=(), alias="reservations")
    _remarks: tuple[About, ...] = field(default=(), alias="remarks")
    _notes: tuple[About, ...] = field(default=(), alias="notes")
    _checked: tuple[Say, ...] = field(default=(), alias="checked")
    _unchecked: tuple[Say, ...] = field(default=(), alias="unchecked")

    @property
    def word(self) -> str:
        """The verdict: "sound", "self_play", "reserved", "unvouched" or "unsound". No flag changes
        it."""
        return self._word(self.code())

    def _word(self, code: int) -> str:
        if code == SOUND:
            return "self_play" if self.self_play else "sound"
        return {UNSOUND: "unsound", RESERVED: "reserved", UNVOUCHED: "unvouched"}[code]

    def code(self, allowed: Iterable[str] = ()) -> int:
        """The exit code, with the reservations that these flags allow left out: 1 if anything is
        wrong, otherwise the worst reservation that is not allowed, otherwise 0."""
        if self._findings:
            return UNSOUND
        return max((one.code for one in self._left(allowed)), default=SOUND)

    def _left(self, allowed: Iterable[str]) -> list[Reservation]:
        """The reservations that these flags do not allow."""
        flags = frozenset(allowed)
        return [
            one
            for one in self._reservations
            if one.flag not in flags or (one.game and one.flag in LEDGER_FLAGS)
        ]

    # --- composing --------------------------------------------------------------------------------

    def of_game(self, game: str) -> "Verdict":
        """This verdict as that on a game of a tournament, where self-play is a reservation."""
        more: tuple[Reservation, ...] = ()
        if self.self_play:
            said = say("audit.reservation.self_play")
            more = (Reservation(said, RESERVED, ALLOW_SELF_PLAY),)
        return replace(
            self,
            findings=tuple(replace(one, game=game) for one in self._findings),
            reservations=tuple(replace(one, game=game) for one in (*self._reservations, *more)),
            remarks=tuple(replace(one, game=game) for one in self._remarks),
            notes=tuple(replace(one, game=game) for one in self._notes),
        )

    def named(self, remarks: Iterable[Say]) -> "Verdict":
        """This verdict with further remarks."""
        return replace(self, remarks=(*self._remarks, *map(About, remarks)))

    def without(self, names: Iterable[str]) -> "Verdict":
        """This verdict without the reservations of these names: something else tells them."""
        gone = frozenset(names)
        kept = tuple(one for one in self._reservations if one.name not in gone)
        return replace(self, reservations=kept)

    def binding(self, names: Iterable[str]) -> "Verdict":
        """This verdict with no flag allowing the reservations of these names."""
        bound = frozenset(names)
        return replace(
            self,
            reservations=tuple(
                replace(one, flag="") if one.name in bound else one for one in self._reservations
            ),
        )

    # --- telling ----------------------------------------------------------------------------------

    def as_data(self, phrases: Phrases, allowed: Iterable[str] = ()) -> dict[str, Any]:
        """Plain values for JSON, sentences included."""
        allowed = frozenset(allowed)
        left = self._left(allowed)
        cause = self._cause
        return {
            "verdict": self.word,
            "code": self.code(allowed),
            "level": self.level,
            "records": self.records,
            "decided": self.decided,
            "self_play": self.self_play,
            "findings": [
                {
                    "game": one.game,
                    "record": one.seq,
                    "field": one.field,
                    "byte": one.offset,
                    "key": one.said.key,
                    "text": phrases.say(one.said),
                    "first": one is cause,
                }
                for one in self._findings
            ],
            "reservations": [
                {
                    "game": one.game,
                    "name": one.name,
                    "code": one.code,
                    "flag": one.flag,
                    "allowed": not any(one is item for item in left),
                    "text": phrases.say(one.said),
                }
                for one in self._reservations
            ],
            "remarks": [_about_data(one, phrases) for one in self._remarks],
            "notes": [_about_data(one, phrases) for one in self._notes],
        }

    def problems(self, phrases: Phrases, allowed: Iterable[str] = ()) -> list[str]:
        """Everything that is wrong or, where nothing is, every reservation that these flags do not
        allow, each a sentence. Empty for what is Sound."""
        if self._findings:
            return [said(phrases, one) for one in self._findings]
        return [phrases.say(_of(one.game, one.said)) for one in self._left(allowed)]

    def lines(self, phrases: Phrases, allowed: Iterable[str] = ()) -> Iterator[str]:
        """The verdict in words: what was checked, what was not, what was found, what that means,
        and what to do. `allowed` are the flags that allow reservations."""
        allowed = tuple(allowed)
        if self._checked:
            yield phrases.text("audit.checked", what=_arrays(self._checked))
        yield phrases.text("audit.unchecked", what=_arrays(self._unseen))
        yield from self._found(phrases, allowed)
        for key in URGENT:
            for one in [one for one in self._notes if one.said.key == key][:1]:
                yield phrases.text("audit.note", note=_of(one.game, one.said).as_array())
        yield phrases.say(self.meaning(allowed))
        yield phrases.say(self._to_do(allowed))

    def details(self, phrases: Phrases) -> Iterator[str]:
        """The remarks and the notes, each a sentence."""
        for one in self._remarks:
            yield phrases.text("audit.remark", what=_of(one.game, one.said).as_array())
        for one in self._notes:
            yield phrases.text("audit.note", note=_of(one.game, one.said).as_array())

    @property
    def _unseen(self) -> tuple[Say, ...]:
        count = len(self._notes)
        told = (say("audit.unchecked.notes", count=count),) if count else ()
        return (*self._unchecked, say("audit.unchecked.times"), *told)

    @property
    def _cause(self) -> Finding | None:
        """Of a tournament's own file: what is wrong first, in the order of the records."""
        placed = [
            one
            for one in self._findings
            if one.seq is not None and not one.game and one.said.key != SEEN
        ]
        if not self.of_tournament or not placed:
            return None
        return min(placed, key=lambda one: one.seq or 0)

    def _found(self, phrases: Phrases, allowed: Iterable[str]) -> Iterator[str]:
        """What is wrong, else what is reserved: the first of it, and how much more there is."""
        most = SHOWN_LEDGER if self.of_tournament else SHOWN_GAME
        if self._findings:
            cause = self._cause
            ordered = sorted(
                self._findings, key=lambda one: 0 if one is cause else 1 + (one.said.key == SEEN)
            )
            shown = ordered if len(ordered) <= most else ordered[: most - 1]
            for one in shown:
                first = one is cause and len(ordered) > 1
                text = said(phrases, one)
                yield phrases.text("audit.found.first", found=text) if first else text
            if len(shown) < len(ordered):
                games = len({one.game for one in ordered if one.game})
                key = "audit.more_findings_in" if games else "audit.more_findings"
                told = {"count": len(ordered), "more": len(ordered) - len(shown), "games": games}
                yield phrases.text(key, **told)
            return
        lines = list(self._reserved(phrases, allowed))
        shown_lines = lines if len(lines) <= most else lines[: most - 1]
        yield from shown_lines
        if len(shown_lines) < len(lines):
            yield phrases.text("audit.more_reservations", more=len(lines) - len(shown_lines))

    def _reserved(self, phrases: Phrases, allowed: Iterable[str]) -> Iterator[str]:
        """The reservations, the worst first; those of one name about several games in one line."""
        left = self._left(allowed)
        groups: dict[tuple[bool, str], list[Reservation]] = {}
        for one in self._reservations:
            is_left = any(one is item for item in left)
            key = (is_left, f"{one.name} game" if one.game else f"{one.name} {one.said}")
            groups.setdefault(key, []).append(one)
        ordered = sorted(groups.items(), key=lambda item: (not item[0][0], -item[1][0].code))
        for (is_left, _), items in ordered:
            what = items[0].said
            if items[0].game:
                named = tuple(one.game for one in items[:NAMED])
                what = (
                    say("audit.of_games", games=named, what=what.as_array())
                    if len(items) <= NAMED
                    else say(
                        "audit.of_more_games",
                        count=len(items),
                        games=named,
                        what=what.as_array(),
                    )
                )
            if is_left:
                yield phrases.text("audit.reservation", what=what.as_array())
            else:
                flag = items[0].flag
                yield phrases.text("audit.reservation_allowed", what=what.as_array(), flag=flag)

    def meaning(self, allowed: Iterable[str] = ()) -> Say:
        """What the verdict means, in one sentence that begins with its word and ends with what must
        be named beside it."""
        kind = "tournament" if self.of_tournament else "game"
        word = self._word(self.code(allowed))
        if word == "sound" and self._reservations:
            word = "allowed"
        told = say(f"audit.means.{word}.{kind}")
        if word == "unsound" or not self._remarks:
            return told
        remarks = self._counted()
        shown = _arrays(remarks[:SHOWN_LEDGER])
        more = len(remarks) - len(shown)
        if not more:
            return say("audit.means_with", what=told.as_array(), remarks=shown)
        return say("audit.means_with_more", what=told.as_array(), remarks=shown, more=more)

    def _counted(self) -> list[Say]:
        """The remarks, each once; boards, byes and seats by their number."""
        counts: dict[str, int] = {}
        others: dict[Say, None] = {}
        for one in self._remarks:
            name = one.said.key.removeprefix("audit.remark.").removesuffix("_because")
            if self.of_tournament and name in COUNTED:
                counts[name] = counts.get(name, 0) + 1
            else:
                others[one.said] = None
        return [*others, *(say(f"audit.remarks.{name}", count=n) for name, n in counts.items())]

    def _to_do(self, allowed: Iterable[str]) -> Say:
        if self._findings:
            byte = any(one.offset is not None for one in self._findings)
            games = bool({one.game for one in self._findings} - {""})
            where = "damaged" if byte else "games" if games else "unsound"
            return say(f"audit.do.{where}")
        left = self._left(allowed)
        if left:
            worst = max(left, key=lambda one: one.code)
            return say(f"audit.do.{worst.name}")
        if self._reservations:
            return say("audit.do.allowed")
        if self.self_play:
            return say("audit.do.program")
        return say("audit.do.remarks" if self._remarks else "audit.do.nothing")


def compose(own: Verdict, others: Iterable[Verdict]) -> Verdict:
    """The verdict on a tournament's file and its games, or on several files: everything that was
    found in any of them, at the least level of all."""
    every = (own, *others)
    count = len(every) - 1
    games = (say("audit.checked.games", count=count),) if count else ()
    return replace(
        own,
        checked=(*own._checked, *games),
        level=min(one.level for one in every),
        games=own.games + count,
        self_play=any(one.self_play for one in every),
        findings=tuple(item for one in every for item in one._findings),
        reservations=tuple(item for one in every for item in one._reservations),
        remarks=tuple(item for one in every for item in one._remarks),
        notes=tuple(item for one in every for item in one._notes),
    )


def worst(codes: Iterable[int]) -> int:
    """The exit code of the worst of several verdicts: a finding is worse than any reservation."""
    told = set(codes)
    return UNSOUND if UNSOUND in told else max(told, default=SOUND)


def said(phrases: Phrases, one: Finding) -> str:
    """A finding as a sentence: the game, the record, the field, and what is wrong."""
    known: Mapping[str, Any] = {
        "game": one.game,
        "seq": one.seq,
        "field": one.field,
        "what": one.said.as_array(),
    }
    where = "in_file" if one.seq is None else "at_record"
    return phrases.text(f"audit.found.{where}{'_of_game' if one.game else ''}", **known)


def _of(game: str, what: Say) -> Say:
    """What is said, with the game of a tournament that it is about."""
    return say("audit.about", game=game, what=what.as_array()) if game else what


def _about_data(one: About, phrases: Phrases) -> dict[str, str]:
    return {"game": one.game, "key": one.said.key, "text": phrases.say(one.said)}


def _arrays(says: Iterable[Say]) -> tuple[Any, ...]:
    return tuple(one.as_array() for one in says)
