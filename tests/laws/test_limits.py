"""All bounds stand in one module, and those of the page are the same."""

import re
from pathlib import Path

from warledger.protocol import limits

PAGE = Path(__file__).resolve().parents[2] / "clients" / "web" / "limits.js"


def test_the_page_has_the_bounds_of_the_protocol() -> None:
    """Each bound that the page names has the number that protocol/limits.py gives it."""
    named = re.findall(
        r"^export const ([A-Z_]+) = ([0-9_]+);", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(named) >= 7
    assert {name: int(number) for name, number in named} == {
        name: getattr(limits, name) for name, _ in named
    }


FOLDERS = (
    *("protocol", "engine/kernel", "engine/tournaments"),
    *("clients/audit", "clients/link", "clients/web"),
)


def test_no_other_module_has_a_bound_of_its_own() -> None:
    """Whatever protocol/limits.py names is defined there, and on the page in limits.js alone."""
    named = "|".join(name for name in vars(limits) if name.endswith("_MAX"))
    defines = re.compile(rf"^(?:export )?(?:const )?({named})(?:: Final)? = ", re.MULTILINE)
    for folder in FOLDERS:
        for file in (PAGE.parents[2] / folder).rglob("*.*"):
            if file.suffix in (".py", ".js") and file.stem != "limits":
                assert not defines.findall(file.read_text(encoding="utf-8")), file
