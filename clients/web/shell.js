// @ts-check
/**
 * The service worker: what the server tells somebody whose pages are closed; and the page's own files and its sentences for when there is no connection, and nothing else. The network always comes first, so a new version
 * is there with the next visit; games, lists and archives are never kept.
 */

const KEPT = "warledger-shell-1";
const FILE =
  /^\/(?!api\/|archive\/)(?:[\w-]+\/)*[\w-]+\.(?:js|css|svg|png|webp|webmanifest)$|^\/api\/(?:languages|phrases\/[\w-]+)$/;
/** Sentences for one game; without a connection they will do for all. */
const SOME = /^\/api\/games\/[\w-]+(\/phrases\/[\w-]+)$/;
const PART =
  /^\/(?:(?:lobby|archive|help|account|wall|tournaments?)?\/?|(?:game|overlay)\/[\w-]+|(?:tournaments?|wall)\/[\w-]+)$/;

const worker = /** @type {any} */ (self);

/** Under which address an answer is kept, or none: every part of the page is the same file. @param {Request} request */
function keyOf(request) {
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return "";
  if (request.mode === "navigate") return PART.test(pathname) ? "/" : "";
  const some = SOME.exec(pathname);
  return some ? `/api${some[1]}` : FILE.test(pathname) ? pathname : "";
}

/** @param {Request} request @param {string} key */
async function answer(request, key) {
  const kept = await caches.open(KEPT);
  try {
    const found = await fetch(request);
    // Some sentences never take the place of all of them.
    if (found.ok && (new URL(request.url).pathname === key || request.mode === "navigate" || !(await kept.match(key))))
      await kept.put(key, found.clone());
    return found;
  } catch (error) {
    const known = await kept.match(key);
    if (known) return known;
    throw error;
  }
}

/** What the server has to tell somebody whose pages are closed. @param {any} data */
async function tell(data) {
  let told = { title: "", text: "", path: "/", tag: "" };
  try {
    told = { ...told, ...data.json() };
  } catch {
    // A browser that was woken has to show something.
  }
  await worker.registration.showNotification(told.title || "Warledger", {
    body: told.text,
    tag: told.tag,
    icon: "/icon-192.png",
    data: told.path,
  });
}

/** Show a page of this server: the one that is open there, else a new one. @param {string} path */
async function visit(path) {
  const wanted = new URL(path, location.origin);
  const { href } = wanted.origin === location.origin ? wanted : new URL("/", location.origin);
  const open = await worker.clients.matchAll({ type: "window" });
  const there = open.find((/** @type {any} */ page) => page.url.split("#")[0] === href);
  await (there ? there.focus() : worker.clients.openWindow(href));
}

worker.addEventListener("push", (/** @type {any} */ event) => event.waitUntil(tell(event.data)));
worker.addEventListener("notificationclick", (/** @type {any} */ event) => {
  event.notification.close();
  event.waitUntil(visit(String(event.notification.data || "/")));
});
worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (/** @type {any} */ event) =>
  event.waitUntil(
    (async () => {
      for (const name of await caches.keys()) if (name !== KEPT) await caches.delete(name);
      await worker.clients.claim();
    })(),
  ),
);
worker.addEventListener("fetch", (/** @type {any} */ event) => {
  const key = keyOf(event.request);
  if (key) event.respondWith(answer(event.request, key));
});
