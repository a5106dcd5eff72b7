"""A bot in a seat of a game on a server: it waits to be asked, chooses, submits, and declines what
others ask for."""

from collections.abc import Awaitable, Callable
from typing import Protocol

import trio

from warledger.clients.bots.known import bot_of
from warledger.clients.bots.player import BUGS, Bot, View, run_async
from warledger.clients.bots.program import Program
from warledger.clients.link import LinkError, Seat, Watch
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Picks, Refusal
from warledger.protocol.log.bodies import TAKEBACK
from warledger.protocol.log.records import Genesis


class BotRefused(LinkError):
    """A bot's command was refused: a bug of the bot, or a second player in its seat."""


class Chooser(Protocol):
    """Whoever chooses the commands of a seat."""

    async def choose(
        self, view: View, ask: Callable[[Picks], Awaitable[Choices | Refusal]]
    ) -> Picks:
        """The next command. What `ask` raises must be passed on."""

    async def answered(self, answer: Refusal | None) -> bool:
        """Hear that the command stands (None), or why it was refused. Whether to ask again after a
        refusal; without that it ends the play."""


class _Named:
    """A bot of ours."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot

    async def choose(
        self, view: View, ask: Callable[[Picks], Awaitable[Choices | Refusal]]
    ) -> Picks:
        async def offered(picks: Picks) -> Choices:
            found = await ask(picks)
            if isinstance(found, Refusal):
                raise _Lapsed(found)
            return found

        return await run_async(self._bot, view, offered)

    async def answered(self, answer: Refusal | None) -> bool:
        return False


async def play_bot(
    seat: Seat, player: str, seed: int | str, *, pace_s: float = 0.0, takebacks: bool = False
) -> int:
    """Play a seat with a bot until the game ends. Returns the number of commands. Requests of the
    others are declined; with `takebacks`, those for a takeback are granted at once.

    `pace_s` is the number of seconds to wait before each command, so that people can follow. Raises
    NoSuchPlayer, BotRefused.
    """
    bot = _Named(bot_of(player, seat.watch.genesis.title, seed))
    return await play_chosen(seat, player, bot, pace_s=pace_s, takebacks=takebacks)


async def introduce(program: Program, watch: Watch, seat: str, seed: str) -> str:
    """Tell a program which game it is to play, in which seat, and hear what it calls itself, or "".
    It need not sit yet. Raises ProgramFailed."""
    genesis = watch.genesis
    return await program.begin(
        game=watch.game, view=_view(genesis, seat), version=genesis.version, seed=seed
    )


async def play_program(seat: Seat, program: Program, *, takebacks: bool = False) -> int:
    """Play a seat with a program that has been introduced, as `play_bot` does. Raises BotRefused,
    ProgramFailed."""
    played = await play_chosen(seat, program.name, program, takebacks=takebacks)
    await program.end(seat.watch.winner, seat.watch.reason)
    return played


def _view(genesis: Genesis, seat: str) -> View:
    pack = canon.unpack_trusted(genesis.pack)
    return View(seat, genesis.title, genesis.seats, genesis.options, pack)


async def play_chosen(
    seat: Seat, player: str, chooser: Chooser, *, pace_s: float = 0.0, takebacks: bool = False
) -> int:
    """Play a seat by what a chooser chooses. See `play_bot`."""
    view = _view(seat.watch.genesis, seat.seat)
    commands = 0
    while True:
        await _asked(seat, takebacks)
        if seat.watch.ended:
            return commands
        if pace_s:
            await trio.sleep(pace_s)
        decision = NONE_YET

        async def ask(picks: Picks) -> Choices | Refusal:
            nonlocal decision
            offer = await seat.offer(picks)
            if isinstance(offer, Refusal):
                if not picks or offer.key in _TOO_LATE:
                    raise _Lapsed
                return offer
            # What was picked so far was picked for another question, from a position that is gone.
            if decision not in (NONE_YET, offer.decision):
                raise _Lapsed
            decision = offer.decision
            return offer.choices

        view.board = seat.watch.board
        before = seat.watch.last_seq
        try:
            picks = await chooser.choose(view, ask)
        except BUGS as error:
            what = f"{type(error).__name__}: {error}"
            raise BotRefused(
                f"{player} in {seat.seat} cannot choose among what the server offers: {what}"
            ) from error
        except _Lapsed:
            if not seat.watch.ended and seat.watch.last_seq == before:
                await seat.watch.wait()
            continue
        answer = await seat.submit(picks, max(decision, 0))
        if not isinstance(answer, Refusal):
            await chooser.answered(None)
            commands += 1
            continue
        again = await chooser.answered(answer)
        if answer.key in _TOO_LATE:
            if not seat.watch.ended and seat.watch.last_seq == before:
                await seat.watch.wait()
        elif not again:
            raise BotRefused(f"{player} in {seat.seat}: {picks}: {answer.key} {dict(answer.args)}")


_TOO_LATE = (
    "refusal.stale",
    "refusal.game_over",
    "refusal.not_asked",
    "refusal.fallen",
    "refusal.flag_due",
    "refusal.frozen",
    "refusal.paused",
)
"""Refusals of a command that came after its question had been closed, or while time, a claim or a
pause keeps everybody from answering: a bot waits for what follows."""


NONE_YET = -1
"""No record has this number: the bot has not asked what is on offer yet."""


class _Lapsed(Exception):
    """The question was closed, or another one came, while the bot thought."""


async def _asked(seat: Seat, takebacks: bool) -> None:
    """Wait until the seat is asked or the game has ended. Requests of others are declined
    meanwhile, or granted if they are for a takeback and `takebacks` says so."""
    watch: Watch = seat.watch
    answered = -1
    while not watch.ended:
        ask = watch.ask
        if ask is not None and ask.seat != seat.seat and ask.seq != answered:
            answered = ask.seq
            await seat.answer(takebacks and ask.kind == TAKEBACK)
        elif seat.is_asked:
            return
        else:
            await watch.wait()
