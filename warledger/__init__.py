"""Warledger, a rules server for board wargames: all that a program of yours needs stands here.

**Bots and other clients** follow a game and play a seat over a connection, in trio:

    async with warledger.connect("localhost", 7470, token=token) as link:
        watch = await link.watch(game)
        async for seen in watch:
            print(seen.record.seq, seen.effects)

A bot is a `Bot`: `choose(view)` yields the picks after which it wants to see the choices, is sent
them, and returns a whole command. `RandomBot` shows how. `TitleEnv` is a title as an environment of
PettingZoo, for research (the extra `research`).

**Auditors** read a game's file and get a report; with the rules that are installed here every
command is decided again:

    report, evidence = warledger.audit(data, key=server_key, rulebook=warledger.installed())

`parse` reads a file's frames, `Record` and `Genesis` are what they hold. `protocol/file.md`
describes the format.

**Authors of titles** give the kernel a `Rules`: events, `Step`s, and `Command`s made of `Slot`s. A
`Rig` sets any position in a few lines and queues dice; `play` plays a whole random game.

Names are loaded when they are first used, so `import warledger` costs next to nothing. What is
listed here keeps its meaning between releases of the same major version; what is imported from
`warledger.engine`, `warledger.protocol` or `warledger.clients` directly may move.
"""

from importlib import import_module
from os.path import dirname, isfile, join
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from warledger.clients.audit.audit import Rulebook, audit, installed
    from warledger.clients.audit.evidence import Evidence
    from warledger.clients.audit.report import Report
    from warledger.clients.audit.verdict import Verdict
    from warledger.clients.bots.player import Bot, Exploration, RandomBot, View
    from warledger.clients.bots.research import TitleEnv
    from warledger.clients.link.errors import LinkError, ServerError
    from warledger.clients.link.link import Link, connect
    from warledger.clients.link.seat import Seat
    from warledger.clients.link.sitting import sit
    from warledger.clients.link.watch import Seen, Watch
    from warledger.engine.kernel.change import replace
    from warledger.engine.kernel.commands import Asking, Command, Free, Many, Pairs, Slot
    from warledger.engine.kernel.dispatch import ByEvent
    from warledger.engine.kernel.position import Frame, Position
    from warledger.engine.kernel.table import Table
    from warledger.engine.kernel.types import Fault, Outcome, Rules, Step, Switch, event
    from warledger.engine.testing.randomgames import play
    from warledger.engine.testing.rig import Rig
    from warledger.protocol.board.choices import (
        Choices,
        Decision,
        Option,
        Pick,
        Picks,
        Refusal,
        Say,
        offer,
        refuse,
        say,
    )
    from warledger.protocol.board.effects import Board, Effect
    from warledger.protocol.chance.seal import Secret
    from warledger.protocol.log.chain import Head
    from warledger.protocol.log.records import CorruptLog, Genesis, Record
    from warledger.protocol.log.wlog import CorruptFile, WlogFile, parse

__version__ = "0.1.0"

# In a checkout `engine`, `protocol` and `clients` stand beside this folder. They are imported from
# there, so that tracebacks name the files that git knows, and a copy without links works, too.
_root = dirname(dirname(__file__))
if isfile(join(_root, "pyproject.toml")):
    __path__.insert(0, _root)

_WHERE = {
    # To play and watch.
    "connect": "clients.link.link",
    "Link": "clients.link.link",
    "Watch": "clients.link.watch",
    "Seen": "clients.link.watch",
    "sit": "clients.link.sitting",
    "Seat": "clients.link.seat",
    "LinkError": "clients.link.errors",
    "ServerError": "clients.link.errors",
    "Bot": "clients.bots.player",
    "View": "clients.bots.player",
    "Exploration": "clients.bots.player",
    "RandomBot": "clients.bots.player",
    "TitleEnv": "clients.bots.research",
    "Board": "protocol.board.effects",
    "Choices": "protocol.board.choices",
    "Option": "protocol.board.choices",
    "Pick": "protocol.board.choices",
    "Picks": "protocol.board.choices",
    "Refusal": "protocol.board.choices",
    "Say": "protocol.board.choices",
    # To audit.
    "audit": "clients.audit.audit",
    "Rulebook": "clients.audit.audit",
    "installed": "clients.audit.audit",
    "Report": "clients.audit.report",
    "Verdict": "clients.audit.verdict",
    "Evidence": "clients.audit.evidence",
    "Head": "protocol.log.chain",
    "Record": "protocol.log.records",
    "Genesis": "protocol.log.records",
    "CorruptLog": "protocol.log.records",
    "WlogFile": "protocol.log.wlog",
    "parse": "protocol.log.wlog",
    "CorruptFile": "protocol.log.wlog",
    # To write a title.
    "Rules": "engine.kernel.types",
    "Step": "engine.kernel.types",
    "Switch": "engine.kernel.types",
    "Outcome": "engine.kernel.types",
    "Fault": "engine.kernel.types",
    "event": "engine.kernel.types",
    "Command": "engine.kernel.commands",
    "Slot": "engine.kernel.commands",
    "Many": "engine.kernel.commands",
    "Pairs": "engine.kernel.commands",
    "Free": "engine.kernel.commands",
    "Asking": "engine.kernel.commands",
    "Table": "engine.kernel.table",
    "Position": "engine.kernel.position",
    "Frame": "engine.kernel.position",
    "ByEvent": "engine.kernel.dispatch",
    "replace": "engine.kernel.change",
    "Decision": "protocol.board.choices",
    "offer": "protocol.board.choices",
    "refuse": "protocol.board.choices",
    "say": "protocol.board.choices",
    "Effect": "protocol.board.effects",
    "Secret": "protocol.chance.seal",
    "Rig": "engine.testing.rig",
    "play": "engine.testing.randomgames",
}
"""Where each name is defined. The imports above tell type checkers and editors the same."""


def __getattr__(name: str) -> Any:
    """A public name, loaded when it is first used."""
    where = _WHERE.get(name)
    if where is None:
        raise AttributeError(f"module 'warledger' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"warledger.{where}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_WHERE})


__all__ = [
    "__version__",
    "connect",
    "Link",
    "Watch",
    "Seen",
    "sit",
    "Seat",
    "LinkError",
    "ServerError",
    "Bot",
    "View",
    "Exploration",
    "RandomBot",
    "TitleEnv",
    "Board",
    "Choices",
    "Option",
    "Pick",
    "Picks",
    "Refusal",
    "Say",
    "audit",
    "Rulebook",
    "installed",
    "Report",
    "Verdict",
    "Evidence",
    "Head",
    "Record",
    "Genesis",
    "CorruptLog",
    "WlogFile",
    "parse",
    "CorruptFile",
    "Rules",
    "Step",
    "Switch",
    "Outcome",
    "Fault",
    "event",
    "Command",
    "Slot",
    "Many",
    "Pairs",
    "Free",
    "Asking",
    "Table",
    "Position",
    "Frame",
    "ByEvent",
    "replace",
    "Decision",
    "offer",
    "refuse",
    "say",
    "Effect",
    "Secret",
    "Rig",
    "play",
]
