"""What is played against a fleet and what is promised to whoever plays and watches: the same for
the simulated one (`fleetworld`) and for real servers (`tests/chaos`).

Players keep what they were told and send an act whose fate is unknown again byte for byte;
spectators come and go and resume where they broke off. Afterwards the checker compares what the
engine holds with everything that anybody was told.
"""

from __future__ import annotations

import random
from contextlib import suppress
from typing import Any

import trio
from attrs import define, field

from tests.serve.rig import HOST_TOKEN, Client, gapless
from tests.simulate.world import Acknowledged, _ask, _Gone, _hear, _Seat
from tests.toys import counting
from warledger.engine.kernel import replay
from warledger.engine.runtime.game.live import split
from warledger.engine.store.files.gamefile import encode_addition
from warledger.engine.store.fleet.publicstream import public_frames
from warledger.engine.store.port import FRAME_META, Frame
from warledger.protocol import canon
from warledger.protocol.log import chain
from warledger.protocol.seats import acts
from warledger.protocol.wire import messages as m

PATIENCE_SECONDS = 15.0
"""How long a client waits for an answer before it goes to another node."""


class Broken(AssertionError):
    """A promise that was not kept."""


@define(eq=False)
class Played:
    """Games with their players and spectators, over a fleet that whoever inherits this reaches.

    `patience` is how long a client waits for an answer before it goes to another node, `latest` how
    late a spectator may join, in seconds; `lacking` are games whose end was taken from the engine
    on purpose, and is not yet put back."""

    seed: int
    turns: int = 10
    host: str = HOST_TOKEN
    patience: float = PATIENCE_SECONDS
    latest: float = 40.0
    told: Acknowledged = field(factory=Acknowledged)
    unsaved: set[bytes] = field(factory=set)
    seen: dict[tuple[str, str, int], list[tuple[int, bytes, bytes]]] = field(factory=dict)
    ended: set[str] = field(factory=set)
    tokens: dict[str, dict[str, str]] = field(factory=dict)
    lacking: set[str] = field(factory=set)

    async def _client(self, token: str, rng: random.Random, *, watches: bool = False) -> Client:
        """A client, once somebody takes it; one that only watches may come to an edge."""
        raise NotImplementedError

    def _log_of(self, game: str) -> list[tuple[str, list[Frame]]]:
        """What the engine holds of a game, append by append, and who wrote it."""
        raise NotImplementedError

    def _public(self, game: str) -> bytes:
        """What the game's public stream holds."""
        raise NotImplementedError

    # --- clients ----------------------------------------------------------------------------------

    async def _new_game(self, rng: random.Random) -> str:
        while True:
            with suppress(_Gone):
                host = await self._client(self.host, rng)
                created = await _ask(host, m.CreateGame, "counting", {"turns": self.turns}, 0)
                if type(created) is m.Created:
                    self.tokens[created.game] = dict(created.tokens)
                    return str(created.game)
                if created.code == "bad_option":
                    raise Broken(str(created))
            await trio.sleep(0.5)

    async def _play(self, game: str, seat: str, rng: random.Random) -> None:
        """Play a seat to the end; an act whose fate is unknown is sent again byte for byte, at
        whatever node the player is then."""
        player = _Seat(game, seat, self.seed)
        while game not in self.ended:
            client = await self._client(self.tokens[game][seat], rng)
            with suppress(_Gone):
                while game not in self.ended:
                    with trio.move_on_after(self.patience) as late:
                        await self._turn(client, player, rng)
                    if late.cancelled_caught or rng.random() < 0.03:
                        break
            with trio.CancelScope(shield=False):
                await client.stream.aclose()

    async def _turn(self, client: Client, player: _Seat, rng: random.Random) -> None:
        await trio.sleep(rng.choice((0.02, rng.random() * 2)))
        if player.pending is None and not await self._next(client, player, rng):
            await trio.sleep(0.5)
            return
        await self._send(client, player)

    async def _head(self, client: Client, kind: Any, *fields: Any) -> Any:
        answer = await _ask(client, kind, *fields)
        if not hasattr(answer, "head"):
            raise _Gone
        return answer.head

    async def _next(self, client: Client, player: _Seat, rng: random.Random) -> bool:
        head = await self._head(client, m.Head, player.game)
        if player.hand is None:
            genesis = (await self._head(client, m.HeadOf, player.game, 0)).hash
            player.hand = acts.Hand(genesis, player.seat, player.key)
        if player.ceremony:
            player.pending = player.ceremony.pop()(player.hand, head.hash), None
            return True
        picks: tuple[Any, ...] = ()
        while True:
            found = await _ask(client, m.Choices, player.game, player.seat, picks)
            if type(found) is not m.ChoicesAre:
                if type(found) is m.Refused and found.refusal.key == "refusal.game_over":
                    self.ended.add(player.game)
                return False
            if found.choices.is_end:
                break
            offered = found.choices
            picks = (
                *picks,
                rng.randint(*offered.span) if offered.span else rng.choice(offered.options).id,
            )
        head = await self._head(client, m.Head, player.game)
        player.pending = player.command(head.hash, found.decision, picks)
        return True

    async def _send(self, client: Client, player: _Seat) -> None:
        assert player.pending is not None
        game, (act, private) = player.game, player.pending
        answer = await _ask(
            client, m.Act, game, act.seat, act.kind, act.key, act.n, act.seen, act.body,
            act.signature, private,
        )  # fmt: skip
        if type(answer) is m.Accepted:
            if act.hash in self.told.declined:
                raise Broken("an act that was declined stands")
            before = self.told.accepted.setdefault((game, act.hash), answer)
            if (before.seq, before.head.hash) != (answer.seq, answer.head.hash):
                raise Broken("one act became two")
            player.pending = None
        elif type(answer) is m.Error and answer.code == "not_saved":
            if private is not None:  # the player takes it at its word, and decides anew
                self.unsaved.add(act.hash)
                player.pending = None
        elif type(answer) is m.Declined:
            if (game, act.hash) in self.told.accepted:
                raise Broken("an act that stands was declined")
            self.told.declined[act.hash] = answer
            player.pending = None
            if act.kind == acts.NONCE and answer.refusal.key in (
                "refusal.nonce_early",
                "refusal.act_number",
                "refusal.seen_back",  # a node that was deposed told an older head
            ):
                player.ceremony.append(player.show_nonce)

    async def _watch(self, game: str, audience: str, number: int, rng: random.Random) -> None:
        """Follow a game, dropping the connection at random, resuming where it broke."""
        got = self.seen.setdefault((game, audience, number), [])
        await trio.sleep(rng.choice((0.0, rng.random() * self.latest)))  # some join late
        while True:
            client = await self._client(
                self.tokens[game].get(audience, ""), rng, watches=audience == "public"
            )
            client.records[game, audience] = got
            with suppress(_Gone), trio.move_on_after(rng.random() * 30):
                subscribed = await _ask(client, m.Subscribe, game, len(got) - 1, audience)
                has_gone = type(subscribed) is m.Error and subscribed.code == "no_such_record"
                if has_gone and game not in self.lacking:
                    raise Broken(f"{game}: a record that was shown has gone: {subscribed}")
                if type(subscribed) is not m.Subscribed:
                    raise _Gone
                while await _hear(client) is not None:
                    pass
            await client.stream.aclose()

    # --- afterwards -------------------------------------------------------------------------------

    def _check(self) -> None:
        for game in self.tokens:
            appends = self._log_of(game)
            frames = [one for _, some in appends for one in some]
            check_owners(game, appends)
            try:
                payloads, openings = split(frames)
                log = list(chain.follow(payloads))
                replayed = replay.fold(counting.RULES, log, openings)
            except Exception as error:
                raise Broken(f"{game} is not one chain: {error!r}") from error
            if replayed.position.outcome is None:
                raise Broken(f"{game} did not end")
            numbers: dict[bytes, list[int]] = {}
            for record in log[1:]:
                for act in acts.acts_of(log[0].hash, record):
                    numbers.setdefault(act.hash, []).append(record.seq)
            if any(len(found) > 1 for found in numbers.values()):
                raise Broken(f"{game}: an act stands twice")
            if numbers.keys() & self.told.declined.keys():
                raise Broken(f"{game}: an act that was declined stands")
            if numbers.keys() & self.unsaved:
                raise Broken(f"{game}: a command that was said not to be saved stands")
            for (name, act_hash), answer in self.told.accepted.items():
                if name == game and (
                    numbers.get(act_hash) != [answer.seq]
                    or log[answer.head.seq].hash != answer.head.hash
                ):
                    raise Broken(f"{game}: what was acknowledged as {answer.seq} is not there")
            for (name, audience, _), got in self.seen.items():
                if name == game and (not gapless(got) or [data for _, data, _ in got] != payloads):
                    raise Broken(f"{game}: {audience} saw {len(got)} of {len(payloads)} records")
            if self._public(game) != said_of(public_frames(frames)):
                raise Broken(f"{game}: the public stream is not the public part of the game")


def check_owners(game: str, appends: list[tuple[str, list[Frame]]]) -> None:
    """Every append was written by whoever claimed the game last before it, or claims it."""
    owner = ""
    for by, frames in appends:
        claimed = owner
        for frame in frames:
            if frame.kind == FRAME_META and (said := canon.unpack(frame.payload))[0] == "owner":
                claimed = said[1]
        if by not in (owner, claimed):
            raise Broken(f"{game}: {by} wrote while {owner} owned it")
        owner = claimed


def said_of(frames: list[Frame]) -> bytes:
    return b"".join(encode_addition([one], new_file=False).data for one in frames)
