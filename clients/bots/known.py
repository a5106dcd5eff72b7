"""The players that can be chosen by name, on the command line and in self-play."""

from warledger.clients.bots.captains import MAKERS
from warledger.clients.bots.player import Bot, RandomBot


class NoSuchPlayer(ValueError):
    """A player's name that is not known for the title; the message names those that are."""


def bot_of(name: str, title: str, seed: int | str) -> Bot:
    """The player of that name for a title. Raises NoSuchPlayer for an unknown name."""
    if name == "random":
        return RandomBot(seed)
    if name == "captain":
        maker = MAKERS.get(title)
        if maker is not None:
            return maker(seed)
        raise NoSuchPlayer(f"there is no captain for {title} yet; random plays every title")
    raise NoSuchPlayer(f"there is no player {name!r}; known are: random, captain")


__all__ = ["NoSuchPlayer", "bot_of"]
