// The client of Vitrine's storefront API. It needs fetch and Web Crypto, nothing else.
/** @import * as t from "./index.js" */

/** A request that failed: a problem document of the API (RFC 9457), or status 0 if no answer came. */
export class Problem extends Error {
  /** @param {number} status @param {any} [body] @param {number | null} [retryAfter] */
  constructor(status, body, retryAfter = null) {
    super(body?.detail ?? (status ? `The server answered ${status}.` : "The server cannot be reached."));
    this.name = "Problem";
    this.status = status;
    this.code = body?.code ?? (status ? "unexpected_answer" : "unreachable");
    /** @type {t.ProblemField[]} */
    this.errors = body?.errors ?? [];
    this.requestId = body?.request_id ?? "";
    this.retryAfter = retryAfter;
  }
}

/** @type {typeof t.isProblem} */
export const isProblem = (error, ...codes) =>
  error instanceof Problem && (codes.length === 0 || codes.includes(/** @type {any} */ (error.code)));

/** @param {number} milliseconds @param {AbortSignal} [signal] */
const sleep = (milliseconds, signal) => /** @type {Promise<void>} */ (new Promise((done, fail) => {
  const timer = setTimeout(done, milliseconds);
  signal?.addEventListener("abort", () => { clearTimeout(timer); fail(signal.reason); }, { once: true });
}));

// Not crypto.randomUUID: browsers have that in secure contexts only.
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16).padStart(2, "0")).join("");

/** How many answers, and how many characters of them, the cache keeps. */
const cacheEntries = 200, cacheChars = 4e6;

/** A cache of answers by their ETags: the server says whether they are still right. */
class Cache {
  /** @type {Map<string, {tag: string, text: string}>} */
  entries = new Map();
  size = 0;

  /** @param {string} key */
  get(key) {
    const entry = this.entries.get(key);
    if (entry) { // the latest stands last
      this.entries.delete(key);
      this.entries.set(key, entry);
    }
    return entry;
  }

  /** @param {string} key @param {{tag: string, text: string}} [entry] */
  set(key, entry) {
    this.size -= this.entries.get(key)?.text.length ?? 0;
    this.entries.delete(key);
    if (!entry || entry.text.length > cacheChars / 4) return;
    this.entries.set(key, entry);
    this.size += entry.text.length;
    for (const [old] of this.entries) {
      if (this.entries.size <= cacheEntries && this.size <= cacheChars) break;
      this.set(old);
    }
  }
}

/** Storage that lasts as long as the page. */
const memoryStorage = () => {
  const map = new Map();
  return {
    getItem: (/** @type {string} */ name) => map.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) => { map.set(name, value); },
    removeItem: (/** @type {string} */ name) => { map.delete(name); },
  };
};

/** @returns {t.ClientStorage} */
const defaultStorage = () => {
  try { // it throws where the visitor has forbidden it
    const storage = typeof document === "undefined" ? undefined : globalThis.localStorage;
    storage?.getItem("");
    return storage ?? memoryStorage();
  } catch {
    return memoryStorage();
  }
};

/** Waits that a caller would not sit through are left to the caller. */
const longestWait = 20;

/**
 * Returns after how many seconds the server wants to be asked again. A date counts from the server's own clock, since
 * the visitor's may be wrong.
 * @param {Headers} headers
 */
const retryAfterOf = (headers) => {
  const text = headers.get("Retry-After");
  if (!text) return null;
  const seconds = /^\d+$/.test(text) ? Number(text)
    : (Date.parse(text) - Date.parse(headers.get("Date") ?? "")) / 1000;
  return Number.isNaN(seconds) ? null : Math.max(seconds, 0);
};

/** @param {Problem} problem */
const mayRetry = (problem) => problem.status === 0 || [429, 502, 503, 504].includes(problem.status) &&
  problem.code !== "facets_unavailable" || problem.code === "idempotency_in_progress";

