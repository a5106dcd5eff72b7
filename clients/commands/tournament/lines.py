"""What `warledger tournament` says of a tournament in lines: from its plain values, so that a desk
on this machine and a server's read the same."""

import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from warledger.clients.clockface import moment
from warledger.clients.terminal.screen import Screen
from warledger.protocol.texts.phrases import Phrases
from warledger.protocol.tournaments import ARBITER, DIRECTOR, ENTRANT, role_of

Told = Mapping[str, Any]


def tell_row(screen: Screen, row: Told) -> None:
    """A tournament in a line."""
    state = (f"cli.tournament.state_{row['state']}", (), "")
    screen.say("cli.tournament.row", **{**row, "state": state})


def tell(screen: Screen, told: Told) -> None:
    """A tournament, its entrants, and its newest round: the one that is not published yet, where
    `drafted` has one."""
    screen.of_title(told["title"])
    tell_row(screen, told)
    names = {one["number"]: one["shown"] for one in told["entrant_list"]}
    for one in told["entrant_list"]:
        screen.write(_entrant(told, one, screen.spoken))
    for group in told["alike"]:
        screen.say("tournament.due.alike", names=tuple(names[number] for number in group))
    lots = told.get("lots")
    if lots:
        waited = tuple(names[number] for number in lots["missing"])
        screen.say("tournament.due.nonces", names=waited, when=moment(lots["until_ms"]))
    rounds = [*told["rounds"], *([told["drafted"]] if told["drafted"] else [])]
    if not rounds:
        return
    last = rounds[-1]
    published = last["published_ms"] is not None
    key = "cli.tournament.round" if published else "cli.tournament.round_unpublished"
    screen.say(key, round=last["round"])
    for board in last["boards"]:
        screen.write(board_line(screen.spoken, names, last, board))
        for line in _open_lines(screen.spoken, names, last, board):
            screen.write(f"     {line}")
    for kind in dict.fromkeys(kind for _, kind in last["byes"]):
        free = tuple(names[number] for number, other in last["byes"] if other == kind)
        what = screen.spoken.text(f"tournament.bye.{kind}")
        screen.write(f"     {screen.spoken.text('tournament.byes', kind=what, names=free)}")
    until = last["no_show_ms"]
    waits = any(board["results"] is None for board in last["boards"])
    if waits and until is not None and until > time.time() * 1000:
        screen.write(f"     {screen.spoken.text('tournament.due.no_show', when=moment(until))}")


def _entrant(told: Told, one: Told, spoken: Phrases) -> str:
    line = f"{one['number']:>4} {one['name']} {one['rating'] or ''}".rstrip()
    if told["state"] == "finished":
        return line
    state = "gone" if not one["present"] else "checked" if one["checked"] else "awaited"
    if state != "gone" and not told["check_in"]:
        return line
    return f"{line} ({spoken.text(f'web.tournament.entrant.{state}')})"


def _open_lines(spoken: Phrases, names: Mapping[int, str], one: Told, board: Told) -> Iterator[str]:
    """Where an auction stands, and until when there is time for sides that are not settled."""
    auction = board["auction"]
    if auction is not None:
        said = {
            "name": names[auction["speaks"]],
            "side": spoken.name(one["seats"][auction["seat"]]),
            "amount": units(auction["half_units"]),
        }
        if auction["holder"]:
            holder = names[auction["holder"]]
            yield spoken.text("tournament.auction.offered", holder=holder, **said)
        else:
            yield spoken.text("tournament.auction.first", **said)
    until = board["sides_until_ms"]
    if until is not None:
        key = "tournament.due.word" if auction is not None else "tournament.due.sides"
        yield spoken.text(key, when=moment(until))


LETTERS = {"director": DIRECTOR, "arbiter": ARBITER, "committee": ARBITER, "panel": ARBITER}
"""The letter under which somebody acts, by their role."""


def who_of(told: Told, typed: str) -> str:
    """Who is typed as d:NAME, a:NAME or e:NUMBER: a director or an arbiter by id. Those of one name
    are typed as they are shown. Raises LookupError where several are called so."""
    letter, name = role_of(typed)
    known = {
        one["id"]: one["shown"]
        for one in told["officials"]
        if LETTERS.get(one["role"]) == letter and name in (one["name"], one["shown"], one["id"])
    }
    if len(known) > 1 and name not in known:
        them = ", ".join(f'"{letter}:{shown}"' for shown in known.values())
        raise LookupError(f"more than one is called {name}; write one of: {them}")
    return typed if not known or name in known else f"{letter}:{next(iter(known))}"


def called(told: Told, who: str, spoken: Phrases) -> str:
    """Whoever acts so, by name and role."""
    letter, rest = role_of(who)
    if letter == ENTRANT:
        names = {str(one["number"]): str(one["shown"]) for one in told["entrant_list"]}
        return names.get(rest, who)
    found = [
        one for one in told["officials"] if one["id"] == rest and LETTERS.get(one["role"]) == letter
    ]
    if not found:
        return who
    role = spoken.text("web.act.director" if letter == DIRECTOR else "web.act.arbiter")
    return f"{found[-1]['shown']} ({role})"


def units(half: int) -> str:
    """A number of half units as people write it."""
    return f"{half // 2}{'.5' if half % 2 else ''}"


def result_words(spoken: Phrases, results: Sequence[str], manner: str) -> str:
    """What a board ended with, in words, in the order of its seats."""
    line = " : ".join(spoken.text(f"web.tournament.result.{one}") for one in results)
    if manner != "played":
        line += f" ({spoken.text(f'web.tournament.manner.{manner}')})"
    return line


def board_line(spoken: Phrases, names: Mapping[int, str], one: Told, board: Told) -> str:
    """A board in a line: number, names, sides, handicap, result or game."""
    sitting = [
        f"{names[number]} ({spoken.name(seat)})" if board["seated"] else names[number]
        for number, seat in zip(board["entrants"], one["seats"], strict=False)
    ]
    line = f"{board['board']:>4} {' – '.join(sitting)}"
    seat, half = board["handicap"]
    if half:
        line += f"  +{units(half)} {spoken.name(one['seats'][seat])}"
    if board["results"] is not None:
        line += f"  {result_words(spoken, board['results'], board['manner'])}"
    elif board["game"]:
        line += f"  {board['game']}"
    return line
