// @ts-check
/** A game in one HTML file: the page of that game without a server. The file says what it holds, and whether it holds together. */

import { headBytes } from "./acts.js";
import { OtherFormat } from "./chain.js";
import { h, show } from "./dom.js";
import { able, verify } from "./ed25519.js";
import { Damaged, FileLink, readFile } from "./filelink.js";
import { GameView } from "./gameview.js";
import { hex, same } from "./sha256.js";
import { LANGUAGES, onLanguage, speak, spokenLanguage, t } from "./words.js";

const app = /** @type {HTMLElement} */ (document.getElementById("app"));
const KEY_SHOWN = 16;

/**
 * Whether the key that stands in the log has signed its last record: true, false, or null where this browser cannot tell or the file holds no head.
 * @param {import("./watch.js").Watch} watch @param {import("./filelink.js").Contents["head"]} head @param {Uint8Array} key
 */
async function vouched(watch, head, key) {
  if (!head || !(await able())) return null;
  const [game, seq, hash, signature] = head;
  if (game !== watch.game || seq !== watch.last || !same(hash, watch.records[seq]?.hash ?? new Uint8Array(0))) return false;
  return verify(key, headBytes(game, seq, hash), signature);
}

/** @param {{game: string, log: Uint8Array, at: number | null}} shared */
async function begin({ game, log, at }) {
  const contents = readFile(log);
  const link = new FileLink(contents, log);
  const main = h("main", { id: "main", tabindex: -1 });
  const state = h("p", { class: "file-state", role: "status" });
  const header = h("header", { class: "top" });
  const drawHeader = () => show(header, h("span", { class: "brand" }, h("span", { text: "Warledger" })), state, h("span", { class: "spring" }),
    h("select", { "aria-label": t("language"), class: "language", onchange: (/** @type {Event} */ event) => speak(/** @type {HTMLSelectElement} */ (event.target).value) },
      LANGUAGES.map(([id, name]) => h("option", { value: id, lang: id, selected: id === spokenLanguage(), text: name }))));
  show(app, header, main);
  document.body.dataset.part = "game";
  const view = new GameView(main, /** @type {any} */ (link), game);
  Object.assign(window, { warledgerView: view });
  let signed = /** @type {boolean | null | undefined} */ (undefined);
  const tell = async () => {
    const { watch } = view;
    const { checker } = watch;
    const count = contents.records.length;
    const key = checker.acting?.serverKey;
    let text = t("file.checking", { seq: Math.max(0, checker.checked), last: count - 1 });
    let kind = "";
    if (watch.fault || checker.fault || signed === false) {
      text = t("file.broken", { what: watch.fault?.message ?? (checker.fault ? String(checker.fault.seq) : t("file.head")) });
      kind = "broken";
    } else if (watch.last === count - 1 && checker.checked >= watch.last && key) {
      if (signed === undefined) {
        signed = null;
        signed = await vouched(watch, contents.head, key);
        return tell();
      }
      text = t(signed ? "file.sound" : "file.unsigned", { n: count, key: hex(key).slice(0, KEY_SHOWN), head: hex(watch.records[watch.last].hash).slice(0, KEY_SHOWN) });
      kind = signed ? "sound" : "";
    } else if (watch.last === count - 1 && checker.able === false) text = t("file.unable", { n: count });
    state.className = `file-state ${kind}`;
    state.textContent = text;
    state.title = t("file.explained");
  };
  view.watch.listen(tell);
  view.watch.checker.listen(tell);
  onLanguage(() => {
    drawHeader();
    tell();
  });
  drawHeader();
  tell();
  if (at !== null) {
    const stop = view.watch.listen(() => {
      if (view.watch.last < at) return;
      stop();
      view.goTo(at);
    });
  }
}

/** The file was changed on the way, or cut off. @param {unknown} error */
function broken(error) {
  if (error instanceof OtherFormat) return show(app, h("p", { class: "loading file-state", role: "alert", text: t("other_format", { format: error.format }) }));
  const what = error instanceof Damaged ? error.message : String(error instanceof Error ? error.message : error);
  show(app, h("p", { class: "loading file-state broken", role: "alert", text: t("file.damaged", { what }) }));
}

const shared = /** @type {any} */ (window).warledgerFile;
speak(shared.language || navigator.language).then(() => begin(shared)).catch(broken);
