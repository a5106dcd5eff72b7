"""What a seat does before it acts: it waits to be asked, and looks at offers."""

from attrs import frozen

from warledger.clients.link.errors import BadServer
from warledger.clients.link.link import Link
from warledger.clients.link.watch import Watch
from warledger.protocol.board.choices import Choices, Picks, Refusal, Say, say
from warledger.protocol.wire import messages
from warledger.protocol.wire.messages import ChoicesAre, PreviewIs, Refused


@frozen
class Offer:
    """What may be picked next, the question, and the decision that a command must name."""

    decision: int
    prompt: Say
    choices: Choices


class Asked:
    """A seat that is asked what it does."""

    def __init__(self, link: Link, watch: Watch, seat: str) -> None:
        self.link = link
        self.watch = watch
        self.seat = seat
        self.game = watch.game

    # --- being asked ------------------------------------------------------------------------------

    @property
    def is_asked(self) -> bool:
        """Whether the seat has an open decision, as far as has been seen."""
        return not self.watch.ended and self.seat in self.watch.board.awaits

    async def asked(self) -> bool:
        """Wait until the seat is asked; False when the game has ended."""
        while not self.is_asked:
            if self.watch.ended:
                return False
            await self.watch.wait()
        return True

    async def offer(self, picks: Picks = ()) -> Offer | Refusal:
        """What may follow these picks."""
        answer = await self.link.request(
            lambda number: messages.Choices(number, self.game, self.seat, picks)
        )
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, ChoicesAre)
        self._asked_by_the_log(answer)
        return Offer(answer.decision, answer.prompt, answer.choices)

    def _asked_by_the_log(self, shown: ChoicesAre) -> None:
        """Hold the question that the server shows to the log, as far as it is here. Raises
        BadServer, also as the watch's fault."""
        for seat, seq, key in self.watch.acting.awaits:
            if (seat, seq) == (self.seat, shown.decision) and key != shown.prompt.key:
                told = say("link.other_question", game=self.game, asked=key, shown=shown.prompt.key)
                error = BadServer(told)
                self.watch.fail(error)
                raise error

    async def preview(self, picks: Picks) -> tuple[Say, ...] | Refusal:
        """Odds, costs and chances beside these picks."""
        answer = await self.link.request(
            lambda number: messages.Preview(number, self.game, self.seat, picks)
        )
        if isinstance(answer, Refused):
            return answer.refusal
        assert isinstance(answer, PreviewIs)
        return answer.says
