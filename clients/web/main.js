// @ts-check
/** The page: its frame, its address, its languages, and which part is shown. */

import { button, h, icon, show } from "./ui/dom.js";
import { Judge } from "./audit/judge.js";
import { pin, pinned } from "./link/keeping.js";
import { Link } from "./link/link.js";
import { hex } from "./records/sha256.js";
import { LANGUAGES, onLanguage, speak, speakOf, spokenLanguage, t } from "./words/words.js";
import { accountOf, signInAgain } from "./account/device.js";
import { addressed, dress, gamesOf } from "./show/dress.js";

const app = /** @type {HTMLElement} */ (document.getElementById("app"));
const LATER_MS = 2000;
Judge.slices = () => import("./audit/judging.js").then(({ Judging }) => Judging);
/** A part of the page that is here after this time follows the one before without a word in between, in ms. */
const OPENING_MS = 200;
/** @type {{dispose: () => void, signedIn?: () => void} | null} */
let part = null;
/** @type {"connecting" | "open" | "waiting"} */
let state = "connecting";

const connection = h("span", { class: "connection", role: "status" });
const main = h("main", { id: "main", tabindex: -1 });
const nav = h("nav", {});
const header = h("header", { class: "top" });
/** what the server's key was when this browser was here first, where it is another now @type {{was: Uint8Array, is: Uint8Array} | null} */
let otherKey = null;
const keyNews = h("div", { class: "key-news", role: "alert", hidden: true });

/** @type {Link} */
let link;

/** @param {string} theme */
function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  localStorage.setItem("warledger.theme", theme);
}

