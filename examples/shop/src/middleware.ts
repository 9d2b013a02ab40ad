// What holds for every request: forms come from this site, and nobody frames it.
import { defineMiddleware } from "astro:middleware";
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
  if (request.method === "POST" && url.pathname !== "/webhook" && isFromElsewhere(request)) {
    return new Response("This form was sent from another site.", { status: 403 });
  }
  const response = await next();
  for (const [name, value] of Object.entries(headers)) {
    if (!response.headers.has(name)) response.headers.set(name, value);
  }
  return compressed(request, response);
});
