// @ts-check
/** Tells whoever is signed in, on every part of the page, how many games wait for them: in the title, as a badge of the page's icon, and with a sound where they want it. */

import { accountOf } from "./device.js";

const SOUND = "warledger.sound";
const LOOK_MS = 10_000;
const TITLE_MS = 1000;

export const soundIsOn = () => localStorage.getItem(SOUND) === "on";

/** @param {boolean} on */
export function setSound(on) {
  if (on) {
    localStorage.setItem(SOUND, "on");
    ring(); // a browser lets a page sound only after somebody has touched it
  } else localStorage.removeItem(SOUND);
}

/** @type {AudioContext | null} */
let audio = null;

/** Two short notes. Browsers that forbid it stay silent. */
function ring() {
  try {
    audio ??= new AudioContext();
    audio.resume().catch(() => undefined);
    for (const [at, pitch] of [
      [0, 660],
      [0.18, 880],
    ]) {
      const [note, volume] = [audio.createOscillator(), audio.createGain()];
      note.frequency.value = pitch;
      volume.gain.setValueAtTime(0.08, audio.currentTime + at);
      volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + at + 0.16);
      note.connect(volume).connect(audio.destination);
      note.start(audio.currentTime + at);
      note.stop(audio.currentTime + at + 0.17);
    }
  } catch {
    // There is no sound here.
  }
}

/** @param {any} line */
const waits = (line) =>
  line.stage === "playing" && line.mine.some((/** @type {string} */ seat) => line.awaits.includes(seat));

/** Look from now on. @param {import("../link/link.js").Link} link */
export function tellWaiting(link) {
  let count = 0;
  /** @type {Set<string>} */
  let known = new Set();
  let first = true;
  const title = () => {
    const bare = document.title.replace(/^\(\d+\) /, "");
    const told = count ? `(${count}) ${bare}` : bare;
    if (document.title !== told) document.title = told;
  };
  const look = async () => {
    if (!link.open) return;
    try {
      const rows = accountOf(link) ? (await link.request("my_games"))[0].filter(waits) : [];
      const games = new Set(rows.map((/** @type {any} */ line) => line.game));
      if (
        !first &&
        soundIsOn() &&
        document.hidden &&
        [...games].some((game) => !known.has(/** @type {string} */ (game)))
      )
        ring();
      [known, count, first] = [/** @type {Set<string>} */ (games), games.size, false];
      title();
      const shown = /** @type {any} */ (navigator);
      (count ? shown.setAppBadge?.(count) : shown.clearAppBadge?.())?.catch?.(() => undefined);
    } catch {
      // It is asked again.
    }
  };
  setInterval(look, LOOK_MS);
  setInterval(title, TITLE_MS);
  look();
}
