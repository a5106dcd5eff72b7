"""One function for each event class, registered where it is defined: a title's `evolve` and
`effects` look it up.

    _after = ByEvent()

    @_after(Moved)
    def _moved(state: State, event: Moved) -> State: ...

    EVOLVE: Mapping[type[Any], Evolve] = _after.table()

`table` closes the collection, so that nothing changes once the module has been imported.
"""

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class ByEvent:
    """Functions, collected as they are defined, each under its event classes."""

    __slots__ = ("_closed", "_found")

    def __init__(self) -> None:
        self._found: dict[type[Any], Callable[..., Any]] = {}
        self._closed = False

    def __call__(self, *kinds: type[Any]) -> Callable[[F], F]:
        """Registers the decorated function under these event classes and returns it unchanged.

        Raises TypeError for a class that already has a function, and after the table has been made.
        """

        def put(function: F) -> F:
            for kind in kinds:
                if self._closed or kind in self._found:
                    raise TypeError(
                        f"{kind.__name__} has its function already, or the table is made: "
                        f"{function.__qualname__}"
                    )
                self._found[kind] = function
            return function

        return put

    def unchanged(self, *kinds: type[Any]) -> None:
        """Registers events that leave everything as it is: they exist for the story. Raises as a
        call does."""
        self(*kinds)(_same)

    def table(self) -> Mapping[type[Any], Callable[..., Any]]:
        """Event class -> its function. Nothing can be added afterwards."""
        self._closed = True
        return MappingProxyType(self._found)


def _same(state: Any, event: Any) -> Any:
    return state


def joined(chapters: Iterable[ModuleType], name: str) -> Mapping[Any, Any]:
    """The tables of this name of all chapters that have one, as one table.

    Raises TypeError for a key that two chapters have.
    """
    found: dict[Any, Any] = {}
    for chapter in chapters:
        for key, value in getattr(chapter, name, {}).items():
            if key in found:
                raise TypeError(f"{chapter.__name__}.{name}: another chapter has {key} already")
            found[key] = value
    return MappingProxyType(found)
