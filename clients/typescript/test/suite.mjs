// The tests of the client against a running server. They run in browsers and in Node alike.
// @ts-check
import { createClient, isProblem, Problem } from "../src/index.js";

/**
 * @typedef {object} Environment
 * @property {string} url the address of the server
 * @property {string} key a publishable key
 * @property {string} harness the address of what only the test can do: /code, /token
 * @property {number} [clockError] by how many milliseconds this machine's clock is wrong
 */

/** @param {unknown} got @param {unknown} want @param {string} what */
const equal = (got, want, what) => {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)];
  if (a !== b) throw new Error(`${what} is ${a}, want ${b}`);
};

/** @param {Promise<unknown>} promise @param {string} code */
const refused = async (promise, code) => {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== code) throw error;
    return error;
  }
  throw new Error(`it succeeded, want the problem ${code}`);
};

/** A visitor with a client and a storage of their own; requests count what was sent. @param {Environment} env */
const newVisitor = (env, options = {}) => {
  /** @type {{method: string, url: string, headers: any, body: any, status: number}[]} */
  const requests = [];
  /** @type {((n: number, send: () => Promise<Response>) => Promise<Response>) | undefined} */
  let fault;
  const map = new Map();
  const storage = {
    getItem: (/** @type {string} */ name) => map.get(name) ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) => map.set(name, value),
    removeItem: (/** @type {string} */ name) => map.delete(name),
  };
  const visitor = {
    requests, storage,
    /** Answers the nth request from now on in place of the server. @param {typeof fault} f */
    breakConnections: (f) => { requests.length = 0; fault = f; },
    client: createClient({
      url: env.url, key: env.key, storage,
      captchaScripts: { recaptcha_v3: env.harness + "/captcha.js" },
      ...(typeof document === "undefined" && {
        captcha: async (/** @type {string} */ action) => (await fetch(`${env.harness}/token?action=${action}`)).text(),
      }),
      fetch: async (url, init) => {
        const request = { method: init.method ?? "", url, headers: init.headers, body: init.body, status: 0 };
        requests.push(request);
        const response = await (fault ? fault(requests.length, () => fetch(url, init)) : fetch(url, init));
        request.status = response.status;
        return response;
      },
      ...options,
    }),
  };
  return visitor;
};

const contact = { contact: { name: "Anna", phone: "+49 30 1234567" } };

