"""What a player types stands for what is on offer: numbers, ids, names, beginnings of them."""

import pytest

from warledger.clients.terminal import words
from warledger.protocol.board.choices import Choices, offer
from warledger.protocol.lang import phrases

SPOKEN = phrases("en", "war_at_sea")
SHIPS = offer(
    "war_at_sea.ship",
    ("hood", "renown", "repulse", "royal_oak", "royal_sovereign", "queen_elizabeth"),
)


@pytest.mark.parametrize(
    ("typed", "pick", "used"),
    [
        ("1", "hood", 1),
        ("6", "queen_elizabeth", 1),
        ("hood", "hood", 1),
        ("HOOD renown", "hood", 1),
        ("ren", "renown", 1),
        ("royal oak", "royal_oak", 2),
        ("royal_oak", "royal_oak", 1),
        ("royal o", "royal_oak", 2),
        ("queen elizabeth hood", "queen_elizabeth", 2),
        ("elizabeth", "queen_elizabeth", 1),
        ("oak", "royal_oak", 1),
    ],
)
def test_words_stand_for_options(typed: str, pick: str, used: int) -> None:
    """A number, an id, a name of several words or a beginning that only one option has."""
    found = words.match(SHIPS, words.split(typed), SPOKEN)

    assert found == words.Match(pick, used)


@pytest.mark.parametrize(
    ("typed", "candidates"),
    [("re", ("renown", "repulse")), ("royal", ("royal_oak", "royal_sovereign"))],
)
def test_a_beginning_that_several_have_is_not_guessed(
    typed: str, candidates: tuple[str, ...]
) -> None:
    """The candidates are given back."""
    found = words.match(SHIPS, words.split(typed), SPOKEN)

    assert found is not None and found.pick is None and found.candidates == candidates


@pytest.mark.parametrize("typed", ["bismarck", "7", "0", "-1", "²"])
def test_what_is_not_on_offer_matches_nothing(typed: str) -> None:
    """Names of other things and numbers beyond the list."""
    assert words.match(SHIPS, (typed,), SPOKEN) is None


def test_a_number_on_offer_is_that_number() -> None:
    """Amounts mean themselves, hexes too, before places in the list."""
    amounts = Choices("points", span=(1, 4))
    hexes = offer("hex", ("2217", "2", "1"))

    assert words.match(amounts, ("3",), SPOKEN) == words.Match(3)
    assert words.match(amounts, ("5",), SPOKEN) is None
    assert words.match(hexes, ("2217",), SPOKEN) == words.Match("2217")
    assert words.match(hexes, ("2",), SPOKEN) == words.Match("2")
    assert words.match(hexes, ("3",), SPOKEN) == words.Match("1")


def test_chinese_names_are_matched() -> None:
    """Names of the language in use, by their beginning too."""
    chinese = phrases("zh-Hant", "war_at_sea")
    name = chinese.name("royal_oak")

    assert words.match(SHIPS, (name[:2],), chinese) is not None
    assert words.match(SHIPS, (name,), chinese) == words.Match("royal_oak")


NAMES = {
    "A28.10": ("a28 10",),
    "bdr9": ("9 bdr",),
    "ss12": ("12 ss hj i pz",),
    "ss12hq": ("hq 12 ss hj",),
    "hd44": ("44 hd",),
}


@pytest.mark.parametrize(
    ("typed", "pick", "used"),
    [
        ("9 Bdr A31.14", "bdr9", 2),
        ("12 SS HJ I Pz A24.12", "ss12", 5),
        ("12_SS_HJ_I_Pz", "ss12", 1),
        ("44hd", "hd44", 1),
        ("44 HD", "hd44", 2),
        ("ss hj", "", 2),
        ("hj i", "ss12", 2),
    ],
)
def test_names_of_several_words_are_found_whole(typed: str, pick: str, used: int) -> None:
    """A name that begins with a number, the same without its spaces, and words in its middle; the
    more words, the better."""
    found = words.find(NAMES, words.split(typed))

    assert found is not None and (found.pick or "", found.used) == (pick, used)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("503_FHH_Tgr", "503/FHH Tgr"),
        ("503/fhh tgr", "503/FHH Tgr"),
        ("ersekujvar", "Érsekújvár"),
        ("GYOR", "Győr"),
        ("Königsberg", "Königsberg"),
        ("Strasse", "Straße"),
        ("布达佩斯", "布达佩斯"),
    ],
)
def test_a_name_needs_no_strokes_and_no_accents(typed: str, name: str) -> None:
    """What a keyboard may lack is not asked for, and what is typed as it is written is found."""
    assert words.folded(typed) == words.folded(name)
    assert words.folded(typed) != words.folded(name[:-1])


def test_a_number_with_a_name_behind_it_is_no_place_in_the_list() -> None:
    """ "royal oak" in a game where it is called "2 royal oak" is not the second of the list."""
    ships = offer("war_at_sea.ship", ("hood", "renown", "2_royal_oak"))

    assert words.match(ships, ("2", "royal", "oak"), SPOKEN) == words.Match("2_royal_oak", 3)
    assert words.match(ships, ("2", "hood"), SPOKEN) == words.Match("renown", 1)
    assert words.match(ships, ("2", "3"), SPOKEN) == words.Match("renown", 1)


def test_an_amount_may_be_typed_with_its_unit() -> None:
    """4T is four tokens; it is not a place in a list."""
    amounts = Choices("points", span=(1, 4))

    assert words.match(amounts, ("4T",), SPOKEN) == words.Match(4)
    assert words.match(SHIPS, ("4T",), SPOKEN) is None
