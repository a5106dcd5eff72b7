// @ts-check
/** The language of the page: catalogues as they are fetched, what was chosen, and who must be told when it changes. */

import { Phrases } from "./phrases.js";

/** The languages of this server, each with what it calls itself; those that every server has, until it has said which it has. @type {[string, string][]} */
export const LANGUAGES = [
  ["en", "English"],
  ["zh-Hans", "简体中文"],
  ["zh-Hant", "繁體中文"],
];
const EVERYWHERE = /^(en|zh)\b/i;
/** @type {Promise<void> | null} */
let asked = null;

async function askLanguages() {
  const answer = await fetch("/api/languages");
  if (answer.ok) LANGUAGES.splice(0, LANGUAGES.length, ...Object.entries(await answer.json()));
}

/** Sentences by "game/language", and all there are by "/language". @type {Map<string, Record<string, string>>} */
const catalogues = new Map();
let language = "en";
/** the game whose title's sentences are enough, "" where any may be said */
let about = "";
/** @type {Set<() => void>} */
const listeners = new Set();

/** A text as it is looked for: small letters, no accents that a keyboard may lack. @param {string} text */
export const sought = (text) =>
  text
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();

/**
 * What a person has typed, as it is signed and sent (`composed` in protocol/texts/typed.py): in normal form C, with LF for every line break and a
 * space for every tab. Half a character becomes U+FFFD. @param {string} text
 */
export const composed = (text) =>
  text
    .replace(/\r\n?/g, "\n")
    .replaceAll("\t", " ")
    .replace(/[\ud800-\udfff]/gu, "\ufffd")
    .normalize();

/** Our name for a language that a browser asks for. @param {string} wanted */
export function languageOf(wanted) {
  const tag = wanted.replaceAll("_", "-").toLowerCase();
  if (/^zh-(hant|tw|hk|mo)/.test(tag)) return "zh-Hant";
  if (tag.startsWith("zh")) return "zh-Hans";
  const [first] = tag.split("-");
  const known =
    LANGUAGES.find(([id]) => id.toLowerCase() === tag) ??
    LANGUAGES.find(([id]) => id.toLowerCase().split("-")[0] === first);
  return known ? known[0] : "en";
}

/** @param {string} wanted @returns {Record<string, string> | undefined} */
const catalogueOf = (wanted) =>
  catalogues.get(`/${wanted}`) ?? (about ? catalogues.get(`${about}/${wanted}`) : undefined);

/** those that are on their way, by the same keys @type {Map<string, Promise<void>>} */
const coming = new Map();

/** @param {string} wanted @param {string} game @returns {Promise<void>} */
function fetchCatalogue(wanted, game) {
  const key = `${game}/${wanted}`;
  if (catalogues.has(`/${wanted}`) || catalogues.has(key)) return Promise.resolve();
  const found = coming.get(key) ?? bringCatalogue(wanted, game).finally(() => coming.delete(key));
  coming.set(key, found);
  return found;
}

/** @param {string} wanted @param {string} game @returns {Promise<void>} */
async function bringCatalogue(wanted, game) {
  const path = game ? `/api/games/${encodeURIComponent(game)}/phrases/${wanted}` : `/api/phrases/${wanted}`;
  const answer = await fetch(path);
  if (!answer.ok && game) return fetchCatalogue(wanted, ""); // there is no such game: all that is said is that
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  catalogues.set(`${game}/${wanted}`, await answer.json());
}

/** From now on only what is said of this game is needed, or, with "", anything; resolves once it is here. @param {string} game */
export async function speakOf(game) {
  await Promise.all([fetchCatalogue("en", game), fetchCatalogue(language, game)]);
  about = game;
}

/** Speak a language, or English where the server does not have it. @param {string} wanted as `languageOf` takes it @param {string} [game] as `speakOf` takes it */
export async function speak(wanted, game = about) {
  asked ??= askLanguages().catch(() => {
    asked = null;
  }); // asked again when a language is chosen
  if (!EVERYWHERE.test(wanted)) await asked;
  const chosen = languageOf(wanted);
  await Promise.all([asked, fetchCatalogue("en", game), fetchCatalogue(chosen, game)]);
  language = chosen;
  about = game;
  document.documentElement.lang = chosen;
  localStorage.setItem("warledger.language", chosen);
  for (const listener of [...listeners]) listener();
}

export const spokenLanguage = () => language;

/** @param {() => void} listener @returns {() => void} stops it */
export function onLanguage(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The language now, for a title with the names of its pack. @param {string} [title] @param {Record<string, string>} [names] */
export function phrases(title = "", names = {}) {
  return new Phrases(catalogueOf(language) ?? {}, { title, names, language, fallback: catalogueOf("en") ?? {} });
}

/** What an option is set to. @param {Phrases} spoken @param {any} value */
export const choiceOf = (spoken, value) =>
  typeof value === "string" && spoken.has(`web.choice.${value}`)
    ? spoken.text(`web.choice.${value}`)
    : spoken.name(value);

/** A sentence of the page. @param {string} key @param {Record<string, any>} [args] */
export const t = (key, args = {}) => phrases().text(`web.${key}`, args);

/** Whether a preview is a warning, which a player should see before a command is carried out: by the third part of its key. @param {[string, ...any[]]} say */
export const warns = ([key]) => key.split(".")[2] === "warning";
