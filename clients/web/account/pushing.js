// @ts-check
/** Notifications of this browser while the page is closed: asking for them, and giving them up. */

/** Whether this browser can be asked at all. Without https it cannot. */
export const mayAsk = () => "serviceWorker" in navigator && "PushManager" in window && "Notification" in window;

/** The worker that shows them, if there is one. @returns {Promise<any>} */
const registered = async () => /** @type {any} */ (await navigator.serviceWorker.getRegistration());

/**
 * What whoever may write to this browser has to know: [endpoint, key, secret]; or what keeps it from being told: "denied", "failed".
 * @param {Uint8Array} serverKey @returns {Promise<[string, Uint8Array, Uint8Array] | "denied" | "failed">}
 */
export async function subscription(serverKey) {
  if ((await Notification.requestPermission()) !== "granted") return "denied";
  try {
    const manager = (await registered()).pushManager;
    // One that was made for another key of the server, or another server here, is worth nothing now.
    await (await manager.getSubscription())?.unsubscribe();
    const made = await manager.subscribe({ userVisibleOnly: true, applicationServerKey: serverKey });
    return [made.endpoint, new Uint8Array(made.getKey("p256dh")), new Uint8Array(made.getKey("auth"))];
  } catch {
    return "failed";
  }
}

/** Nobody writes to this browser any more. */
export async function giveUp() {
  if (!mayAsk()) return;
  try {
    await (await (await registered())?.pushManager.getSubscription())?.unsubscribe();
  } catch {
    // The server forgets it in any case.
  }
}
