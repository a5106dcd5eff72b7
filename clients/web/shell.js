// @ts-check
/**
 * The service worker: the page's own files and its sentences for when there is no connection, and nothing else. The network always comes first, so a new version
 * is there with the next visit; games, lists and archives are never kept.
 */

const KEPT = "warledger-shell-1";
const FILE = /^\/(?!api\/|archive\/)(?:[\w-]+\/)*[\w-]+\.(?:js|css|svg|png|webp|webmanifest)$|^\/api\/phrases\/[\w-]+$/;
const PART = /^\/(?:(?:lobby|archive|help|account|wall|tournaments?)?\/?|game\/[\w-]+|tournaments?\/[\w-]+)$/;

const worker = /** @type {any} */ (self);

/** Under which address an answer is kept, or none: every part of the page is the same file. @param {Request} request */
function keyOf(request) {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return "";
  if (request.mode === "navigate") return PART.test(pathname) ? "/" : "";
  return FILE.test(pathname) ? pathname : "";
}

/** @param {Request} request @param {string} key */
async function answer(request, key) {
  const kept = await caches.open(KEPT);
  try {
    const found = await fetch(request);
    if (found.ok) await kept.put(key, found.clone());
    return found;
  } catch (error) {
    const known = await kept.match(key);
    if (known) return known;
    throw error;
  }
}

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil((async () => {
  for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name);
  await worker.clients.claim();
})()));
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const key = keyOf(event.request);
  if (key) event.respondWith(answer(event.request, key));
});
