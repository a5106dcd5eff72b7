"""The titles of the tests' servers, by themselves: a process that serves them loads little else."""

from collections.abc import Mapping

from tests.toys import counting
from warledger.engine.runtime.titles import Title

TITLES = {"counting": Title(counting.RULES, counting.PACK, bytes(32))}


def offer() -> Mapping[str, Title]:
    """They, for processes that make their own."""
    return TITLES
