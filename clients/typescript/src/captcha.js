// Tokens of the captcha that a store has chosen. The page loads the provider's script when a token is needed.
import { Problem } from "./index.js";

/** @import * as t from "./index.js" */

/** @type {Record<string, string>} */
const scripts = {
  recaptcha_v3: "https://www.google.com/recaptcha/api.js",
  turnstile: "https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit",
  hcaptcha: "https://js.hcaptcha.com/1/api.js?render=explicit&recaptchacompat=off",
  smartcaptcha: "https://smartcaptcha.yandexcloud.net/captcha.js",
};

/** @param {string} detail */
const failure = (detail) => new Problem(0, { code: "captcha_unavailable", detail });

/** @type {Map<string, Promise<void>>} */
const loading = new Map();

/** @param {string} url */
const load = (url) => {
  let script = loading.get(url);
  if (!script) {
    script = new Promise((done, fail) => {
      const element = Object.assign(document.createElement("script"), { src: url, async: true });
      element.onload = () => done();
      element.onerror = () => {
        loading.delete(url);
        element.remove();
        fail(failure("The captcha did not load. Something in the browser may block it."));
      };
      document.head.append(element);
    });
    loading.set(url, script);
  }
  return script;
};

/**
 * Calls render with an element of the page, which shows a challenge if the provider wants one, and returns the token.
 * @param {(box: HTMLElement, done: (token: string) => void, fail: () => void) => unknown} render
 */
const inBox = async (render) => {
  const box = document.body.appendChild(document.createElement("div"));
  box.style.cssText = "position:fixed;right:1rem;bottom:1rem;z-index:2147483647";
  try {
    return await /** @type {Promise<string>} */ (new Promise((done, fail) => {
      const given = render(box, done, () => fail(failure("The captcha was not solved.")));
      Promise.resolve(given).catch(() => fail(failure("The captcha was not solved.")));
    }));
  } finally {
    box.remove();
  }
};

/** @type {Record<string, (key: string, action: string) => Promise<string>>} */
const providers = {
  recaptcha_v3: async (key, action) => {
    const { grecaptcha } = /** @type {any} */ (globalThis);
    await new Promise((done) => grecaptcha.ready(done));
    return grecaptcha.execute(key, { action });
  },
  turnstile: (sitekey, action) => inBox((box, done, fail) => /** @type {any} */ (globalThis).turnstile.render(box, {
    sitekey, action, appearance: "interaction-only", callback: done, "error-callback": fail, "timeout-callback": fail,
  })),
  hcaptcha: (sitekey) => inBox(async (box, done) => {
    const { hcaptcha } = /** @type {any} */ (globalThis);
    const widget = hcaptcha.render(box, { sitekey, size: "invisible" });
    done((await hcaptcha.execute(widget, { async: true })).response);
  }),
  smartcaptcha: (sitekey) => inBox((box, done, fail) => {
    const { smartCaptcha } = /** @type {any} */ (globalThis);
    const widget = smartCaptcha.render(box, { sitekey, invisible: true, callback: done });
    for (const event of ["network-error", "javascript-error"]) smartCaptcha.subscribe(widget, event, fail);
    smartCaptcha.execute(widget);
  }),
};

/** @type {t.RequestToken} */
export const requestToken = async (action, settings, urls) => {
  const provider = providers[settings.provider];
  if (!provider || typeof document === "undefined") {
    throw failure(`This store asks for a token of ${settings.provider}: give the client a function captcha.`);
  }
  const url = new URL(urls?.[settings.provider] ?? /** @type {string} */ (scripts[settings.provider]));
  if (settings.provider === "recaptcha_v3") url.searchParams.set("render", settings.public_key);
  await load(url.href);
  return provider(settings.public_key, action);
};
