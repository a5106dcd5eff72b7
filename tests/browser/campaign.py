"""The set-up of the whole campaign of Hungarian Rhapsody on the page: all its counters and hexes,
without a game of it."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from tests.rules.hungarian_rhapsody.bench import pack as pack_of
from tests.rules.hungarian_rhapsody.bench import start
from warledger.engine.games.hungarian_rhapsody.describe import description
from warledger.engine.games.hungarian_rhapsody.rules import RULES
from warledger.engine.games.ocs.ch04_concepts import fog
from warledger.engine.games.ocs.series.charts import with_options
from warledger.engine.kernel.change import replace
from warledger.engine.serve.http.symbols import sheet
from warledger.protocol.board import description as forms

LAY = """async (laid) => {
  const [told, sheet, effects] = JSON.parse(laid);
  const { BoardView } = await import('/board/view.js');
  const { readDescription, namesOf } = await import('/board/description.js');
  const { Board } = await import('/records/effects.js');
  const { phrases } = await import('/words/words.js');
  const read = readDescription(told);
  const spoken = phrases('hungarian_rhapsody', namesOf(read));
  const drawn = new DOMParser().parseFromString(sheet, 'image/svg+xml').documentElement;
  const view = new BoardView(read, spoken);
  view.symbols(drawn);
  const board = new Board();
  for (const effect of effects) board.apply(effect);
  view.frame.style.cssText = 'position: fixed; inset: 0; z-index: 99';
  document.body.append(view.sheetHolder, view.frame);
  view.render(board, false);
  view.stage.fit();
  window.campaign = { view, board, spoken };
  return [view.pieces.size, read.places.length];
}"""
"""Draws it over the page as `window.campaign`; how many counters lie on the map, and its hexes."""


@cache
def campaign() -> str:
    """Its description, a sheet of squares in place of its symbols (to draw those takes seconds),
    and the effects that lay it out in the open, as JSON."""
    told = description(pack_of(), {"scenario": "campaign"})
    state = start("campaign")
    charts = with_options(state.charts, {"fog": fog.OPEN})
    opened = replace(state, charts=charts, field=replace(state.field, charts=charts))
    effects = [list(effect) for effect in RULES.picture(fog.laid(opened))]
    squares = sheet(
        told.symbols, lambda codes: dict.fromkeys(codes, '<path d="M50,50h90v60h-90z"/>')
    )
    return json.dumps([forms.write(told), squares, effects])


def lay(page: Any) -> tuple[int, int]:
    """Draw it on a page that is open: how many counters lie on the map, and how many hexes it
    has."""
    counters, hexes = page.evaluate(LAY, campaign())
    return int(counters), int(hexes)
