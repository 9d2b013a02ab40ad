// Requests to the public API, the stored credentials, and API problems as exceptions.

import { T } from "./texts.js";

const base = document.querySelector('meta[name="vitrine-api"]').content.replace(/\/$/, "");

// Keys in localStorage. A customer token and a cart belong to the store of the key, so they are removed with it.
const storageKeys = { key: "vitrine.key", customer: "vitrine.customer", cart: "vitrine.cart" };

export const storage = {
  get: (what) => JSON.parse(localStorage.getItem(storageKeys[what]) ?? "null"),
  set: (what, value) => value === null ? localStorage.removeItem(storageKeys[what]) : localStorage.setItem(storageKeys[what], JSON.stringify(value)),
};

// useKey sets the publishable key and removes what belongs to another key.
export function useKey(key) {
  if (storage.get("key") === key) return;
  storage.set("key", key);
  storage.set("customer", null);
  storage.set("cart", null);
}

// Problem is a failed request: a problem document of the API (RFC 9457), or status 0 if there was no response or one
// without the expected content.
export class Problem extends Error {
  constructor(status, { code = "unreachable", detail, errors = [] } = {}, retryAfter = null) {
    super(detail ?? T("The shop cannot be reached. Check the connection and try again."));
    Object.assign(this, { status, code, errors, retryAfter });
  }

  // isCaptcha and isCredential distinguish a failed captcha from an ended session: both are 401.
  get isCaptcha() { return this.status === 401 && this.code.startsWith("captcha_"); }
  get isCredential() { return this.status === 401 && this.code === "invalid_credential"; }
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// call sends a request and returns the JSON of the response, or undefined for a DELETE. A GET without a response is
// retried at most twice, because it changes nothing. The browser chooses the connection of each request; a page cannot
// ask for a new one.
export async function call(method, path, options) {
  for (let wait = 400; ; wait *= 2) {
    try {
      return await send(method, path, options);
    } catch (problem) {
      if (method !== "GET" || problem.status !== 0 || wait > 800) throw problem;
      await sleep(wait);
    }
  }
}

// send sends a request once, as a customer if one is signed in. If the customer's session has ended, it sends the
// request again as a guest and dispatches the event "signed-out".
async function send(method, path, { json, body, headers = {}, signal } = {}) {
  const customer = storage.get("customer");
  const content = json === undefined ? body : JSON.stringify(json);
  let response;
  try {
    response = await fetch(base + path, {
      method, signal, body: content,
      headers: { Authorization: `Bearer ${customer?.token ?? storage.get("key")}`, ...(content !== undefined && { "Content-Type": "application/json" }), ...headers },
    });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Problem(0);
  }
  if (response.ok) return readResponse(method, response);
  const details = await response.json().catch(() => ({ code: "unknown", detail: T("The shop answered %s.", response.status) }));
  const problem = new Problem(response.status, details, response.headers.get("Retry-After"));
  if (problem.isCredential && customer) {
    storage.set("customer", null);
    dispatchEvent(new Event("signed-out"));
    return send(method, path, { body: content, headers, signal });
  }
  throw problem;
}

// readResponse returns the JSON of a 2xx response, or undefined for the 204 of a DELETE. Any other status of a DELETE,
// an empty body, and a body that is not JSON do not prove that the request was processed. They count as no response.
async function readResponse(method, response) {
  if (method === "DELETE") {
    if (response.status === 204) return undefined;
    throw new Problem(0);
  }
  try {
    return await response.json();
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Problem(0);
  }
}

// postOnce sends a POST that takes effect once. If the response is lost or empty, it sends the same bytes again with
// the same Idempotency-Key.
export async function postOnce(path, json, headers = {}) {
  const body = JSON.stringify(json);
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  for (let wait = 400; ; wait *= 2) {
    try {
      return await call("POST", path, { body, headers: { ...headers, "Idempotency-Key": key } });
    } catch (problem) {
      const unknown = problem.status === 0 || problem.code === "idempotency_in_progress";
      if (!unknown || wait > 1600) throw problem;
      await sleep(wait);
    }
  }
}

// tell sends a POST whose response does not matter, also while the page is being left.
export function tell(path, json) {
  fetch(base + path, {
    method: "POST", keepalive: true, body: JSON.stringify(json),
    headers: { Authorization: `Bearer ${storage.get("key")}`, "Content-Type": "application/json" },
  }).catch(() => {});
}
