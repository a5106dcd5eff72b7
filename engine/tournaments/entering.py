"""Acts about people: entering, presence, starting order, roles, announcements, claims."""

import re
from collections.abc import Mapping
from typing import Final

from warledger.engine.tournaments.amending import LATE
from warledger.engine.tournaments.deeds import (
    Act,
    Deed,
    account_of,
    end,
    entries_of,
    is_party,
    known,
    numbers_for,
    open_to_all,
    own_number,
    people,
    plays_at,
    roles,
    some,
    text,
    whole,
)
from warledger.engine.tournaments.ladder import may_challenge, may_count
from warledger.engine.tournaments.systems import rounds_of
from warledger.engine.tournaments.tables import games_met
from warledger.engine.tournaments.tally import ladder_order
from warledger.engine.tournaments.tournamentposition import Position
from warledger.protocol.board.choices import Choices, Picks, Refusal, refuse
from warledger.protocol.limits import (
    CLAIM_CHARS_MAX,
    ENTRANTS_MAX,
    GROUPS_MAX,
    PERSON_ID_CHARS_MAX,
    RATING_MAX,
)

NONE: Final = "-"
"""Stands for the id of an account, or for a nonce, that there is not."""
HEX: Final = re.compile("[0-9a-f]{64}")


def _why_not_enter(at: Position, who: str) -> Refusal | None:
    number, charter = own_number(who), at.charter
    if number is not None and number != len(at.entrants) + 1:
        return refuse("entry", "refusal.tournament.entered", number=number)
    if number is not None and charter.entry.invited:
        return refuse("entry.invited", "refusal.tournament.invited")
    most = charter.entry.most or ENTRANTS_MAX
    if len(at.entrants) >= most:
        return refuse("entry.most", "refusal.tournament.full", most=most)
    begun = bool(at.stage_rounds) or at.stage > 0
    if begun and (at.stage > 0 or at.rules.system not in LATE):
        return refuse(f"{at.clause}.system", "refusal.tournament.begun")
    if begun and at.charter_round(at.next_round) > charter.late.until_round:
        return refuse("late.until_round", "refusal.tournament.late", until=charter.late.until_round)
    return open_to_all(at, who)


