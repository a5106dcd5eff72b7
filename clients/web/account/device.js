// @ts-check
/** The account that this browser is signed in to: its token stays in the browser's storage where the person wants to be remembered, else until the browser is closed. */

import { ServerError, UNKNOWN_TOKEN } from "../link/link.js";

const DEVICE = "warledger.device";

/** The token of this device, "" for none. */
export const deviceToken = () => localStorage.getItem(DEVICE) ?? sessionStorage.getItem(DEVICE) ?? "";

/** @param {string} token @param {boolean} keep */
export function keepToken(token, keep) {
  dropToken();
  (keep ? localStorage : sessionStorage).setItem(DEVICE, token);
}

export function dropToken() {
  localStorage.removeItem(DEVICE);
  sessionStorage.removeItem(DEVICE);
}

/** Who is signed in: [id, handle]. @param {import("../link/link.js").Link} link @returns {[string, string] | null} */
export function accountOf(link) {
  const role = link.roles.find(([kind]) => kind === "account");
  return role ? [role[1], role[2]] : null;
}

/** Show the token that is kept. A device that was signed out is forgotten. @param {import("../link/link.js").Link} link @returns {Promise<boolean>} */
export async function signInAgain(link) {
  const token = deviceToken();
  if (!token) return false;
  try {
    await link.login(token, "");
    return true;
  } catch (error) {
    if (error instanceof ServerError && error.code === UNKNOWN_TOKEN) dropToken();
    return false;
  }
}
