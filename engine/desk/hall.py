"""The server's own games as the place where a tournament is played."""

from attrs import define

from warledger.engine.desk import accounts
from warledger.engine.desk.director import Ended, Match
from warledger.engine.desk.people import NotDone, People
from warledger.engine.kernel.position import ENDED
from warledger.engine.runtime.game.actor import Game
from warledger.engine.runtime.game.answers import Failed
from warledger.engine.runtime.supervisor import Supervisor
from warledger.engine.store.port import FRAME_RECORD, StoreError
from warledger.protocol.log import records
from warledger.protocol.log.bodies import End


@define(eq=False)
class ServerHall:
    """Games of this process. Their ends are signed with `key`, which the charter's record names."""

    supervisor: Supervisor
    people: People
    key: bytes

    async def opened(self, match: Match) -> bytes | None:
        """Make a game, unless it is there, and give its seats to those of its players who have an
        account here. The others fetch theirs as entrants."""
        game = await self.supervisor.game(match.game)
        if isinstance(game, Failed):
            if game.code != "unknown_game":
                return None
            made = await self.supervisor.create(
                match.title,
                match.options,
                match.terms,
                id=match.game,
                bound=True,
            )
            if isinstance(made, Failed):
                return None
            game = made[0]
        for seat, _, account, _ in match.players:
            await self.seat_of(game, seat, account)
        return game.profile.genesis.hash

    async def seat_of(self, game: Game, seat: str, account: str) -> bool:
        """Keep a seat with the account of this id. Whether there is one."""
        people = self.people
        if not account or not people.are_there:
            return False
        digest = game.profile.tokens[seat]
        try:
            found = await people.look(lambda at: accounts.of_id(at, account))
            if found is None:
                return False
            await people.write(
                lambda at: accounts.keep_seat(at, people.world, account, game.id, seat, digest)
            )
        except NotDone:
            return False  # it has been logged; as an entrant they can still fetch the seat
        return True

    async def ended(self, game: str) -> Ended | None:
        """How a game ended, once nothing in it is hidden any more."""
        found = self.supervisor.games.get(game) or await self.supervisor.game(game)
        if isinstance(found, Failed) or found.quarantine:
            return None
        progress = found.profile.progress
        if progress.stage != ENDED or not progress.whole or progress.ended is None:
            return None
        store, seq = self.supervisor.store, progress.ended.seq
        try:
            frames = await self.supervisor.ambient.blocking(lambda: store.read(game, seq, 1))
        except StoreError:
            return None
        payload = next(frame.payload for frame in frames if frame.kind == FRAME_RECORD)
        told = End.read(records.read(payload, trusted=True).body)
        signer = self.supervisor.signer
        own = signer.of(self.key)
        head = (signer.head if own is None else own.sign)(game, progress.seq, progress.hash)
        points = tuple(score for _, score in told.scores)
        return Ended(head.seq, head.hash, head.signature, told.by, told.winner, points)
