"""`warledger tournament simulate`: a whole tournament with bots before the day, its games played in
process, and everything audited from the files that are left."""

import hashlib
import os
import random
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from nacl.signing import SigningKey

from warledger.clients.audit.audit import installed
from warledger.clients.audit.tournamentreplay import audit_tournament
from warledger.clients.audit.verdict import ALLOW_BY_HAND, ALLOW_DESK_LOTS, ALLOW_SELF_PLAY
from warledger.clients.bots.selfplay import Field, play
from warledger.clients.commands.tournament import desk as desks
from warledger.clients.commands.tournament.desk import CannotOpen
from warledger.clients.commands.tournament.lines import board_line
from warledger.clients.terminal.screen import Screen
from warledger.engine.desk import tournament as tournaments
from warledger.engine.desk.director import Director, Ended, Match
from warledger.engine.desk.papers import round_told
from warledger.engine.desk.titled import titled
from warledger.engine.desk.tournament import Tournament
from warledger.engine.packfiles import sources_digest
from warledger.engine.runtime.game.answers import Done, Failed
from warledger.engine.serve import serversecrets
from warledger.engine.store.port import GameExists
from warledger.engine.tournaments.systems import OPEN_ENDED, rounds_left
from warledger.protocol.board.choices import Choices, Picks, Refusal
from warledger.protocol.chance import dice
from warledger.protocol.log import chain, records, wlog
from warledger.protocol.log.bodies import End
from warledger.protocol.log.chain import sign_head
from warledger.protocol.log.records import END

ID = "simulated"
LADDER_ROUNDS = 6
"""So many rounds of a ladder that has no end are simulated."""


ALLOWED = (ALLOW_SELF_PLAY, ALLOW_BY_HAND, ALLOW_DESK_LOTS)
"""What is so in every simulation: bots of one program play, some boards get results by hand, and
the nonces come from here."""


class BotHall:
    """Games between bots, each played to its end at once and kept as a file."""

    def __init__(self, folder: Path, key: SigningKey, bot: str, seed: int) -> None:
        self.folder, self.key, self.bot, self.seed = folder, key, bot, seed
        self._fields: dict[str, Field] = {}

    def _file(self, game: str) -> Path:
        return self.folder / f"{game}.wlog"

    async def opened(self, match: Match) -> bytes | None:
        """Play the game, unless its file is there; the hash of its first record."""
        file = self._file(match.game)
        if not file.exists():
            field = self._fields.get(match.title)
            if field is None:
                field = self._fields[match.title] = Field.of(match.title)
            number = int.from_bytes(hashlib.sha256(match.game.encode()).digest()[:6], "big")
            made = play(
                field,
                seed=self.seed,
                index=number,
                players=(self.bot,),
                called={seat: name for seat, _, _, name in match.players},
                options=match.options,
                check=False,
                game=match.game,
                terms=match.terms,
                key=self.key,
            )
            unfinished = file.with_suffix(".new")
            unfinished.write_bytes(made.as_wlog())
            os.replace(unfinished, file)
        return records.read(wlog.parse(file.read_bytes()).records[0]).hash

    async def ended(self, game: str) -> Ended | None:
        """The end of a game, from its file."""
        file = self._file(game)
        if not file.exists():
            return None
        log = list(chain.follow(wlog.parse(file.read_bytes()).records, trusted=True))
        end = next(record for record in log if record.kind == END)
        head = sign_head(self.key, game, log[-1].seq, log[-1].hash)
        told = End.read(end.body)
        scores = tuple(points for _, points in told.scores)
        return Ended(head.seq, head.hash, head.signature, told.by, told.winner, scores)


async def simulate(
    file: Path, players: int, seed: int, bot: str, keep: Path | None, screen: Screen
) -> int:
    """Play a charter through with bots, and audit what is left. Exit code 1 if it is not sound."""
    checked = desks.read_charter(file, players)
    if checked.charter is None:
        return desks.check(file, screen, machine=False)
    for finding in checked.findings:
        screen.write(finding.text)
    screen.of_title(checked.charter.title)
    with ExitStack() as stack:
        folder = keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        games = folder / "games"
        games.mkdir(parents=True, exist_ok=True)
        async with desks.opened(folder) as desk:
            key = serversecrets.signing_key(folder, os.urandom)
            digest = sources_digest(("warledger.engine.tournaments",))
            try:
                charter = await desk.persons.announced(checked.charter)
                made = await tournaments.begin(
                    desk.store, desk.ambient, desk.signer, charter, ID, titled, digest
                )
            except GameExists as error:
                raise CannotOpen(f"{folder}: {error}; choose an empty folder") from error
            run = _Run(made, Director(made, BotHall(games, key, bot, seed)), seed, screen)
            fresh = desk.persons.fresh
            assert fresh is not None, "a desk gives ids itself"
            await run.enter(players, fresh)
            await run.play()
            data = await made.export()
        written = folder / f"{ID}.wlog"
        written.write_bytes(data)
        public = desk.signer.public
        report = audit_tournament(data, key=public, rulebook=installed(), games=games)
        for told in report.lines(screen.spoken, ALLOWED):
            screen.write(told)
        if keep is not None:
            screen.say("cli.tournament.kept", folder=str(keep), file=written.name)
        return report.code(ALLOWED)