def _enter(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            return text("entrant_name")
        case 1:
            return text("account", PERSON_ID_CHARS_MAX)
        case 2:
            if picks[1] != NONE and any(
                person.account == picks[1] for person in at.entrants.values()
            ):
                return refuse("entry", "refusal.tournament.account_entered")
            if ("caster", str(picks[1])) in at.roles:
                return refuse("spectators", "refusal.tournament.caster", name=picks[0])
            return whole("rating", 0, RATING_MAX)
        case 3:
            return text("nonce_hash", complete=True)
        case _:
            if picks[3] != NONE and not HEX.fullmatch(str(picks[3])):
                return refuse("", "refusal.tournament.hex")
            if len(picks) < 4 + GROUPS_MAX:
                return text("group", complete=True)
            return end()


def _entered(deed: Deed) -> None:
    name, account, rating, *rest = deed.picks
    hashed = str(rest[0]) if rest else NONE
    deed.change(
        "entered",
        len(deed.at.entrants) + 1,
        "" if account == NONE else account,
        name,
        rating,
        tuple(map(str, rest[1:])),
        b"" if hashed == NONE else bytes.fromhex(hashed),
    )


def _why_not_check(at: Position, who: str) -> Refusal | None:
    if at.last is not None and not at.last.published:
        return refuse("absence.check_in_minutes", "refusal.tournament.paired_already")
    return known(at, who)


def _check_in(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if not picks:
        round = at.next_round
        return numbers_for(
            at,
            who,
            "entrant",
            (
                number
                for number, person in at.entrants.items()
                if person.present and round not in person.checked
            ),
        )
    return end()


def _checked(deed: Deed) -> None:
    deed.change("checked", deed.picks[0], deed.at.next_round)


def _withdraw(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if picks:
        return end()
    opponents = _opponents(at, who)
    here = (
        number
        for number, person in at.entrants.items()
        if person.present and number not in opponents
    )
    return numbers_for(at, who, "entrant", here)


def _opponents(at: Position, who: str) -> frozenset[int]:
    """Against whom a director plays a game of the newest round that is not over."""
    last = at.last
    boards = () if last is None else last.boards
    return frozenset(
        number
        for board in boards
        if board.verdict is None and plays_at(at, who, board)
        for number in board.entrants
        if number not in entries_of(at, who)
    )


def _return(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if picks:
        return end()
    gone = (number for number, person in at.entrants.items() if not person.present)
    return numbers_for(at, who, "entrant", gone)


def _absent(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            here = (number for number, person in at.entrants.items() if person.present)
            return numbers_for(at, who, "entrant", here)
        case 1:
            last = max(rounds_of(at), at.next_round)
            away = at.entrants[int(picks[0])].away
            first = at.next_round if at.last is None or at.last.published else at.next_round + 1
            left = [round for round in range(first, max(first, last) + 1) if round not in away]
            return some("round", left) if left else refuse("", "refusal.tournament.nobody")
        case 2:
            # What an absence brings is the director's to say beyond nothing at all.
            own = picks[0] in entries_of(at, who)
            return some("bye", ("zero_bye",) if own else ("zero_bye", "half_bye", "full_bye"))
        case _:
            return end()


def _unpaired(at: Position, who: str) -> Refusal | None:
    """While the next round is not paired yet, by somebody who may play it."""
    number = own_number(who)
    if at.last is not None and not at.last.published:
        return refuse(at.clause, "refusal.tournament.paired_already")
    if number is not None and number in at.entrants and not at.entrants[number].present:
        return refuse("entry", "refusal.tournament.nobody")
    return known(at, who)


def _why_not_challenge(at: Position, who: str) -> Refusal | None:
    if at.rules.system != "ladder":
        return refuse(f"{at.clause}.system", "refusal.tournament.no_ladder")
    number = own_number(who)
    if any(number in one[1:] for one in at.challenges if one[0] == at.next_round):
        return refuse(f"{at.clause}.within", "refusal.tournament.challenged")
    if at.order and number not in at.order:
        return refuse("entry", "refusal.tournament.nobody")
    return _unpaired(at, who)


def _challenge(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if picks:
        return end()
    number = own_number(who)
    assert number is not None
    if not at.order:
        return refuse(f"{at.clause}.seeds", "refusal.tournament.no_order")
    order, met, stage = ladder_order(at), games_met(at), at.rules
    taken = {one for round, *both in at.challenges if round == at.next_round for one in both}
    found = [
        whom
        for whom in order
        if may_challenge(order, number, whom, stage.within)
        and whom not in taken
        and at.entrants[whom].present
        and may_count(met[number], whom, stage.share)
        and may_count(met[whom], number, stage.share)
    ]
    if not found:
        return refuse(f"{at.clause}.within", "refusal.tournament.nobody")
    return some("entrant", found)


def _why_not_volunteer(at: Position, who: str) -> Refusal | None:
    if not at.rules.eliminator:
        return refuse(f"{at.clause}.eliminator", "refusal.tournament.no_eliminator")
    if (at.next_round, own_number(who)) in at.volunteers:
        return refuse(f"{at.clause}.eliminator", "refusal.tournament.volunteered")
    return _unpaired(at, who)


def _done(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return end()


def _why_not_number(at: Position, who: str) -> Refusal | None:
    if at.stage_rounds:
        return refuse(f"{at.clause}.seeds", "refusal.tournament.begun")
    if not at.entrants:
        return refuse("entry.least", "refusal.tournament.nobody")
    return open_to_all(at, who)


def eligible(at: Position) -> tuple[int, ...]:
    """Who the starting order of the stage in progress is made of."""
    numbers = at.order if at.stage else tuple(at.entrants)
    return tuple(number for number in numbers if at.entrants[number].present)


def _number(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    if not picks:
        plays = any(number in eligible(at) for number in entries_of(at, who))
        return some("order", ("rating", "lots") if plays else ("rating", "lots", "given"))
    if picks[0] != "given":
        if at.roster is None and at.charter.absence.check_in_minutes:
            # Lots decide between equal ratings, too, and who is on their roster has checked in.
            return refuse("absence.check_in_minutes", "refusal.tournament.check_in_first")
        return end()
    left = [number for number in eligible(at) if number not in picks[1:]]
    return some("entrant", left) if left else end()


def _numbered(deed: Deed) -> None:
    by = str(deed.picks[0])
    given = tuple(int(pick) for pick in deed.picks[1:])
    deed.change("ordered", deed.at.stage, by, given or order_by(deed, by))


def order_by(deed: Deed, by: str) -> tuple[int, ...]:
    """The starting order: by rating, equal ones by lots; by lots; or as they stand."""
    at = deed.at
    numbers = eligible(at)
    if by in ("standings", "given"):
        return numbers
    mixed = deed.lots.shuffled(f"order:{at.stage + 1}", numbers)
    if by == "rating":
        return tuple(sorted(mixed, key=lambda number: -at.entrants[number].rating))
    return mixed


def _grant(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            return some("role", ("director", "arbiter", "caster"))
        case 1:
            return text("account", PERSON_ID_CHARS_MAX)
        case 2:
            return text("name")
        case _:
            plays = any(person.account == picks[1] for person in at.entrants.values())
            if picks[0] == "caster" and plays:
                return refuse("spectators", "refusal.tournament.caster", name=picks[2])
            return end()


def _end_grant(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            held = sorted({role for role, _ in at.roles})
            return some("role", held) if held else refuse("", "refusal.tournament.nobody")
        case 1:
            return people(at, [id for role, id in at.roles if role == picks[0]])
        case _:
            return end()


def _grant_ended(deed: Deed) -> None:
    role, id = str(deed.picks[0]), str(deed.picks[1])
    deed.change("grant_ended", role, id, deed.at.roles[role, id])


def _announce(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    return end() if picks else text("text", CLAIM_CHARS_MAX)


def _why_not_rule(at: Position, who: str) -> Refusal | None:
    if not any(not claim.finding for claim in at.claims):
        return refuse("claims", "refusal.tournament.no_claim")
    return open_to_all(at, who)


def _rule(at: Position, who: str, picks: Picks) -> Choices | Refusal:
    match len(picks):
        case 0:
            own = account_of(at, who)
            left = [
                claim.number
                for claim in at.claims
                if not claim.finding and not is_party(at, own, claim)
            ]
            return some("claim", left) if left else refuse("claims", "refusal.tournament.own_claim")
        case 1:
            return some("finding", ("upheld", "rejected", "in_part"))
        case 2:
            return text("reason", CLAIM_CHARS_MAX)
        case _:
            return end()


def _claimed(deed: Deed) -> None:
    deed.change("claimed", len(deed.at.claims) + 1, deed.who, deed.picks[0])


def _simple(tag: str, deed: Deed) -> None:
    deed.change(tag, *deed.picks)


ACTS: Final[Mapping[str, Act]] = {
    "enter": Act(roles("server", "d", "e"), _why_not_enter, _enter, _entered),
    "check_in": Act(roles("server", "d", "e"), _why_not_check, _check_in, _checked),
    "withdraw": Act(roles("d", "e"), known, _withdraw, lambda deed: _simple("withdrew", deed)),
    "return": Act(roles("d", "e"), known, _return, lambda deed: _simple("returned", deed)),
    "absent": Act(roles("d", "e"), known, _absent, lambda deed: _simple("absent", deed)),
    "number": Act(roles("server", "d"), _why_not_number, _number, _numbered, moves=True),
    "challenge": Act(
        roles("e"),
        _why_not_challenge,
        _challenge,
        lambda deed: deed.change(
            "challenged", own_number(deed.who), deed.picks[0], deed.at.next_round
        ),
    ),
    "volunteer": Act(
        roles("e"),
        _why_not_volunteer,
        _done,
        lambda deed: deed.change("volunteered", own_number(deed.who), deed.at.next_round),
    ),
    "grant": Act(roles("server", "d"), open_to_all, _grant, lambda deed: _simple("granted", deed)),
    "end_grant": Act(roles("server", "d"), open_to_all, _end_grant, _grant_ended),
    "announce": Act(
        roles("server", "d"), open_to_all, _announce, lambda deed: _simple("announced", deed)
    ),
    "claim": Act(roles("e"), known, _announce, _claimed),
    "ruled": Act(roles("d", "a"), _why_not_rule, _rule, lambda deed: _simple("ruled", deed)),
}
