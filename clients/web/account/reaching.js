// @ts-check
/** In one's account: the address for mail, what one is told, when and where. */

import { button, h } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { giveUp, mayAsk, subscription } from "./pushing.js";
import { phrases, t } from "../words/words.js";

const WHEN = ["off", "now", "daily"];
const FORMS = ["json", "discord", "slack", "ntfy", "text"];

/** @typedef {import("../protocol.d.ts").Messages["change_account"][0]} Changed */
/** @typedef {(what: Changed, value: any) => Promise<void>} Change */

/** @param {string} error */
const why = (error) =>
  error ? h("p", { class: "said", role: "alert", text: phrases().text(`notice.why.${error}`) }) : null;

/** The address for mail. @param {Record<string, any>} account @param {Change} change */
export function mailSection(account, change) {
  const { address, waiting, notices, error } = account.mail;
  const [label, input] = field("mail-address", "account.mail.address", {
    type: "email",
    required: true,
    maxlength: 254,
    autocomplete: "email",
    value: waiting || address,
  });
  const also = h("input", {
    id: "mail-notices",
    type: "checkbox",
    checked: notices,
    onchange: () => change("mail_notices", also.checked),
  });
  return [
    h("p", { text: t("account.mail.how") }),
    waiting ? h("p", { text: t("account.mail.waiting", { address: waiting }) }) : null,
    why(error),
    h(
      "form",
      {
        class: "account-form",
        onsubmit: () => change("mail", input.value.trim()),
      },
      label,
      input,
      h("button", { type: "submit", "data-act": "mail", text: t("account.save") }),
    ),
    address
      ? h(
          "div",
          { class: "account-option" },
          also,
          h("label", { for: "mail-notices", text: t("account.mail.notices") }),
        )
      : null,
    address || waiting
      ? h(
          "p",
          {},
          button({ "data-act": "mail-remove", onclick: () => change("mail", ""), text: t("account.mail.remove") }),
        )
      : null,
  ];
}

/** What one is told, and where. @param {Record<string, any>} account @param {Change} change @param {(said: string) => void} done called after a test, with what to say @param {(said: string) => void} trouble called with what went wrong in the browser */
export function reaching(account, change, done, trouble) {
  return [
    telling(account, change),
    pushes(account, change, done, trouble),
    h("h3", { text: t("account.hook") }),
    webhook(account, change, done),
    account.mail.notices ? test("mail", change, done) : null,
  ];
}

/** Notifications of this browser. @param {Record<string, any>} account @param {Change} change @param {(said: string) => void} done @param {(said: string) => void} trouble */
function pushes(account, change, done, trouble) {
  const { push = [], devices, served } = account;
  const here = devices.find((/** @type {any} */ device) => device.here)?.id;
  const own = push.find((/** @type {any} */ one) => one.device === here);
  const others = push.filter((/** @type {any} */ one) => one.device !== here);
  if (!push.length && (!served.push?.length || !mayAsk())) return null;
  const on = async () => {
    const made = await subscription(served.push);
    if (typeof made === "string") trouble(t(`account.push.${made}`));
    else await change("push", made);
  };
  const off = async () => {
    await giveUp();
    await change("push", null);
  };
  return [
    h("h3", { text: t("account.push") }),
    h("p", { text: t("account.push.how") }),
    own
      ? [
          why(own.error),
          test("push", change, done),
          h("p", {}, button({ "data-act": "push-off", onclick: off, text: t("account.push.off") })),
        ]
      : served.push?.length && mayAsk()
        ? h("p", {}, button({ "data-act": "push-on", onclick: on, text: t("account.push.on") }))
        : null,
    others.map((/** @type {any} */ { device, error }) => [
      why(error),
      h(
        "p",
        {},
        button({
          "data-act": `push-drop:${device}`,
          onclick: () => change("push", device),
          text: t("account.push.drop", {
            name: devices.find((/** @type {any} */ one) => one.id === device)?.name || device,
          }),
        }),
      ),
    ]),
  ];
}

/** @param {Record<string, any>} account @param {Change} change */
function telling(account, change) {
  const { kinds, quiet } = account.telling;
  const clock = (/** @type {number} */ minute) =>
    `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
  const minutes = (/** @type {string} */ text) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));
  const [fromLabel, from] = field("channel-from", "account.channel.from", {
    type: "time",
    required: true,
    value: clock(quiet[0]),
  });
  const [toLabel, to] = field("channel-to", "account.channel.to", {
    type: "time",
    required: true,
    value: clock(quiet[1]),
  });
  const chosen = Object.keys(kinds).map((kind) => {
    const select = h(
      "select",
      { id: `telling-${kind}` },
      WHEN.map((when) =>
        h("option", { value: when, selected: when === kinds[kind], text: phrases().text(`telling.when.${when}`) }),
      ),
    );
    return {
      kind,
      select,
      row: [h("label", { for: `telling-${kind}`, text: phrases().text(`telling.${kind}`) }), select],
    };
  });
  return h(
    "form",
    {
      class: "account-form",
      "aria-labelledby": "account-telling",
      onsubmit: () => {
        change("telling", [
          Object.fromEntries(chosen.map(({ kind, select }) => [kind, select.value])),
          minutes(from.value),
          minutes(to.value),
        ]);
      },
    },
    h("h3", { id: "account-telling", text: t("account.telling") }),
    chosen.map(({ row }) => row),
    fromLabel,
    from,
    toLabel,
    to,
    h("button", { type: "submit", "data-act": "telling", text: t("account.save") }),
  );
}

/** @param {Record<string, any>} account @param {Change} change @param {(said: string) => void} done */
function webhook(account, change, done) {
  const { url = "", form = "json", secret = "", error = "" } = account.channel ?? {};
  const [label, address] = field("channel-url", "account.channel.url", {
    type: "url",
    pattern: "https://.*",
    maxlength: 512,
    required: true,
    autocomplete: "off",
    value: url,
  });
  const chosen = h(
    "select",
    { id: "channel-form" },
    FORMS.map((one) => h("option", { value: one, selected: one === form, text: one })),
  );
  return [
    why(error),
    h(
      "form",
      {
        class: "account-form",
        onsubmit: () => change("channel", [address.value.trim(), chosen.value]),
      },
      label,
      address,
      h("label", { for: "channel-form", text: t("account.channel.form") }),
      chosen,
      h("button", { type: "submit", "data-act": "channel", text: t("account.save") }),
    ),
    account.channel
      ? [
          test("webhook", change, done),
          h(
            "p",
            {},
            button({
              "data-act": "channel-off",
              onclick: () => change("channel", null),
              text: t("account.channel.off"),
            }),
          ),
        ]
      : null,
    account.channel && form === "json"
      ? h("p", {}, t("account.channel.secret"), " ", h("code", { text: secret }))
      : null,
  ];
}

/** @param {string} way @param {Change} change @param {(said: string) => void} done */
function test(way, change, done) {
  return h(
    "p",
    {},
    button({
      "data-act": `${way === "webhook" ? "channel" : way}-test`,
      onclick: async () => {
        await change("test_channel", way);
        done(t("account.channel.sent"));
      },
      text: t("account.channel.test"),
    }),
  );
}