function drawHeader() {
  const path = location.pathname;
  const dark =
    document.documentElement.dataset.theme === "dark" ||
    (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  nav.setAttribute("aria-label", t("nav"));
  /** @param {string} href @param {string} key */
  const item = (href, key) =>
    h("a", {
      href,
      "aria-current": path === href || (href === "/" && path === "/lobby") ? "page" : null,
      text: t(key),
    });
  show(
    nav,
    item("/", "lobby"),
    item("/tournaments", "tournaments"),
    item("/archive", "archive"),
    item("/help", "help"),
    h("a", {
      href: "/account",
      class: "account-link",
      "aria-current": path === "/account" ? "page" : null,
      text: (link && accountOf(link)?.[1]) || t("account"),
    }),
  );
  const choose = h(
    "select",
    {
      "aria-label": t("language"),
      class: "language",
      onchange: (/** @type {Event} */ event) => speak(/** @type {HTMLSelectElement} */ (event.target).value),
    },
    LANGUAGES.map(([id, name]) => h("option", { value: id, lang: id, selected: id === spokenLanguage(), text: name })),
  );
  const theme = h(
    "button",
    {
      class: "icon",
      type: "button",
      "aria-label": t(dark ? "theme.light" : "theme.dark"),
      title: t(dark ? "theme.light" : "theme.dark"),
      onclick: () => {
        setTheme(dark ? "light" : "dark");
        drawHeader();
        header.querySelector("button")?.focus();
      },
    },
    icon(dark ? "sun" : "moon"),
  );
  show(
    header,
    h("a", {
      class: "skip",
      href: "#main",
      text: t("skip"),
      onclick: (/** @type {Event} */ event) => {
        event.preventDefault();
        main.focus();
      },
    }),
    h(
      "a",
      { class: "brand", href: "/", "aria-label": "Warledger" },
      h("img", { src: "/icon.svg", alt: "", width: 26, height: 26 }),
      h("span", { text: "Warledger" }),
    ),
    nav,
    h("span", { class: "spring" }),
    connection,
    choose,
    theme,
  );
  drawState();
}

/** The server's key is not the one that this browser has stored. */
function drawKey() {
  keyNews.hidden = !otherKey;
  if (!otherKey) return;
  const { was, is } = otherKey;
  show(
    keyNews,
    h("p", { text: t("key.changed", { was: hex(was).slice(0, 16), is: hex(is).slice(0, 16) }) }),
    button({
      "data-act": "pin",
      onclick: async () => {
        await pin(is).catch(() => undefined); // if nothing can be stored, the warning is shown again next time
        otherKey = null;
        drawKey();
      },
      text: t("key.accept"),
    }),
  );
}

/** @param {Uint8Array} key */
async function meet(key) {
  try {
    const { changed, known } = await pinned(key);
    otherKey = changed ? { was: known, is: key } : null;
  } catch {
    // If nothing can be stored, nothing can be compared.
  }
  drawKey();
}

function drawState() {
  connection.dataset.state = state;
  connection.textContent = state === "open" ? "" : t(`link.${state}`);
}

/** Go to an address of this page. @param {string} path */
function go(path) {
  history.pushState(null, "", path);
  route();
  scrollTo(0, 0);
}

/**
 * What makes a part of the page, once its modules are here. @param {string} section @param {string} id @param {URLSearchParams} asked @param {boolean} cast
 * @returns {Promise<() => {dispose: () => void, signedIn?: () => void}>}
 */
async function partOf(section, id, asked, cast) {
  if (section === "game" && id) {
    const branch = asked.get("whatif");
    const played = branch !== null && /^\d{1,9}$/.test(branch) ? import("./games/branch.js") : null;
    const [{ GameView }, whatIf] = await Promise.all([import("./games/gameview.js"), played]);
    GameView.loadPlay = () => import("./play/seated.js");
    return () =>
      whatIf
        ? new GameView(main, /** @type {any} */ (new whatIf.BranchLink(id, Number(branch))), id)
        : new GameView(main, link, id, cast);
  }
  if (section === "wall") {
    const { TournamentWall, Wall } = await import("./show/cast.js");
    return () => (id ? new TournamentWall(main, link, id) : new Wall(main, link, gamesOf(asked)));
  }
  if (section === "tournament" && id) {
    const { TournamentView } = await import("./tournaments/tournament.js");
    return () => new TournamentView(main, link, id, go);
  }
  if (section === "tournaments") {
    const { Tournaments } = await import("./tournaments/tournaments.js");
    return () => new Tournaments(main, link, go);
  }
  if (section === "account") {
    const { Account } = await import("./account/account.js");
    return () => new Account(main, link, drawHeader);
  }
  const { archive, help, lobby } = await import("./lobby/lobby.js");
  if (section === "archive") return () => archive(main, asked.get("player") ?? "");
  return section === "help" ? () => help(main) : () => lobby(main, link, go);
}

/** how often another part of the page was asked for */
let routed = 0;

/** Show the part of the page that its address names. Each is loaded when it is first asked for. */
async function route() {
  const turn = ++routed;
  part?.dispose();
  part = null;
  const { section, id, asked } = addressed();
  document.body.dataset.part = section || "lobby";
  const cast = section === "wall" || (section === "game" && asked.get("view") === "cast");
  dress(asked, cast);
  drawHeader();
  // On a slow line what was there is gone, or there is nothing yet.
  const slow = setTimeout(
    () =>
      turn === routed && !part
        ? show(main, h("p", { class: "loading", role: "status", text: t("opening") }))
        : undefined,
    main.firstChild ? OPENING_MS : 0,
  );
  try {
    const [made] = await Promise.all([partOf(section, id, asked, cast), speakOf(section === "game" ? id : "")]);
    if (turn !== routed) return;
    clearTimeout(slow);
    part = made();
  } catch (error) {
    clearTimeout(slow);
    if (turn !== routed) return;
    show(
      main,
      h("p", {
        class: "loading",
        role: "alert",
        text: t("no_part", { what: error instanceof Error ? error.message : String(error) }),
      }),
    );
  }
  Object.assign(window, { warledgerView: part });
  drawHeader();
}

document.addEventListener("click", (event) => {
  const anchor = /** @type {Element} */ (event.target).closest?.("a[href^='/']");
  if (
    !anchor ||
    event.ctrlKey ||
    event.metaKey ||
    event.shiftKey ||
    anchor.hasAttribute("download") ||
    anchor.getAttribute("target")
  )
    return;
  event.preventDefault();
  go(anchor.getAttribute("href") ?? "/");
  main.focus({ preventScroll: true });
});
addEventListener("popstate", route);

setTheme(localStorage.getItem("warledger.theme") ?? "");
const wanted =
  new URLSearchParams(location.search).get("lang") ?? localStorage.getItem("warledger.language") ?? navigator.language;
const { section, id } = addressed();
// A game's modules and its records come while its sentences do.
if ((section === "game" && id) || section === "wall") {
  import("./games/gameview.js")
    .then(({ GameView }) => {
      if (section === "game" && !new URLSearchParams(location.search).has("whatif")) GameView.lookAhead(id);
    })
    .catch(() => undefined);
}
// Without a connection the page itself is still there; a browser that has no workers goes without.
addEventListener("load", () => navigator.serviceWorker?.register("/shell.js").catch(() => undefined));
// Whoever comes back gets the page's other parts too, once nothing else is under way, so that they open without a connection.
if (navigator.serviceWorker?.controller)
  addEventListener("load", () =>
    setTimeout(
      () =>
        Promise.all([
          import("./lobby/lobby.js"),
          import("./account/account.js"),
          import("./tournaments/tournaments.js"),
          import("./tournaments/tournament.js"),
          import("./play/seated.js"),
        ]).catch(() => undefined),
      LATER_MS,
    ),
  );
speak(wanted, section === "game" ? id : "").then(
  () => {
    link = new Link(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws`, (now) => {
      state = now;
      drawState();
    });
    link.onKey = meet;
    Object.assign(window, { warledgerLink: link });
    onLanguage(() => {
      drawHeader();
      drawKey();
    });
    show(app, header, keyNews, main);
    route();
    signInAgain(link).then((signedIn) => {
      // A page in the background tells a player that it is their turn.
      import("./account/waiting.js").then(
        ({ tellWaiting }) => tellWaiting(link),
        () => undefined,
      );
      if (!signedIn) return;
      drawHeader();
      part?.signedIn?.();
    });
  },
  (error) => show(app, h("p", { class: "loading", text: String(error) })),
);
