"""A host's own pack in place of a title's: used for new games, refused at the start when it cannot
serve."""

import shutil
from importlib.resources import files
from pathlib import Path

import pytest

from warledger.engine.packfiles import UnusablePack
from warledger.engine.runtime.titles import installed


def copy_of(title: str, folder: Path) -> Path:
    """A copy of the title's own pack."""
    shutil.copytree(Path(str(files("warledger.engine.games").joinpath(title, "pack"))), folder)
    return folder


def test_a_hosts_pack_takes_the_place_of_the_titles_own(tmp_path: Path) -> None:
    """New games of the title are made from the folder's data; other titles keep theirs."""
    own = copy_of("war_at_sea", tmp_path / "mine")
    data = own / "data.toml"
    data.write_text(
        data.read_text(encoding="utf-8").replace("poc_axis = 4", "poc_axis = 5"), encoding="utf-8"
    )

    offered, plain = installed({"war_at_sea": own}), installed()

    assert offered["war_at_sea"].pack_bytes != plain["war_at_sea"].pack_bytes
    assert offered["victory_lost"].pack_bytes == plain["victory_lost"].pack_bytes


def test_a_pack_that_cannot_serve_is_refused_at_the_start(tmp_path: Path) -> None:
    """The error names the folder and the title."""
    own = copy_of("war_at_sea", tmp_path / "broken")
    (own / "data.toml").write_text("[meta]\ngame = 'none'\n", encoding="utf-8")

    with pytest.raises(UnusablePack, match=r"broken cannot serve as a pack of war_at_sea"):
        installed({"war_at_sea": own})


def test_a_pack_for_no_title_is_refused(tmp_path: Path) -> None:
    """The error lists the titles."""
    with pytest.raises(UnusablePack, match="no title 'chess'"):
        installed({"chess": tmp_path})
