import type { APIRoute } from "astro";
import { pageOf } from "../lib/page";

export const GET: APIRoute = async (context) => {
  const { site } = await pageOf(context);
  return new Response(`User-agent: *
Disallow: /cart
Disallow: /checkout
Disallow: /account
Disallow: /orders/
Disallow: /suggest

Sitemap: ${site}/sitemap.xml
`, { headers: { "Content-Type": "text/plain; charset=utf-8" } });
};
