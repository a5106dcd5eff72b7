// @ts-check
/**
 * The server's signed heads that this browser has kept, as a file for an audit: as the terminal keeps them (`clients/link/receipts.py`), under the same name, so that it may lie in
 * the folder that `warledger audit --receipts` reads. Each is a frame: four bytes of length, then the canonical array [game, seq, hash, signature].
 */

import { pack } from "../records/canon.js";
import { button, h } from "../ui/dom.js";
import { all } from "./keeping.js";
import { t } from "../words/words.js";

const LENGTH_BYTES = 4;
const GENESIS_DIGITS = 16;

/** @typedef {import("./keeping.js").KeptHead} KeptHead */

/** The bytes of the file. @param {KeptHead[]} heads */
export function fileOf(heads) {
  const parts = heads.map(({ game, seq, bytes, signature }) => pack([game, seq, bytes, signature]));
  const out = new Uint8Array(parts.reduce((sum, part) => sum + LENGTH_BYTES + part.length, 0));
  let at = 0;
  for (const part of parts) {
    new DataView(out.buffer).setUint32(at, part.length);
    out.set(part, at + LENGTH_BYTES);
    at += LENGTH_BYTES + part.length;
  }
  return out;
}

/** Let a person save what is kept for a seat of a game, or for an entrant of a tournament. @param {string} game @param {string} seat @param {string} [genesis] the hash of record 0, in hexadecimals, where there need not be a head of it */
export const saving = (game, seat, genesis) =>
  h(
    "p",
    {},
    button({
      "data-act": "save-heads",
      onclick: async () => {
        const heads = await all("heads", [game, seat]);
        const href = URL.createObjectURL(new Blob([fileOf(heads)], { type: "application/octet-stream" }));
        const first = genesis ?? heads.find(({ seq }) => seq === 0)?.hash ?? "";
        h("a", { href, download: `${game}.${first.slice(0, GENESIS_DIGITS)}.${seat.replace(":", "")}.heads` }).click();
        URL.revokeObjectURL(href);
      },
      text: t("download.heads"),
    }),
    " ",
    t("download.heads.about"),
  );