/** @type {Record<string, (env: Environment) => Promise<void>>} */
export const tests = {
  async "filters by ids, with facets"(env) {
    const { client } = newVisitor(env);
    const { data: features } = await client.features.list({ with: ["values"] });
    const { data: options } = await client.options.list({ with: ["values"] });
    const material = features.find((f) => f.name === "Material"), power = features.find((f) => f.name === "Power, W");
    const size = options[0];
    const names = async (/** @type {import("../src/index.js").ProductQuery} */ query) =>
      (await client.products.list({ sort: "name", ...query })).data.map((p) => p.name).join();
    if (!material?.values || !power || !size?.values) throw new Error("the fixture lacks an attribute");

    const cotton = material.values.find((v) => v.name === "Cotton")?.id ?? "";
    const wool = material.values.find((v) => v.name === "Wool")?.id ?? "";
    const large = size.values.find((v) => v.name === "L")?.id ?? "";
    equal(await names({}), "Cotton shirt,Lamp,Wool shirt", "without filters the list");
    equal(await names({ features: { [material.id]: [cotton] } }), "Cotton shirt", "one value");
    equal(await names({ features: { [material.id]: [cotton, wool] } }), "Cotton shirt,Wool shirt", "two values");
    equal(await names({ features: { [material.id]: [] } }), "Cotton shirt,Lamp,Wool shirt", "no value");
    equal(await names({ features: { [power.id]: { to: 10 } } }), "Lamp", "a range");
    equal(await names({ features: { [power.id]: { from: 10.5 } } }), "", "a range without products");
    equal(await names({ options: { [size.id]: [large] }, price: { from: 35 } }), "Wool shirt", "an option and a price");
    equal(await names({ options: { [size.id]: [large] }, price: { to: 34 } }), "", "a variant that does not exist");
    equal(await names({ q: "woll", in_stock: true }), "Wool shirt", "a search with an error");

    const page = await client.products.list({ with: ["facets", "variants"], features: { [material.id]: [wool] } });
    equal(page.meta.facets?.features[0]?.values.map((v) => [v.name, v.count]), [["Cotton", 1], ["Wool", 1]],
      "the facet");
    equal(typeof page.data[0]?.created_at, "string", "a date");
    const problem = await refused(client.products.list({ features: { x: ["y"] } }), "validation_failed");
    equal(problem.errors[0]?.code, "unknown_feature", "the code of the field");
  },

  async "filters by names with the schema of the store"(env) {
    const { client: plain } = newVisitor(env);
    const { data: features } = await plain.features.list({ with: ["values"] });
    const schema = {
      features: Object.fromEntries(features.map((f) => [f.name, {
        id: f.id, type: /** @type {"select"} */ (f.field_type.id),
        values: Object.fromEntries((f.values ?? []).map((v) => [v.name, v.id])),
      }])),
      options: {},
    };
    const { client } = newVisitor(env, { schema });
    const list = await client.products.list({ features: { Material: ["Wool"] } });
    equal(list.data.map((p) => p.name), ["Wool shirt"], "the list");
  },

  async "reads all pages"(env) {
    const { client, requests } = newVisitor(env);
    const names = [];
    for await (const product of client.products.all({ per_page: 2, sort: "name" })) names.push(product.name);
    equal(names, ["Cotton shirt", "Lamp", "Wool shirt"], "the list");
    equal(requests.length, 2, "the number of requests");
  },

  async "reads by addresses"(env) {
    const { client } = newVisitor(env);
    const lamp = (await client.products.list({ q: "lamp" })).data[0];
    const found = await client.products.bySlug(lamp?.slug ?? "", { with: ["variants"] });
    equal([found.id, found.canonical_slug, found.variants?.length], [lamp?.id, lamp?.slug, 1], "the product");
    await refused(client.categories.bySlug("unheard-of"), "not_found");
  },

  async "reads the menu and what paths lead to"(env) {
    const { client } = newVisitor(env);
    const menu = await client.navigation({ depth: 1 });
    equal(menu.map((c) => [c.name, c.slug, c.count]), [["Lighting", "lighting", 1]], "the menu");
    const found = await client.resolve("/p/lamp", {});
    equal([found?.type, found?.redirect, found?.breadcrumbs.map((b) => b.name)], ["product", null, ["Lighting"]],
      "the product's path");
    const moved = await client.resolve("/lighting");
    equal([moved?.redirect, moved?.canonical], [301, "/c/lighting"], "an own redirect");
    equal((await client.resolve("/c/%D1%8F%20%26"))?.id, undefined, "an unknown path");
    const lamp = await client.products.bySlug("lamp", { with: ["breadcrumbs", "jsonld"] });
    equal([lamp.breadcrumbs?.length, typeof lamp.jsonld], [1, "object"], "the product");
  },

  async "reads what changed"(env) {
    const { client } = newVisitor(env);
    const all = [];
    for await (const part of client.changes(0)) all.push(part);
    equal([all.length, all[0]?.products?.count, all[0]?.categories?.count], [1, 3, 1], "what changed since 0");
    const version = all[0]?.version;
    for await (const part of client.changes()) equal([part.version, part.tags], [version, undefined], "the present");
    for await (const part of client.changes(version)) equal(part.products?.ids, [], "the changes since then");

    // The answer comes in two parts.
    const visitor = newVisitor(env);
    visitor.breakConnections(async (n) =>
      Response.json({ data: { version: n }, meta: { next_cursor: n === 1 ? "more" : null } }));
    const parts = [];
    for await (const part of visitor.client.changes(7)) parts.push(part.version);
    equal(parts, [1, 2], "the parts");
    equal(visitor.requests.map((r) => new URL(r.url).search), ["?since=7&dates=iso", "?since=7&cursor=more&dates=iso"],
      "the requests");
  },

  async "asks whether an answer has changed"(env) {
    const { client, requests } = newVisitor(env);
    const first = await client.products.list({ with: ["variants"] });
    const name = first.data[0]?.name;
    if (first.data[0]) first.data[0].name = "changed by the page";
    const second = await client.products.list({ with: ["variants"] });
    equal(second.data[0]?.name, name, "the name in the second answer");
    equal(requests.map((r) => r.status), [200, 304], "the statuses");
    const product = await client.products.get(second.data[0]?.id ?? "");
    equal(product.name, name, "the product");
  },

  async "suggests and counts clicks"(env) {
    const { client, requests } = newVisitor(env);
    const suggestions = await client.suggest("sh", { limit: 1 });
    equal(suggestions.products.length, 1, "the number of products");
    await client.clicked("sh", suggestions.products[0]?.id ?? "");
    equal(requests.at(-1)?.status, 204, "the status of the click");
  },

  async "keeps one cart, and orders it"(env) {
    const { client, storage } = newVisitor(env);
    const product = (await client.products.list({ q: "wool", with: ["variants"] })).data[0];
    const [small, large] = product?.variants ?? [];
    if (!small || !large) throw new Error("the fixture lacks variants");

    equal(await client.cart.load(), null, "the cart before");
    await Promise.all([client.cart.add({ variant_id: small.id, quantity: 1 }),
      client.cart.add({ variant_id: large.id, quantity: 1 })]);
    let cart = await client.cart.add({ variant_id: small.id, quantity: 2 });
    equal(cart.items.map((i) => i.quantity), [3, 1], "the quantities");
    cart = await client.cart.update(cart.items[0]?.id ?? "", 1);
    cart = await client.cart.update(cart.items[1]?.id ?? "", 0);
    equal([cart.items.length, cart.total], [1, 30], "the lines and the total");

    const again = createClient({ url: env.url, key: env.key, storage });
    equal((await again.cart.load())?.id, cart.id, "the cart after a reload");
    const problem = await refused(client.cart.submit({ contact: { name: "Anna" } }), "validation_failed");
    equal(problem.status, 422, "the status");
    const order = await client.cart.submit({ ...contact, comment: "Ring twice." });
    equal([order.state, typeof order.number, typeof order.submitted_at], ["submitted", "number", "string"], "the order");
    equal(await client.cart.load(), null, "the cart afterwards");
    equal((await client.orders.get(order.id, { token: order.order_token })).comment, "Ring twice.", "the comment");
    await refused(client.orders.get(order.id, { token: "wrong" }), "not_found");
    await refused(client.cart.submit(contact), "order_empty");
  },

  async "orders with modifiers"(env) {
    const { client } = newVisitor(env);
    const shirt = (await client.products.list({ q: "cotton", with: ["variants", "modifiers"] })).data[0];
    const variant_id = shirt?.variants?.[0]?.id ?? "";
    const group = shirt?.modifiers?.[0], item = group?.items?.[0];
    const modifiers = [{ group_id: String(group?.id), item_id: String(item?.id) }];
    await refused(client.cart.add({ variant_id, quantity: 1, modifiers: [...modifiers, ...modifiers] }),
      "validation_failed");
    const cart = await client.cart.add([{ variant_id, quantity: 1 }, { variant_id, quantity: 2, modifiers }]);
    equal([cart.items.map((i) => i.price), cart.total], [[20, 22], 64], "the prices and the total");
    const order = await client.cart.submit(contact);
    equal(order.items.map((i) => i.modifiers?.map((m) => m.name)), [[], ["Paper"]], "the modifiers");
  },

  async "says how many are left"(env) {
    const { client } = newVisitor(env);
    const product = (await client.products.list({ q: "wool", with: ["variants"] })).data[0];
    const large = product?.variants?.find((v) => v.available !== null);
    await client.cart.add({ variant_id: large?.id ?? "", quantity: 1_000 });
    try {
      await client.cart.submit(contact);
      throw new Error("it succeeded");
    } catch (error) {
      if (!isProblem(error, "out_of_stock")) throw error;
      equal(typeof error.errors[0]?.available, "number", "what is left");
    }
  },

  async "does nothing twice when answers are lost"(env) {
    const visitor = newVisitor(env);
    const { client } = visitor;
    const lamp = (await client.products.list({ q: "lamp", with: ["variants"] })).data[0]?.variants?.[0]?.id ?? "";
    visitor.breakConnections(async (n, send) => {
      const response = await send();
      if (n === 1) throw new TypeError("the connection is lost");
      if (n === 2) return new Response("<h1>Bad Gateway</h1>", { status: 502 });
      if (n === 3) return new Response(response.body && "{\"data\":{\"id", { status: 201 });
      return response;
    });
    const cart = await client.cart.add({ variant_id: lamp, quantity: 1 });
    const keys = new Set(visitor.requests.map((r) => r.headers["Idempotency-Key"]));
    equal([visitor.requests.length, keys.size], [4, 1], "the requests and their keys");

    // All answers to the submission are lost. The next attempt finds the order.
    visitor.breakConnections(async (_, send) => {
      const response = await send();
      if (response.url.includes("/submit")) throw new TypeError("the connection is lost");
      return response;
    });
    await refused(client.cart.submit(contact), "unreachable");
    visitor.breakConnections(undefined);
    const order = await client.cart.submit(contact);
    equal([order.id, order.state], [cart.id, "submitted"], "the order");
    equal(await client.cart.load(), null, "the cart afterwards");
  },

  async "waits as long as the server says"(env) {
    const visitor = newVisitor(env);
    const answer = (/** @type {string} */ after, headers = {}) => new Response(
      JSON.stringify({ code: "overloaded", detail: "Later." }), { status: 503, headers: { "Retry-After": after, ...headers } });
    visitor.breakConnections(async (n, send) => n === 1 ? answer("1") : send());
    const began = performance.now();
    await visitor.client.store();
    const waited = performance.now() - began;
    if (waited < 990) throw new Error(`it waited ${waited} ms, want 1 s`);

    // A date counts from the server's clock.
    const now = Date.UTC(2030, 0, 1);
    visitor.breakConnections(async (n, send) => n === 1
      ? answer(new Date(now + 1000).toUTCString(), { Date: new Date(now).toUTCString() }) : send());
    const begin = performance.now();
    await visitor.client.store();
    const spent = performance.now() - begin;
    if (spent < 990 || spent > 19_000) throw new Error(`it waited ${spent} ms, want 1 s`);

    visitor.breakConnections(async () => answer("3600"));
    const problem = await refused(visitor.client.categories.list(), "overloaded");
    equal([problem.retryAfter, visitor.requests.length], [3600, 1], "the wait and the number of requests");
    const gone = AbortSignal.abort(new Error("left"));
    visitor.breakConnections(undefined);
    const left = await visitor.client.categories.list({}, { signal: gone }).catch((error) => error.message);
    equal(left, "left", "the error of an aborted request");
  },

  async "signs in by a code, and goes on as a visitor when the session ends"(env) {
    let ended = 0;
    const visitor = newVisitor(env, { onSignedOut: () => { ended++; } });
    const { client } = visitor;
    equal(await client.customer.isSignedIn(), false, "a visitor is signed in, which");
    const email = `anna${Math.random().toString(36).slice(2)}@visitor.example`;
    const { request_id } = await client.customer.requestCode({ email });
    await refused(client.customer.signIn({ request_id, code: "000000x" }), "invalid_code");
    const code = await (await fetch(env.harness + "/code?to=" + email)).text();
    const customer = await client.customer.signIn({ request_id, code });
    equal([customer.email, await client.customer.isSignedIn()], [email, true], "the customer");
    equal((await client.customer.edit({ name: "Anna" })).name, "Anna", "the name");

    const lamp = (await client.products.list({ q: "lamp", with: ["variants"] })).data[0]?.variants?.[0]?.id ?? "";
    await client.cart.add({ variant_id: lamp, quantity: 1 });
    const order = await client.cart.submit(contact);
    equal((await client.orders.list()).data.map((o) => o.id), [order.id], "the orders");

    // Another tab signs out: this one notices it, and goes on.
    const tab = createClient({ url: env.url, key: env.key, storage: visitor.storage });
    await tab.customer.signOut();
    equal((await client.products.list()).meta.total, 3, "the number of products");
    equal([ended, await client.customer.isSignedIn()], [1, false], "the ends of sessions");
    await refused(client.customer.get(), "forbidden");
  },

  async "sends forms with captcha tokens, and tries once more with another one"(env) {
    const { client } = newVisitor(env);
    const feedback = await client.sendFeedback({ name: "Anna", message: "It fits.", email: "anna@visitor.example" });
    equal(feedback.message, "It fits.", "the message");
    const callback = await client.requestCallback({ phone: "+49 30 1234567" });
    equal(callback.phone, "+49301234567", "the number");

    let tokens = 0;
    const captcha = async (/** @type {string} */ action) =>
      (await fetch(`${env.harness}/token?action=${action}&bad=${tokens++ === 0 ? 1 : ""}`)).text();
    const { client: suspect } = newVisitor(env, { captcha });
    await suspect.requestCallback({ phone: "+49 30 1234567" });
    equal(tokens, 2, "the number of tokens");
    const { client: robot } = newVisitor(env, { captcha: async () => "no token" });
    await refused(robot.requestCallback({ phone: "+49 30 1234567" }), "captcha_failed");
  },

  async "sends any other request"(env) {
    const { client } = newVisitor(env);
    /** @type {{data: {name: string}}} */
    const answer = await client.request("GET", "/v2/store");
    equal(answer.data.name, "North", "the name");
    const other = createClient({ url: env.url, key: "pk_unknown" });
    if (typeof document === "undefined") {
      const problem = await refused(other.store(), "invalid_credential");
      equal([problem.status, problem.requestId.length > 10, isProblem(problem, "not_found")], [401, true, false],
        "the problem");
    } else { // a key without a store has no origins, so the page may not read the answer
      await refused(other.store(), "unreachable");
    }
    const nobody = createClient({ url: "http://127.0.0.1:9", key: "pk_x", retries: 0 });
    equal((await refused(nobody.store(), "unreachable")).status, 0, "the status");
  },
};

/**
 * Runs the tests and returns the failures. Names and messages of failures are texts.
 * @param {Environment} env
 */
export async function run(env) {
  if (env.clockError) {
    const { clockError } = env;
    globalThis.Date = class extends Date {
      /** @param {[]} time */
      constructor(...time) { time.length > 0 ? super(...time) : super(Date.now()); }
      static now() { return super.now() + clockError; }
    };
  }
  /** @type {string[]} */
  const failures = [];
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(env);
    } catch (error) {
      failures.push(`${name}: ${error instanceof Error ? error.stack ?? error.message : error}`);
    }
  }
  return { passed: Object.keys(tests).length - failures.length, failures };
}
