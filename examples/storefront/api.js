// The public API: who asks, requests, and problems as exceptions.

const base = document.querySelector('meta[name="vitrine-api"]').content.replace(/\/$/, "");

// What this browser remembers. A customer token and a cart belong to the store of the key, so they go with it.
const storageKeys = { key: "vitrine.key", customer: "vitrine.customer", cart: "vitrine.cart" };

export const storage = {
  get: (what) => JSON.parse(localStorage.getItem(storageKeys[what]) ?? "null"),
  set: (what, value) => value === null ? localStorage.removeItem(storageKeys[what]) : localStorage.setItem(storageKeys[what], JSON.stringify(value)),
};

// useKey takes a publishable key, and forgets what belonged to another.
export function useKey(key) {
  if (storage.get("key") === key) return;
  storage.set("key", key);
  storage.set("customer", null);
  storage.set("cart", null);
}

// Problem is a request that did not succeed: what the API says of it (RFC 9457), or status 0 where no answer came, or
// one that does not hold what was asked for.
export class Problem extends Error {
  constructor(status, { code = "unreachable", detail, errors = [] } = {}, retryAfter = null) {
    super(detail ?? "The shop cannot be reached. Check the connection and try again.");
    Object.assign(this, { status, code, errors, retryAfter });
  }

  // isCaptcha tells a captcha that failed from a session that ended: both are 401.
  get isCaptcha() { return this.status === 401 && this.code.startsWith("captcha_"); }
  get isCredential() { return this.status === 401 && this.code === "invalid_credential"; }
}

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// call sends a request and returns the document in the response, or undefined for a DELETE. A GET without a response is
// sent again, twice at most: it changes nothing. The browser chooses the connection of each request; a page cannot ask
// for a new one.
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

// send sends a request once. Whoever has signed in is served as a customer; once that session has ended, as a guest,
// and the page is told by the event "signed-out".
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
  const details = await response.json().catch(() => ({ code: "unknown", detail: `The shop answered ${response.status}.` }));
  const problem = new Problem(response.status, details, response.headers.get("Retry-After"));
  if (problem.isCredential && customer) {
    storage.set("customer", null);
    dispatchEvent(new Event("signed-out"));
    return send(method, path, { body: content, headers, signal });
  }
  throw problem;
}

// readResponse returns what a 2xx response holds: JSON, or nothing if it is the 204 of a DELETE. Any other status of a DELETE,
// an empty body and one that is no JSON do not prove that the request was done, so they count as no response.
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

// postOnce sends a POST that happens once: one whose response was lost, or holds nothing, is sent again, byte for byte,
// under the same Idempotency-Key.
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
