"""All bounds stand in one module, and those of the page are the same."""

import re
from pathlib import Path

from warledger.protocol import limits

PAGE = Path(__file__).resolve().parents[2] / "clients" / "web" / "records" / "limits.js"


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
        for file in (PAGE.parents[3] / folder).rglob("*.*"):
            if file.suffix in (".py", ".js") and file.stem != "limits":
                assert not defines.findall(file.read_text(encoding="utf-8")), file


NO_BOUNDS = {
    "vectors.md": ("cut at 64",),
    "tournaments.md": ("a ≤ b, is 256", "the draw of 256"),
}
"""Numbers in the prose of the protocol's pages that only look like a bound."""


def test_the_pages_name_no_bound_but_in_their_table() -> None:
    """No bound of 64 or more stands as a number in the prose of a page beside bodies.md, which has
    the table of them, unless a program has written it there: what changes is changed once."""
    spelt = {
        form
        for name, bound in vars(limits).items()
        if name.endswith("_MAX") and bound >= 64 and name not in ("INT_MAX", "SIDES_MAX")
        for form in _spelt(bound)
    }
    number = re.compile(
        rf"(?<![\w.,^/-])(?:{'|'.join(map(re.escape, sorted(spelt, key=len, reverse=True)))})"
        r"(?![\w^]|[.,]\d)"
    )
    for page in (PAGE.parents[2] / "protocol").glob("*.md"):
        if page.name == "bodies.md":
            continue
        text = page.read_text(encoding="utf-8")
        for made in (r"(?s)<!-- [^>]*: made by .*?<!-- end -->", r"(?s)```.*?```", r"(?m)^    .*$"):
            text = re.sub(made, "", text)
        for other in NO_BOUNDS.get(page.name, ()):
            assert other in text, (page.name, other)
            text = text.replace(other, "")
        found = [text[max(0, one.start() - 40) : one.end() + 20] for one in number.finditer(text)]
        assert found == [], page.name


def _spelt(bound: int) -> tuple[str, ...]:
    """How prose writes a bound."""
    kibi = 1024
    return (
        *(str(bound), f"{bound:,}"),
        *((f"{bound // kibi} KiB",) if bound % kibi == 0 else ()),
        *((f"{bound // kibi**2} MiB",) if bound % kibi**2 == 0 else ()),
        *((f"{bound // 86_400_000} days",) if bound % 86_400_000 == 0 else ()),
    )
