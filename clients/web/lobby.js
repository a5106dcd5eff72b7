// @ts-check
/** The lobby, the archive, and what all this is. Lists come by HTTP: everybody is a spectator there, and a host's delay binds them. */

import { face } from "./clockface.js";
import { h, show } from "./dom.js";
import { row } from "./gamerow.js";
import { Host } from "./host.js";
import { DeskQueue } from "./deskqueue.js";
import { MyGames } from "./mygames.js";
import { onLanguage, phrases, t } from "./words.js";

const REFRESH_MS = 4000;

/** @typedef {import("./gamerow.js").GameLine} GameLine */

/** the server's time less this computer's, to the second */
let ahead = 0;

/** Count down what is left until a flag falls, in every row that has one. @param {HTMLElement} list */
function countDown(list) {
  for (const shown of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-deadline]"))) {
    const text = t("row.clock", { left: face(Math.max(0, Number(shown.dataset.deadline) - Date.now() - ahead), phrases()) });
    if (shown.textContent !== text) shown.textContent = text;
  }
}

/** @param {string} stage @returns {Promise<GameLine[]>} */
async function games(stage) {
  /** @type {GameLine[]} */
  const found = [];
  let after = "";
  for (let page = 0; page < 20; page++) {
    const answer = await fetch(`/api/games?stage=${stage}&most=500&after=${encodeURIComponent(after)}`);
    if (!answer.ok) throw new Error(`${answer.status}`);
    const { games: lines, more, after: next } = await answer.json();
    const sent = Date.parse(answer.headers.get("date") ?? "");
    if (!Number.isNaN(sent)) ahead = sent - Date.now();
    found.push(...lines);
    if (!more) break;
    after = next;
  }
  return found;
}

/** @param {HTMLElement} main @param {import("./link.js").Link} link @param {(path: string) => void} go leads to an address of this page */
export function lobby(main, link, go) {
  const part = listing(main, "lobby", ["playing", "gathering"], () => openById(go));
  const host = new Host(link);
  const mine = new MyGames(link);
  const desk = new DeskQueue(link);
  main.querySelector(".lists")?.before(desk.element, mine.element);
  main.querySelector(".page")?.append(host.element);
  return { dispose() { part.dispose(); host.dispose(); mine.dispose(); desk.dispose(); }, signedIn() { mine.refresh(); desk.refresh(); host.signedIn(); } };
}

/** @param {HTMLElement} main */
export function archive(main) {
  return listing(main, "archive", ["ended"]);
}

/** @param {HTMLElement} main @param {string} part @param {string[]} stages @param {() => HTMLElement | null} [below] what stands below the heading */
function listing(main, part, stages, below = () => null) {
  let over = false;
  let shown = "";
  const content = h("div", { class: "lists" });
  const head = h("div", { class: "page-head" });
  const page = h("div", { class: `page ${part}` }, head, content);
  show(main, page);
  const heading = () => {
    document.title = `${t(part)} · Warledger`;
    show(head, h("h1", { text: t(part) }), h("p", { class: "lead", text: t(`${part}.lead`) }), below());
  };
  async function refresh() {
    try {
      const lines = (await Promise.all(stages.map(games))).flat();
      const key = JSON.stringify(lines);
      if (over || key === shown) return;
      shown = key;
      draw(lines);
    } catch (error) {
      if (!over && !shown) show(content, h("p", { class: "empty", text: t("list.failed") }));
    }
  }
  /** @param {GameLine[]} lines */
  function draw(lines) {
    const focused = document.activeElement?.getAttribute("href");
    if (!lines.length) return show(content, h("p", { class: "empty", text: t(`${part}.empty`) }));
    /** @type {Map<string, GameLine[]>} */
    const titles = new Map();
    for (const line of lines) titles.set(line.title, [...(titles.get(line.title) ?? []), line]);
    show(content, [...titles].map(([title, found]) => h("section", { class: "title-group", "aria-labelledby": `title-${title}` },
      h("h2", { id: `title-${title}` }, phrases(title).name(title), h("span", { class: "number", text: String(found.length) })),
      h("ul", { class: "games" }, found.sort((a, b) => b.created_ms - a.created_ms).map(row)))));
    countDown(content);
    if (focused) /** @type {HTMLElement | null} */ (content.querySelector(`a[href="${CSS.escape(focused)}"]`))?.focus();
  }
  heading();
  refresh();
  const timer = setInterval(refresh, REFRESH_MS);
  const seconds = setInterval(() => countDown(content), 1000);
  const stop = onLanguage(() => {
    heading();
    shown = "";
    refresh();
  });
  return { dispose() { over = true; clearInterval(timer); clearInterval(seconds); stop(); } };
}

/** @param {(path: string) => void} go */
function openById(go) {
  const input = h("input", { id: "open-game", name: "game", autocomplete: "off", autocapitalize: "none", spellcheck: "false", maxlength: 64, required: true });
  return h("form", { class: "open-form", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    const id = input.value.trim();
    if (id) go(`/game/${encodeURIComponent(id)}`);
  } }, h("label", { for: "open-game", text: t("open_game") }), input, h("button", { type: "submit", text: t("open") }));
}

/** @param {HTMLElement} main */
export function help(main) {
  const draw = () => {
    document.title = `${t("help")} · Warledger`;
    show(main, h("div", { class: "page help" }, h("div", { class: "page-head" }, h("h1", { text: t("help") }), h("p", { class: "lead", text: t("help.lead") })),
      ["watch", "play", "keys", "evidence"].map((part) => h("section", {}, h("h2", { text: t(`help.${part}`) }), t(`help.${part}.text`).split("\n").map((line) => h("p", { text: line }))))));
  };
  draw();
  return { dispose: onLanguage(draw) };
}
