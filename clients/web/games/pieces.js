// @ts-check
/** Places and pieces as a list: all that the board shows, for whoever does not look at it, and a way to find something on it. */

import { button, h, show } from "../ui/dom.js";
import { sought, t } from "../words/words.js";

export class PiecesPane {
  /** @param {(id: string) => void} find */
  constructor(find) {
    this.find = find;
    this.filter = h("input", { type: "search", id: "piece-filter", oninput: () => this.#again() });
    this.label = h("label", { for: "piece-filter" });
    this.list = h("div", { class: "places" });
    this.element = h(
      "div",
      { class: "pieces-pane" },
      h("div", { class: "filter" }, this.label, this.filter),
      this.list,
    );
    /** trays that have been opened @type {Set<string>} */
    this.opened = new Set();
    /** @type {() => void} */
    this.redraw = () => {};
    this.list.addEventListener("click", (event) => {
      const id = /** @type {Element} */ (event.target).closest("button[data-find]")?.getAttribute("data-find");
      if (id) this.find(id);
    });
  }

  #again() {
    this.redraw();
  }

  /** @param {import("../records/effects.js").Board} board @param {import("../words/phrases.js").Phrases} spoken @param {string} id */
  marks(board, spoken, id) {
    return [...(board.marks.get(id) ?? [])].map(([marker, value]) =>
      typeof value === "number" ? spoken.mark(marker, value) : `${spoken.name(marker)} ?`,
    );
  }

  /** @param {import("../records/effects.js").Board} board @param {import("../words/phrases.js").Phrases} spoken @param {string} id */
  pieceText(board, spoken, id) {
    const piece = board.pieces.get(id);
    if (!piece) return "";
    const values = this.view?.counters.print(id, piece.face, piece.owner).values ?? "";
    const face = typeof piece.face === "string" && /^[a-z_]+$/.test(piece.face) ? spoken.name(piece.face) : "";
    return [spoken.name(id), values, face, ...this.marks(board, spoken, id)].filter(Boolean).join(", ");
  }

  /** A place and what lies in it. @param {import("../board/view.js").BoardView} view @param {import("../records/effects.js").Board} board @param {import("../words/phrases.js").Phrases} spoken @param {string} place */
  sentence(view, board, spoken, place) {
    this.view = view;
    const here = [...board.pieces]
      .filter(([, piece]) => piece.place === place)
      .map(([id]) => this.pieceText(board, spoken, id));
    const marks = this.marks(board, spoken, place);
    const terrain = view.map.kind === "hex" ? this.terrain(view, place) : "";
    return `${[spoken.name(place), terrain, ...marks].filter(Boolean).join(", ")}${here.length ? `: ${here.join("; ")}` : ""}.`;
  }

  /** The name of a hex's terrain; "" where it has none. @param {any} view @param {string} place */
  terrain(view, place) {
    if (!view.terrainOf) {
      view.terrainOf = new Map();
      for (const [kind, ids] of view.map.terrain()) for (const id of ids) view.terrainOf.set(id, kind);
    }
    const kind = view.terrainOf.get(place);
    return kind ? t(`terrain.${kind}`) : "";
  }

  /** @param {import("../board/view.js").BoardView} view @param {import("../records/effects.js").Board} board @param {import("../words/phrases.js").Phrases} spoken @param {boolean} visible */
  draw(view, board, spoken, visible) {
    this.view = view;
    this.redraw = () => {
      this.label.textContent = t("find");
      const wanted = sought(this.filter.value.trim());
      /** @type {Map<string, string[]>} */
      const places = new Map();
      for (const [id, piece] of board.pieces) {
        if (typeof piece.place !== "string") continue;
        places.set(piece.place, [...(places.get(piece.place) ?? []), id]);
      }
      const onMap = [...places.keys()]
        .filter((place) => view.map.place(place))
        .sort((a, b) => spoken.name(a).localeCompare(spoken.name(b)));
      const boxes = (view.map.told?.boxes ?? []).map((box) => box.id);
      const rank = (/** @type {string} */ place) => (boxes.includes(place) ? boxes.indexOf(place) : boxes.length);
      const off = [...places.keys()].filter((place) => !view.map.place(place)).sort((a, b) => rank(a) - rank(b));
      /** The pieces of a place that are wanted, with what is told of each. @param {string} place */
      const rowsOf = (place) => {
        const name = spoken.name(place);
        return (places.get(place) ?? [])
          .sort()
          .map((id) => ({ id, text: this.pieceText(board, spoken, id) }))
          .filter(({ text }) => !wanted || sought(text).includes(wanted) || sought(name).includes(wanted));
      };
      /** @param {string} place */
      const section = (place) => {
        const rows = rowsOf(place);
        if (!rows.length) return null;
        return h(
          "section",
          { class: "place" },
          h(
            "h2",
            {},
            button({ class: "plain", "data-find": place, text: spoken.name(place) }),
            h("span", { class: "number", text: String(rows.length) }),
          ),
          h(
            "ul",
            {},
            rows.map(({ id, text }) => {
              const piece = /** @type {any} */ (board.pieces.get(id));
              return h(
                "li",
                {},
                view.small(id, piece.face, piece.owner),
                button({ class: "plain", "data-find": id, text }),
              );
            }),
          ),
        );
      };
      /** What lies off the map: a tray with its counters side by side, which are drawn once it is opened. @param {string} place */
      const tray = (place) => {
        const rows = rowsOf(place);
        if (!rows.length) return null;
        const list = h("ul", {});
        const fill = () =>
          show(
            list,
            rows.map(({ id, text }) => {
              const piece = /** @type {any} */ (board.pieces.get(id));
              return h("li", {}, view.small(id, piece.face, piece.owner), h("span", { text }));
            }),
          );
        const open = this.opened.has(place) || Boolean(wanted);
        if (open) fill();
        const summary = h(
          "summary",
          { "data-tray": place },
          h("span", { text: spoken.name(place) }),
          h("span", { class: "number", text: String(rows.length) }),
        );
        const made = h("details", { class: "tray", open }, summary, list);
        made.addEventListener("toggle", () => {
          if (/** @type {HTMLDetailsElement} */ (made).open) {
            this.opened.add(place);
            fill();
          } else if (!wanted) this.opened.delete(place);
        });
        return made;
      };
      const [focused, onTray] = ["data-find", "data-tray"].map((name) => document.activeElement?.getAttribute(name));
      show(this.list, [...off.map(tray), ...onMap.map(section)]);
      if (focused)
        /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-find="${CSS.escape(focused)}"]`))?.focus();
      else if (onTray)
        /** @type {HTMLElement | null} */ (this.list.querySelector(`[data-tray="${CSS.escape(onTray)}"]`))?.focus();
    };
    if (visible) this.redraw();
  }
}
