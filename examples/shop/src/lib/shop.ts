// The clients of this shop: one for all visitors, which reads the catalogue through the cache, and one for each request
// that is somebody's, whose cart and session are in cookies.
import { createClient, Problem, type Client } from "@vitrine/client";
import type { AstroCookies } from "astro";
import { TagCache } from "./cache";
import { Changes } from "./changes";
import { config } from "./config";

const cache = new TagCache();
/** A visitor does not wait for longer: in milliseconds, for each of three attempts. */
const patience = { timeout: 5_000, retries: 2 };
const nothing = { getItem: () => null, setItem() {}, removeItem() {} };

/** Reads the catalogue as every visitor sees it. */
export const catalogue = createClient({ url: config.url, key: config.key, storage: nothing, fetch: cache.fetch, ...patience });

/** Drops from the cache what changes in the catalogue. */
export const changes = new Changes(
  createClient({ url: config.url, key: config.key, storage: nothing }), cache);

const days = 24 * 60 * 60;

export interface Visit {
  cookies: AstroCookies;
  url: URL;
  request: Request;
  clientAddress: string;
}

const cookieOptions = (visit: Visit) => ({
  path: "/", httpOnly: true, sameSite: "lax" as const, maxAge: 30 * days,
  secure: (visit.request.headers.get("X-Forwarded-Proto") ?? visit.url.protocol).startsWith("https"),
});

/** A client of this visitor. captchaToken is what the browser has sent in its form. */
export const clientOf = (visit: Visit, captchaToken = ""): Client => createClient({
  url: config.url, key: config.key, ...patience,
  storage: { // the client names them vitrine.pk_….cart and vitrine.pk_….customer
    getItem: (name) => visit.cookies.get(cookieName(name))?.value ?? null,
    setItem: (name, value: string) => visit.cookies.set(cookieName(name), value, cookieOptions(visit)),
    removeItem: (name) => visit.cookies.delete(cookieName(name), { path: "/" }),
  },
  captcha: async () => {
    const token = captchaToken;
    captchaToken = ""; // it works once
    if (token) return token;
    throw new Problem(401, { code: "captcha_required", detail: "The captcha was not solved. Please try again." });
  },
  // Vitrine believes it with --trusted-proxy, and limits each visitor instead of the shop.
  fetch: (url, init) => fetch(url, {
    ...init, headers: { ...init.headers, "X-Forwarded-For": visit.clientAddress },
  }),
});

const cookieName = (name: string) => name.slice(name.lastIndexOf(".") + 1);

export const isCustomer = (visit: Visit) => visit.cookies.has("customer");

/** The catalogue with the prices of this visitor: customers may have their own. */
export const catalogueOf = (visit: Visit): Client => isCustomer(visit) ? clientOf(visit) : catalogue;

/** The form that was sent; one that cannot be read has no fields. */
export const formOf = (request: Request): Promise<FormData> => request.formData().catch(() => new FormData());

/** Remembers how many pieces the header shows, so that no page must ask for the cart. */
export const countCart = (visit: Visit, items: readonly { quantity: number }[]) => {
  const count = items.reduce((sum, item) => sum + Math.ceil(item.quantity), 0);
  if (count > 0) visit.cookies.set("count", String(count), cookieOptions(visit));
  else visit.cookies.delete("count", { path: "/" });
};

/** Lets this visitor, who need not sign in, see an order. */
export const rememberOrder = (visit: Visit, id: string, token: string) =>
  visit.cookies.set(`order-${id}`, token, cookieOptions(visit));
