// @ts-check
/** Which plural form of a word a whole number takes, by the rules of a catalogue: protocol/texts/plurals.py, with the same meaning. */

const CATEGORIES = ["zero", "one", "two", "few", "many"];
const RELATION = /^([nivwftce]) *(?:% *([1-9][0-9]*))? *(!?=) *([0-9][0-9., ]*)$/;
const RANGE = /^([0-9]+)(?:\.\.([0-9]+))?$/;

/** @typedef {(amount: number) => boolean} Rule */

/** @param {string} part @returns {Rule | null} */
function relation(part) {
  const found = RELATION.exec(part.trim());
  if (!found) return null;
  const [, operand, modulo, sign, listed] = found;
  const ranges = listed.split(",").map((one) => RANGE.exec(one.trim()));
  if (ranges.includes(null)) return null;
  const bounds = ranges.map((one) => [Number(one?.[1]), Number(one?.[2] ?? one?.[1])]);
  return (amount) => {
    const whole = operand === "n" || operand === "i" ? amount : 0;
    const value = modulo ? whole % Number(modulo) : whole;
    return bounds.some(([low, high]) => low <= value && value <= high) === (sign === "=");
  };
}

/** A rule of CLDR; one that cannot be read holds for no number. @param {string} text @returns {Rule} */
export function condition(text) {
  const parts = text
    .split("@")[0]
    .split(/\bor\b/)
    .map((either) => either.split(/\band\b/).map(relation));
  if (parts.flat().includes(null)) return () => false;
  return (amount) => parts.some((either) => either.every((rule) => rule?.(amount)));
}

/** The rules of a catalogue's language, in the order of the forms. @param {Record<string, string>} catalogue @returns {Rule[]} */
export const rulesOf = (catalogue) =>
  CATEGORIES.map((one) => catalogue[`plural.${one}`])
    .filter((text) => text !== undefined)
    .map(condition);

/** The form for n: that of the first rule that holds, else the last. @param {any} n @param {string[]} forms @param {Rule[]} rules */
export function formOf(n, forms, rules) {
  const counts = Number.isInteger(n) || typeof n === "boolean";
  const index = counts ? rules.findIndex((rule) => rule(Math.abs(Number(n)))) : -1;
  return forms[index < 0 || index >= forms.length ? forms.length - 1 : index];
}
