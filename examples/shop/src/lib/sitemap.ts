// The sitemap of Vitrine, at the address of this site.
import { Problem } from "@vitrine/client";
import { config } from "./config";

export const sitemapFile = async (path: string, site: string, request: Request): Promise<Response> => {
  const etag = request.headers.get("If-None-Match");
  const response = await fetch(`${config.url}/v2/${path}?key=${encodeURIComponent(config.key)}`,
    { headers: etag ? { "If-None-Match": etag } : {} }).catch(() => { throw new Problem(0); });
  if (response.status >= 500) throw new Problem(response.status);
  const headers = new Headers({ "Content-Type": "application/xml; charset=utf-8" });
  if (response.headers.has("ETag")) headers.set("ETag", response.headers.get("ETag")!);
  if (response.status === 304) return new Response(null, { status: 304, headers });
  if (!response.ok) return new Response(null, { status: 404 });
  if (path !== "sitemap.xml") return new Response(response.body, { headers });

  // The index names its files at the address of the API, with the key.
  const index = (await response.text()).replace(/<loc>[^<]*\/v2\/sitemap\/(\d+)\.xml[^<]*<\/loc>/g,
    (_, number) => `<loc>${site}/sitemap/${number}.xml</loc>`);
  return new Response(index, { headers });
};
