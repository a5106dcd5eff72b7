"""The server's own tools on this machine: serve, titles, export, check, backup, role, pack check,
selfplay. These import the engine.

Each returns its exit code: 0, 1 for a negative answer, 2 for wrong usage.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from warledger.clients.commands.play.online import as_json
from warledger.clients.terminal.screen import Screen
from warledger.protocol.audience import ARBITER
from warledger.protocol.board.choices import Say


def serve(screen: Screen, settings: Any, given: Mapping[str, Any]) -> int:
    """Run a server until it is asked to stop. `settings` are those of the file, `given` is what the
    flags say."""
    import trio

    from warledger.clients.bots.captains import MAKERS
    from warledger.engine.packfiles import UnusablePack
    from warledger.engine.registry import BadTitle
    from warledger.engine.runtime.titles import installed
    from warledger.engine.serve.app import Serving
    from warledger.engine.serve.app import serve as run_server
    from warledger.engine.serve.config import BadConfig
    from warledger.engine.serve.wire.certificate import CERTIFICATE_FILE
    from warledger.engine.store.port import StoreError

    house = dict.fromkeys(MAKERS, "captain") if given["practice"] else {}
    try:
        config = settings.config(given, house)
        offered = installed(config.packs)
    except (BadConfig, UnusablePack, BadTitle, OSError) as error:
        raise click.UsageError(str(error)) from error

    serving: Serving | None = None

    async def main() -> None:
        nonlocal serving
        async with trio.open_nursery() as nursery:
            serving = await nursery.start(partial(run_server, config, titles=offered))
            screen.say(
                "cli.serving", addresses=tuple(f"{host}:{port}" for host, port in serving.addresses)
            )
            health = serving.hub.supervisor.store.health()
            if health.damaged or health.held:
                screen.say(
                    "cli.games_closed",
                    n=len(health.damaged) + len(health.held),
                    data=str(config.data),
                )
            if serving.web:
                screen.say(
                    "cli.web",
                    addresses=tuple(
                        web_address(*found, secure=config.secure) for found in serving.web
                    ),
                )
            if serving.fingerprint:
                screen.say(
                    "cli.self_signed",
                    fingerprint=serving.fingerprint,
                    file=str(config.data / CERTIFICATE_FILE),
                )
            if config.edge:
                screen.say("cli.edge")
            elif serving.token_is_new:
                screen.say("cli.token_made", file=serving.token_file)
            else:
                screen.say("cli.token_kept", file=serving.token_file)

    failed = False
    try:
        trio.run(main)
    except* (BadConfig, StoreError, OSError) as group:
        failed = True
        for failure in _leaves(group):
            screen.say("cli.serve_failed", what=str(failure))
    except* KeyboardInterrupt:
        pass
    unsafe = serving.unsafe if serving is not None else ()
    for why in unsafe:
        screen.say("cli.stopped_unsafe", why=why, data=str(config.data))
    if not failed and not unsafe:
        screen.say("cli.stopped")
    return 1 if failed or unsafe else 0


def web_address(host: str, port: int, *, secure: bool = False) -> str:
    """What to type into a browser."""
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)
    return f"http{'s' if secure else ''}://{host}:{port}/"


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def installed_titles() -> tuple[dict[str, Any], ...]:
    """What this installation plays."""
    from warledger.engine.registry import BadTitle
    from warledger.engine.runtime.titles import installed

    try:
        return tuple(title.about for title in installed().values())
    except BadTitle as error:
        raise click.UsageError(str(error)) from error


def exported(data: Path, game: str, audience: str = "") -> bytes:
    """A game's file from a data directory, also while a server runs on it.

    Raises BadExport, StoreError or CorruptLog; their messages say what is wrong.
    """
    from warledger.engine.runtime.game.gameexport import BadExport, export_game
    from warledger.engine.store.files import datadir
    from warledger.engine.store.port import UnknownGame

    if not datadir.check_marker(datadir.disk_of(data)):
        raise BadExport(f"there is no data directory at {data}")
    try:
        frames = datadir.read_game(data, game)
    except UnknownGame:
        raise BadExport(
            f"there is no game {game} in {data}; there are: "
            f"{', '.join(datadir.all_games(data)) or 'none'}"
        ) from None
    return export_game(frames, audience or None)


def export(
    screen: Screen, game: str, data: Path, output: Path, audience: str, *, machine: bool
) -> int:
    """Write a game's file."""
    from warledger.engine.runtime.game.gameexport import BadExport
    from warledger.engine.store.port import StoreError
    from warledger.protocol.log import wlog
    from warledger.protocol.log.records import CorruptLog

    try:
        made = exported(data, game, audience)
        unfinished = output.with_name(output.name + ".part")
        unfinished.write_bytes(made)
        unfinished.replace(output)
    except BadExport as error:
        raise click.UsageError(str(error)) from error
    except (StoreError, CorruptLog, OSError) as error:
        screen.say("cli.export_failed", what=str(error))
        return 1
    count = len(wlog.parse(made, sealed=True).records)
    if machine:
        screen.data(
            as_json(
                {
                    "game": game,
                    "file": str(output),
                    "audience": audience or None,
                    "records": count,
                    "bytes": len(made),
                }
            )
        )
    else:
        screen.say("cli.exported", game=game, file=str(output), records=count, bytes=len(made))
    return 0


