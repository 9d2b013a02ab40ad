// openapi-typescript with openapi-fetch.
import createClient from "openapi-fetch";
import type { components, operations, paths } from "./generated/openapi.js";
import { cases, check, ids, others } from "./filters.js";

const client = createClient<paths>({ baseUrl: ids.url, headers: { Authorization: `Bearer ${ids.key}` } });
for (const { want, ...filters } of cases) {
  const { data } = await client.GET("/v2/products", { params: { query: { ...others, with: [...others.with], ...filters } } });
  check(want, data);
}

// The codes of problems are types.
const { error } = await client.GET("/v2/products/{id}", { params: { path: { id: "x" }, query: { dates: "iso" } } });
const code: components["schemas"]["ProblemCode"] | undefined = error?.code;
if (code !== "not_found") throw new Error(`the code is ${code}`);
type Conflict = operations["submitOrder"]["responses"][409]["content"]["application/problem+json"]["code"];
const known: Conflict = "out_of_stock";
// @ts-expect-error: submitting has no such problem
const unknown: Conflict = "external_id_taken";
console.log("ok", known, unknown);
