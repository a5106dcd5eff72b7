"""The players that can be chosen by name, on the command line and in self-play: ours, and those
that are installed beside Warledger.

A distribution brings a player by an entry point of the group `warledger.bots`: `NAME`, or
`NAME.TITLE` for a player of that title alone, which goes before one called `NAME`. The object is
called with the title and a seed. It returns a `Bot` for one seat of one game, or None for a title
that it does not play.
"""

from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final

from warledger.clients.bots.captains import MAKERS
from warledger.clients.bots.player import Bot, RandomBot

GROUP: Final = "warledger.bots"
RANDOM: Final = "random"
CAPTAIN: Final = "captain"


class NoSuchPlayer(ValueError):
    """A player's name that is not known for the title; the message names those that are."""


def installed() -> dict[str, EntryPoint]:
    """The players that other distributions bring, by the names of their entry points."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def names() -> tuple[str, ...]:
    """Every player that may be named: ours, then those installed beside them."""
    beside = {name.partition(".")[0] for name in installed()}
    return (RANDOM, CAPTAIN, *sorted(beside - {RANDOM, CAPTAIN}))


def bot_of(name: str, title: str, seed: int | str) -> Bot:
    """The player of that name for a title. Raises NoSuchPlayer for an unknown name, for a player
    that does not play the title, and for one that cannot be loaded."""
    if name == RANDOM:
        return RandomBot(seed)
    if name == CAPTAIN and title in MAKERS:
        return MAKERS[title](seed)
    beside = installed()
    entry = beside.get(f"{name}.{title}") or beside.get(name)
    if entry is not None:
        return _made(entry, title, seed)
    if name in names():
        raise NoSuchPlayer(
            f"there is no {name} for {title} yet; {RANDOM} plays every title"
            if name == CAPTAIN
            else f"{name} does not play {title}; {RANDOM} plays every title"
        )
    raise NoSuchPlayer(f"there is no player {name!r}; known are: {', '.join(names())}")


def _made(entry: EntryPoint, title: str, seed: int | str) -> Bot:
    """What an entry point makes. Whatever a stranger's code raises is said in one sentence."""
    name = entry.name
    try:
        bot: Any = entry.load()(title, seed)
    except Exception as error:
        raise NoSuchPlayer(
            f"the player {name} ({entry.value}) cannot be used: {type(error).__name__}: {error}"
        ) from error
    if bot is None:
        raise NoSuchPlayer(f"{name} does not play {title}; {RANDOM} plays every title")
    if not callable(getattr(bot, "choose", None)) or not isinstance(
        getattr(bot, "sees", None), bool
    ):
        raise NoSuchPlayer(
            f"the player {name} ({entry.value}) is not a Bot: it lacks `choose` or `sees`"
        )
    made: Bot = bot
    return made