/**
 * Sends requests with one key, and as one customer if somebody has signed in.
 */
class Transport {
  cache = new Cache();
  /** @type {string | undefined} */
  customer;

  /** @param {t.ClientOptions<any>} options */
  constructor(options) {
    this.options = options;
    this.url = options.url.replace(/\/+$/, "");
    this.retries = options.retries ?? 3;
    this.storage = options.storage ?? defaultStorage();
    this.prefix = `vitrine.${options.key.slice(0, 12)}.`;
    /** @type {Promise<void> | undefined} */
    this.restored = undefined;
  }

  /** @param {string} name */
  async load(name) {
    try {
      return JSON.parse(await this.storage.getItem(this.prefix + name) ?? "null") ?? undefined;
    } catch {
      return undefined;
    }
  }

  /** @param {string} name @param {unknown} [value] */
  async save(name, value) {
    try {
      if (value === undefined) await this.storage.removeItem(this.prefix + name);
      else await this.storage.setItem(this.prefix + name, JSON.stringify(value));
    } catch { /* full or forbidden: it lasts as long as the page */ }
  }

  /** Reads the customer's token from the storage, once. */
  restore() {
    return this.restored ??= this.load("customer").then((token) => { this.customer ??= token; });
  }

  /** @param {string} [token] */
  async signInAs(token) {
    await this.restore();
    this.customer = token;
    await this.save("customer", token);
  }

  /**
   * Sends a request until it is answered, and returns the JSON of the answer. A POST has an Idempotency-Key, so that a
   * lost answer does not make it happen twice.
   * @param {string} method @param {string} path @param {t.RequestOptions} [request]
   * @returns {Promise<any>}
   */
  async call(method, path, request = {}) {
    await this.restore();
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries({ ...request.query, dates: "iso" })) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined && one !== null) query.append(name, String(one));
      }
    }

    const url = `${this.url}${path}?${query}`;
    /** @type {Record<string, string>} */
    const headers = { ...request.headers };
    let body;
    if (request.body !== undefined) {
      body = JSON.stringify(request.body);
      headers["Content-Type"] = "application/json";
    }
    if (method === "POST") headers["Idempotency-Key"] ??= randomKey();

    for (let attempt = 0; ; attempt++) {
      const customer = this.customer;
      try {
        return await this.send(url, { method, body, headers, keepalive: request.keepalive }, request.signal);
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        // The session has ended; visitors need none. Browsers hide that answer from pages of another origin: then
        // the customer's requests fail and those of visitors do not.
        if (customer && (error.code === "invalid_credential" ||
          error.status === 0 && attempt > 0 && await this.answersVisitors())) {
          if (this.customer === customer) await this.signInAs(undefined);
          this.options.onSignedOut?.();
          if (!request.customerOnly) continue;
        }
        if (method === "DELETE" && attempt > 0 && error.status === 404) return undefined; // an earlier attempt did it
        const seconds = error.retryAfter ?? 0.3 * 2 ** attempt;
        if (!mayRetry(error) || attempt >= this.retries || seconds > longestWait) throw error;
        await sleep(1000 * seconds * (1 + Math.random() / 4), request.signal);
      }
    }
  }

  async answersVisitors() {
    const fetch = this.options.fetch ?? globalThis.fetch;
    const headers = { Authorization: `Bearer ${this.options.key}` };
    return (await fetch(this.url + "/v2/store", { headers }).catch(() => undefined))?.ok ?? false;
  }

  /**
   * Sends a request once.
   * @param {string} url @param {Omit<RequestInit, "headers"> & {headers: Record<string, string>}} init
   * @param {AbortSignal} [signal]
   */
  async send(url, init, signal) {
    const credential = this.customer ?? this.options.key;
    /** @type {Record<string, string>} */
    const headers = { ...init.headers, Authorization: `Bearer ${credential}` };
    const cacheKey = init.method === "GET" ? `${credential} ${headers["X-Order-Token"] ?? ""} ${url}` : "";
    const cached = cacheKey ? this.cache.get(cacheKey) : undefined;
    if (cached) headers["If-None-Match"] = cached.tag;

    const limit = new AbortController();
    const abort = () => limit.abort(signal?.reason);
    const timer = setTimeout(abort, this.options.timeout ?? 20_000);
    if (signal?.aborted) abort();
    signal?.addEventListener("abort", abort);
    try {
      const fetch = this.options.fetch ?? globalThis.fetch;
      const response = await fetch(url, { ...init, headers, signal: limit.signal });
      if (response.status === 304 && cached) return JSON.parse(cached.text);
      if (response.status === 204) return undefined;
      const text = await response.text();
      if (!response.ok) throw new Problem(response.status, parse(text), retryAfterOf(response.headers));

      const value = parse(text);
      if (value === undefined) throw new Problem(0); // cut off, or of a proxy
      const tag = response.headers.get("ETag");
      if (cacheKey) this.cache.set(cacheKey, tag ? { tag, text } : undefined);
      return value;
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw error instanceof Problem ? error : new Problem(0);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", abort);
    }
  }

  /**
   * Sends a POST that the store may protect by a captcha. A token works once, so a rejected request is sent once more
   * with another one.
   * @param {string} action @param {string} path @param {object} body @param {t.RequestOptions} [request]
   */
  async callGuarded(action, path, body, request) {
    for (let last = false; ; last = true) {
      // The cache makes this a short question: the store may have begun to protect the action.
      const store = await this.call("GET", "/v2/store", { query: { with: "settings" }, signal: request?.signal });
      /** @type {t.Recaptcha} */
      const settings = store.data.settings.recaptcha;
      let recaptcha;
      if (settings.actions.some((a) => a.id === action)) {
        const requestToken = this.options.captcha ?? (await import("./captcha.js")).requestToken;
        recaptcha = { token: await requestToken(action, settings, this.options.captchaScripts) };
      }
      try {
        return await this.call("POST", path, { ...request, body: { ...body, recaptcha } });
      } catch (error) {
        const rejected = error instanceof Problem && error.status === 401 && error.code.startsWith("captcha_");
        if (!rejected || last) throw error;
      }
    }
  }
}

