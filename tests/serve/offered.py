"""The titles of the tests' servers, by themselves: a process that serves them loads little else."""

from tests.toys import counting
from warledger.engine.runtime.titles import Title

TITLES = {"counting": Title(counting.RULES, counting.PACK, bytes(32))}
