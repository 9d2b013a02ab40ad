import type { APIRoute } from "astro";
import { pageOf } from "../lib/page";
import { sitemapFile } from "../lib/sitemap";

export const GET: APIRoute = async (context) =>
  sitemapFile("sitemap.xml", (await pageOf(context)).site, context.request);
