"""Table talk on a server: what `warledger talk` does."""

from functools import partial

import trio
from attrs import frozen

from warledger.clients.commands.play.online import Where, as_json, seat_of
from warledger.clients.terminal.screen import Screen
from warledger.clients.terminal.tabletalk import show_line
from warledger.protocol.wire import talkmessages as tm

LOOK_SECONDS = 3.0
"""How often somebody who follows a room looks for new lines."""


@frozen
class Wish:
    """What somebody wants in a room: to `say` something as a seat, to do one of `TALK_ACTS` about a
    line, or to read, once or to `follow`. They read no lines of those whom they mute."""

    room: str
    seat: str = ""
    say: str = ""
    act: str = ""
    n: int = 0
    follow: bool = False
    without: tuple[str, ...] = ()


async def talk(where: Where, screen: Screen, game: str, wish: Wish, *, machine: bool) -> bool:
    """Read or say something, or do something about a line."""
    async with where.link() as link:
        if wish.say:
            seat = await seat_of(link, screen, game, wish.seat) if wish.seat else ""
            if not seat and wish.room == tm.PLAYERS:
                held = [row for row in link.roles if row[0] == "seat" and row[1] == game]
                seat = held[0][2] if held else ""
            make = partial(tm.SayLine, game=game, room=wish.room, seat=seat, text=wish.say.strip())
            await link.request(make, again=False)
            return True
        if wish.act:
            act = partial(tm.TalkAct, game=game, room=wish.room, what=wish.act, n=wish.n)
            await link.request(act, again=False)
            screen.say("cli.talk_done")
            return True
        after, shut = 0, False
        while True:
            found: tm.TalkIs = await link.request(
                partial(tm.Talk, game=game, room=wish.room, after=after)
            )
            for line in found.lines:
                if line[0] > after and line[3] not in wish.without:
                    _tell(screen, line, machine=machine)
            before, after = after, max((after, *(line[0] for line in found.lines)))
            if found.shut and not shut:
                screen.say("cli.talk_shut")
            shut = found.shut
            if after != before:
                continue  # there may be another page of them
            if not wish.follow:
                if not after:
                    screen.say("cli.talk_silence")
                return True
            await trio.sleep(LOOK_SECONDS)


def _tell(screen: Screen, line: tuple[int, int, str, str, str, bool], *, machine: bool) -> None:
    n, at_ms, who, name, text, reported = line
    if machine:
        told = {"n": n, "at_ms": at_ms, "who": who, "name": name, "text": text}
        screen.data(as_json({**told, "reported": reported}))
        return
    show_line(screen, line)
