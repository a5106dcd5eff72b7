"""`warledger bench`: every figure that the documentation promises, beside a raw floor measured in
the same run. The benchmarks are in ops/bench."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import click

ROOT = Path(__file__).resolve().parents[3]
PARTS = ("games", "server")


@click.command("bench")
@click.option(
    "--title", default="war_at_sea", show_default=True, help="The title whose games are measured."
)
@click.option(
    "--games",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Number of games between captains to measure.",
)
@click.option(
    "--only",
    type=click.Choice(PARTS),
    default=None,
    help="Measure only the logs and rules, or only the server.",
)
@click.option(
    "--growth",
    is_flag=True,
    help="Show how work grows with records and spectators instead: it is counted, not timed.",
)
@click.option("--quick", is_flag=True, help="Shorter runs of the server.")
@click.option(
    "--data",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="A folder on the disk to be measured.",
)
@click.option("--json", "machine", is_flag=True, help="Print machine-readable data.")
def bench_command(
    title: str,
    games: int,
    only: str | None,
    growth: bool,
    quick: bool,
    data: Path | None,
    machine: bool,
) -> None:
    """Measure this machine: logs, audits, offers, self-play, the server's commands and fan-out."""
    if not (ROOT / "ops" / "bench").is_dir():
        raise click.UsageError(
            "the benchmarks are part of the source: run this command from a checkout (ops/bench)"
        )
    if growth:
        arguments = ["--json"] if machine else []
        run = subprocess.run([sys.executable, "-m", "ops.bench.growth", *arguments], cwd=ROOT)
        sys.exit(run.returncode)
    from warledger.engine.games import NAMES

    if title not in NAMES:
        raise click.BadParameter(
            f"there is no title {title!r}; use {', '.join(NAMES)}", param_hint="--title"
        )
    found: dict[str, Any] = {}
    if only != "server":
        found["games"] = _games(title, games, quiet=machine)
    if only != "games":
        found["server"] = _server(data, quick=quick, quiet=machine)
    if machine:
        click.echo(json.dumps(found, ensure_ascii=False, indent=2))


def _games(title: str, games: int, *, quiet: bool) -> Any:
    figures = _measured("ops.bench.games", "--title", title, "--games", str(games))
    if not quiet:
        for figure in figures:
            floor = (
                "" if figure["floor"] is None else f"{figure['floor_is']}: {figure['floor']:,.1f}"
            )
            click.echo(
                f"{figure['name']:54} {figure['value']:12,.2f} {figure['unit']:10} "
                f"{figure['aim']:34} {floor}"
            )
    return figures


def _server(data: Path | None, *, quick: bool, quiet: bool) -> Any:
    with tempfile.TemporaryDirectory(dir=data) as folder:
        found = _measured(
            "ops.bench.server",
            "--data",
            folder,
            *(["--seconds", "3", "--subscribers", "200"] if quick else []),
        )
    if not quiet:
        for part, values in found.items():
            for name, value in values.items():
                click.echo(
                    f"{f'{part}: {name}':54} {value:12,.2f}"
                    if isinstance(value, float)
                    else f"{f'{part}: {name}':54} {value:>12}"
                )
    return found


def _measured(module: str, *arguments: str) -> Any:
    """What a benchmark, run in a process of its own, says as JSON on its last line."""
    run = subprocess.run(
        [sys.executable, "-m", module, "--json", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if run.returncode:
        raise click.ClickException(f"{module} failed:\n{run.stderr[-2000:]}")
    return json.loads(run.stdout.splitlines()[-1])
