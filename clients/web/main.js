// @ts-check
/** The page: its frame, its address, its languages, and which part is shown. */

import { h, icon, show } from "./dom.js";
import { pin, pinned } from "./keeping.js";
import { Link } from "./link.js";
import { hex } from "./sha256.js";
import { LANGUAGES, onLanguage, speak, spokenLanguage, t } from "./words.js";
import { Account } from "./account.js";
import { BranchLink } from "./branch.js";
import { accountOf, signInAgain } from "./device.js";
import { archive, help, lobby } from "./lobby.js";
import { tellWaiting } from "./waiting.js";
import { GameView } from "./gameview.js";
import { Wall, dress, gamesOf } from "./show/cast.js";
import { TournamentView } from "./tournament.js";
import { Tournaments } from "./tournaments.js";

const app = /** @type {HTMLElement} */ (document.getElementById("app"));
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
  const dark = document.documentElement.dataset.theme === "dark" || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  nav.setAttribute("aria-label", t("nav"));
  /** @param {string} href @param {string} key */
  const item = (href, key) => h("a", { href, "aria-current": path === href || (href === "/" && path === "/lobby") ? "page" : null, text: t(key) });
  show(nav, item("/", "lobby"), item("/tournaments", "tournaments"), item("/archive", "archive"), item("/help", "help"), h("a", { href: "/account", class: "account-link", "aria-current": path === "/account" ? "page" : null, text: (link && accountOf(link)?.[1]) || t("account") }));
  const choose = h("select", { "aria-label": t("language"), class: "language", onchange: (/** @type {Event} */ event) => speak(/** @type {HTMLSelectElement} */ (event.target).value) },
    LANGUAGES.map(([id, name]) => h("option", { value: id, lang: id, selected: id === spokenLanguage(), text: name })));
  const theme = h("button", { class: "icon", type: "button", "aria-label": t(dark ? "theme.light" : "theme.dark"), title: t(dark ? "theme.light" : "theme.dark"),
    onclick: () => { setTheme(dark ? "light" : "dark"); drawHeader(); header.querySelector("button")?.focus(); }, }, icon(dark ? "sun" : "moon"));
  show(header, h("a", { class: "skip", href: "#main", text: t("skip") , onclick: (/** @type {Event} */ event) => { event.preventDefault(); main.focus(); } }),
    h("a", { class: "brand", href: "/", "aria-label": "Warledger" }, h("img", { src: "/icon.svg", alt: "", width: 26, height: 26 }), h("span", { text: "Warledger" })), nav, h("span", { class: "spring" }), connection, choose, theme);
  drawState();
}

/** The server's key is not the one that this browser has stored. */
function drawKey() {
  keyNews.hidden = !otherKey;
  if (!otherKey) return;
  const { was, is } = otherKey;
  show(keyNews, h("p", { text: t("key.changed", { was: hex(was).slice(0, 16), is: hex(is).slice(0, 16) }) }), h("button", { type: "button", "data-act": "pin", onclick: async () => {
    await pin(is).catch(() => undefined); // if nothing can be stored, the warning is shown again next time
    otherKey = null;
    drawKey();
  }, text: t("key.accept") }));
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

function route() {
  part?.dispose();
  part = null;
  const [, section, id] = location.pathname.split("/");
  document.body.dataset.part = section || "lobby";
  const asked = new URLSearchParams(location.search);
  const cast = section === "wall" || (section === "game" && asked.get("view") === "cast");
  dress(asked, cast);
  const branch = asked.get("whatif");
  if (section === "game" && id && branch !== null && /^\d{1,9}$/.test(branch)) part = new GameView(main, /** @type {any} */ (new BranchLink(decodeURIComponent(id), Number(branch))), decodeURIComponent(id));
  else if (section === "game" && id) part = new GameView(main, link, decodeURIComponent(id), cast);
  else if (section === "wall") part = new Wall(main, link, gamesOf(asked));
  else if (section === "tournament" && id) part = new TournamentView(main, link, decodeURIComponent(id), go);
  else if (section === "tournaments") part = new Tournaments(main, link, go);
  else if (section === "archive") part = archive(main, asked.get("player") ?? "");
  else if (section === "help") part = help(main);
  else if (section === "account") part = new Account(main, link, drawHeader);
  else part = lobby(main, link, go);
  Object.assign(window, { warledgerView: part });
  drawHeader();
}

document.addEventListener("click", (event) => {
  const anchor = /** @type {Element} */ (event.target).closest?.("a[href^='/']");
  if (!anchor || event.ctrlKey || event.metaKey || event.shiftKey || anchor.hasAttribute("download") || anchor.getAttribute("target")) return;
  event.preventDefault();
  go(anchor.getAttribute("href") ?? "/");
  main.focus({ preventScroll: true });
});
addEventListener("popstate", route);

setTheme(localStorage.getItem("warledger.theme") ?? "");
// Without a connection the page itself is still there; a browser that has no workers goes without.
addEventListener("load", () => navigator.serviceWorker?.register("/shell.js").catch(() => undefined));
const wanted = new URLSearchParams(location.search).get("lang") ?? localStorage.getItem("warledger.language") ?? navigator.language;
speak(wanted).then(() => {
  // Naming the game lets a server of several processes answer from the one that keeps it.
  const [, section, id] = location.pathname.split("/");
  const game = section === "game" && id ? `?game=${id}` : "";
  link = new Link(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws${game}`, (now) => {
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
    tellWaiting(link);
    if (!signedIn) return;
    drawHeader();
    part?.signedIn?.();
  });
}, (error) => show(app, h("p", { class: "loading", text: String(error) })));
