"""Self-play gives the same bytes for the same seed, its files audit sound, and the captain beats
chance from each side."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.clients.games import captains_game, field_of
from tests.verdicts import is_clean
from warledger.clients.audit.audit import audit, installed
from warledger.clients.bots import known
from warledger.clients.bots.known import NoSuchPlayer, bot_of
from warledger.clients.bots.player import RandomBot, run
from warledger.clients.bots.seated import play_chosen
from warledger.clients.bots.selfplay import play, play_many
from warledger.clients.commands.play import online
from warledger.clients.terminal.screen import Screen
from warledger.protocol import canon
from warledger.protocol.board.choices import Choices, Picks, Refusal, offer
from warledger.protocol.log.records import Genesis
from warledger.protocol.seats.acting import Acting


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    """Two runs of a seed write identical files; another seed writes others."""
    for name, seed in (("a", 4), ("b", 4), ("c", 5)):
        play_many(
            "war_at_sea", games=2, seed=seed, players=("captain", "random"), out=tmp_path / name
        )
    files = {
        name: [path.read_bytes() for path in sorted((tmp_path / name).iterdir())] for name in "abc"
    }

    assert files["a"] == files["b"]
    assert len(set(files["a"]) | set(files["c"])) == 4


def test_self_play_signs_and_says_that_it_is_self_play() -> None:
    """Every act of a self-played game is signed, by keys of its own for each seat and game; the
    genesis and each seat say what it is."""
    one, other = (play(field_of("war_at_sea"), seed=6, index=index) for index in (0, 1))
    keys = []
    for played in (one, other):
        acting = Acting(Genesis.from_record(played.records[0]))
        wrong = [found for record in played.records for found in acting.take(record)]
        assert wrong == [] and acting.genesis.self_play
        assert [sitting.client for sitting in acting.seats.values()] == ["self-play", "self-play"]
        keys += [key for sitting in acting.seats.values() for key in sitting.keys]

    assert len(set(keys)) == 4 and all(keys)


def test_files_of_two_titles_with_one_seed_stand_side_by_side(tmp_path: Path) -> None:
    """A run of one title does not overwrite another title's files."""
    for title in ("war_at_sea", "typhoon"):
        play_many(title, games=1, seed=3, players=("random",), out=tmp_path)

    assert len(list(tmp_path.iterdir())) == 2


def test_a_run_never_overwrites_another_runs_files(tmp_path: Path) -> None:
    """The same run again leaves its files as they are; a run with other players stops at the first
    file that it would overwrite."""
    play_many("war_at_sea", games=1, seed=3, players=("random",), out=tmp_path)
    (file,) = tmp_path.iterdir()
    first = file.read_bytes()
    play_many("war_at_sea", games=1, seed=3, players=("random",), out=tmp_path)

    with pytest.raises(FileExistsError):
        play_many("war_at_sea", games=1, seed=3, players=("captain",), out=tmp_path)
    assert file.read_bytes() == first


def test_a_self_played_file_audits_sound() -> None:
    """Every record of a self-played game is decided again with the same result."""
    played = play(field_of("war_at_sea"), seed=6, players=("captain",))
    report, _ = audit(played.as_wlog(), key=played.key.verify_key.encode(), rulebook=installed())

    assert is_clean(report)


@pytest.mark.parametrize("players", [("captain", "random"), ("random", "captain")])
def test_the_captain_beats_chance(players: tuple[str, str]) -> None:
    """The captain wins at least 8 of 10 games from each side."""
    tally = play_many("war_at_sea", games=10, seed=11, players=players)

    assert tally.wins("allied" if players[0] == "captain" else "axis") >= 8


@pytest.mark.long
@pytest.mark.parametrize("players", [("captain", "random"), ("random", "captain")])
def test_the_captain_beats_chance_in_200_games(players: tuple[str, str]) -> None:
    """The captain wins at least 80 % of 200 games from each side."""
    tally = play_many("war_at_sea", games=200, seed=7, players=players)

    assert tally.wins("allied" if players[0] == "captain" else "axis") >= 160


