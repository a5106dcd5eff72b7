"""One function for each event class, registered where it is defined: a title's `evolve` and
`effects` look it up.

    after = ByEvent()

    @after(Moved)
    def _moved(state: State, event: Moved) -> State: ...

    _EVOLVE: Mapping[type[Any], Evolve] = joined(CHAPTERS, "after")

Reading closes the collection, so that nothing changes once a title has been put together.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType, ModuleType
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


class ByEvent(Mapping[type[Any], Callable[..., Any]]):
    """Functions, collected as they are defined, each under its event classes."""

    __slots__ = ("_closed", "_found")

    def __init__(self) -> None:
        self._found: dict[type[Any], Callable[..., Any]] = {}
        self._closed = False

    def __call__(self, *kinds: type[Any]) -> Callable[[F], F]:
        """Registers the decorated function under these event classes and returns it unchanged.

        Raises TypeError for a class that already has a function, and once they have been read.
        """

        def put(function: F) -> F:
            for kind in kinds:
                if self._closed or kind in self._found:
                    raise TypeError(
                        f"{kind.__name__} has its function already, or they have been read: "
                        f"{function.__qualname__}"
                    )
                self._found[kind] = function
            return function

        return put

    def unchanged(self, *kinds: type[Any]) -> None:
        """Registers events that leave everything as it is: they exist for the story. Raises as a
        call does."""
        self(*kinds)(_same)

    def __getitem__(self, kind: type[Any]) -> Callable[..., Any]:
        return self._found[kind]

    def __iter__(self) -> Iterator[type[Any]]:
        self._closed = True
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)


def _same(state: Any, event: Any) -> Any:
    return state


def joined(
    chapters: Iterable[ModuleType], name: str, own: Mapping[Any, Any] = MappingProxyType({})
) -> Mapping[Any, Any]:
    """The tables of this name of all chapters that have one, and the title's own, as one table.

    Raises TypeError for a key that two of them have.
    """
    found = dict(own)
    for chapter in chapters:
        for key, value in getattr(chapter, name, {}).items():
            if key in found:
                raise TypeError(f"{chapter.__name__}.{name}: there is {key} already")
            found[key] = value
    return MappingProxyType(found)
