// The receiver of catalog.changed. An event is a reason to ask what changed: so a lost or repeated one does no harm.
import type { APIRoute } from "astro";
import { config } from "../lib/config";
import { changes } from "../lib/shop";
import { isSigned } from "../lib/webhook";

export const POST: APIRoute = async ({ request }) => {
  const body = new Uint8Array(await request.arrayBuffer());
  if (!await isSigned(config.webhookSecret, request.headers, body)) return new Response(null, { status: 401 });
  await changes.catchUp();
  return new Response(null, { status: 204 });
};
