"""Hex maps in the terminal: what a pack gives, pictures and sentences of a board, and a player who
moves stacks by one line."""

import io
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from tests.clients.games import captains_game, pack_of
from tests.clients.table import link, table
from tests.clients.test_terminal import typed
from warledger.clients.describing import described
from warledger.clients.link import Seat, sit
from warledger.clients.terminal.hexes import HexPicture
from warledger.clients.terminal.player import Player
from warledger.clients.terminal.screen import Screen
from warledger.protocol.board import description
from warledger.protocol.board import effects as fx
from warledger.protocol.board.choices import Refusal
from warledger.protocol.board.description import Description
from warledger.protocol.board.effects import Board
from warledger.protocol.board.hexmap import hex_map
from warledger.protocol.log.bodies import effects_of
from warledger.protocol.texts.phrases import LANGUAGES

TITLES = ("victory_lost", "typhoon")


def told_of(title: str) -> Description:
    """What a title is drawn from."""
    found = described(title, pack_of(title), {})
    assert found.error is None
    return found.told


def fitted(*pieces: tuple[str, str, str]) -> Board:
    """A board with these pieces: id, hex, face."""
    board = Board()
    for id, place, face in pieces:
        board.apply(fx.put(id, place, face, "axis" if id.startswith("ax") else "soviet"))
    return board


def shown(
    picture: HexPicture,
    board: Board,
    *,
    plain: bool = False,
    width: int = 100,
    language: str = "en",
    focus: str = "",
    lit: Any = (),
) -> str:
    """What a screen shows of a board."""
    out = io.StringIO()
    screen = Screen(
        language=language,
        plain=plain,
        console=Console(file=out, width=width, highlight=False, emoji=False, markup=False),
    )
    screen.of_game("victory_lost", pack_of("victory_lost"), {})
    screen.picture = picture
    screen.board(board, focus, lit)
    return out.getvalue()


def test_a_window_shows_stack_river_zone_and_supply() -> None:
    """Around a hex: names with the values of the face shown, marks, zones, rivers and bridges."""
    picture = HexPicture(told_of("victory_lost"))
    board = fitted(
        ("su.tank.17", "3222", "reduced"),
        ("su.rifle.25g", "3222", "full"),
        ("ax.hq.hollidt", "3424", ""),
    )
    board.apply(fx.mark("su.tank.17", "out_of_supply", 1))
    board.apply(fx.mark("su.rifle.25g", "activated", 1))
    drawn = shown(picture, board, focus="3222")

    assert "17Tk! 3-2" in drawn
    assert ">25G 4-4" in drawn
    assert "Hollidt(6)" in drawn
    assert "Voroshilov" in drawn
    assert "3323+S" in drawn, "a hex next to a Soviet unit is in its zone"
    assert "3423A" not in drawn, "a headquarters has no zone"
    assert "::::" in drawn
    assert "====" in drawn
    assert "#" in drawn


@pytest.mark.parametrize("width", [40, 80, 132, 200])
@pytest.mark.parametrize("language", LANGUAGES)
def test_pictures_fit_every_width(width: int, language: str) -> None:
    """No line of the front or a window is wider than the screen, in any language."""
    picture = HexPicture(told_of("victory_lost"))
    board = fitted(
        ("su.tank.17", "6501", "full"),
        ("ax.inf.294", "0139", "full"),
        ("ax.panzer.6", "0138", "full"),
    )
    for focus in ("", "1110", "0101", "6539"):
        for line in shown(picture, board, width=width, language=language, focus=focus).splitlines():
            assert cell_len(line) <= width, (focus, line)


def test_the_front_tells_sides_sizes_and_reach_apart() -> None:
    """A capital letter is two units, a small one one, * a lone headquarters; lit hexes are
    marked."""
    picture = HexPicture(told_of("victory_lost"))
    board = fitted(
        ("su.tank.17", "1503", "full"),
        ("su.tank.18", "1503", "full"),
        ("ax.panzer.6", "1504", "full"),
        ("ax.hq.h2a", "1602", ""),
    )
    lines = shown(picture, board, lit=("1702",)).splitlines()

    row = {line[:2]: line for line in lines}
    assert "S" in row["03"]
    assert "a" in row["04"]
    assert "*" in row["02"]
    assert "x" in row["02"]


