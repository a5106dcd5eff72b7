// @ts-check
/** The ratings of the server: a table for each title and pace, with the log that anybody can compute again. */

import { h } from "../ui/dom.js";
import { phrases, t } from "../words/words.js";

const SHOWN_MOST = 50;

/** @param {string} path @returns {Promise<any>} */
const fetched = async (path) => (await fetch(path)).json();

/** The tables; null where nothing has been rated yet. @returns {Promise<HTMLElement | null>} */
export async function ratings() {
  const { ratings: logs } = await fetched("/api/ratings");
  if (!logs.length) return null;
  const tables = await Promise.all(
    logs.map(async (/** @type {any} */ { log }) => table(await fetched(`/api/ratings/${log}`))),
  );
  return h(
    "section",
    { class: "ratings", "aria-labelledby": "ratings" },
    h("h2", { id: "ratings", text: t("ratings") }),
    h("p", { text: t("ratings.lead", { command: "warledger ratings check" }) }),
    tables,
  );
}

/** @param {any} told */
function table(told) {
  const name = phrases(told.title).name(told.title) + (told.pace ? `, ${t(`ratings.pace.${told.pace}`)}` : "");
  const cell = (/** @type {string} */ key) => h("th", { scope: "col", text: t(key) });
  return h(
    "div",
    {},
    h(
      "table",
      { class: "cup-standings", "data-ratings": told.log },
      h("caption", { text: name }),
      h("thead", {}, h("tr", {}, cell("ratings.player"), cell("ratings.rating"), cell("ratings.month"))),
      h(
        "tbody",
        {},
        told.players
          .slice(0, SHOWN_MOST)
          .map((/** @type {any} */ one) =>
            h(
              "tr",
              {},
              h("th", { scope: "row", text: one.shown }),
              h("td", { text: `${Math.round(one.rating / 100)} ± ${Math.round(one.deviation / 50)}` }),
              h("td", { text: one.month }),
            ),
          ),
      ),
    ),
    h(
      "p",
      {},
      h("a", { href: `/api/ratings/${told.log}.ratings`, download: "", class: "download", text: t("ratings.file") }),
    ),
  );
}
