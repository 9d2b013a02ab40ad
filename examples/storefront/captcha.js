// The captcha before protected actions. Its script comes with the page, so that it can see a person at work; a token is asked for at the
// moment of the action, since it works once and lives for two minutes.

import { call, Problem } from "./api.js";

const scriptURL = document.querySelector('meta[name="vitrine-captcha-script"]').content;

let settings = { actions: [], public_key: "" };
let script; // the promise of grecaptcha, once its script is being loaded

// setCaptcha takes what the store says of its captcha: member settings.recaptcha of GET /v2/store?with=settings.
export function setCaptcha(recaptcha) {
  settings = recaptcha;
  if (settings.actions.length > 0) loadScript().catch(() => {}); // whoever needs it will be told
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
      fail(new Problem(0, { code: "captcha_script", detail: "The captcha did not load, so nothing was sent. Does something in your browser block it?" }));
    };
    document.head.append(element);
  });
  return script;
}

async function requestToken(action) {
  const captcha = await loadScript();
  return captcha.execute(settings.public_key, { action });
}

// withCaptcha does a protected action: send gets the members that the captcha adds to the body. A refused token is used up, so the action is
// tried once more with a new one, and notify hears of that. The store may have begun to protect the action since the page was opened: its
// settings are read again.
export async function withCaptcha(action, send, notify) {
  const attempt = async () => send(isProtected(action) ? { recaptcha: { token: await requestToken(action) } } : {});
  try {
    return await attempt();
  } catch (problem) {
    if (!problem.isCaptcha) throw problem;
    notify("The check for robots did not accept this. Trying once more with a new token…");
    setCaptcha((await call("GET", "/v2/store?with=settings")).data.settings.recaptcha);
    return await attempt();
  }
}

// captchaMessage says what a shopper can do about a captcha that failed twice.
export function captchaMessage(problem) {
  return problem.code === "captcha_unavailable"
    ? "The check for robots gives no answer just now, so nothing was sent. Try again in a minute."
    : "The check for robots took you for one, twice, so nothing was sent. Try again in a moment, or write to us another way.";
}
