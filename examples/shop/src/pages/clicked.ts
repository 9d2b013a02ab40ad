// Counts a click on a product that a search has found. The browser sends it while it leaves the page.
import type { APIRoute } from "astro";
import { searchIn } from "../lib/filters";
import { clientOf, formOf } from "../lib/shop";

export const POST: APIRoute = async (context) => {
  const form = await formOf(context.request);
  const q = searchIn(new URLSearchParams({ q: String(form.get("q") ?? "") }));
  const product = String(form.get("product") ?? "");
  // What is not counted harms nobody: neither the visitor nor the page waits for it.
  if (q && product) await clientOf(context).clicked(q, product).catch(() => {});
  return new Response(null, { status: 204 });
};
