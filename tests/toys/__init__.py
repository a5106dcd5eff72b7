"""Tiny titles that fix the kernel's shapes, and that laws, servers, auditors and benchmarks are
tested with.

Whoever wants one of them loads that one: a process that plays `counting` needs no other.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.toys.every import ALTERNATIVES, PACKS, TOYS

__all__ = ["ALTERNATIVES", "PACKS", "TOYS"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        from tests.toys import every

        return getattr(every, name)
    raise AttributeError(name)
