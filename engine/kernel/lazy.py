"""Choices that are enumerated only if they are needed: the door asks about one pick, a client wants
all of them.

Both answers must agree: `has(pick)` is true for exactly the ids that `every()` lists (the laws
check this over whole games).
"""

from collections.abc import Callable, Iterable

from warledger.engine.kernel.change import unguarded
from warledger.protocol.board.choices import Choices, Option, Pick


@unguarded
class Lazy:
    """A slot's offer that is worked out only as far as it is needed."""

    every: Callable[[], Iterable[Pick]]
    has: Callable[[Pick], bool]


class LazyChoices(Choices):
    """Choices whose options are listed on demand. Equal to another such value when slot, options
    and flags are equal."""

    __slots__ = ("_every", "_has", "_listed")

    # Set for the class, since every pick of every command makes such a value.
    span = None
    text = 0

    _every: Callable[[], Iterable[Pick]]
    _has: Callable[[Pick], bool]
    _listed: tuple[Option, ...] | None

    def __init__(
        self,
        slot: str,
        every: Callable[[], Iterable[Pick]],
        has: Callable[[Pick], bool],
        *,
        complete: bool = False,
        sealed: bool = False,
    ) -> None:
        put = object.__setattr__
        put(self, "slot", slot)
        put(self, "complete", complete)
        put(self, "sealed", sealed)
        put(self, "_every", every)
        put(self, "_has", has)
        put(self, "_listed", None)

    @property  # a frozen field is read like this, too
    def options(  # pyright: ignore[reportIncompatibleVariableOverride]
        self,
    ) -> tuple[Option, ...]:
        """The picks on offer."""
        listed = self._listed
        if listed is None:
            listed = tuple(Option(pick) for pick in self._every())
            object.__setattr__(self, "_listed", listed)
        return listed

    @property
    def is_end(self) -> bool:
        """Whether nothing more can be picked. Only the first pick needs to be worked out."""
        if self._listed is not None:
            return not self._listed
        return not any(True for _ in self._every())

    def offers(self, pick: Pick) -> bool:
        """Whether the pick may come next, without listing the others."""
        return self._has(pick)