@pytest.mark.parametrize(
    "options",
    [
        {"v18_2_hidden_allied_movement": True},
        {"opt_combat_order": "by_area", "v18_3_uboat_backlog": True},
    ],
)
@pytest.mark.parametrize("players", [("random",), ("captain",)])
def test_bots_play_the_variants(options: dict[str, object], players: tuple[str, ...]) -> None:
    """Both players finish games with variants in force, hidden movement included."""
    assert play_many("war_at_sea", games=2, seed=12, players=players, options=options).games == 2


def test_the_random_player_is_uniform() -> None:
    """Each of four picks comes about as often as the others."""
    bot = RandomBot(13)
    counts = dict.fromkeys("abcd", 0)

    def ask(picks: Picks) -> Choices:
        return offer("end", (), complete=True) if picks else offer("x", tuple(counts))

    for _ in range(4000):
        counts[str(run(bot, None, ask)[0])] += 1  # type: ignore[arg-type]
    assert all(850 < n < 1150 for n in counts.values()), counts


def test_an_unknown_player_is_refused_with_those_known() -> None:
    """The message names the players there are."""
    with pytest.raises(NoSuchPlayer, match="random, captain"):
        bot_of("admiral", "war_at_sea", 1)


def test_an_installed_player_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A distribution's entry points of the group `warledger.bots` bring players; one for a single
    title goes first, and one that is broken, no bot or not for the title is named in a sentence."""
    (tmp_path / "toy_admirals.py").write_text(
        "from warledger import RandomBot\n"
        "class Admiral(RandomBot): pass\n"
        "def admiral(title, seed): return Admiral(seed) if title != 'typhoon' else None\n"
        "def commodore(title, seed): return RandomBot(seed)\n"
        "def broken(title, seed): raise RuntimeError('aground')\n"
        "def thing(title, seed): return 5\n",
        encoding="utf-8",
    )
    about = tmp_path / "toy_admirals-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Name: toy-admirals\nVersion: 1\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(
        "[warledger.bots]\nadmiral = toy_admirals:admiral\n"
        "admiral.victory_lost = toy_admirals:commodore\nbroken = toy_admirals:broken\n"
        "gone = toy_admirals:gone\nthing = toy_admirals:thing\n"
        "captain.hill_112 = toy_admirals:commodore\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)

    assert known.names() == ("random", "captain", "admiral", "broken", "gone", "thing")
    assert type(bot_of("admiral", "war_at_sea", 1)).__name__ == "Admiral"
    assert type(bot_of("admiral", "victory_lost", 1)) is RandomBot
    assert type(bot_of("captain", "hill_112", 1)) is RandomBot
    assert play_many("war_at_sea", games=1, seed=4, players=("admiral",)).games == 1
    for name, what in (
        ("admiral", "admiral does not play typhoon"),
        ("broken", "RuntimeError: aground"),
        ("gone", "cannot be used"),
        ("thing", "is not a Bot"),
        ("pirate", "known are: random, captain, admiral"),
    ):
        with pytest.raises(NoSuchPlayer, match=what):
            bot_of(name, "typhoon", 1)


SIDES = ("axis", "soviet")


@pytest.mark.parametrize(("title", "seat"), [("victory_lost", "axis"), ("typhoon", "soviet")])
def test_the_captain_of_a_hex_title_beats_chance(title: str, seat: str) -> None:
    """A seeded game, from either side; the rules' invariants are checked after every command."""
    players = ("captain", "random") if seat == "axis" else ("random", "captain")

    assert play_many(title, games=1, seed=21, players=players).wins(seat) == 1


@pytest.mark.long
@pytest.mark.parametrize("title", ["victory_lost", "typhoon"])
@pytest.mark.parametrize("seat", SIDES)
def test_the_captain_of_a_hex_title_beats_chance_in_100_games(title: str, seat: str) -> None:
    """At least 80 of 100 games from each side."""
    players = ("captain", "random") if seat == "axis" else ("random", "captain")

    assert play_many(title, games=100, seed=1, players=players).wins(seat) >= 80


@pytest.mark.long
@pytest.mark.parametrize(
    ("title", "options"),
    [
        (
            "victory_lost",
            {
                "manstein_at_once": True,
                "chits_ahead": True,
                "first_chit": "any",
                "command_march": True,
            },
        ),
        (
            "typhoon",
            {
                "reserve_okh": True,
                "guards": True,
                "off_map_line": True,
                "guderian_dismissed": True,
                "chits_barred": True,
            },
        ),
    ],
)
def test_captains_play_the_options_of_the_hex_titles(
    title: str, options: dict[str, object]
) -> None:
    """A captains' game with the variants in force comes to its end."""
    assert play_many(title, games=1, seed=22, players=("captain",), options=options).games == 1


