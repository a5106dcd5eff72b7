"""The server's own tools on this machine: serve, titles, export, check, backup, pack check, selfplay. These import the engine.

Each returns its exit code: 0, 1 for a negative answer, 2 for wrong usage.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from clients.commands.online import as_json
from clients.terminal.screen import Screen
from protocol.choices import Say


def serve(
    screen: Screen,
    data: Path,
    tcp: str,
    tls_cert: Path | None,
    tls_key: Path | None,
    http: str | None = None,
    origins: tuple[str, ...] = (),
    page: Path | None = None,
    proxies: tuple[str, ...] = (),
    packs: tuple[str, ...] = (),
    workers: int = 1,
) -> int:
    """Run a server until it is told to stop."""
    import trio

    from engine.packfiles import BadPack
    from engine.runtime.titles import installed
    from engine.serve.app import serve as run_server
    from engine.serve.config import BadConfig, Config, address
    from engine.serve.workers import WorkerLost
    from engine.store.port import StoreError

    try:
        host, port = address(tcp)
        web = None if http is None else address(http, 8080)
        config = Config(data, host, port, tls_cert, tls_key, web, origins, page, proxies, workers)
        for pack in packs:
            if "=" not in pack:
                raise BadConfig(f"{pack!r} is no TITLE=DIR")
        offer = partial(installed, {title: Path(folder) for title, folder in (pack.split("=", 1) for pack in packs)})
        offered = offer()
    except (BadConfig, BadPack, OSError) as error:
        raise click.UsageError(str(error)) from error

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            serving = await nursery.start(partial(run_server, config, titles=offered, offer=offer))
            screen.say("cli.serving", addresses=tuple(f"{host}:{port}" for host, port in serving.addresses))
            if serving.web:
                screen.say("cli.web", addresses=tuple(web_address(*found, secure=tls_cert is not None) for found in serving.web))
            if serving.token_is_new:
                screen.say("cli.token_made", file=serving.token_file)
            else:
                screen.say("cli.token_kept", file=serving.token_file)

    failed = False
    try:
        trio.run(main)
    except* (BadConfig, StoreError, WorkerLost, OSError) as group:
        failed = True
        for failure in _leaves(group):
            screen.say("cli.serve_failed", what=str(failure))
    except* KeyboardInterrupt:
        pass
    if not failed:
        screen.say("cli.stopped")
    return 1 if failed else 0


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
    from engine.runtime.titles import installed

    return tuple(title.about for title in installed().values())


def exported(data: Path, game: str, audience: str = "") -> bytes:
    """A game's file from a data directory, also while a server runs on it.

    Raises BadExport, StoreError or CorruptLog; their messages say what is wrong.
    """
    from engine.runtime.export import BadExport, export_game
    from engine.store import datadir, shards
    from engine.store.port import UnknownGame

    if not datadir.check_marker(datadir.disk_of(data)):
        raise BadExport(f"there is no data directory at {data}")
    try:
        frames = shards.read_game(data, game)
    except UnknownGame:
        raise BadExport(f"there is no game {game} in {data}; there are: {', '.join(shards.all_games(data)) or 'none'}") from None
    return export_game(frames, audience or None)


def export(screen: Screen, game: str, data: Path, output: Path, audience: str, *, machine: bool) -> int:
    """Write a game's file."""
    from engine.runtime.export import BadExport
    from engine.store.port import StoreError
    from protocol import wlog
    from protocol.records import CorruptLog

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
        screen.write(as_json({"game": game, "file": str(output), "audience": audience or None, "records": count, "bytes": len(made)}))
    else:
        screen.say("cli.exported", game=game, file=str(output), records=count, bytes=len(made))
    return 0


def check(screen: Screen, data: Path, *, machine: bool) -> int:
    """Verify a data directory."""
    from engine.store.check import check as verify

    findings = verify(data)
    damaged = any(finding.damage for finding in findings)
    if machine:
        listed = [{"damage": f.damage, "place": f.place, "offset": f.offset, "what": f.what, "game": f.game} for f in findings]
        screen.write(as_json({"sound": not damaged, "findings": listed}))
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


def backup(screen: Screen, data: Path, dest: Path, *, machine: bool) -> int:
    """Copy a data directory."""
    from engine.store.backup import backup as copy
    from engine.store.port import DataDirError

    try:
        made = copy(data, dest)
    except DataDirError as error:
        screen.say("cli.backup_failed", what=str(error))
        return 1
    if machine:
        damaged = [str(item) for item in made.damaged]
        screen.write(as_json({"games": made.games, "bytes": made.byte_count, "damaged": damaged, "dest": str(dest)}))
    else:
        screen.say("cli.backed_up", games=made.games, bytes=made.byte_count, dest=str(dest))
        for item in made.damaged:
            screen.say("cli.damage", where=item.game, what=str(item))
    return 1 if made.damaged else 0


