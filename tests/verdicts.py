"""What tests look at in a verdict, which nobody else takes apart."""

from warledger.clients.audit.report import Report
from warledger.clients.audit.verdict import Finding, Reservation
from warledger.protocol.board.choices import Say


def findings_of(report: Report) -> tuple[Finding, ...]:
    """What is wrong."""
    return report.verdict._findings


def is_clean(report: Report) -> bool:
    """Whether nothing is wrong, whatever is reserved."""
    return not report.verdict._findings


def reservations_of(report: Report) -> tuple[Reservation, ...]:
    """What keeps the file from being plain Sound."""
    return report.verdict._reservations


def notes_of(report: Report) -> tuple[Say, ...]:
    """What else an auditor should know."""
    return tuple(one.said for one in report.verdict._notes)


def remarks_of(report: Report) -> tuple[Say, ...]:
    """What the verdict's line names beside its word."""
    return tuple(one.said for one in report.verdict._remarks)
