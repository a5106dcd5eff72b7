"""What a finding, a reservation or a remark of an audit means, by its name: what was found, what it
shows, and what to do."""

import re
from collections.abc import Mapping
from typing import Final

from warledger.protocol.lang import catalogue
from warledger.protocol.texts.phrases import Phrases

FAMILIES: Final[Mapping[str, str]] = {
    "clock": r"acts\.clock\.",
    "arbiters": r"acts\.ruling\.",
    "boards": r"audit\.tournament\.(begun_|game_|not_|other_|reported_|signed$)",
    "lots": r"audit\.tournament\.(lot|nonce|roster|commits_late|wait_ended|epoch|link|commitment)",
    "ledger": r"audit\.tournament\.",
    "bytes": r"audit\.(damage|file|record|shape|no_records|header_format)",
    "chain": r"audit\.(previous|time|after_end|second_genesis)|acts\.after_whole",
    "server": r"audit\.(head|receipt|fork|other_key|signature|refused_stands)|acts\.rotation",
    "witness": r"audit\.witness",
    "dice": r"acts\.(draw|counter|epoch|link|end_links|hidden$)",
    "seals": r"audit\.(opening|veil|salt|readers|hidden_value)"
    r"|acts\.(seal_place|reveal|unopened|not_revealed|salts|digest_form|other_picks|picks_form)",
    "standing": r"acts\.(orders|old_orders|not_ordered)",
    "seats": r"acts\.(seat|no_seat|nonce|roster|replaced|too_many|key_|revoked|not_revocable)"
    r"|acts\.(proof|unsigned)|audit\.no_seat",
    "signatures": r"acts\.(signature|nobody$|unknown_key|number|seen|id_twice|who|actor)"
    r"|audit\.actor",
    "rules": r"audit\.(differs|refused|fault|missing|uncalled|undecided|option|pack|seats|term)"
    r"|acts\.terms",
    "course": r"acts\.|audit\.",
}
"""What findings are about: patterns of their names, of which the first that fits counts."""


class NoSuchName(LookupError):
    """Nothing that an audit says has this name."""


def family_of(name: str) -> str:
    """What a finding is about. Raises NoSuchName."""
    for family, pattern in FAMILIES.items():
        if re.match(pattern, name):
            return family
    raise NoSuchName(name)


def explained(name: str, phrases: Phrases) -> str:
    """A paragraph on a finding (`acts.counter`), a reservation or a remark (`no_head`). Raises
    NoSuchName."""
    for kind in ("reservation", "remark"):
        if f"audit.why.{kind}.{name}" in catalogue("en"):
            return phrases.text(f"audit.why.{kind}.{name}")
    if name not in catalogue("en") or not name.startswith(("acts.", "audit.")):
        raise NoSuchName(name)
    sentence = re.sub(r"\{([a-z_]+)[^{}]*\}", r"<\1>", catalogue(phrases.language)[name])
    meaning = phrases.text(f"audit.why.{family_of(name)}")
    return phrases.text("audit.why", name=name, sentence=sentence, meaning=meaning)
