// @ts-check
/** The board of a game on its page: fetched, put together with what stands around it, its tools, what is told of where somebody looks. */

import { BoardView } from "../board/view.js";
import { Surroundings } from "../board/surroundings.js";
import { namesOf, readDescription } from "../board/description.js";
import { h, icon, show } from "../ui/dom.js";
import { Curve } from "../show/score.js";
import { phrases, t } from "../words/words.js";

export class BoardPane {
  /** @param {import("./gameview.js").GameView} view */
  constructor(view) {
    this.view = view;
    this.holder = h("section", { class: "board-holder", "aria-label": t("board") });
    show(this.holder, h("p", { class: "loading", text: t("loading") }));
  }

  /** Fetch the game's description, and draw its board. */
  async load() {
    const { view } = this;
    try {
      const base = `/api/games/${encodeURIComponent(view.game)}`;
      const sheet = fetch(`${base}/symbols.svg`)
        .then(ok)
        .then((one) => one.text());
      sheet.catch(() => undefined); // told below, once there is a board
      const answer = await fetch(`${base}/board`)
        .then(ok)
        .then((one) => one.json());
      if (view.disposed) return;
      const told = readDescription(answer.description);
      view.titleName = view.rules.title = answer.title;
      view.timeline.curve = new Curve(told);
      view.delay();
      view.names = namesOf(told);
      view.spoken = phrases(answer.title, view.names);
      const board = (view.board = new BoardView(told, view.spoken));
      // Counters are there before their symbols are: a server that has just started takes seconds to draw these.
      sheet.then(
        (text) => board.symbols(new DOMParser().parseFromString(text, "image/svg+xml").documentElement),
        () => undefined,
      );
      board.onPick = (id) => view.play?.pickOnBoard(id);
      board.hold = (act) => {
        if (!view.play?.order.busy) return false;
        view.play.order.then(act);
        return true;
      };
      this.draggable();
      board.onCursor = (place) => this.#describe(place);
      board.onLook = (id) => this.lookAt(id);
      board.onAsk = (id) => view.play?.inquiry.ask(id);
      this.bubble = h("div", { class: "bubble", role: "status", hidden: true });
      this.look = h("div", { class: "look", "aria-hidden": "true" });
      this.surroundings = new Surroundings(board, t);
      board.onNews = () => this.surroundings?.news();
      show(
        this.holder,
        board.sheetHolder,
        board.frame,
        this.surroundings.element,
        h("div", { class: "board-foot" }, this.look, view.showing.card.strip),
        view.showing.card.element,
        view.showing.chip,
        view.since.element,
        this.bubble,
        view.rules.element,
        view.overlays.told,
        this.#tools(),
      );
      view.showing.attach(board);
      // The head of the page takes its height from what comes.
      board.stage.onSize = () => {
        if (!view.showing.settled) this.begin();
      };
      view.marks.attach(board);
      view.overlays.attach(board);
      this.drawTools();
      this.covered(view.sheet.there ? view.sheet.element.offsetHeight : 0);
      view.speak();
      view.draw(false);
      this.begin();
    } catch (error) {
      if (view.disposed) return;
      const missing = error instanceof Error && error.message === "404";
      const why = error instanceof RangeError ? ` (${error.message})` : "";
      show(
        this.holder,
        h("p", { class: "loading", text: t(missing ? "no_game" : "no_board", { game: view.game }) + why }),
      );
    }
  }

  /** the frame before which the map is laid where it is looked at first; 0 for none */
  beginning = 0;

  /** The map lies as it was left, or around what lies on it: that comes in parts, and may come after the board. Whoever has moved the map finds it there. */
  begin() {
    this.beginning ||= requestAnimationFrame(() => {
      this.beginning = 0;
      const { camera } = this.view.showing;
      if (this.view.disposed || !camera || camera.byHand) return;
      camera.begin();
      if (this.view.at !== null) this.view.showing.frame(this.view.at, Infinity);
    });
  }

  /** Let counters be dragged, once there is a board and somebody who may drag them. */
  draggable() {
    if (!this.view.board || !this.view.seated || this.drag) return;
    this.drag = new this.view.seated.Drag(this.view.board, {
      may: (id) => this.view.play?.dragging.may(id) ?? false,
      grab: (id, mates) => this.view.play?.dragging.grab(id, mates),
      letGo: (place) => this.view.play?.dragging.letGo(place),
    });
  }

