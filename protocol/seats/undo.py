"""How far a seat may freely take back, as a list that grows at its end and is kept for every record
without being copied.

A seat's commands add the record before each; going back cuts the list. Each entry knows the one
before it and one far before it (Myers' skew-binary jumps). So the lists of a whole game share their
parts, and a look-up takes few steps however long they are.
"""

from attrs import frozen


@frozen(slots=False, eq=False)
class Undo:
    """One list: its last record, who may take back, and the lists it grew from."""

    seat: str = ""
    last: int = 0
    length: int = 0
    before: "Undo | None" = None
    jump: "Undo | None" = None

    def after(self, seat: str, record: int) -> "Undo":
        """The list once a command of this seat stands after `record`: a new one unless it is the
        same seat's."""
        if self.seat != seat or not self.length:
            return Undo(seat, record, 1, NOTHING, NOTHING)
        far = self.jump
        assert far is not None
        farther = far.jump
        same = farther is not None and self.length - far.length == far.length - farther.length
        return Undo(seat, record, self.length + 1, self, farther if same else self)

    def reaches(self, seat: str, record: int) -> bool:
        """Whether this seat may freely go back to that record."""
        at: Undo | None = self
        if self.seat != seat:
            return False
        while at is not None and at.length and at.last > record:
            at = (
                at.jump
                if at.jump is not None and at.jump.length and at.jump.last >= record
                else at.before
            )
        return at is not None and at.length > 0 and at.last == record


NOTHING = Undo()
"""Nothing may be taken back."""
