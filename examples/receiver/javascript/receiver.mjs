// Receives a store's webhooks in Node without packages. Copy verify.mjs into your program.
//
//   WEBHOOK_SECRET=whsec_… PORT=9000 node examples/receiver/javascript/receiver.mjs
import { createServer } from "node:http";
import { verify } from "./verify.mjs";

const MAX_BODY = 1 << 20;
const secret = process.env.WEBHOOK_SECRET ?? "";
if (!/^whsec_.+/.test(secret)) {
  console.error("WEBHOOK_SECRET must be the receiver's secret, whsec_…");
  process.exit(1);
}

// Ids of handled events. A real program keeps them in its database and writes them in the same transaction as the
// changes of the event.
const handled = new Set();

async function receive(request) {
  if (request.method !== "POST") return 405;
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BODY) chunks.push(chunk);
  }
  if (size > MAX_BODY) return 413;
  const body = Buffer.concat(chunks);
  if (!(await verify(secret, new Headers(Object.entries(request.headers)), body))) return 401;
  let event;
  try {
    event = JSON.parse(body.toString("utf8"));
  } catch {
    return 400;
  }
  if (handled.has(event.id)) {
    console.log(event.id, "again"); // the response was lost, so the event was sent again
  } else {
    // Your work goes here. If it takes long, only store the event.
    console.log(event.type, `#${event.sequence}`, event.id);
    handled.add(event.id);
  }
  return 204; // after the work, and within 15 s
}

const server = createServer(async (request, response) => {
  response.statusCode = await receive(request).catch(() => 500);
  response.end();
});
server.requestTimeout = 15_000;
server.listen(Number(process.env.PORT ?? 9000), "127.0.0.1", () => console.log(`listening at http://127.0.0.1:${server.address().port}/`));
