"""What a run of events changes in place: drafts, and the copies of small records."""

import pytest

from tests.laws.titles import game
from warledger.engine import registry
from warledger.engine.kernel import runs
from warledger.engine.kernel.change import replace, unguarded
from warledger.engine.kernel.drafts import Draft, drafting, put_since, with_items, without
from warledger.engine.kernel.replay import Replayer
from warledger.protocol.log.records import Genesis


def test_a_draft_is_changed_in_place_and_nothing_else_is() -> None:
    """The same calls give equal mappings, in the same order, and leave what is no draft alone."""
    plain = {"a": 1, "b": 2}
    draft = Draft(plain)
    for mapping in (plain, draft):
        made = without(with_items(mapping, {"b": 3, "c": 4}), "a")
        assert list(made.items()) == [("b", 3), ("c", 4)]
        assert (made is mapping) == (mapping is draft)
        assert without(made, "gone") == made
    assert plain == {"a": 1, "b": 2}


def test_a_draft_knows_what_was_put_in_since_somebody_asked() -> None:
    """All keys at first and for what is no draft, then those put in since, in order."""
    draft = Draft({"a": 1, "b": 2, "c": 3})
    assert list(put_since(draft)) == ["a", "b", "c"]
    assert list(put_since(draft)) == []
    with_items(with_items(with_items(draft, {"c": 1}), {"a": 1}), {"c": 2})
    assert list(put_since(draft)) == ["c", "a"]
    assert list(put_since(draft)) == []
    assert list(put_since({"a": 1})) == ["a"]


def test_a_first_position_is_as_it_was_after_a_log_was_folded_from_it() -> None:
    """All games of a pack share it, so a run of events changes drafts of its own alone."""
    title = "hungarian_rhapsody"
    rules, played = registry.rules_of(title), game(title, 0)
    assert drafting(rules)[0] is not drafting(object())[0], "the title has drafts"
    first = Replayer(rules, Genesis.from_record(played.records[0])).position.state
    units, stacks, tops = dict(first.units), dict(first.field.stacks), dict(first.tops)

    class OneStart:
        """The rules, with one first position for every fold."""

        def __getattr__(self, name: str) -> object:
            return getattr(rules, name)

        def initial(self, genesis: Genesis) -> object:
            return first

    openings = dict(enumerate(played.openings))
    datas = [record.data for record in played.records]
    last = [runs.load(OneStart(), datas, openings).position for _ in range(2)]  # type: ignore[arg-type]
    assert last[0] == last[1]
    assert (first.units, first.field.stacks, first.tops) == (units, stacks, tops)
    assert type(last[0].state.units) is dict, "what is kept is no draft"


@unguarded
class _Piece:
    """A small record without a dictionary."""

    at: int
    name: str = ""

    @property
    def told(self) -> str:
        return f"{self.name} at {self.at}"


def test_a_changed_copy_of_an_unguarded_record_has_its_fields_alone() -> None:
    """The record stays as it is; what is no field is refused, a property too."""
    piece = _Piece(3, "hq")
    moved = replace(piece, at=4)
    assert (moved, piece) == (_Piece(4, "hq"), _Piece(3, "hq"))
    for wrong in ("nowhere", "told"):
        with pytest.raises(TypeError, match=f"_Piece has no field {wrong}"):
            replace(piece, **{wrong: 1})