  #tools() {
    const button = (/** @type {string} */ key, /** @type {string} */ sign, /** @type {() => void} */ act) =>
      h("button", { class: "icon", type: "button", "aria-label": t(key), title: t(key), onclick: act }, icon(sign));
    const legend = h(
      "details",
      { class: "legend" },
      h("summary", { text: t("legend") }),
      h(
        "ul",
        {},
        this.view.board?.map
          .legend(this.view.spoken, t)
          .map(([picture, text]) => h("li", {}, picture, h("span", { text }))),
      ),
    );
    const by = (/** @type {() => void} */ act) => () => {
      this.view.board?.stage.onHand();
      act();
    };
    const follows = this.view.showing.camera?.follow ?? false;
    const follow = h(
      "button",
      {
        class: "icon follow",
        type: "button",
        "data-act": "follow",
        "aria-pressed": String(follows),
        "aria-label": t("follow"),
        title: t("follow"),
        onclick: () => this.view.showing.setFollow(!follows),
      },
      icon("follow"),
    );
    const whole = button(this.view.view.classList.contains("map-only") ? "map.all" : "map.only", "whole", () =>
      this.mapOnly(),
    );
    whole.dataset.act = "map-only";
    return h(
      "div",
      { class: "board-tools" },
      button(
        "zoom.in",
        "in",
        by(() => this.view.board?.stage.zoom(1.3)),
      ),
      button(
        "zoom.out",
        "out",
        by(() => this.view.board?.stage.zoom(1 / 1.3)),
      ),
      button(
        "zoom.fit",
        "fit",
        by(() => this.view.board?.stage.fit()),
      ),
      follow,
      whole,
      legend,
      this.view.overlays.chooser(),
    );
  }

  /** So much of the map's foot lies under the sheet of a phone. @param {number} px */
  covered(px) {
    if (this.view.board) this.view.board.stage.inset = { ...this.view.board.stage.inset, bottom: px };
    this.surroundings?.news();
    this.view.showing.card.place();
  }

  /** The map alone, or everything again. */
  mapOnly() {
    document.body.classList.toggle("map-alone", this.view.view.classList.toggle("map-only"));
    this.drawTools();
  }

  drawTools() {
    const tools = this.holder.querySelector(".board-tools");
    if (!tools) return;
    const open = [...tools.querySelectorAll("details[open]")].map((one) => one.className);
    const focus =
      document.activeElement instanceof HTMLElement && tools.contains(document.activeElement)
        ? document.activeElement.dataset.act
        : undefined;
    const made = this.#tools();
    for (const one of made.querySelectorAll("details")) one.open = open.includes(one.className);
    tools.replaceWith(made);
    if (focus) /** @type {HTMLElement | null} */ (made.querySelector(`[data-act="${focus}"]`))?.focus();
  }

  /** Why a place or piece cannot be chosen, where somebody has just tried to. @param {import("../protocol.d.ts").SayArray} say */
  tellWhy(say) {
    const { bubble } = this;
    const { board } = this.view;
    if (!board || !bubble) return;
    const box = this.holder.getBoundingClientRect();
    show(bubble, this.view.spoken.say(say), say[2] ? [" ", h("span", { class: "rule", text: say[2] })] : null);
    bubble.hidden = false;
    const x = Math.max(6, Math.min(box.width - bubble.offsetWidth - 6, board.pointer.pointed.x - box.left + 14));
    const y = board.pointer.pointed.y - box.top + 18;
    bubble.style.transform = `translate(${x}px, ${y + bubble.offsetHeight > box.height ? y - bubble.offsetHeight - 34 : y}px)`;
  }

  /** Say what is in a place. @param {string | null} place */
  #describe(place) {
    if (!place || !this.view.board) return;
    this.view.live.textContent =
      this.view.pieces.sentence(
        this.view.board,
        this.view.watch.boardAt(this.view.shown ?? 0),
        this.view.spoken,
        place,
      ) + (this.view.board.offer?.picks.has(place) ? ` ${t("on_offer")}` : "");
  }

  /** The map's cursor goes to the next place with something on offer. @param {1 | -1} step */
  nextOffer(step) {
    if (this.view.board?.nextOffer(step)) this.view.board.frame.focus();
  }

  /** @param {string | null} id */
  lookAt(id) {
    if (!this.view.board || !this.look) return;
    this.looked = id;
    const board = this.view.watch.boardAt(this.view.shown ?? 0);
    const piece = id ? board.pieces.get(id) : undefined;
    this.view.board.showRange(id);
    if (!id) return show(this.look);
    const text = piece
      ? this.view.pieces.pieceText(board, this.view.spoken, id)
      : this.view.pieces.sentence(this.view.board, board, this.view.spoken, id);
    show(this.look, piece ? this.view.board.small(id, piece.face, piece.owner) : null, h("span", { text }));
  }

  dispose() {
    this.drag?.dispose();
  }
}

/** @param {Response} answer */
function ok(answer) {
  if (!answer.ok) throw new Error(String(answer.status));
  return answer;
}
