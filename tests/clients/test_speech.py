"""Phrases: every kind of placeholder, lists, plurals, and what a hidden value shows."""

import pytest

from warledger.protocol.board.choices import Option, Say, refuse, say
from warledger.protocol.canon import Seal
from warledger.protocol.lang import language_of
from warledger.protocol.texts.phrases import Phrases, placeholders

ENGLISH = {
    "plural.one": "i = 1 and v = 0",
    "text.hidden": "(hidden)",
    "text.none": "none",
    "text.list.comma": ", ",
    "text.list.and": " and ",
    "text.cited": "{sentence} [{rule}]",
    "name.sea.hood": "Hood",
    "name.hood": "another Hood",
    "name.renown": "Renown",
    "pick.sail": "sail",
    "plain": "plain {{text}}",
    "number": "{n}",
    "names": "{ships:name}",
    "way": "{path:way}",
    "nested": "because {why:say}",
    "dice": "{d:dice}",
    "signed": "{n:signed}",
    "plural": "{n} {n:plural:ship|ships}",
    "one_form": "{n}{n:plural:艘}",
}


def spoken() -> Phrases:
    """A small language."""
    return Phrases(ENGLISH, title="sea", names={"bismarck": "Bismarck"})


@pytest.mark.parametrize(
    ("key", "args", "text"),
    [
        ("plain", {}, "plain {text}"),
        ("number", {"n": -3}, "−3"),
        ("number", {"n": None}, "–"),
        ("names", {"ships": "hood"}, "Hood"),
        ("names", {"ships": "bismarck"}, "Bismarck"),
        ("names", {"ships": "sail"}, "sail"),
        ("names", {"ships": "0912"}, "0912"),
        ("names", {"ships": ()}, "none"),
        ("names", {"ships": ("hood", "renown")}, "Hood and Renown"),
        ("names", {"ships": ("hood", "renown", "bismarck")}, "Hood, Renown and Bismarck"),
        ("names", {"ships": Seal(bytes(32))}, "(hidden)"),
        ("way", {"path": ("hood", "renown", "0912")}, "Hood → Renown → 0912"),
        ("way", {"path": ("hood",)}, "Hood"),
        ("way", {"path": "hood"}, "Hood"),
        ("way", {"path": ()}, "none"),
        ("nested", {"why": "plain"}, "because plain {text}"),
        ("nested", {"why": ("signed", (("n", 2),), "6.2")}, "because +2"),
        ("dice", {"d": (1, 6)}, "⚀ ⚅"),
        ("signed", {"n": 2}, "+2"),
        ("signed", {"n": -1}, "−1"),
        ("signed", {"n": 0}, "0"),
        ("plural", {"n": 1}, "1 ship"),
        ("plural", {"n": 2}, "2 ships"),
        ("plural", {"n": ("a", "b")}, "a and b ships"),
        ("one_form", {"n": 3}, "3艘"),
    ],
)
def test_placeholders(key: str, args: dict[str, object], text: str) -> None:
    """Each kind of placeholder with values as logs hold them."""
    assert spoken().text(key, **args) == text


def test_a_pick_with_a_name_is_never_shown_as_another() -> None:
    """A label stands for a pick that has no name of its own, and for no other: a server cannot show
    one pick and have another signed."""
    texts = {"pick.sea.done": "done", "pick.sea.deploy": "deploy"}
    at = Phrases(ENGLISH | texts, title="sea", names={"bismarck": "Bismarck"})
    lie = say("pick.sea.deploy")
    assert [at.option(Option(id, lie)) for id in ("done", "bismarck", 4, "group_1")] == [
        *("done", "Bismarck", "4"),
        "deploy",
    ]


def test_the_clause_is_cited() -> None:
    """A sentence that rests on a clause names it, one that rests on none does not."""
    assert spoken().cited(say("plain", "6.2")) == "plain {text} [6.2]"
    assert spoken().cited(refuse("9.1", "signed", n=1)) == "+1 [9.1]"
    assert spoken().cited(Say("plain")) == "plain {text}"


def test_a_sentence_that_quotes_itself_ends() -> None:
    """Nesting is cut off, whatever a server sends."""
    endless = Phrases({"loop": "x{why:say}"})
    value: object = "loop"
    for _ in range(10):
        value = ("loop", (("why", value),))

    assert endless.text("loop", why=value).count("x") <= 6


@pytest.mark.parametrize(
    "text", ["{", "{x", "{x:shout}", "{X}", "a } b", "{x:plural}", "{x:name:y}"]
)
def test_a_bad_placeholder_is_found(text: str) -> None:
    """What is no placeholder raises when catalogues are checked."""
    with pytest.raises(ValueError):
        placeholders(text)


@pytest.mark.parametrize(
    ("wanted", "language"),
    [
        ("en_GB.UTF-8", "en"),
        ("C.UTF-8", "en"),
        ("zh_CN.UTF-8", "zh-Hans"),
        ("zh-tw", "zh-Hant"),
        ("zh_HK", "zh-Hant"),
        ("繁體中文", "zh-Hant"),
        ("de_DE", None),
    ],
)
def test_languages_are_recognised(wanted: str, language: str | None) -> None:
    """Names as systems and people write them."""
    assert language_of(wanted) == language
