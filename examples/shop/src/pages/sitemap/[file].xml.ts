import type { APIRoute } from "astro";
import { sitemapFile } from "../../lib/sitemap";

export const GET: APIRoute = async ({ params, request }) => /^\d+$/.test(params.file ?? "")
  ? sitemapFile(`sitemap/${params.file}.xml`, "", request) : new Response(null, { status: 404 });