def rotate_key(screen: Screen, data: Path) -> int:
    """Give a server, which must not be running, another key."""
    from engine.runtime.ambient import SystemAmbient
    from engine.serve import keys
    from engine.serve.config import BadConfig
    from engine.store import datadir
    from engine.store.port import DataDirError

    try:
        let_go = datadir.lock(datadir.disk_of(data))
        try:
            public = keys.rotate(data, SystemAmbient().random_bytes)
        finally:
            let_go()
    except (BadConfig, DataDirError) as error:
        screen.say("cli.key_not_rotated", what=str(error))
        return 1
    screen.say("cli.key_rotated", key=public, file=str(data / keys.PUBLIC_KEY_FILE))
    return 0


def pack_check(screen: Screen, folder: Path, *, machine: bool) -> int:
    """Validate a pack."""
    import tomllib

    from engine.board.findings import ERROR
    from engine.board.packcheck import check as verify

    docs: dict[str, Any] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            docs[path.stem] = tomllib.loads(path.read_text(encoding="utf-8"), parse_float=str)
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            screen.say("cli.pack_unreadable", what=f"{path.name}: {error}")
            return 1
    findings = verify(docs)
    errors = sum(finding.severity == ERROR for finding in findings)
    if machine:
        listed = [{"severity": f.severity, "place": f.place, "problem": f.problem, "remedy": f.remedy} for f in findings]
        screen.write(as_json({"sound": not errors, "findings": listed}))
        return 1 if errors else 0
    for finding in findings:
        screen.write(finding.text)
    if errors:
        screen.say("cli.pack_bad", n=errors)
    else:
        screen.say("cli.pack_sound", folder=str(folder))
    return 1 if errors else 0


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
    """Play games in process and say what they came to."""
    from clients.bots.player import NoSuchPlayer
    from clients.bots.selfplay import Broken, play_many
    from engine.games import NAMES, rules_of
    from engine.kernel.rulings import BadOption

    if title not in NAMES:
        raise click.UsageError(f"there is no title {title}; there are: {', '.join(NAMES)}")
    seats = rules_of(title).seats
    if len(players) not in (1, len(seats)):
        raise click.UsageError(f"--players names one player for all, or one for each of {', '.join(seats)}; not {len(players)}")
    started = time.perf_counter()
    try:
        tally = play_many(title, games=games, seed=seed, players=players, options=options, out=out)
    except (NoSuchPlayer, BadOption) as error:
        raise click.UsageError(str(error)) from error
    except (Broken, OSError) as error:
        screen.say("cli.selfplay_broken", what=str(error))
        return 1
    seconds = time.perf_counter() - started
    screen.of_game(title, {})
    if machine:
        ends = [
            {"winner": winner, "reason": reason.key, **({"figures": dict(reason.args)} if reason.args else {}), "games": n}
            for (winner, reason), n in sorted(tally.outcomes.items(), key=str)
        ]
        told = {"title": title, "games": games, "commands": tally.commands, "events": tally.events, "seconds": round(seconds, 3)}
        screen.write(as_json({**told, "seed": seed, "players": list(players), "outcomes": ends}))
        return 0
    screen.say("cli.selfplay", games=games, commands=tally.commands, events=tally.events, seconds=f"{seconds:.1f}")
    for winner, reason, n in _by_reason(tally.outcomes):
        if winner:
            screen.say("cli.outcome_won", n=n, seat=winner, reason=reason.as_array())
        else:
            screen.say("cli.outcome_drawn", n=n, reason=reason.as_array())
    return 0


def _by_reason(outcomes: Mapping[tuple[str | None, Say], int]) -> Iterator[tuple[str | None, Say, int]]:
    """The outcomes of one winner and reason together, their figures as from the lowest to the highest."""
    alike: dict[tuple[str | None, str], list[tuple[Say, int]]] = {}
    for (winner, reason), n in outcomes.items():
        alike.setdefault((winner, reason.key), []).append((reason, n))
    for (winner, _), found in sorted(alike.items(), key=str):
        first = found[0][0]
        args = tuple((name, _range([dict(reason.args)[name] for reason, _ in found])) for name, _ in first.args)
        yield winner, Say(first.key, args, first.rule), sum(n for _, n in found)


def _range(values: Sequence[Any]) -> Any:
    distinct = sorted(set(values), key=lambda value: (str(type(value)), value))
    return distinct[0] if len(distinct) == 1 else f"{distinct[0]}–{distinct[-1]}"


__all__ = ["backup", "check", "export", "exported", "installed_titles", "pack_check", "selfplay", "serve"]
