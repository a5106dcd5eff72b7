"""A title that has read a clause twice, in three releases: `counting`, in which a six that is added
counts twelve, as it was read first, or six.

The first release knows no other reading. The second asks: its option `six` says what a six counts,
and games that do not name it go on with twelve. The third retires `six` for `six_doubles`, a yes or
no.
"""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from tests.toys import counting
from warledger.engine.kernel.position import Frame
from warledger.engine.kernel.rulings import in_force
from warledger.engine.kernel.table import Table
from warledger.engine.kernel.types import Picks, Seat, Step, Switch
from warledger.protocol.log.records import Genesis

PACK = counting.PACK
NOT_NAMED = 0


@frozen(slots=False)
class State(counting.State):
    """`six` is what a six counts."""

    six: int = 6


class Act(counting.Act):
    """One seat's act: adding a six adds what it counts."""

    def decide(self, table: Table[Any], frame: Frame, seat: Seat, picks: Picks) -> None:
        if picks == ("add", 6):
            picks = ("add", table.state.six)
        super().decide(table, frame, seat, picks)


class Reread(counting.Counting):
    """The rules of one release: those switches that it has beside the others."""

    title = "reread"
    steps: Mapping[str, Step[Any]] = {
        **counting.Counting.steps,
        "act_a": Act("a"),
        "act_b": Act("b"),
    }

    def __init__(self, *switches: Switch) -> None:
        self.switches = (Switch("turns", 1, (1, 2), "1"), *switches)

    def turns_most(self, pack: Mapping[str, Any], options: Mapping[str, Any]) -> int:
        """One for each turn."""
        return int(options["turns"])

    def initial(self, genesis: Genesis) -> State:
        """What a six counts: as the retired option says where it is named, else by the newer one,
        else as it was read first."""
        options = in_force(self.switches, genesis.options)
        doubled = 12 if options.get("six_doubles", True) else 6
        return State(options["turns"], six=options.get("six", NOT_NAMED) or doubled)


FIRST = Reread()
SECOND = Reread(Switch("six", 6, (6, 12), "2", before=12))
RULES = Reread(
    Switch("six", NOT_NAMED, (NOT_NAMED, 6, 12), "2", before=NOT_NAMED, retired=True),
    Switch("six_doubles", False, (False, True), "2", before=True),
)
