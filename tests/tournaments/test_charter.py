"""Charters: what a host writes becomes one, or is told what is wrong with it."""

import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.played import Played
from warledger.engine.tournaments import charterform, enough, presets
from warledger.engine.tournaments.charter import Points
from warledger.engine.tournaments.charterform import BadCharter, Playable
from warledger.protocol import canon
from warledger.protocol.board.choices import Refusal
from warledger.protocol.board.findings import ERROR, WARNING
from warledger.protocol.clocks.clockcontrol import PRESETS as PACES

TITLES = {
    "war_at_sea": Playable(
        ("allies", "axis"), {"opt_order": ("by_type", "free"), "opt_raid": (0, 1)}
    ),
    "three": Playable(("a", "b", "c")),
    "scoreless": Playable(("white", "black"), scored=False),
}
PLAIN: dict[str, Any] = {
    "name": "Atlantic Open",
    "title": "war_at_sea",
    "stage": [{"system": "record", "rounds": 5}],
}

WHOLE = """
name = "Atlantic Open"
title = "war_at_sea"
options = { opt_order = "by_type" }
preset = "wbc-swiss"
[[stage]]
system = "record"
rounds = 4
points = { win = 10, close_win = 8, draw = 5, close_loss = 2, loss = 0, close = 1.5, bye = 5 }
tiebreaks = ["direct", "sos_pooled", "games", "wins", "wins:axis", "lots"]
advance = { most = 8, least = 6 }
[[stage]]
system = "knockout"
seeds = "standings"
tie = "axis"
[sides]
by = "bid"
bid = { mode = "sealed", price = "other", step = 1, most = 20 }
[clock]
bank = "1h30m"
turn = "5m"
[late]
until_round = 2
[absence]
check_in_minutes = 15
no_show_minutes = 20
[spectators]
delay_s = 300
[appeals]
committee = ["ada", "ben", "cyd"]
minutes = 30
"""


def problems(doc: Any, severity: str = ERROR) -> dict[str, str]:
    """Place -> problem of what is found in a document."""
    return {
        one.place: one.problem
        for one in charterform.read(doc, TITLES).findings
        if one.severity == severity
    }


def test_a_whole_charter_is_read() -> None:
    """A charter with every usual table is read without findings, with values in their units."""
    checked = charterform.read(tomllib.loads(WHOLE, parse_float=str), TITLES)

    assert checked.findings == () and checked.charter is not None
    first, second = checked.charter.stages
    assert (first.rounds, first.points.close, first.points.forfeit_win) == (4, 3, 9)
    assert (second.system, second.tie, second.points.win) == ("knockout", "axis", 10)
    assert checked.charter.sides.bid.price == "other"
    assert (checked.charter.clock["bank"], checked.charter.clock["cap"]) == (5_400_000, 2_400_000)
    assert checked.charter.played_in(3) == ("war_at_sea", {"opt_order": "by_type"})


def test_points_that_are_not_written_follow_those_that_are() -> None:
    """Whoever writes what a win brings need not write each bye and forfeit too: they are worth
    wins, draws and losses of this charter, not of chess. What is written stands."""

    def points(**given: int) -> Points:
        doc = {**PLAIN, "stage": [{"system": "record", "rounds": 5, "points": given}]}
        charter = charterform.read(doc).charter
        assert charter is not None
        return charter.stages[0].points

    assert points() == Points()
    ten = points(win=10, loss=2)
    assert (ten.close_win, ten.draw, ten.close_loss) == (10, 6, 2)
    assert (ten.bye, ten.full_bye, ten.half_bye, ten.forfeit_win) == (10, 10, 6, 10)
    assert (ten.zero_bye, ten.forfeit_loss) == (0, 0)
    own = points(win=3, draw=1, bye=2, forfeit_win=2)
    assert (own.bye, own.full_bye, own.half_bye, own.forfeit_win) == (2, 3, 1, 2)


@pytest.mark.parametrize("name", presets.PRESETS)
def test_presets_need_only_a_name_and_a_title(name: str) -> None:
    """Every preset is a charter without findings once it has a name and a title."""
    checked = charterform.read({"name": "Cup", "title": "war_at_sea", "preset": name}, TITLES)

    assert checked.findings == () and checked.charter is not None