class _Run:
    """A tournament that is played by bots."""

    def __init__(
        self, tournament: Tournament, director: Director, seed: int, screen: Screen
    ) -> None:
        self.tournament, self.director, self.screen = tournament, director, screen
        self.random = random.Random(seed)
        self.seed = seed
        self.directs = ""

    async def do(self, who: str, *picks: str | int) -> None:
        """An act that must not be refused."""
        answer = await self.tournament.submit(who, picks, seen=self.tournament.ledger.last.hash)
        if isinstance(answer, Refusal | Failed):
            said = answer.args if isinstance(answer, Refusal) else answer.say.args
            key = answer.key if isinstance(answer, Refusal) else answer.say.key
            raise CannotOpen(self.screen.spoken.text(key, **dict(said)))
        assert isinstance(answer, Done)

    def _nonce(self, number: int) -> bytes:
        return hashlib.sha256(f"{self.seed} nonce {number}".encode()).digest()

    def _hash(self, number: int) -> str:
        founding = self.tournament.at.founding.hash
        return dice.bound_nonce_hash(founding, f"e:{number}", self._nonce(number)).hex()

    async def enter(self, players: int, fresh: Callable[[], str]) -> None:
        """So many entrants, who commit to nonces."""
        id = fresh()
        self.directs = f"d:{id}"
        await self.do("server", "grant", "director", id, "director")
        for number in range(1, players + 1):
            rating = 1000 + 10 * self.random.randrange(100)
            name = f"Player {number}"
            await self.do(f"e:{number}", "enter", name, fresh(), rating, self._hash(number))

    async def play(self) -> None:
        """Every round of every stage, to the end."""
        while True:
            await self._round()
            at = self.tournament.at
            left = rounds_left(at)
            if left > 0 or (left == OPEN_ENDED and len(at.stage_pairings) < LADDER_ROUNDS):
                continue
            if at.stage + 1 == len(at.charter.stages):
                break
            await self.do(self.directs, "advance")
        await self.do(self.directs, "finish")

    async def _round(self) -> None:
        at = self.tournament.at
        for number, person in at.entrants.items():
            if not person.present or number not in (at.order or tuple(at.entrants)):
                continue
            if at.roster is None:
                await self.do(f"e:{number}", "commit", self._hash(number))
            await self.do(f"e:{number}", "check_in", number)
            if self.random.random() < 0.25:
                await self._try(number, ("volunteer", "challenge"))
        await self.do(self.directs, "pair")
        if self.tournament.at.waits:
            for number in self.tournament.at.missing:
                await self.do("server", "show", number, self._nonce(number).hex())
            await self.director.tend(self.tournament.at.at_ms)
        await self.do(self.directs, "publish")
        last = self.tournament.at.last
        assert last is not None
        while True:
            # Bids, words of an auction and choices; then sides are settled, games opened, and their
            # reports taken, until nothing is left to do.
            before = self.tournament.at.seq
            for board in last.boards:
                for number in board.entrants:
                    await self._try(number, ("bid", "wish", "accept", "offer", "choose"))
            trouble = await self.director.tend(self.tournament.at.at_ms)
            if trouble:
                raise CannotOpen(str(trouble[0]))
            if self.tournament.at.seq == before:
                break
        at = self.tournament.at
        assert at.last is not None
        done, names = round_told(at, at.last), {n: one.name for n, one in at.entrants.items()}
        self.screen.say("cli.tournament.simulated", round=done["round"], boards=len(done["boards"]))
        for board in done["boards"]:
            self.screen.write(board_line(self.screen.spoken, names, done, board))

    async def _try(self, number: int, verbs: tuple[str, ...]) -> None:
        """The first of these acts that is on offer to an entrant, with picks by chance. An offer in
        an auction is accepted half of the time."""
        for verb in verbs:
            if verb == "accept" and self.random.random() < 0.5:
                continue
            picks: Picks = (verb,)
            found = self.tournament.choices(f"e:{number}", picks)
            while isinstance(found, Choices) and not found.complete:
                if found.span is not None:
                    least, most = found.span
                    picks = (*picks, self.random.randint(least, min(most, least + 8)))
                else:
                    picks = (*picks, self.random.choice(found.options[:8]).id)
                found = self.tournament.choices(f"e:{number}", picks)
            if isinstance(found, Choices):
                await self.do(f"e:{number}", *picks)
                return
