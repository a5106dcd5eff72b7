"""What tournaments need to know of the titles that are installed."""

from functools import cache

from warledger.engine import packfiles
from warledger.engine.kernel.ledger import Keys, Ledger, genesis_record
from warledger.engine.kernel.types import Margined
from warledger.engine.registry import rules_of
from warledger.engine.tournaments.tournamentposition import Titled
from warledger.protocol.log.records import hash_of


@cache
def titled(title: str) -> Titled:
    """The seats of a title, the unit of its margins, its own pack, and its options' defaults. The
    title tells the unit for a game that is about to begin. Raises KeyError for a title that is not
    installed."""
    rules = rules_of(title)
    pack = packfiles.pack_bytes(packfiles.read_pack(title))
    digest = hash_of(pack)
    options = {switch.name: switch.default for switch in rules.switches}
    if not isinstance(rules, Margined):
        return Titled(rules.seats, 1, digest, options)
    nothing = bytes(32)
    genesis = genesis_record(
        rules,
        game="unit",
        options={},
        pack=pack,
        digest=nothing,
        keys=Keys(nothing, nothing, nothing),
        server_key=nothing,
        at_ms=0,
    )
    begun = Ledger(rules, genesis, Keys(nothing, nothing, nothing))
    return Titled(rules.seats, rules.margin(begun.position).points, digest, options)
