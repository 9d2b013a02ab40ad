// The captcha for protected actions. Its script is loaded with the page, so that it can observe the visitor. A token is
// requested at the moment of the action, because it is valid once and for two minutes.

import { call, Problem } from "./api.js";
import { T } from "./texts.js";

const scriptURL = document.querySelector('meta[name="vitrine-captcha-script"]').content;
const testToken = document.querySelector('meta[name="vitrine-captcha-token"]')?.content;

let settings = { actions: [], public_key: "" };
let script; // promise of grecaptcha, set when loading starts

// setCaptcha sets the store's captcha settings: member settings.recaptcha of GET /v2/store?with=settings.
export function setCaptcha(recaptcha) {
  settings = recaptcha;
  // A failure is reported when a token is needed.
  if (settings.actions.length > 0 && !testToken) loadScript().catch(() => {});
}

export const isProtected = (action) => settings.actions.some((a) => a.id === action);

function loadScript() {
  script ??= new Promise((done, fail) => {
    const url = new URL(scriptURL);
    url.searchParams.set("render", settings.public_key);
    const element = Object.assign(document.createElement("script"), { src: url.href, async: true });
    element.onload = () => globalThis.grecaptcha ? grecaptcha.ready(() => done(grecaptcha)) : element.onerror();
    element.onerror = () => {
      script = undefined;
      element.remove();
      fail(new Problem(0, { code: "captcha_script", detail: T("The captcha did not load, so nothing was sent. Does something in your browser block it?") }));
    };
    document.head.append(element);
  });
  return script;
}

async function requestToken(action) {
  if (testToken) return testToken;
  const captcha = await loadScript();
  return captcha.execute(settings.public_key, { action });
}

// withCaptcha performs a protected action. send gets the members that the captcha adds to the request body. A rejected
// token is used up, so the action is tried once more with a new token, and notify is called with a message. The
// settings are read again before the second attempt, because the store may have protected the action after the page was
// loaded.
export async function withCaptcha(action, send, notify) {
  const attempt = async () => send(isProtected(action) ? { recaptcha: { token: await requestToken(action) } } : {});
  try {
    return await attempt();
  } catch (problem) {
    if (!problem.isCaptcha) throw problem;
    notify(T("The captcha rejected this request. Trying once more with a new token…"));
    setCaptcha((await call("GET", "/v2/store?with=settings")).data.settings.recaptcha);
    return await attempt();
  }
}

// captchaMessage returns a message about a captcha that failed twice.
export function captchaMessage(problem) {
  return problem.code === "captcha_unavailable"
    ? T("The captcha is not available, so nothing was sent. Try again in a minute.")
    : T("The captcha rejected the request twice, so nothing was sent. Try again later, or contact us in another way.");
}