@pytest.mark.parametrize("name", presets.PRESETS)
def test_settings_are_the_charter(name: str) -> None:
    """The settings of record 0 survive packing and give the same charter, without the preset."""
    charter = charterform.read({"name": "Cup", "title": "war_at_sea", "preset": name}).charter
    assert charter is not None
    settings = charter.settings()

    again = canon.unpack(canon.pack(settings))

    assert again == settings and "preset" not in settings
    assert charterform.of_settings(again) == charter


def test_settings_must_be_canonical() -> None:
    """Settings that leave a default out, or are wrong, are refused as record 0."""
    charter = charterform.read(PLAIN).charter
    assert charter is not None
    short = {key: value for key, value in charter.settings().items() if key != "late"}

    with pytest.raises(BadCharter, match="canonical"):
        charterform.of_settings(short)
    with pytest.raises(BadCharter, match="stage"):
        charterform.of_settings({**charter.settings(), "stage": ()})


def test_what_a_host_writes_goes_over_the_preset() -> None:
    """Tables override a preset key by key; a clock of one's own replaces only what it names."""
    doc = {
        **PLAIN,
        "preset": "wbc-swiss",
        "sides": {"bid": {"most": 6}},
        "stage": [{"rounds": 3}],
    }
    charter = charterform.read({**doc, "clock": {"cap": "1h"}}, TITLES).charter

    assert charter is not None
    assert (charter.sides.by, charter.sides.bid.most) == ("bid", 6)
    assert len(charter.stages) == 1 and charter.stages[0].points.close_win == 8
    assert charter.clock == {**PACES["live"].as_terms(), "cap": 3_600_000}


@pytest.mark.parametrize(
    ("change", "place", "problem"),
    [
        ({"title": "war_at_see"}, "title", "cannot be played here"),
        ({"name": " "}, "name", "is ' '"),
        ({"nmae": "x"}, "charter", "unknown key 'nmae'"),
        ({"stage": []}, "stage", "is empty"),
        ({"stage": [{"system": "swiss"}]}, "stage 1, system", "is 'swiss'"),
        ({"stage": [{"system": "record"}]}, "stage 1, rounds", "needs a number"),
        ({"stage": [{"system": "knockout", "rounds": 3}]}, "stage 1, rounds", "follow from"),
        ({"stage": [{"system": "groups"}]}, "stage 1, group_size", "three entrants"),
        (
            {
                "stage": [
                    {"system": "league", "group_size": 3, "advance": {"by": "season", "most": 2}},
                    {"system": "league", "group_size": 3, "seeds": "standings"},
                ]
            },
            "stage 1, advance",
            "cannot go up",
        ),
        (
            {
                "stage": [
                    {"system": "league", "group_size": 4, "advance": {"by": "season", "most": 2}},
                    {"system": "league", "group_size": 4},
                ]
            },
            "stage 1, advance",
            "next season",
        ),
        ({"stage": [{"system": "heats", "rounds": 1, "table": 3}]}, "stage 1, table", "2 seats"),
        ({"title": "three"}, "stage 1, system", "has 3 seats"),
        ({"sides": {"by": "bids"}}, "sides, by", "is 'bids'"),
        ({"sides": {"bid": {"step": 3, "most": 4}}}, "sides, bid, most", "not a multiple"),
        ({"sides": {"by": "auction", "bid": {"mode": "sealed"}}}, "sides, bid, mode", "auction"),
        ({"title": "scoreless", "sides": {"by": "bid"}}, "sides, by", "no score"),
        ({"title": "scoreless"}, "unfinished, by", "no score"),
        ({"options": {"opt_raid": True}}, "options, opt_raid", "is True"),
        ({"options": {"opt_what": 1}}, "options, opt_what", "no such option"),
        ({"clock": {"bank": "an hour"}}, "clock, bank", "is not a time"),
        ({"clock": {"bnak": "1h"}}, "clock", "unknown key 'bnak'"),
        ({"clock": {"bank": "1h", "handicap": {"us": {"bank": "2h"}}}}, "clock", "'us'"),
        ({"late": {"until_round": 6}}, "late, until_round", "has 5 rounds"),
        ({"appeals": {"committee": ["a", "b"]}}, "appeals, committee", "odd number"),
        ({"unfinished": {"panel": 4}}, "unfinished, panel", "even"),
        ({"unfinished": {"draw": "1.25"}}, "unfinished, draw", "is '1.25'"),
        ({"unfinished": {"loss_to": 60}}, "unfinished, loss_to", "not below"),
        ({"entry": {"least": 8, "most": 4}}, "entry, most", "less than least"),
        ({"servers": ["abc"]}, "servers", "not a public key"),
        ({"round": [{"number": 2}, {"number": 2}]}, "round 2, number", "twice"),
        ({"round": [{"title": "chess"}]}, "round 1, title", "cannot be played"),
    ],
)
def test_findings_name_place_and_problem(change: Any, place: str, problem: str) -> None:
    """Each mistake is found where it stands."""
    found = problems({**PLAIN, **change})

    assert problem in found.get(place, ""), found


