// @ts-check
/** A game in one HTML file: the page of that game without a server. The file says what it holds, and whether it holds together. */

import { OtherFormat } from "../records/chain.js";
import { h, show } from "../ui/dom.js";
import { Damaged, FileLink, framesIn, recordsOf } from "../link/filelink.js";
import { GameView } from "./gameview.js";
import { Judge } from "../audit/judge.js";
import { Judging } from "../audit/judging.js";
import { hex } from "../records/sha256.js";
import { LANGUAGES, onLanguage, speak, spokenLanguage, t } from "../words/words.js";

const app = /** @type {HTMLElement} */ (document.getElementById("app"));
const KEY_SHOWN = 16;
// No worker can start from a file that was opened from a folder.
Judge.slices = async () => Judging;

/** @param {{game: string, log: Uint8Array, at: number | null}} shared */
async function begin({ game, log, at }) {
  const records = recordsOf(framesIn(log));
  const link = new FileLink(records, log);
  const main = h("main", { id: "main", tabindex: -1 });
  const state = h("p", { class: "file-state", role: "status" });
  const header = h("header", { class: "top" });
  const drawHeader = () =>
    show(
      header,
      h("span", { class: "brand" }, h("span", { text: "Warledger" })),
      state,
      h("span", { class: "spring" }),
      h(
        "select",
        {
          "aria-label": t("language"),
          class: "language",
          onchange: (/** @type {Event} */ event) => speak(/** @type {HTMLSelectElement} */ (event.target).value),
        },
        LANGUAGES.map(([id, name]) =>
          h("option", { value: id, lang: id, selected: id === spokenLanguage(), text: name }),
        ),
      ),
    );
  show(app, header, main);
  document.body.dataset.part = "game";
  const view = new GameView(main, /** @type {any} */ (link), game);
  Object.assign(window, { warledgerView: view });
  const tell = () => {
    const { watch } = view;
    const { checker } = watch;
    const { stand, fault, checked } = checker;
    const n = records.length;
    let text = t("file.checking", { seq: Math.max(0, checked), last: n - 1 });
    let kind = "";
    if (watch.fault || fault) {
      const what = watch.fault?.message ?? (fault?.where === "head" ? t("file.head") : String(fault?.seq));
      [text, kind] = [t("file.broken", { what }), "broken"];
    } else if (checker.able === false) text = t("file.unable", { n });
    else if (watch.last === n - 1 && checker.finished && stand) {
      const signed = stand.vouched === n - 1;
      text = t(signed ? "file.sound" : "file.unsigned", {
        n,
        key: hex(stand.serverKeys[stand.serverKeys.length - 1][1]).slice(0, KEY_SHOWN),
        head: hex(watch.records[n - 1].hash).slice(0, KEY_SHOWN),
      });
      kind = signed ? "sound" : "";
    }
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
  if (error instanceof OtherFormat)
    return show(
      app,
      h("p", { class: "loading file-state", role: "alert", text: t("other_format", { format: error.format }) }),
    );
  const what = error instanceof Damaged ? error.message : String(error instanceof Error ? error.message : error);
  show(app, h("p", { class: "loading file-state broken", role: "alert", text: t("file.damaged", { what }) }));
}

const shared = /** @type {any} */ (window).warledgerFile;
speak(shared.language || navigator.language)
  .then(() => begin(shared))
  .catch(broken);
