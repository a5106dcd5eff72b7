"""The output of a terminal client: with rich if possible, plain lines for screen readers and files.
Also the language in use."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.text import Text

from warledger.clients.describing import Described, described
from warledger.clients.link.errors import LinkError, ServerError
from warledger.clients.link.watch import Watch
from warledger.clients.terminal import picture, story
from warledger.clients.terminal.picture import Picture
from warledger.clients.terminal.visible import Console, line, visible
from warledger.clients.terms import terms_of
from warledger.protocol import lang
from warledger.protocol.board.choices import Say, say
from warledger.protocol.board.description import LIST, Description, names
from warledger.protocol.board.effects import Board
from warledger.protocol.texts.phrases import Phrases

_STYLES = {
    story.TURN: "bold cyan",
    story.PHASE: "bold",
    story.SENTENCE: "",
    story.DICE: "yellow",
    story.NOTICE: "italic dim",
}


class Screen:
    """One player's or spectator's screen. `plain` prints sentences only: no boxes, no colours, no
    pips."""

    def __init__(
        self, *, language: str = "en", plain: bool = False, console: Console | None = None
    ) -> None:
        self.plain = plain
        self.console = console or Console(no_color=plain or None)
        self._unbroken = plain or not self.console.is_terminal
        self.title = ""
        self._names: Mapping[str, str] = {}
        self.picture: Picture | None = None
        self.questions: tuple[str, ...] = ()
        self._told_of_table: list[tuple[str, Say]] = []
        self.spoken: Phrases = lang.phrases(language)

    def of_title(self, title: str) -> None:
        """From now on the screen uses the names of this title."""
        self._of(title, Described(Description(LIST)))

    def of_game(
        self, title: str, pack: Mapping[str, Any], options: Mapping[str, Any], told: Any = None
    ) -> None:
        """From now on the screen shows a game of this title with this pack and these options.
        `told` is the description that a server gave, where it was asked."""
        self._of(title, described(title, pack, options, told))

    def _of(self, title: str, found: Described) -> None:
        self.title = title
        self._names = names(found.told)
        self.questions = found.told.questions
        self.picture = picture.of(found.told, found.error)
        self.speak(self.spoken.language)

    def speak(self, language: str) -> None:
        """Change the language."""
        self.spoken = lang.phrases(language, self.title, self._names)

    def say(self, key: str, /, **args: Any) -> None:
        """A sentence of the catalogues."""
        self.write(self.spoken.text(key, **args))

    def write(self, text: str, style: str = "") -> None:
        """One line: characters that would break it or control the terminal are shown by their
        numbers."""
        self.console.print(
            Text(line(text), style="" if self.plain else style), soft_wrap=self._unbroken
        )

    def trouble(self, error: LinkError) -> None:
        """Reports what a server could not do, or how it was caught cheating."""
        said = error.say if isinstance(error, ServerError) else error.said
        if said is not None:
            self.write(self.spoken.say(said), "red")
        else:
            self.say("ui.server_error", what=str(error))

    def data(self, text: str) -> None:
        """Data for a program to read, lines and all, whatever the width of the terminal."""
        self.console.print(Text(visible(text)), soft_wrap=True)

    def about_table(self, watch: Watch, seat: str = "") -> None:
        """What the players of a game should know about it and about each other: the code to
        compare, the game's terms, who sits there with which account, and who signs nothing. What
        the screen has said of this game before it does not say again."""
        found: list[Say] = []
        if watch.table_code:
            key = "ui.table_code" if seat else "ui.table_code_watched"
            found.append(say(key, code=watch.table_code))
        elif seat and not watch.ended:
            found.append(say("ui.table_code_later"))
        if watch.genesis is not None:
            found += terms_of(watch.genesis)
        sitting = watch.acting.seats.items()
        found += [
            say("ui.sits", seat=name, name=one.name, account=one.account)
            for name, one in sitting
            if one.account
        ]
        if watch.acting.unsigned:
            found.append(say("ui.unsigned_seats", seats=watch.acting.unsigned))
        for one in found:
            if (watch.game, one) not in self._told_of_table:
                self._told_of_table.append((watch.game, one))
                self.write(self.spoken.say(one))

    def tell(self, lines: Iterable[story.Line]) -> None:
        """Lines of the story."""
        for told in lines:
            if self.plain:
                self.write(told.plain)
                continue
            if told.kind == story.TURN:
                self.console.rule(Text(line(told.text), style=_STYLES[told.kind]))
                continue
            text = Text("  " if told.kind in (story.SENTENCE, story.DICE) else "")
            text.append(line(told.text), style=_STYLES[told.kind])
            if told.rule:
                text.append(f"  [{line(told.rule)}]", style="dim")
            self.console.print(text, soft_wrap=self._unbroken)

    def board(self, board: Board, focus: str = "", lit: Sequence[str] = ()) -> None:
        """The board, or the part around a place; `lit` are places to highlight."""
        assert self.picture is not None
        if self.plain:
            for sentence in self.picture.describe(board, self.spoken, focus):
                self.write(sentence)
        else:
            self.console.print(
                self.picture.draw(board, self.spoken, self.console.width, focus, lit)
            )

    def front(self, board: Board) -> None:
        """The whole board, and in sentences where the sides meet."""
        assert self.picture is not None
        if not self.plain:
            self.console.print(self.picture.draw(board, self.spoken, self.console.width))
        for sentence in self.picture.front(board, self.spoken):
            self.write(sentence)

    def about(self, id: str, board: Board) -> None:
        """What is known about a piece or place; that nothing is, of one that is off the board or
        hidden."""
        assert self.picture is not None
        known = tuple(self.picture.about(id, board, self.spoken))
        for sentence in known:
            self.write(sentence)
        if not known:
            self.say("ui.about_nothing", id=id)