/** @param {string} text */
const parse = (text) => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** @param {{from?: number | string | null, to?: number | string | null}} range */
const rangeText = ({ from, to }) => `${from ?? ""}..${to ?? ""}`;

/**
 * Returns the query parameters of filters by features or options. The schema of the store translates names to ids.
 * @param {Record<string, any> | undefined} filters
 * @param {Record<string, {id: string, values: Record<string, string>}> | undefined} schema
 */
const choices = (filters, schema) => Object.entries(filters ?? {}).flatMap(([name, chosen]) => {
  if (chosen === undefined || chosen === null) return [];
  const known = schema && Object.hasOwn(schema, name) ? schema[name] : undefined;
  const id = known?.id ?? name;
  if (!Array.isArray(chosen)) return [`${id}:${rangeText(chosen)}`];
  const ids = chosen.map((v) => known && Object.hasOwn(known.values, v) ? known.values[v] : v);
  return ids.length > 0 ? [`${id}:${ids}`] : [];
});

/**
 * The cart of this visitor: an order in the state draft, which the storage remembers. Its changes follow one another,
 * so that two clicks do not make two carts.
 */
class Cart {
  /** @type {Promise<unknown>} */
  last = Promise.resolve();

  /** @param {Transport} transport */
  constructor(transport) {
    this.transport = transport;
  }

  /** @template T @param {() => Promise<T>} change @returns {Promise<T>} */
  enqueue(change) {
    const result = this.last.then(change);
    this.last = result.catch(() => {});
    return result;
  }

  /** @returns {Promise<{id: string, token: string} | undefined>} */
  saved() {
    return this.transport.load("cart");
  }