def check(screen: Screen, data: Path, *, machine: bool) -> int:
    """Verify a data directory."""
    from warledger.engine.store.files.check import check as verify

    findings = verify(data)
    damaged = any(finding.damage for finding in findings)
    if machine:
        listed = [
            {
                "damage": f.damage,
                "place": f.place,
                "offset": f.offset,
                "what": f.what,
                "game": f.game,
            }
            for f in findings
        ]
        screen.data(as_json({"sound": not damaged, "findings": listed}))
        return 1 if damaged else 0
    for finding in findings:
        where = finding.place if finding.offset is None else f"{finding.place} @{finding.offset}"
        if finding.damage:
            screen.say("cli.damage", where=where, what=finding.what)
        else:
            screen.say("cli.note", where=where, what=finding.what)
    if damaged:
        screen.say("cli.data_damaged", data=str(data))
    else:
        screen.say("cli.data_sound", data=str(data))
    return 1 if damaged else 0


def compress(screen: Screen, data: Path, *, undo: bool) -> int:
    """Compress the games that are over, or unpack them."""
    from warledger.engine.store.files.compress import compress as pack
    from warledger.engine.store.port import DataDirError

    try:
        done = pack(data, undo=undo)
    except DataDirError as error:
        screen.say("cli.compress_failed", what=str(error))
        return 1
    if undo:
        screen.say("cli.uncompressed", n=done.games)
    else:
        screen.say("cli.compressed", n=done.games, bytes=done.saved, all=done.packed)
    return 0


def reopen(screen: Screen, data: Path, games: Sequence[str]) -> int:
    """Reopen games that are held; all of them if none is named."""
    from warledger.engine.store.files import datadir, losses
    from warledger.engine.store.port import DataDirError

    freed: list[str] = []
    try:
        if not datadir.check_marker(datadir.disk_of(data)):
            raise click.UsageError(f"there is no data directory at {data}")
        for folder in datadir.stores(data):
            disk = datadir.disk_of(folder)
            freed += datadir.reopen(disk, games or sorted(losses.read(disk).held))
    except DataDirError as error:
        screen.say("cli.reopen_failed", what=str(error))
        return 1
    for game in freed:
        screen.say("cli.reopened", game=game)
    missing = [game for game in games if game not in freed]
    for game in missing:
        screen.say("cli.not_held", game=game)
    return 1 if missing else 0