def test_sentences_for_a_screen_reader() -> None:
    """Plain: who touches whom by hex; a hex with terrain, river sides and neighbours by direction;
    no box characters."""
    picture = HexPicture(told_of("victory_lost"))
    board = fitted(("su.tank.17", "3222", "full"), ("ax.panzer.6", "3223", "full"))
    screen = Screen(plain=True)
    screen.of_game("victory_lost", pack_of("victory_lost"), {})
    whole = shown(picture, board, plain=True)
    front = "\n".join(picture.front(board, screen.spoken))
    around = shown(picture, board, plain=True, focus="su.tank.17")

    assert "3222 Voroshilovgrad: Soviet: 17Tk 6-4" in front
    assert "3223: Axis: 6Pz" in front
    assert "Rostov 3433" in whole
    assert "Voroshilovgrad, town." in around
    assert "south: 3223: Axis: 6Pz" in around
    assert "In the zone of control of Axis." in around
    assert not set("─│╭╮") & set(whole + front + around)


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_all_that_is_printed_has_a_word(title: str, language: str) -> None:
    """Every hex of both maps can be told in every language without a missing phrase."""
    pack = pack_of(title)
    picture = HexPicture(told_of(title))
    screen = Screen(language=language, plain=True)
    screen.of_game(title, pack, {})
    told = "\n".join(
        line for id in picture.map.index for line in picture.about(id, Board(), screen.spoken)
    )

    assert "[map." not in told
    assert "⟨" not in told


@pytest.mark.parametrize("title", TITLES)
def test_every_board_of_a_game_is_drawn(title: str) -> None:
    """The picture follows a whole captains' game from its public effects alone."""
    played = captains_game(title)
    picture, board = HexPicture(told_of(title)), Board()
    for number, record in enumerate(played.records):
        for effect in effects_of(record, ()):
            board.apply(effect)
        if number % 150 == 0:
            assert shown(picture, board)
            assert shown(picture, board, plain=True)


@asynccontextmanager
async def battle() -> AsyncIterator[tuple[Seat, Seat]]:
    """Both seats of A Victory Lost with the historical set-up: Axis, Soviet."""
    options = {"set_up": "historical", "soviet_five": "historical"}
    async with (
        table(options, "victory_lost") as (serving, game, tokens),
        link(serving, token=tokens["axis"]) as a,
        link(serving, token=tokens["soviet"]) as s,
    ):
        yield await sit(a, game, "axis"), await sit(s, game, "soviet")


async def test_a_player_looks_around_and_moves_a_stack_by_one_line() -> None:
    """hex, unit, reach, odds and front answer; a place named for the counters moves all that stand
    there."""
    out = io.StringIO()
    screen = Screen(
        plain=True, console=Console(file=out, width=100, highlight=False, emoji=False, markup=False)
    )
    async with battle() as (axis, soviet):
        assert await soviet.asked()
        assert await axis.asked()
        await Player(
            axis,
            Screen(plain=True, console=Console(file=io.StringIO())),
            typed("choose 4pza hollidt"),
        ).play()
        lines = typed(
            "choose 1gda_chit 2gda_chit 3gda_chit stavka",
            "activate hq_3gda",
            "odds attack 4817",
            "why attack 4817 17Tk",
            "hex 3222",
            "unit 1GM",
            "reach 1GM",
            "front",
            "attack 4817 4816 4917",
        )
        await Player(soviet, screen, lines).play()
    told = out.getvalue()

    assert "Hex 3222: clear." in told
    assert "Attack 7, defence 6, movement 7." in told
    assert "In contact, from north to south:" in told
    assert "1GM cannot go anywhere now." in told
    assert "1GM, 14 Guards Rifle and 266 Rifle attack 4817 (22Pz): 6 to 3." in told
    assert "[map." not in told