  /** @param {{id: string, token: string}} cart @param {string} method @param {string} [path] @param {object} [body] */
  async call(cart, method, path = "", body) {
    return (await this.transport.call(method, `/v2/orders/${cart.id}${path}`,
      { body, headers: { "X-Order-Token": cart.token } }))?.data;
  }

  /** Reads the cart without waiting for its changes. */
  async read() {
    const cart = await this.saved();
    if (!cart) return null;
    try {
      const order = await this.call(cart, "GET");
      if (order.state === "draft") return order;
    } catch (error) {
      if (!isProblem(error, "not_found")) throw error;
    }
    await this.transport.save("cart");
    return null;
  }

  load() {
    return this.enqueue(() => this.read());
  }

  /** @param {t.CartLine | t.CartLine[]} line */
  add(line) {
    return this.enqueue(async () => {
      const lines = Array.isArray(line) ? line : [line];
      let order = await this.read();
      const cart = await this.saved();
      if (order && cart) {
        for (const one of lines) order = await this.call(cart, "POST", "/items", one);
        return order;
      }
      const { data } = await this.transport.call("POST", "/v2/orders", { body: { items: lines } });
      await this.transport.save("cart", { id: data.id, token: data.order_token });
      return data;
    });
  }

  /** @param {string} itemId @param {number | t.CartLineEdit} edit */
  update(itemId, edit) {
    return this.enqueue(async () => {
      const cart = await this.saved();
      if (!cart) throw new Problem(404, { code: "not_found", detail: "There is no cart." });
      const body = typeof edit === "number" ? { quantity: edit } : edit;
      if (body.quantity !== 0) return await this.call(cart, "PUT", `/items/${itemId}`, body);
      await this.call(cart, "DELETE", `/items/${itemId}`);
      return await this.call(cart, "GET");
    });
  }

  /** @param {t.OrderSubmission} details */
  submit(details) {
    return this.enqueue(async () => {
      const cart = await this.saved();
      if (!cart) throw new Problem(409, { code: "order_empty", detail: "There is no cart." });
      let order;
      try {
        order = (await this.transport.callGuarded("order_submission", `/v2/orders/${cart.id}/submit`, details,
          { headers: { "X-Order-Token": cart.token } })).data;
      } catch (error) {
        if (!isProblem(error, "wrong_state")) throw error;
        order = await this.call(cart, "GET"); // submitted before, and the answer was lost
        if (order.state === "draft") throw error;
      }
      await this.transport.save("cart");
      return { ...order, order_token: cart.token };
    });
  }

  forget() {
    return this.enqueue(() => this.transport.save("cart"));
  }
}