@pytest.mark.parametrize("title", ["victory_lost", pytest.param("typhoon", marks=pytest.mark.long)])
def test_a_captains_game_of_a_hex_title_audits_sound(title: str) -> None:
    """Every record of a captains' game is decided again with the same result."""
    played = captains_game(title)
    report, _ = audit(played.as_wlog(), key=played.key.verify_key.encode(), rulebook=installed())

    assert is_clean(report)


async def test_a_player_that_cannot_play_the_title_never_sits_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A captain for a title that has none is refused before the seat is taken."""

    class Looks:
        async def watch(self, game: str, audience: str) -> Any:
            return SimpleNamespace(genesis=SimpleNamespace(title="counting"))

    class There(online.Where):
        @asynccontextmanager
        async def link(self) -> AsyncIterator[Any]:
            yield Looks()

    monkeypatch.delattr(online, "sit")
    with pytest.raises(NoSuchPlayer):
        await online.bot(There(), Screen(), "g", "a", "captain", "1")


@pytest.mark.parametrize("key", ["fallen", "flag_due", "frozen", "paused"])
async def test_a_bot_whose_answer_comes_too_late_waits_for_what_follows(key: str) -> None:
    """Time, a claim or a pause keeps it from answering: it is no fault of the bot, which goes on
    when a record tells how the game goes on."""
    watch = SimpleNamespace(ended=False, last_seq=5, ask=None, board=None, waits=0)
    pack = canon.pack({})
    genesis = Genesis(2, "g", "counting", "1", b"", {}, ("a",), pack, b"", b"", b"", b"", b"")
    watch.genesis = genesis

    async def wait() -> None:
        watch.waits, watch.last_seq, watch.ended = watch.waits + 1, watch.last_seq + 1, True

    async def offered(picks: Picks) -> Any:
        return SimpleNamespace(decision=1, choices=Choices("x", complete=True))

    async def submit(picks: Picks, decision: int) -> Refusal:
        return Refusal("", f"refusal.{key}", ())

    async def choose(view: Any, ask: Any) -> Picks:
        await ask(())
        return ()

    async def answered(refusal: Refusal | None) -> bool:
        return False

    watch.wait = wait
    seat: Any = SimpleNamespace(watch=watch, seat="a", is_asked=True, offer=offered, submit=submit)
    bot: Any = SimpleNamespace(choose=choose, answered=answered)
    assert await play_chosen(seat, "late", bot) == 0
    assert watch.waits == 1


async def test_a_bot_does_not_mix_what_two_questions_offer() -> None:
    """Where another question comes between two looks at what is on offer, as after a cut, what was
    picked for the first is dropped, and the bot thinks anew when the record is there."""
    watch = SimpleNamespace(ended=False, last_seq=5, ask=None, board=None)
    pack = canon.pack({})
    watch.genesis = Genesis(2, "g", "counting", "1", b"", {}, ("a",), pack, b"", b"", b"", b"", b"")
    asked: list[Picks] = []
    sent: list[tuple[Picks, int]] = []

    async def wait() -> None:
        watch.last_seq = 7

    async def offered(picks: Picks) -> Any:
        asked.append(picks)
        return SimpleNamespace(decision=4 if len(asked) == 1 else 7, choices=Choices("x"))

    async def submit(picks: Picks, decision: int) -> None:
        sent.append((picks, decision))
        watch.ended = True

    async def choose(view: Any, ask: Any) -> Picks:
        await ask(())
        await ask(("one",))
        return ("one", watch.last_seq)

    async def answered(refusal: Refusal | None) -> bool:
        return False

    watch.wait = wait
    seat: Any = SimpleNamespace(watch=watch, seat="a", is_asked=True, offer=offered, submit=submit)
    bot: Any = SimpleNamespace(choose=choose, answered=answered)
    assert await play_chosen(seat, "late", bot) == 1
    assert sent == [(("one", 7), 7)]
    assert asked == [(), ("one",), (), ("one",)]
