"""What can happen in combat (9.0). Tags and fields never change once released; losses and overruns stand in events.py."""

from engine.kernel.types import event

# --- 9.2 attacks


@event("attack")
class AttackDeclared:
    """9.2 Units attack a hex: total strengths after halving (9.3.1), places on the results table's ladder (9.3.2-9.3.5).

    `start` is the ratio's place before terrain, open above the last column; `shift` what terrain moves it (to the left below 0);
    `column` the index of the column that is used.
    """

    hex: str
    attackers: tuple[str, ...]
    defenders: tuple[str, ...]
    attack: int
    defence: int
    start: int
    shift: int
    column: int


@event("result")
class AttackResolved:
    """9.4.1 The die is rolled and the result read from the table."""

    die: int
    result: str
    attacker_losses: int
    defender_losses: int
    retreat: int


@event("battle_over")
class BattleOver:
    """9.2 The attack is over."""

    hex: str


# --- 9.5 retreat


@event("retreated")
class Retreated:
    """9.5 A unit, and the HQ that goes with it, has retreated along a path (its own hex first). `fell`: the unit does not survive the
    last hex (9.5.3)."""

    counters: tuple[str, ...]
    path: tuple[str, ...]
    fell: bool


@event("retreat_halts")
class RetreatInterrupted:
    """9.5.7 The retreat halts at an overrun HQ, to go on when it has been reset. `path` holds the hexes entered so far."""

    unit: str
    hq: str
    path: tuple[str, ...]


# --- 9.6 advance


@event("advanced")
class Advanced:
    """9.6 An attacker, and the HQ that goes with it, has advanced along a path (its own hex first)."""

    counters: tuple[str, ...]
    path: tuple[str, ...]


EVENTS = (AttackDeclared, AttackResolved, BattleOver, Retreated, RetreatInterrupted, Advanced)