/** @type {typeof t.createClient} */
export const createClient = (options) => {
  const transport = new Transport(options);
  const schema = /** @type {t.StoreSchema | undefined} */ (options.schema);

  /** @param {string} path @param {t.RequestOptions["query"]} [query] @param {AbortSignal} [signal] */
  const read = async (path, query, signal) => (await transport.call("GET", path, { query, signal })).data;

  /** @param {any} [list] */
  const productQuery = ({ features, options, price, ...query } = {}) => ({
    ...query,
    feature: choices(features, schema?.features),
    option: choices(options, schema?.options),
    price: price && rangeText(price),
  });

  /** Yields the elements of all pages. @param {(page: number) => Promise<any>} list */
  async function* pages(list) {
    for (let page = 1; ; page++) {
      const { data, meta } = await list(page);
      yield* data;
      if (page >= meta.last_page) return;
    }
  }

  /** @param {string} path @param {(query: any) => any} [toQuery] */
  const resource = (path, toQuery = (query) => query) => {
    /** @param {any} [query] @param {{signal?: AbortSignal}} [request] */
    const list = ({ ...query } = {}, request) =>
      transport.call("GET", path, { query: toQuery(query), signal: request?.signal });
    return {
      list,
      all: (/** @type {any} */ query, /** @type {any} */ request) =>
        pages((page) => list({ per_page: 250, ...query, page }, request)),
      get: (/** @type {string} */ id, /** @type {any} */ query, /** @type {any} */ request) =>
        read(`${path}/${encodeURIComponent(id)}`, query, request?.signal),
      bySlug: (/** @type {string} */ slug, /** @type {any} */ query, /** @type {any} */ request) =>
        read(`${path}/by-slug/${encodeURIComponent(slug)}`, query, request?.signal),
    };
  };

  const client = {
    products: {
      ...resource("/v2/products", productQuery),
      variants: (/** @type {string} */ id, /** @type {any} */ query) =>
        transport.call("GET", `/v2/products/${encodeURIComponent(id)}/variants`, { query }),
    },
    categories: resource("/v2/categories"),
    features: resource("/v2/features"),
    options: resource("/v2/variant-options"),
    store: (/** @type {any} */ query) => read("/v2/store", query),
    navigation: (/** @type {any} */ query, /** @type {any} */ request) =>
      read("/v2/navigation", query, request?.signal),
    resolve: async (/** @type {string} */ path, /** @type {any} */ request) => {
      try {
        return await read("/v2/resolve", { path }, request?.signal);
      } catch (error) {
        if (isProblem(error, "not_found")) return null;
        throw error;
      }
    },
    changes: async function* (/** @type {number} */ since, /** @type {any} */ request) {
      let cursor;
      do {
        /** @type {any} */
        const { data, meta } = await transport.call("GET", "/v2/changes",
          { query: { since, cursor }, signal: request?.signal });
        yield data;
        cursor = meta.next_cursor;
      } while (cursor);
    },
    suggest: (/** @type {string} */ q, /** @type {any} */ query, /** @type {any} */ request) =>
      read("/v2/suggest", { q, ...query }, request?.signal),
    // The page may be left by this very click, so the browser sends it to the end.
    clicked: (/** @type {string} */ query, /** @type {string} */ product_id) =>
      transport.call("POST", "/v2/search/clicks", { body: { query, product_id }, keepalive: true }),

    cart: new Cart(transport),
    orders: {
      list: (/** @type {any} */ query) => transport.call("GET", "/v2/orders", { query, customerOnly: true }),
      get: async (/** @type {string} */ id, /** @type {{token?: string}} */ { token } = {}) =>
        (await transport.call("GET", `/v2/orders/${encodeURIComponent(id)}`,
          token ? { headers: { "X-Order-Token": token } } : { customerOnly: true })).data,
    },

    customer: {
      requestCode: async (/** @type {object} */ person) =>
        (await transport.callGuarded("passwordless_request", "/v2/auth/passwordless/request", person)).data,
      signIn: async (/** @type {object} */ confirmation) => {
        const { data } = await transport.call("POST", "/v2/auth/passwordless/confirm", { body: confirmation });
        await transport.signInAs(data.token);
        return data.customer;
      },
      signOut: async () => {
        await transport.restore();
        try {
          if (transport.customer) await transport.call("DELETE", "/v2/auth/session", { customerOnly: true });
        } catch (error) {
          if (!isProblem(error, "invalid_credential")) throw error;
        }
        await transport.signInAs(undefined);
      },
      isSignedIn: async () => {
        await transport.restore();
        return transport.customer !== undefined;
      },
      get: async () => (await transport.call("GET", "/v2/me", { customerOnly: true })).data,
      edit: async (/** @type {object} */ body) =>
        (await transport.call("PUT", "/v2/me", { body, customerOnly: true })).data,
    },

    sendFeedback: async (/** @type {object} */ body) =>
      (await transport.callGuarded("feedback_request", "/v2/feedback", body)).data,
    requestCallback: async (/** @type {object} */ body) =>
      (await transport.callGuarded("callback_request", "/v2/interactions/callback", body)).data,

    request: transport.call.bind(transport),
  };
  return /** @type {any} */ (client);
};
