"""`warledger demo --dispute`: a game with clocks on a server of its own, played to a claim. An
arbiter hears it, freezes the game and rules. The game goes on from where the ruling takes it back
to. Then its log is audited, and the claim becomes a case that is checked."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import trio
from attrs import define, field

from warledger import __version__
from warledger.clients.audit import case as cases
from warledger.clients.audit.audit import audit
from warledger.clients.audit.audit import installed as rulebook
from warledger.clients.bots.captains import MAKERS
from warledger.clients.bots.known import bot_of
from warledger.clients.bots.player import Bot, View, run_async
from warledger.clients.commands.demos.demo import leaves
from warledger.clients.commands.server.servercommands import exported
from warledger.clients.link import Link, Seat, Watch, connect, sit
from warledger.clients.link.watch import Seen
from warledger.clients.terminal import story
from warledger.clients.terminal.screen import Screen
from warledger.engine import registry
from warledger.engine.serve.app import Serving, serve
from warledger.engine.serve.config import Config
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Picks, Refusal, Say
from warledger.protocol.board.effects import SAY
from warledger.protocol.clocks.clockcontrol import PRESETS
from warledger.protocol.log import deskbodies, records
from warledger.protocol.wire import messages as m

ARBITER = "Ann"
BEFORE, AFTER = 24, 12
"""Commands before the claim, and after the ruling."""
GIVEN_MS = 60_000
"""What the ruling gives whoever claimed."""
PACE_S = 0.4


class Failed(Exception):
    """Something was refused that should not have been, or the other way round."""


@define
class Dispute:
    """What is played, and what has come of it."""

    screen: Screen
    title: str
    seed: int
    pace_s: float
    game: str = ""
    key: bytes = b""
    bots: dict[str, Bot] = field(factory=dict)
    commands: int = 0


def dispute(screen: Screen, *, title: str, fast: bool, seed: int, keep: Path | None) -> int:
    """Run it: 0 if every check passed, 1 if one failed, 2 for an unknown title."""
    if title not in registry.names():
        screen.say("error.unknown_title", title=title, known=registry.names())
        return 2
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        return _run(screen, keep, title, fast, seed, kept=True)
    with tempfile.TemporaryDirectory(prefix="warledger-demo-") as folder:
        return _run(screen, Path(folder), title, fast, seed, kept=False)


def _run(screen: Screen, folder: Path, title: str, fast: bool, seed: int, *, kept: bool) -> int:
    found = Dispute(screen, title, seed, 0.0 if fast else PACE_S)
    screen.of_title(title)
    screen.say("demo.dispute", title=title, seed=seed)
    failed = ""
    try:
        trio.run(_play, found, folder)
    except* (Failed, OSError) as group:
        failed = "; ".join(str(error) for error in leaves(group))
    if failed:
        screen.say("demo.failed", what=failed)
        return 1
    return _report(found, folder, kept=kept)


def _report(found: Dispute, folder: Path, *, kept: bool) -> int:
    """Audit the game, make a case of the claim, check it."""
    screen = found.screen
    made = exported(folder / "data", found.game, "arbiter")
    log, case = folder / f"{found.game}.wlog", folder / "case.zip"
    log.write_bytes(made)
    (folder / "server.pub").write_text(found.key.hex() + "\n", encoding="ascii")
    report, _ = audit(made, key=found.key, rulebook=rulebook())
    screen.say("demo.audit")
    for line in report.lines(screen.spoken):
        screen.write("  " + line)
    files = cases.build(made, 1, key=found.key, rulebook=rulebook(), release=__version__)
    case.write_bytes(cases.packed(files))
    checked = cases.check(case.read_bytes(), key=found.key, rulebook=rulebook())
    screen.say("cli.case.written", claim=1, file=str(case), bytes=case.stat().st_size, n=len(files))
    for name in checked.differing:
        screen.say("cli.case.differs", file=name)
    if not checked.differing:
        screen.say("cli.case.follows", claim=1)
    if kept:
        screen.say("demo.again", file=str(log))
    else:
        screen.say("demo.gone")
    return 1 if checked.differing else report.code()


async def _play(found: Dispute, folder: Path) -> None:
    config = Config(folder / "data", port=0, log_level="error")

    async def server(task_status: trio.TaskStatus[Serving]) -> None:
        await serve(config, signals=False, task_status=task_status)

    async with trio.open_nursery() as nursery:
        serving: Serving = await nursery.start(server)
        to = partial(connect, "127.0.0.1", serving.port)
        async with to(token=serving.token, name=ARBITER) as desk:
            terms = {"desk": ((ARBITER,), {"stop": "heard"})}
            clock = PRESETS["live"].as_terms()
            created = await desk.create(found.title, clock=clock, terms=terms)
            assert desk.welcome is not None
            found.game, found.key = created.game, desk.welcome.key
            tokens = dict(created.tokens)
            async with trio.open_nursery() as table:
                seats: dict[str, Seat] = {}
                gone, all_here = trio.Event(), trio.Event()

                def here(at: Seat) -> None:
                    seats[at.seat] = at
                    if len(seats) == len(tokens):
                        all_here.set()

                for seat in tokens:
                    receipts = folder / "receipts" / seat
                    link = partial(to, token=tokens[seat], name=f"Player {seat}", receipts=receipts)
                    table.start_soon(_sit, link, found.game, seat, here, gone)
                await table.start(_tell, found, to)
                await all_here.wait()
                await _argue(found, desk, seats)
                gone.set()
        nursery.cancel_scope.cancel()


async def _sit(
    link: Any, game: str, seat: str, here: Callable[[Seat], None], gone: trio.Event
) -> None:
    """Keep a seat until everything is over."""
    async with link() as line:
        at = await sit(line, game, seat, client="bot")
        here(at)
        await gone.wait()
        await at.finish()


async def _tell(
    found: Dispute, to: Any, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED
) -> None:
    """A spectator, who tells the story."""
    async with to(name="spectator") as link:
        watch: Watch = await link.watch(found.game)
        genesis = watch.genesis
        found.screen.of_game(genesis.title, canon.unpack_trusted(genesis.pack), genesis.options)
        task_status.started()
        async for seen in watch:
            found.screen.tell(story.tell(seen.record, seen.effects, found.screen.spoken))


async def _argue(found: Dispute, desk: Link, seats: Mapping[str, Seat]) -> None:
    """The game, the claim, the ruling, and the game again."""
    mover = await quarrel(found, desk, seats)
    await _moves(found, seats, AFTER)
    _expect(await seats[mover].resign(), allowed=True)


async def quarrel(found: Dispute, desk: Link, seats: Mapping[str, Seat]) -> str:
    """Some commands of a game, a claim, the freeze, and a ruling that takes back and gives time.
    Returns the seat whose command was disputed. Raises Failed."""
    screen, game = found.screen, found.game
    await _moves(found, seats, BEFORE)
    watch = next(iter(seats.values())).watch
    commands = [one.record for one in watch.seen if one.record.kind == records.COMMAND]
    back, disputed = commands[-2].seq, commands[-1]
    mover = records.id_of(disputed.actor)
    other = next(seat for seat in seats if seat != mover)
    screen.say("demo.dispute.claim", seat=other, seq=disputed.seq)
    clause = clause_of([one for one in watch.seen if one.record.seq <= disputed.seq])
    text = f"We had agreed to read {clause} together before this was decided, and it was not done."
    n, done = await seats[other].claim(disputed.seq, clause, text)
    _expect(done, allowed=True)
    await _together(seats)
    said = deskbodies.Said(n, "That is so. I sent it too early, and would choose again.")
    _expect(await seats[mover].about_claim(said), allowed=True)
    await _write(desk, game, deskbodies.Heard(n), deskbodies.Froze(n))
    await _together(seats)
    asked = next(seat for seat in seats if seats[seat].is_asked)
    refused = await seats[asked].offer_draw()
    _expect(refused, allowed=False)
    if isinstance(refused, Refusal):
        why = Say(refused.key, refused.args, refused.rule).as_array()
        screen.say("demo.dispute.frozen", seat=asked, why=why)
    offer = await desk.request(lambda k: m.ChoicesAt(k, game, mover, back, ()))
    if isinstance(offer, m.Refused):
        raise Failed(f"what {mover} was offered cannot be seen: {offer.refusal.key}")
    n_offered = len(offer.choices.options)
    screen.say("demo.dispute.look", seat=mover, seq=back, n=n_offered)
    ruling = deskbodies.Ruled(
        n,
        deskbodies.IN_PART,
        clause,
        f"Record {disputed.seq} follows {clause}: the rules allowed that choice, and nothing was "
        f"computed wrongly. Both players say that it was sent before they had read {clause} "
        "together, as they had agreed. So it is taken back and chosen again, with fresh dice, and "
        "the claimant gets a minute for the interruption.",
        ((deskbodies.BACK, back), (deskbodies.GIVE_TIME, other, GIVEN_MS)),
    )
    await _write(desk, game, ruling, deskbodies.Thawed(n))
    screen.say("demo.dispute.on", seq=back)
    return mover


def clause_of(seen: Sequence[Seen]) -> str:
    """The clause by which the newest of these records was decided: the first that its story cites,
    or, where it cites none, that of the newest record before it that does."""
    for one in reversed(seen):
        for effect in one.effects:
            if effect[0] == SAY and effect[3]:
                return str(effect[3])
    raise Failed("nothing in the game cites a clause that could be disputed")


async def _write(desk: Link, game: str, *bodies: deskbodies.Ruling) -> None:
    for body in bodies:
        _expect(await desk.rule(game, body.write()), allowed=True)


async def _moves(found: Dispute, seats: Mapping[str, Seat], wanted: int) -> None:
    """So many commands, one after the other."""
    until = found.commands + wanted
    while found.commands < until:
        await _together(seats)
        watch = next(iter(seats.values())).watch
        if watch.ended:
            raise Failed("the game was over before anybody could quarrel; take another --seed")
        asked = [one for one in seats.values() if one.is_asked]
        if not asked:
            await watch.wait()
        for seat in asked:
            if found.commands < until:
                await _move(found, seat)


async def _together(seats: Mapping[str, Seat]) -> None:
    """Wait until all seats have seen the same: who is asked next is not known before, and whoever
    waits for news that one of them has already had may wait for ever."""
    watches = [one.watch for one in seats.values()]
    while len({watch.last_seq for watch in watches}) > 1:
        newest = max(watch.last_seq for watch in watches)
        for watch in watches:
            await watch.reached(newest)


async def _move(found: Dispute, seat: Seat) -> None:
    """A command of a bot, if the seat is still asked."""
    genesis = seat.watch.genesis
    kind = "captain" if found.title in MAKERS else "random"
    bot = found.bots.get(seat.seat)
    if bot is None:
        bot = found.bots[seat.seat] = bot_of(kind, found.title, f"{found.seed} {seat.seat}")
    pack = canon.unpack_trusted(genesis.pack)
    view = View(seat.seat, genesis.title, genesis.seats, genesis.options, pack, seat.watch.board)
    decision = 0

    async def ask(picks: Picks) -> Choices:
        nonlocal decision
        offer = await seat.offer(picks)
        if isinstance(offer, Refusal):
            raise Failed(f"{seat.seat} is not asked: {offer.key}")
        decision = offer.decision
        return offer.choices

    picks = await run_async(bot, view, ask)
    await trio.sleep(found.pace_s)
    _expect(await seat.submit(picks, decision), allowed=True)
    found.commands += 1


def _expect(answer: object, *, allowed: bool) -> None:
    if isinstance(answer, Refusal) is allowed:
        what = answer.key if isinstance(answer, Refusal) else "something was accepted"
        raise Failed(f"the dispute went another way: {what}")
