// @ts-check
export class Play {
  constructor(view, seat, pane) { this.view = view; this.seat = seat; this.pane = pane; }
  redraw() {}
  news() {}
  pickOnBoard() {}
  key() { return false; }
  dispose() {}
}
