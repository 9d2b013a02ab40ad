// @hey-api/openapi-ts with its client for fetch.
import { getProduct, listProducts } from "./generated/hey/index.js";
import { client } from "./generated/hey/client.gen.js";
import { cases, check, ids, others } from "./filters.js";

client.setConfig({ baseUrl: ids.url, auth: () => ids.key });
for (const { want, ...filters } of cases) {
  const { data } = await listProducts({ query: { ...others, with: [...others.with], ...filters } });
  check(want, data);
}

const { error } = await getProduct({ path: { id: "x" }, query: { dates: "iso" } });
if (error?.code !== "not_found") throw new Error(`the code is ${error?.code}`);
console.log("ok");