@pytest.mark.parametrize(
    ("key", "value", "problem"),
    [
        ("tiebreaks", ["bucholz"], "no tie-break 'bucholz'"),
        ("tiebreaks", ["wins:german"], "'german' cannot follow 'wins'"),
        ("tiebreaks", ["direct:cut1", "lots"], "takes nothing"),
        ("tiebreaks", ["lots", "wins"], "nothing can decide after"),
        ("tiebreaks", ["wins", "wins", "lots"], "stands twice"),
        ("tie", "german", "is 'german'"),
        ("best_of", 2, "even"),
        ("seeds", "standings", "no standings before"),
        ("points", {"win": 1, "draw": 2}, "more than"),
        ("points", {"win": "ten"}, "is 'ten'"),
        ("advance", {"most": 4, "least": 6}, "least is more"),
    ],
)
def test_findings_in_a_stage(key: str, value: Any, problem: str) -> None:
    """Mistakes in a stage are found under its number."""
    found = problems({**PLAIN, "stage": [{"system": "record", "rounds": 5, key: value}]})

    assert any(place.startswith("stage 1") and problem in text for place, text in found.items())


def test_systems_that_do_not_fit_the_rest() -> None:
    """What only two tables together make wrong is found too."""
    dutch = {**PLAIN, "stage": [{"system": "dutch", "rounds": 5}], "sides": {"by": "bid"}}
    robin = {**PLAIN, "stage": [{"system": "round_robin", "tiebreaks": ["buchholz", "lots"]}]}
    ladder = {**PLAIN, "stage": [{"system": "ladder"}, {"system": "knockout"}]}
    late = {**PLAIN, "stage": [{"system": "knockout"}], "late": {"until_round": 1}}
    close = {**PLAIN, "title": "scoreless", "unfinished": {"by": "director"}}
    close["stage"] = [{"system": "record", "rounds": 2, "points": {"close": 1}}]

    assert "deals the sides itself" in problems(dutch)["sides, by"]
    assert "art. 8" in problems(robin)["stage 1, tiebreaks"]
    assert "a ladder has no end" in problems(ladder)["stage 1"]
    assert "no place for late" in problems(late)["late, until_round"]
    assert "no score" in problems(close)["stage 1, points"]


def test_a_list_that_may_end_in_a_tie_is_only_warned_of() -> None:
    """A charter whose tie-breaks may leave entrants equal is one all the same."""
    doc = {**PLAIN, "stage": [{"system": "record", "rounds": 5, "tiebreaks": ["wins"]}]}

    assert "share a place" in problems(doc, WARNING)["stage 1, tiebreaks"]
    assert charterform.read(doc, TITLES).charter is not None


SWISS = {"system": "record", "rounds": 7, "tiebreaks": ["lots"]}


@pytest.mark.parametrize(
    ("stages", "players", "place", "problem", "remedy"),
    [
        ([SWISS], 6, "stage 1, rounds", "round 6 cannot be paired", "rounds = 5, or least = 7"),
        ([SWISS], 8, "stage 1, rounds", "certain for 4 rounds only", "least = 13"),
        ([{**SWISS, "system": "dutch"}], 7, "stage 1, rounds", "certain for 4 rounds", "by hand"),
        ([{**SWISS, "again": 3}], 4, "stage 1, rounds", "round 4 cannot", "again = 1"),
        ([{**SWISS, "again": 2}], 5, "stage 1, rounds", "nobody has two byes", "eliminator"),
        (
            [{**SWISS, "rounds": 3, "advance": {"most": 4}}, {**SWISS, "seeds": "standings"}],
            20,
            "stage 2, rounds",
            "with 4 entrants round 4 cannot",
            "let 7 go on",
        ),
        (
            [
                {**SWISS, "rounds": 3, "advance": {"most": 16, "least": 12}},
                {"system": "knockout", "seeds": "standings", "tie": "higher"},
            ],
            8,
            "stage 1, advance",
            "at least 12 must go on, and 8 play",
            "least = 8",
        ),
        (
            [{"system": "groups", "group_size": 4, "tiebreaks": ["lots"]}],
            2,
            "stage 1",
            "fewer than a group needs",
            "least = 3",
        ),
    ],
)
def test_a_check_warns_of_rounds_that_too_few_can_play(
    stages: list[Any], players: int, place: str, problem: str, remedy: str
) -> None:
    """With the number of entrants who are expected, or whom the charter lets it begin with; it is a
    charter all the same."""
    doc = {**PLAIN, "stage": stages}
    for checked in (
        charterform.read(doc, TITLES, players),
        charterform.read({**doc, "entry": {"least": players}}, TITLES),
        charterform.read({**doc, "entry": {"most": players}}, TITLES),
    ):
        assert checked.charter is not None
        found = {one.place: one for one in checked.findings}
        assert problem in found[place].problem and remedy in found[place].remedy, checked.findings
    # Nobody knows how many will come; how many go on stands in the charter.
    assert (place in problems(doc, WARNING)) == place.startswith("stage 2")


