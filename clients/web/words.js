// @ts-check
/** The language of the page: catalogues as they are fetched, what was chosen, and who must be told when it changes. */

import { Phrases } from "./phrases.js";

export const LANGUAGES = [["en", "English"], ["zh-Hans", "简体中文"], ["zh-Hant", "繁體中文"]];

/** @type {Map<string, Record<string, string>>} */
const catalogues = new Map();
let language = "en";
/** @type {Set<() => void>} */
const listeners = new Set();

/** Our name for a language that a browser asks for. @param {string} wanted */
export function languageOf(wanted) {
  const tag = wanted.replace("_", "-").toLowerCase();
  if (/^zh-(hant|tw|hk|mo)/.test(tag)) return "zh-Hant";
  if (tag.startsWith("zh")) return "zh-Hans";
  return "en";
}

/** @param {string} wanted */
async function fetchCatalogue(wanted) {
  if (catalogues.has(wanted)) return;
  const answer = await fetch(`/api/phrases/${wanted}`);
  if (!answer.ok) throw new Error(`/api/phrases/${wanted}: ${answer.status}`);
  catalogues.set(wanted, await answer.json());
}

/** @param {string} wanted */
export async function speak(wanted) {
  const chosen = LANGUAGES.some(([id]) => id === wanted) ? wanted : "en";
  await Promise.all([fetchCatalogue("en"), fetchCatalogue(chosen)]);
  language = chosen;
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
  return new Phrases(catalogues.get(language) ?? {}, { title, names, language, fallback: catalogues.get("en") ?? {} });
}

/** What an option is set to. @param {Phrases} spoken @param {any} value */
export const choiceOf = (spoken, value) => (typeof value === "string" && spoken.has(`web.choice.${value}`) ? spoken.text(`web.choice.${value}`) : spoken.name(value));

/** A sentence of the page. @param {string} key @param {Record<string, any>} [args] */
export const t = (key, args = {}) => phrases().text(`web.${key}`, args);
