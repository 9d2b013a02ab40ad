// What holds for every request: forms come from this site, nobody frames it, and what fails has a page.
import { defineMiddleware } from "astro:middleware";
import { failure } from "./lib/failure";
import { changes } from "./lib/shop";

changes.watch();

const headers = {
  // The header of each page shows the visitor's cart.
  "Cache-Control": "private, no-cache",
  "Content-Security-Policy": "base-uri 'self'; frame-ancestors 'none'; object-src 'none'; form-action 'self'",
  "Referrer-Policy": "strict-origin-when-cross-origin",
  "X-Content-Type-Options": "nosniff",
};

/** Browsers say where a form was sent from. The webhook has a signature instead. */
const isFromElsewhere = (request: Request) => {
  const site = request.headers.get("Sec-Fetch-Site");
  if (site) return site !== "same-origin" && site !== "none";
  const origin = request.headers.get("Origin");
  return origin !== null && !(URL.canParse(origin) && new URL(origin).host === request.headers.get("Host"));
};

/** A form of this shop is smaller, and so is an event. */
const maxBytes = 1 << 20;

const isForm = (request: Request) =>
  /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/.test(request.headers.get("Content-Type") ?? "");

/** Why a POST is not even read, if it is not. */
const refusal = (request: Request, isWebhook: boolean) => {
  if (Number(request.headers.get("Content-Length") ?? maxBytes + 1) > maxBytes) return new Response(null, { status: 413 });
  if (isWebhook) return undefined;
  if (isFromElsewhere(request)) return new Response("This form was sent from another site.", { status: 403 });
  return isForm(request) ? undefined : new Response("This is no form.", { status: 415 });
};

/** Pages and sitemaps are texts, which shrink to a fifth. A proxy in front that does it will find them compressed. */
const compressed = (request: Request, response: Response) => {
  const isText = /^(text\/|application\/xml)/.test(response.headers.get("Content-Type") ?? "");
  const accepted = /\bgzip\b/.test(request.headers.get("Accept-Encoding") ?? "");
  if (!response.body || !isText || !accepted || response.headers.has("Content-Encoding")) return response;
  const packed = new Response(response.body.pipeThrough(new CompressionStream("gzip")), response);
  packed.headers.set("Content-Encoding", "gzip");
  packed.headers.append("Vary", "Accept-Encoding");
  packed.headers.delete("Content-Length");
  return packed;
};

export const onRequest = defineMiddleware(async ({ request, url }, next) => {
  if (request.method === "POST") {
    const refused = refusal(request, url.pathname === "/webhook");
    if (refused) return refused;
  }
  // Astro makes images there, which this shop leaves to Vitrine.
  if (url.pathname === "/_image") return new Response(null, { status: 404 });
  const response = await next().catch(failure);
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return compressed(request, response);
});