def test_a_check_warns_of_nothing_where_every_round_can_be_paired() -> None:
    """Seven rounds with thirteen; nor of a system that goes on with whoever is there."""
    for stage, players in ((SWISS, 13), ({"system": "ladder", "tiebreaks": ["lots"]}, 2)):
        assert charterform.read({**PLAIN, "stage": [stage]}, TITLES, players).findings == ()


@pytest.mark.parametrize("system", ["record", "dutch"])
@pytest.mark.parametrize("count", range(2, 8))
def test_the_numbers_that_a_check_names_are_right(system: str, count: int) -> None:
    """As many rounds as are said to be certain are paired, whatever the results were; the first
    that is said to be impossible never is."""
    for seed in range(3):
        stage = {"system": system, "rounds": count + 2, "tiebreaks": ["lots"]}
        field = Played({"stage": [stage]}, count, seed)
        for number in range(1, enough.at_most(count) + 2):
            refused = isinstance(field.desk.propose("d:dora", "pair"), Refusal)
            assert number > enough.always(count) or not refused, seed
            assert number <= enough.at_most(count) or refused, seed
            if refused:
                break
            field.round()


LOOSE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ("stage", "sides", "clock", "bid", "system", "preset", "handicap", "round")
            )
            | st.sampled_from(
                ("points", "tiebreaks", "advance", "options", "title", "bank", "servers")
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@settings(max_examples=60)
@given(LOOSE)
def test_nothing_that_a_stranger_writes_makes_it_fail(doc: Any) -> None:
    """Whatever the document holds, the answer is findings; a charter comes only without errors."""
    checked = charterform.read(doc, TITLES)

    assert (checked.charter is None) == any(one.severity == ERROR for one in checked.findings)


@pytest.mark.parametrize(
    ("system", "key", "value", "problem"),
    [
        ("double_elimination", "free_at", [0, 3], "is [0, 3]"),
        ("record", "free_at", [3], "means nothing"),
        ("record", "consolation", True, "means nothing"),
        ("record", "best_of", 3, "not played to a winner"),
        ("heats", "advance", {"steps": [[8, 4], [16, 2]]}, "is [[8, 4], [16, 2]]"),
        ("heats", "advance", {"by": "points"}, "is 'points'"),
        ("knockout", "eliminator", True, "means nothing"),
    ],
)
def test_what_a_system_does_not_have_is_found(
    system: str, key: str, value: Any, problem: str
) -> None:
    """With the stage, and what to write."""
    rounds = {"rounds": 3} if system in ("record", "heats") else {}
    doc = {"system": system, "tiebreaks": ["lots"], **rounds, key: value}
    found = problems({**PLAIN, "stage": [doc]})

    assert any(place.startswith("stage 1") and problem in text for place, text in found.items())


def test_steps_and_free_rounds_are_read_back() -> None:
    """As record 0 holds them."""
    stages = [
        {
            "system": "heats",
            "rounds": 2,
            "tiebreaks": ["lots"],
            "advance": {"by": "best", "steps": [[8, 4], [16, 8]]},
        },
        {"system": "double_elimination", "seeds": "standings", "free_at": [3, 5]},
    ]
    made = charterform.read({**PLAIN, "stage": stages}).charter
    assert made is not None and made.stages[0].advance.steps == ((8, 4), (16, 8))
    assert charterform.of_settings(made.settings()) == made