def clock(screen: Screen, data: Path, *, right: bool) -> int:
    """Show what a server has stored about its time, or confirm that the clock is right."""
    from datetime import UTC, datetime

    from warledger.engine.runtime.clock.serverclock import Clock, system_wall_ms
    from warledger.engine.serve import clockcheck
    from warledger.engine.store.files import datadir
    from warledger.engine.store.port import DataDirError

    def told(ms: int) -> str:
        try:
            return datetime.fromtimestamp(ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        except (ValueError, OverflowError, OSError):
            return str(ms)

    try:
        if not datadir.check_marker(datadir.disk_of(data)):
            raise click.UsageError(f"there is no data directory at {data}")
        if right:
            clockcheck.confirm(data)
    except DataDirError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        screen.say("cli.clock_failed", what=str(error))
        return 1
    memory = clockcheck.remembered(data)
    now = told(system_wall_ms())
    sure = memory is None or (memory.doubt is None and Clock(memory=memory).sure)
    if right:
        screen.say("cli.clock_right", now=now)
    elif memory is None or sure:
        screen.say("cli.clock_sure", now=now)
    else:
        screen.say("cli.clock_doubt", now=now, known=told(memory.known_ms), data=str(data))
    return 0 if sure or right else 1


def backup(screen: Screen, data: Path, dest: Path, *, machine: bool) -> int:
    """Copy a data directory."""
    from warledger.engine.store.files.backup import backup as copy
    from warledger.engine.store.port import DataDirError

    try:
        made = copy(data, dest)
    except DataDirError as error:
        screen.say("cli.backup_failed", what=str(error))
        return 1
    if machine:
        damaged = [str(item) for item in made.damaged]
        screen.data(
            as_json(
                {
                    "games": made.games,
                    "bytes": made.byte_count,
                    "damaged": damaged,
                    "dest": str(dest),
                }
            )
        )
    else:
        screen.say("cli.backed_up", games=made.games, bytes=made.byte_count, dest=str(dest))
        for item in made.damaged:
            screen.say("cli.damage", where=item.game, what=str(item))
    return 1 if made.damaged else 0


def role_made(
    screen: Screen,
    data: Path,
    rows: tuple[tuple[str, str, str], ...],
    note: str,
    name: str = "",
    *,
    machine: bool,
) -> int:
    """Create a view-only token, for games and seats that exist."""
    from warledger.engine.runtime.ambient import SystemAmbient
    from warledger.engine.serve.people import viewtokens
    from warledger.engine.store.port import StoreError
    from warledger.protocol.log.records import CorruptLog

    try:
        _must_be_data(data)
        if rows[0][0] == ARBITER:
            _must_be_nobodys(data, name)
        for game in dict.fromkeys(game for _, game, _ in rows if game):
            seats = _seats(data, game)
            if seats is None:
                continue
            for _, of, seat in rows:
                if of == game and seat and seat not in seats:
                    raise viewtokens.BadGrants(
                        f"{game} has no seat {seat}; its seats are {', '.join(seats)}"
                    )
        made, token = viewtokens.make(data, SystemAmbient(), rows, note, name)
    except viewtokens.BadGrants as error:
        raise click.UsageError(str(error)) from error
    except (StoreError, CorruptLog) as error:
        screen.say("cli.failed", what=str(error))
        return 1
    if machine:
        screen.data(as_json({**_told_role(made), "token": token}))
    else:
        screen.say("cli.role_made", id=made.id, sees=_sees(made.rows), token=token)
    return 0


def roles(screen: Screen, data: Path, *, machine: bool) -> int:
    """List the view-only tokens."""
    from warledger.engine.serve.people import viewtokens

    try:
        _must_be_data(data)
        found = viewtokens.read(data)
    except viewtokens.BadGrants as error:
        screen.say("cli.failed", what=str(error))
        return 1
    if machine:
        screen.data(as_json([_told_role(grant) for grant in found]))
        return 0
    if not found:
        screen.say("cli.no_roles")
    for grant in found:
        made = time.strftime("%Y-%m-%d", time.gmtime(grant.made_ms // 1000))
        said = " · ".join(filter(None, (grant.name, grant.note)))
        screen.say("cli.role_line", id=grant.id, sees=_sees(grant.rows), made=made, note=said)
    return 0


def role_revoked(screen: Screen, data: Path, id: str, *, machine: bool) -> int:
    """Revoke a view-only token."""
    from warledger.engine.serve.people import viewtokens

    try:
        _must_be_data(data)
        gone = viewtokens.revoke(data, id)
    except viewtokens.BadGrants as error:
        screen.say("cli.failed", what=str(error))
        return 1
    if machine:
        screen.data(as_json(_told_role(gone)))
    else:
        screen.say("cli.role_revoked", id=gone.id, sees=_sees(gone.rows))
    return 0


def _told_role(grant: Any) -> dict[str, Any]:
    rows = [{"role": kind, "game": game, "seat": seat} for kind, game, seat in grant.rows]
    return {"id": grant.id, "roles": rows, "made_ms": grant.made_ms} | {
        "note": grant.note,
        "name": grant.name,
    }


def _sees(rows: Sequence[tuple[str, str, str]]) -> str:
    """Roles in one line: `arbiter *`, `arbiter GAME`, `caster GAME/SEAT, GAME/SEAT`."""
    return f"{rows[0][0]} " + ", ".join(
        f"{game}/{seat}" if seat else game or "*" for _, game, seat in rows
    )


def _must_be_data(data: Path) -> None:
    """Raises BadGrants if there is no data directory."""
    from warledger.engine.serve.people.viewtokens import BadGrants
    from warledger.engine.store.files import datadir

    if not datadir.check_marker(datadir.disk_of(data)):
        raise BadGrants(
            f"there is no data directory at {data}; a server makes it at its first start"
        )


def _must_be_nobodys(data: Path, name: str) -> None:
    """Raises BadGrants if an arbiter's name is empty, or somebody's handle: their account is
    granted the role, and no token."""
    from warledger.engine.desk import accounts, people
    from warledger.engine.desk.database import BadDatabase
    from warledger.engine.serve.people.viewtokens import BadGrants

    if not name:
        raise BadGrants("an arbiter needs a name; give one with --name")
    db = people.database(data)
    try:
        found = db.look(lambda at: accounts.named(at, name)) if db.is_there else None
    except BadDatabase as error:
        raise BadGrants(str(error)) from error
    finally:
        db.close()
    if found is not None:
        raise BadGrants(
            f"{found.handle} has an account, which can have the role itself: "
            f"warledger account roles {found.handle} --grant arbiter"
        )


def _seats(data: Path, game: str) -> tuple[str, ...] | None:
    """A game's seats; None on a node of a fleet, whose games are not in its data directory. Raises
    BadGrants if there is no game of that id, and StoreError or CorruptLog if it cannot be read."""
    from warledger.engine.serve.people.viewtokens import BadGrants
    from warledger.engine.store.files import datadir
    from warledger.engine.store.port import UnknownGame
    from warledger.protocol.log import records, wlog

    if not (data / datadir.WAL).exists():
        return None
    try:
        frames = datadir.read_game(data, game)
    except UnknownGame as error:
        raise BadGrants(f"{error} in {data}") from error
    first = next(frame.payload for frame in frames if frame.kind == wlog.FRAME_RECORD)
    return records.Genesis.from_record(records.read(first, trusted=True)).seats


def rotate_key(screen: Screen, data: Path) -> int:
    """Give a server, which must not be running, another key."""
    from warledger.engine.runtime.ambient import SystemAmbient
    from warledger.engine.serve import serversecrets
    from warledger.engine.serve.config import BadConfig
    from warledger.engine.store.files import datadir
    from warledger.engine.store.port import DataDirError

    try:
        let_go = datadir.lock(datadir.disk_of(data))
        try:
            public = serversecrets.rotate(data, SystemAmbient().random_bytes)
        finally:
            let_go()
    except (BadConfig, DataDirError) as error:
        screen.say("cli.key_not_rotated", what=str(error))
        return 1
    screen.say("cli.key_rotated", key=public, file=str(data / serversecrets.PUBLIC_KEY_FILE))
    return 0


def pack_check(screen: Screen, folder: Path, title: str = "", *, machine: bool) -> int:
    """Check a pack, as one of a title if that is named."""
    from warledger.engine import packcheck
    from warledger.engine.packfiles import UnusablePack, documents

    if title:
        rules_of(title)
    try:
        checked = packcheck.check(documents(folder), title)
    except UnusablePack as error:
        screen.say("cli.pack_unreadable", what=str(error))
        return 1
    findings, errors = checked.findings, checked.errors
    if machine:
        listed = [
            {
                "severity": f.severity,
                "place": f.place,
                "line": packcheck.line_of(folder, f) or None,
                "problem": f.problem,
                "remedy": f.remedy,
            }
            for f in findings
        ]
        family = checked.family.name if checked.family is not None else None
        told = {"sound": not errors, "title": checked.title or None, "family": family}
        screen.data(as_json({**told, "findings": listed}))
        return 1 if errors else 0
    for finding in findings:
        number = packcheck.line_of(folder, finding)
        screen.write(finding.told_at(number) if number else finding.text)
    if errors:
        screen.say("cli.pack_bad", n=errors)
    else:
        screen.say("cli.pack_sound", folder=str(folder))
    return 1 if errors else 0


def rules_of(title: str) -> Any:
    """The rules of a title. Raises UsageError for one that is not here or cannot be loaded."""
    from warledger.engine import registry

    try:
        return registry.rules_of(title)
    except KeyError:
        raise click.UsageError(
            f"there is no title {title}; there are: {', '.join(registry.names())}{_looked_in()}"
        ) from None
    except registry.BadTitle as error:
        raise click.UsageError(str(error)) from error


def _looked_in() -> str:
    """What an author whose title is not found has to know: which folders were searched."""
    from warledger.protocol import titlepath

    path = os.environ.get(titlepath.VARIABLE, "")
    return f" ({titlepath.VARIABLE} is {path or 'not set'})"


def selfplay(
    screen: Screen,
    title: str,
    games: int,
    seed: int,
    players: Sequence[str],
    options: Mapping[str, str],
    out: Path | None,
    *,
    machine: bool,
) -> int:
    """Play games in this process and report their outcomes."""
    from warledger.clients.bots.known import NoSuchPlayer
    from warledger.clients.bots.selfplay import Broken, play_many
    from warledger.engine.kernel.rulings import BadOption

    seats = rules_of(title).seats
    if len(players) not in (1, len(seats)):
        raise click.UsageError(
            f"--players names one player for all, or one for each of {', '.join(seats)}; "
            f"not {len(players)}"
        )
    started = time.perf_counter()
    try:
        tally = play_many(title, games=games, seed=seed, players=players, options=options, out=out)
    except (NoSuchPlayer, BadOption) as error:
        raise click.UsageError(str(error)) from error
    except Broken as error:
        screen.say("cli.selfplay_broken", what=str(error))
        return 1
    except FileExistsError as error:
        screen.say("cli.selfplay_occupied", file=str(error.filename))
        return 1
    except OSError as error:
        screen.say("cli.selfplay_unwritten", what=str(error))
        return 1
    seconds = time.perf_counter() - started
    screen.of_title(title)
    if machine:
        ends = [
            {
                "winner": winner,
                "reason": reason.key,
                "clause": reason.rule,
                **({"figures": dict(reason.args)} if reason.args else {}),
                "games": n,
            }
            for (winner, reason), n in sorted(tally.outcomes.items(), key=str)
        ]
        told = {
            "title": title,
            "games": games,
            "commands": tally.commands,
            "events": tally.events,
            "seconds": round(seconds, 3),
        }
        screen.data(as_json({**told, "seed": seed, "players": list(players), "outcomes": ends}))
        return 0
    screen.say(
        "cli.selfplay",
        games=games,
        commands=tally.commands,
        events=tally.events,
        seconds=f"{seconds:.1f}",
    )
    for winner, reason, n in _by_reason(tally.outcomes):
        key = "cli.outcome_won" if winner else "cli.outcome_drawn"
        who = {"seat": winner} if winner else {}
        sentence = screen.spoken.text(key, n=n, reason=reason.as_array(), **who)
        screen.write(screen.spoken.with_clause(sentence, reason.rule))
    return 0


def _by_reason(
    outcomes: Mapping[tuple[str | None, Say], int],
) -> Iterator[tuple[str | None, Say, int]]:
    """The outcomes with the same winner and reason as one, with their figures as ranges from the
    lowest to the highest."""
    alike: dict[tuple[str | None, str], list[tuple[Say, int]]] = {}
    for (winner, reason), n in outcomes.items():
        alike.setdefault((winner, reason.key), []).append((reason, n))
    for (winner, _), found in sorted(alike.items(), key=str):
        first = found[0][0]
        args = tuple(
            (name, _range([dict(reason.args)[name] for reason, _ in found]))
            for name, _ in first.args
        )
        yield winner, Say(first.key, args, first.rule), sum(n for _, n in found)


def _range(values: Sequence[Any]) -> Any:
    distinct = sorted(set(values), key=lambda value: (str(type(value)), value))
    return distinct[0] if len(distinct) == 1 else f"{distinct[0]}–{distinct[-1]}"
