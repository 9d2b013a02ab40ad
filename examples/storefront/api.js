// The public API: who asks, requests, and problems as exceptions.

const base = document.querySelector('meta[name="vitrine-api"]').content.replace(/\/$/, "");

// What this browser remembers. A customer token and a cart belong to the store of the key, so they go with it.
const names = { key: "vitrine.key", customer: "vitrine.customer", cart: "vitrine.cart" };

export const memory = {
  get: (what) => JSON.parse(localStorage.getItem(names[what]) ?? "null"),
  set: (what, value) => value === null ? localStorage.removeItem(names[what]) : localStorage.setItem(names[what], JSON.stringify(value)),
};

// useKey takes a publishable key, and forgets what belonged to another.
export function useKey(key) {
  if (memory.get("key") === key) return;
  memory.set("key", key);
  memory.set("customer", null);
  memory.set("cart", null);
}

// Problem is a request that did not succeed: what the API says of it (RFC 9457), or status 0 where no answer came.
export class Problem extends Error {
  constructor(status, { code = "unreachable", detail, errors = [] } = {}, retryAfter = null) {
    super(detail ?? "The shop cannot be reached. Check the connection and try again.");
    Object.assign(this, { status, code, errors, retryAfter });
  }

  // isCaptcha tells a captcha that failed from a session that ended: both are 401.
  get isCaptcha() { return this.status === 401 && this.code.startsWith("captcha_"); }
  get isCredential() { return this.status === 401 && this.code === "invalid_credential"; }
}

// call sends a request and returns what it answers; undefined for 204. Whoever has signed in is served as a customer; once that session has
// ended, as a guest, and the page is told by the event "signed-out".
export async function call(method, path, { json, body, headers = {}, signal } = {}) {
  const customer = memory.get("customer");
  const content = json === undefined ? body : JSON.stringify(json);
  let response;
  try {
    response = await fetch(base + path, {
      method, signal, body: content,
      headers: { Authorization: `Bearer ${customer?.token ?? memory.get("key")}`, ...(content !== undefined && { "Content-Type": "application/json" }), ...headers },
    });
  } catch (failure) {
    if (failure.name === "AbortError") throw failure;
    throw new Problem(0);
  }
  if (response.ok) return response.status === 204 ? undefined : response.json();
  const said = await response.json().catch(() => ({ code: "unknown", detail: `The shop answered ${response.status}.` }));
  const problem = new Problem(response.status, said, response.headers.get("Retry-After"));
  if (problem.isCredential && customer) {
    memory.set("customer", null);
    dispatchEvent(new Event("signed-out"));
    return call(method, path, { body: content, headers, signal });
  }
  throw problem;
}

// postOnce sends a POST that happens once: one whose answer was lost is sent again, byte for byte, under the same Idempotency-Key.
export async function postOnce(path, json, headers = {}) {
  const body = JSON.stringify(json);
  const key = Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");
  for (let wait = 400; ; wait *= 2) {
    try {
      return await call("POST", path, { body, headers: { ...headers, "Idempotency-Key": key } });
    } catch (problem) {
      const unknown = problem.status === 0 || problem.code === "idempotency_in_progress";
      if (!unknown || wait > 1600) throw problem;
      await new Promise((done) => setTimeout(done, wait));
    }
  }
}
