"""What a log owes, compared with what the ledger wrote in one batch."""

from warledger.engine.testing.randomgames import Played
from warledger.protocol.board.choices import Say
from warledger.protocol.chance.drawing import Drawing
from warledger.protocol.log import records
from warledger.protocol.seats.acting import Acting


def owed_after_each(played: Played) -> list[Say | None]:
    """What is owed after each record of a game."""
    genesis = played.ledger.genesis
    acting, drawing = Acting(genesis), Drawing(genesis)
    found = []
    for record in played.records:
        drawing.take(record)
        acting.take(record)
        found.append(drawing.owed or acting.owed)
    return found


def assert_owed(played: Played) -> None:
    """Inside a batch the next record is owed, and behind one nothing is: whatever the ledger writes
    at once, and that alone, must follow at once."""
    for record, owed in zip(played.records, owed_after_each(played), strict=True):
        if record.kind in (records.END, records.REVEAL):
            continue  # what is hidden is opened in batches of its own
        behind = record.seq in played.positions or record.seq == 0
        assert (owed is None) == behind, (record.seq, record.kind, owed)
