// @ts-check
/** The lobby, the archive, and what all this is. Lists come by HTTP: everybody is a spectator there, and a host's delay binds them. */

import { face } from "../ui/clockface.js";
import { button, h, show } from "../ui/dom.js";
import { EdgeNote } from "./edge.js";
import { dateOf, matches, row } from "./gamerow.js";
import { Host } from "./host.js";
import { DeskQueue } from "../desk/deskqueue.js";
import { AllLuck } from "./lucks.js";
import { MyGames } from "./mygames.js";
import { Practice } from "./practice.js";
import { onLanguage, phrases, t } from "../words/words.js";

const REFRESH_MS = 4000;
/** So many cards are drawn at a time. */
const SHOWN = 60;

/** @typedef {import("./gamerow.js").GameLine} GameLine */

/** the server's time less this computer's, to the second */
let ahead = 0;

/** Count down what is left until a flag falls, in every row that has one. @param {HTMLElement} list */
function countDown(list) {
  for (const shown of /** @type {NodeListOf<HTMLElement>} */ (list.querySelectorAll("[data-deadline]"))) {
    const text = t("row.clock", {
      left: face(Math.max(0, Number(shown.dataset.deadline) - Date.now() - ahead), phrases()),
    });
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

/** @param {HTMLElement} main @param {import("../link/link.js").Link} link @param {(path: string) => void} go leads to an address of this page */
export function lobby(main, link, go) {
  const part = listing(main, "lobby", ["playing", "gathering"], () => openById(go));
  const host = new Host(link);
  const mine = new MyGames(link);
  const desk = new DeskQueue(link);
  const practice = new Practice(link, go);
  const edge = new EdgeNote(() => {
    host.element.hidden = true;
  });
  main.querySelector(".lists")?.before(edge.element, practice.element, desk.element, mine.element);
  main.querySelector(".page")?.append(host.element);
  return {
    dispose() {
      part.dispose();
      host.dispose();
      mine.dispose();
      desk.dispose();
      practice.dispose();
      edge.dispose();
    },
    signedIn() {
      mine.refresh();
      desk.refresh();
      host.signedIn();
    },
  };
}

/** @param {HTMLElement} main @param {string} player whose games and luck are shown first; "" for nobody's */
export function archive(main, player) {
  const part = listing(main, "archive", ["ended"], () => null, player);
  const luck = new AllLuck(player);
  main.querySelector(".finder")?.before(luck.element);
  return {
    dispose() {
      part.dispose();
      luck.dispose();
    },
  };
}

/** @param {HTMLElement} main @param {string} part @param {string[]} stages @param {() => HTMLElement | null} [below] what stands below the heading @param {string} [sought] what is looked for at first */
function listing(main, part, stages, below = () => null, sought = "") {
  let over = false;
  let shown = "";
  let most = SHOWN;
  /** @type {GameLine[]} */
  let all = [];
  const content = h("div", { class: "lists" });
  const narrow = () => {
    most = SHOWN;
    draw();
  };
  const search = h("input", { id: "find-game", type: "search", autocomplete: "off", value: sought, oninput: narrow });
  const choose = h("select", { id: "find-title", onchange: narrow });
  const finder = h("search", { class: "finder", hidden: true });
  const head = h("div", { class: "page-head" });
  const page = h("div", { class: `page ${part}` }, head, finder, content);
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
      all = lines.sort((a, b) => dateOf(b) - dateOf(a));
      drawFinder();
      draw();
    } catch {
      if (!over && !shown) show(content, h("p", { class: "empty", text: t("list.failed") }));
    }
  }
  /** What is looked for, and in which title: as long as there is something to choose from. */
  function drawFinder() {
    const titles = [...new Set(all.map(({ title }) => title))];
    const chosen = choose.value;
    finder.hidden = all.length < 2;
    finder.setAttribute("aria-label", t("seek"));
    show(
      choose,
      h("option", { value: "", text: t("seek.all_titles") }),
      titles.map((title) =>
        h("option", { value: title, selected: title === chosen, text: phrases(title).name(title) }),
      ),
    );
    if (!finder.firstChild)
      show(
        finder,
        h("label", { for: "find-game" }),
        search,
        h("label", { for: "find-title", class: "sr-only" }),
        choose,
      );
    finder.children[0].textContent = t("seek");
    finder.children[2].textContent = t("seek.title");
    search.placeholder = t("seek.how");
  }
  function draw() {
    const focused = document.activeElement?.getAttribute("href");
    if (!all.length) return show(content, h("p", { class: "empty", text: t(`${part}.empty`) }));
    const found = all.filter((line) => (!choose.value || line.title === choose.value) && matches(line, search.value));
    show(
      content,
      h("p", { class: "found", role: "status", text: t("seek.found", { n: found.length }) }),
      h("ul", { class: "games cards" }, found.slice(0, most).map(row)),
      found.length > most
        ? button({
            "data-act": "more-games",
            onclick: () => {
              most += SHOWN;
              draw();
            },
            text: t("seek.more"),
          })
        : null,
    );
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
  return {
    dispose() {
      over = true;
      clearInterval(timer);
      clearInterval(seconds);
      stop();
    },
  };
}

/** @param {(path: string) => void} go */
function openById(go) {
  const input = h("input", {
    id: "open-game",
    name: "game",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: "false",
    maxlength: 64,
    required: true,
  });
  return h(
    "form",
    {
      class: "open-form",
      onsubmit: () => {
        const id = input.value.trim();
        if (id) go(`/game/${encodeURIComponent(id)}`);
      },
    },
    h("label", { for: "open-game", text: t("open_game") }),
    input,
    h("button", { type: "submit", text: t("open") }),
  );
}

/** @param {HTMLElement} main */
export function help(main) {
  const draw = () => {
    document.title = `${t("help")} · Warledger`;
    show(
      main,
      h(
        "div",
        { class: "page help" },
        h("div", { class: "page-head" }, h("h1", { text: t("help") }), h("p", { class: "lead", text: t("help.lead") })),
        ["watch", "play", "keys", "evidence"].map((part) =>
          h(
            "section",
            {},
            h("h2", { text: t(`help.${part}`) }),
            t(`help.${part}.text`)
              .split("\n")
              .map((line) => h("p", { text: line })),
          ),
        ),
      ),
    );
  };
  draw();
  return { dispose: onLanguage(draw) };
}
