// orval with fetch.
import { getProduct, listProducts } from "./generated/orval.js";
import { cases, check, ids, others } from "./filters.js";

// orval writes addresses without a server.
const send = globalThis.fetch;
globalThis.fetch = (path, init) => send(ids.url + String(path),
  { ...init, headers: { ...init?.headers, Authorization: `Bearer ${ids.key}` } });
for (const { want, ...filters } of cases) {
  const answer = await listProducts({ ...others, with: [...others.with], ...filters });
  if (answer.status !== 200) throw new Error(`the status is ${answer.status}`);
  check(want, answer.data);
}

const { status, data } = await getProduct("x", { dates: "iso" });
if (status !== 404 || data.code !== "not_found") throw new Error(`the status is ${status}`);
console.log("ok");
