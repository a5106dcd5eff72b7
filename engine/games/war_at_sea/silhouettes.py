"""Ship silhouettes by class, of our own drawing: paths in a box of 120 by 40, bow to the right,
waterline at 34.

They name no ship and copy no counter: a class is known by its turrets, funnels, deck and tower.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

BOX: Final = "0 0 120 40"

_BATTLESHIP = (
    "M3 25 14 26H100L117 22 111 34H10Z",
    "M86 26v-5h9l3 2v3zM94 21.4 107 20v1.5L94 23z",
    "M75 26v-9h10l3 2v7zM84 17.4 97 16v1.5L84 19z",
    "M57 26V14h2V8h3V3h1.6v5H67v6h5v12z",
    "M44 26 45.5 13h7L54 26z",
    "M34 26v-8h2.5v-7h1.3v7H42v8z",
    "M22 26v-8l3-1h8v9zM24 17.6 12 16.4v1.5L24 19.2z",
    "M11 26v-4l3-1h8v5zM13 21.6 1 20.4v1.5L13 23.2z",
)
_BATTLECRUISER = (
    "M2 26 12 27H102L118.5 23 112 34H8Z",
    "M90 27v-5h8l3 2v3zM97 22.4 108 21v1.4L97 24z",
    "M81 27v-9h8l3 2v7zM88 18.4 99 17v1.4L88 20z",
    "M67 27V16h2v-5h2V4h1.4v7H76v5h2v11z",
    "M55 27 56.3 15h6L63.5 27z",
    "M42 27 43.3 15h6L50.5 27z",
    "M31 27v-8h2v-8h1.3v8H38v8z",
    "M14 27v-5l3-1h8v6zM16 22.4 4 21.2v1.4L16 24z",
)
_CARRIER = (
    "M1 19H119V22H113L106 34H14L6 22H1Z",
    "M62 19v-8h3V4h1.4v7H70V7h7v12z",
    "M79 19v-4h5v4z",
    "M16 17.6h9l2-1.6v3h-11zM34 17.6h9l2-1.6v3H34z",
)
_CRUISER = (
    "M4 27 14 28H104L117 24.5 112 34H10Z",
    "M90 28v-4h7l2 1.6V28zM96 24.2 105 23v1.2L96 25.4z",
    "M82 28v-7h7l2 1.6V28zM88 21.2 97 20v1.2L88 22.4z",
    "M69 28V17h2v-5h1.3v5H77v11z",
    "M58 28 58.8 17h5L64.6 28z",
    "M46 28 46.8 17h5L52.6 28z",
    "M37 28v-6h1.6v-9h1.2v9H43v6z",
    "M24 28v-6l2-1h6v7zM26 21.6 17 20.4v1.2L26 22.8z",
    "M16 28v-3l2-1h6v4zM18 24.6 9 23.4v1.2L18 25.8z",
)
_POCKET_BATTLESHIP = (
    "M4 26.5 14 27.5H103L117 24 111 34H10Z",
    "M80 27.5v-7h11l3.5 2.4v4.6zM92 20.8 106 19.4v1.6L92 22.6z",
    "M62 27.5V13h2V7h1.8V2.5h1.4V7H69v6h3v14.5z",
    "M46 27.5 47.4 14h7.6l1.4 13.5z",
    "M35 27.5v-6h5v6z",
    "M17 27.5v-5l3.5-2H32v7zM20 20.8 6 19.4v1.6L20 22.6z",
)
_SUBMARINE = (
    "M3 28C20 24 92 23.5 117 25.5 112 32 24 34.5 8 32Z",
    "M50 25V15h5V7h1.3v8H60V9h1v6h6l4 10z",
    "M80 24.5v-2.6h4v2.6zM83 22.2 92 20.6v1.2L83 23.2z",
)
_CONVOY = (
    "M4 24H54L50 33H9ZM12 24v-7h8v7zM27 24v-6h7v-6h4v6h4v6zM22.5 24V10h1.2v14zM46 24V12h1.2v12z",
    "M64 24H116L111 33H69ZM72 24v-6h9v6zM86 24v-7h6v-6h4.5v6H101v7zM83 24V10h1.2v14zM106 "
    "24V11h1.2v13z",
)
_AIRCRAFT = (
    "M60 4C63 4 64 9 64 14L104 22V27L64 25 62.6 33 72 36V38.5H48V36L57.4 33 56 25 16 "
    "27V22L56 14C56 9 57 4 60 4Z",
    "M38 15.5h4V22h-4zM78 15.5h4V22h-4z",
)

CLASSES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "BB": _BATTLESHIP,
        "BC": _BATTLECRUISER,
        "CV": _CARRIER,
        "CA": _CRUISER,
        "PB": _POCKET_BATTLESHIP,
        "U": _SUBMARINE,
        "convoy": _CONVOY,
        "air": _AIRCRAFT,
    }
)
"""Class, as it stands on a counter, -> the paths of its silhouette."""


def symbol_id(kind: str) -> str:
    """The id of a class's silhouette in a sheet."""
    return f"ship-{kind.lower()}"
