"""Whether a command has brought news: then only the others' consent, or a ruling, goes back over
it. Kernel and audit ask here, and nowhere else is it decided.
"""

from collections.abc import Iterable
from typing import Any

from warledger.protocol import canon
from warledger.protocol.board.effects import LEARN, VEIL, Effect
from warledger.protocol.chance.seal import holds_seal


def brings_news(
    seat: str,
    picks: Any,
    events: tuple[Any, ...],
    told: bytes | Iterable[Effect],
    *,
    chance: bool,
    seals: bool = True,
) -> bool:
    """Whether a command tells its seat something new. `chance`: it draws, opens something, or ends
    a turn for the first time. `told` are its effects, packed or not; `seals`: whether its record
    may hold a seal.

    Without chance it does so by hidden facts in its events or a veil, or since an effect says that
    the seat learns something. Hidden facts do not count where its own picks were hidden: the seat
    knew what it wrote in secret. What is hidden may be opened or not.

    Raises NotCanonical for bytes that are no list of effects.
    """
    if chance:
        return True
    open_picks = not (seals and holds_seal(picks))
    if seals and open_picks and holds_seal(events):
        return True
    effects: Any = told
    if type(told) is bytes:
        # Nearly all commands have neither effect, as a quick check of the bytes shows.
        if not (seals and _VEIL in told) and _LEARN not in told:
            return False
        effects = canon.unpack_trusted(told)
    learnt = (LEARN, seat)
    return any((effect[0] == VEIL and open_picks) or effect == learnt for effect in effects)


_VEIL, _LEARN = canon.pack(VEIL), canon.pack(LEARN)

__all__ = ["brings_news"]