async def test_reach_and_a_stack_moved_by_one_line() -> None:
    """During movement reach lists hexes and shows them, and "move HEX HEX" moves all that stand in
    the first to the second."""
    out = io.StringIO()
    screen = Screen(
        console=Console(file=out, width=100, highlight=False, emoji=False, markup=False)
    )
    async with battle() as (axis, soviet):
        for seat, lines in (
            (axis, ("choose 4pza hollidt",)),
            (soviet, ("choose 1gda_chit 2gda_chit 3gda_chit stavka", "pass")),
        ):
            await Player(seat, screen, typed(*lines)).play()
        mover, stack, goal = await _a_stack_that_can_move(axis, soviet)
        place = mover.watch.board.pieces[stack[0]].place
        await Player(
            mover,
            screen,
            typed(f"reach {stack[0]}", f"odds move {place} {goal}", f"move {place} {goal}"),
        ).play()
        moved = [mover.watch.board.pieces[id].place for id in stack]
    told = out.getvalue()

    assert "can go to" in told
    assert moved == [goal] * len(stack)


async def _a_stack_that_can_move(*seats: Seat) -> tuple[Seat, tuple[str, ...], str]:
    """The seat that is asked to move, two of its units in one hex, and a hex that both can go
    to."""
    while not any(seat.is_asked for seat in seats):
        await seats[0].watch.wait()
    mover = next(seat for seat in seats if seat.is_asked)
    hexes = hex_map(pack_of("victory_lost")["map"]).grid.index
    offer = await mover.offer(("move",))
    assert not isinstance(offer, Refusal)
    for option in offer.choices.options:
        mates = await mover.offer(("move", option.id))
        assert not isinstance(mates, Refusal)
        for mate in (
            other.id for other in mates.choices.options if other.id in mover.watch.board.pieces
        ):
            both = await mover.offer(("move", option.id, mate))
            assert not isinstance(both, Refusal)
            goals = [str(other.id) for other in both.choices.options if other.id in hexes]
            standing = mover.watch.board.at(mover.watch.board.pieces[str(option.id)].place)
            if goals and len(standing) == 2:
                return mover, (str(option.id), str(mate)), goals[0]
    raise AssertionError("no stack can move")


GRID: dict[str, Any] = {
    "orientation": "flat",
    "shifted": "odd",
    "columns": 10,
    "rows": 10,
}


@pytest.mark.parametrize(
    "map_",
    [
        {"grid": {**GRID, "columns": 5000, "rows": 5000}, "terrain": {}},
        {"grid": GRID, "terrain": {"legend": {}, "rows": ()}},
        {"grid": "x", "terrain": 3},
        {"grid": {}, "terrain": {}},
    ],
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_map_that_cannot_be_drawn_is_listed(map_: Any, language: str) -> None:
    """Where a pack's map is beyond bounds or of another form, a sentence says so, and places and
    pieces are listed."""
    board = Board()
    board.apply(fx.put("p", "somewhere", "face", "axis"))
    for plain in (False, True):
        out = io.StringIO()
        screen = Screen(language=language, plain=plain, console=Console(file=out, width=200))
        screen.of_game("victory_lost", {"map": map_}, {})
        screen.board(board)
        screen.front(board)
        told = out.getvalue()
        assert (
            "somewhere" in told
            and Screen(language=language).spoken.text("ui.map_unread", what="\0").split("\0")[0]
            in told
        )


@pytest.mark.parametrize("kind", ["hexes", "a pack", "nothing"])
def test_a_title_that_is_not_installed_is_drawn_as_its_server_tells(kind: str) -> None:
    """Without a title's rules the server's description is drawn once its form is right; the answer
    of an older server, which is a pack, or no answer leaves what the pack's map says."""
    one = json.loads(
        (Path(description.__file__).parents[1] / "vectors" / "maps.json").read_text("utf-8")
    )["maps"][1]
    told = {"hexes": one["description"], "a pack": {"pack": {}}, "nothing": None}[kind]
    pack = {} if kind == "hexes" else {"map": one["map"]}
    out = io.StringIO()
    screen = Screen(plain=True, console=Console(file=out, width=100))
    screen.of_game("nobody_has_it", pack, {}, told)
    board = Board()
    board.apply(fx.put("p", "0203", "x 3-3", "a"))
    for sentence in screen.picture.about("0203", board, screen.spoken) if screen.picture else ():
        screen.write(sentence)

    assert "Izyum" in out.getvalue()
    assert "0303" in out.getvalue()
