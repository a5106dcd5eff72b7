"""What games of one title and pack have in common is kept only once: the initial state (with the
pack's data in it) and the codec.

States are frozen, and a later state shares all that it did not change with those before it. So a
thousand games with one pack hold its data once.
"""

from collections import OrderedDict
from functools import lru_cache
from typing import Any, Final, cast

from warledger.engine.kernel.table import Codec
from warledger.engine.kernel.types import Rules
from warledger.protocol import canon
from warledger.protocol.log.records import Genesis

STARTS_MAX: Final = 64
"""How many initial states are kept, for different packs and options."""


class SharedRules:
    """The rules of a title, with one initial state for all games of the same pack, version and
    options."""

    def __init__(self, rules: Rules[Any]) -> None:
        self.plain = rules
        # The members themselves, without a detour through __getattr__, since they are called for
        # every pick.
        for name in dir(rules):
            if not name.startswith("_") and name != "initial":
                setattr(self, name, getattr(rules, name))
        self._starts: OrderedDict[bytes, Any] = OrderedDict()

    def initial(self, genesis: Genesis) -> Any:
        """The title's own initial state, made once for each release, pack, options and seats."""
        key = canon.pack(
            (genesis.version, genesis.pack_digest, canon.ordered(genesis.options), genesis.seats)
        )
        state = self._starts.get(key)
        if state is None:
            state = self._starts[key] = self.plain.initial(genesis)
            while len(self._starts) > STARTS_MAX:
                self._starts.popitem(last=False)
        return state


def shared(rules: Rules[Any]) -> Rules[Any]:
    """The rules, with what games have in common kept once."""
    return rules if isinstance(rules, SharedRules) else cast("Rules[Any]", SharedRules(rules))


@lru_cache(maxsize=64)
def codec_of(events: tuple[type[Any], ...]) -> Codec:
    """The codec of a title's events."""
    return Codec(events)
