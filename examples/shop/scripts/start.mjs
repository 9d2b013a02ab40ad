// Starts the shop against the Vitrine of `make run`: fills an empty store, tells it where the shop is, registers the
// webhook, builds the shop and serves it. `make shop` calls it.
//
//   node scripts/start.mjs [--program ../../bin/vitrine] [--data ../../vitrine-data] [--port 3000] [--products 300]
//
// It serves the store of the first run. With --keys it is another one: a file with what `vitrine store create --json`
// has printed.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { install } from "./install.mjs";

const here = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const { values: options } = parseArgs({ options: {
  program: { type: "string", default: resolve(here, "../../bin/vitrine") },
  data: { type: "string", default: resolve(here, "../../vitrine-data") },
  port: { type: "string", default: "3000" },
  products: { type: "string", default: "300" },
  pictures: { type: "string" }, // of how many products; of all by default
  language: { type: "string" }, // en or ru, of the products; that of the store by default
  keys: { type: "string" },
  "no-build": { type: "boolean", default: false },
} });

const stop = (message) => {
  console.error(message);
  process.exit(1);
};

if (Number(process.versions.node.split(".")[0]) < 20) stop(`The shop needs Node 20 or later; this is ${process.version}.`);
if (!existsSync(options.program) || !existsSync(resolve(options.data, "first-run.json"))) {
  stop("Vitrine does not run here yet. Start it in another terminal first:\n\n  make run\n");
}
const isTaken = await new Promise((done) => {
  const server = createServer().once("error", () => done(true)).listen(options.port, "localhost", () => server.close(() => done(false)));
});
if (isTaken) stop(`Port ${options.port} is taken. Choose another one:\n\n  make shop ARGS='--port ${Number(options.port) + 1}'\n`);

const exports = execFileSync(options.program, ["env", "--data", options.data], { encoding: "utf8" });
const variables = Object.fromEntries([...exports.matchAll(/^export (\w+)='(.*)'$/gm)]
  .map(([, name, value]) => [name, value]));

if (options.keys) {
  const keys = JSON.parse(readFileSync(options.keys, "utf8"));
  Object.assign(variables, { STORE_ID: keys.store_id, STORE_SECRET_KEY: keys.secret_key,
    STORE_PUBLISHABLE_KEY: keys.publishable_key });
}

const run = (program, args) => execFileSync(program, args,
  { cwd: here, stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, ASTRO_TELEMETRY_DISABLED: "1" } });

const call = async (method, path, body) => {
  const base = path.startsWith("/api/") ? variables.STORE_ADMIN_URL : variables.STORE_URL;
  const response = await fetch(base + path, {
    method, body: body && JSON.stringify(body),
    headers: { Authorization: `Bearer ${variables.STORE_SECRET_KEY}`, "Content-Type": "application/json" },
  }).catch(() => stop(`Nothing answers at ${base}. Start Vitrine in another terminal first:\n\n  make run\n`));
  const text = await response.text();
  if (!response.ok) stop(`${method} ${base}${path} answered ${response.status}: ${text}`);
  return text ? JSON.parse(text) : undefined;
};

const { data: store } = await call("GET", "/v2/store");
if ((await call("GET", "/v2/products?per_page=1")).meta.total === 0) {
  const language = options.language ?? (store.locale === "ru" ? "ru" : "en");
  if (language === "ru" && store.locale !== "ru") {
    await call("PUT", "/api/store/settings", { locale: "ru", currency: "RUB" });
  }
  console.log(`The store is empty: filling it with ${options.products} products and their pictures.`);
  execFileSync(options.program, ["demo", "--data", options.data, "--store", variables.STORE_ID,
    "--products", options.products, "--pictures", options.pictures ?? options.products, "--language", language],
  { stdio: ["ignore", "ignore", "inherit"] });
}

const site = `http://localhost:${options.port}`;
if (!store.site_url) await call("PUT", "/api/store/settings", { site_url: site });
else if (store.site_url !== site) {
  console.log(`The store says that its site is ${store.site_url}: canonical addresses begin with it.`);
}

// The secret of a receiver is told once, so each start has a receiver of its own.
const url = `${site}/webhook`;
for (const receiver of (await call("GET", "/api/store/webhook-receivers?per_page=250")).data) {
  if (receiver.url === url) await call("DELETE", `/api/store/webhook-receivers/${receiver.id}`);
}
const { data: receiver } = await call("POST", "/api/store/webhook-receivers", { url, webhook_types: ["catalog.changed"] });

if (!options["no-build"]) {
  install(here, "the shop");
  console.log("Building the shop.");
  run("npm", ["run", "build", "--silent"]);
}

const server = spawn(process.execPath, ["dist/server/entry.mjs"], {
  cwd: here, stdio: ["ignore", "ignore", "inherit"],
  env: { ...process.env, HOST: "localhost", PORT: options.port, VITRINE_URL: variables.STORE_URL,
    VITRINE_PUBLISHABLE_KEY: variables.STORE_PUBLISHABLE_KEY, VITRINE_WEBHOOK_SECRET: receiver.secret },
});
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => server.kill());
server.on("exit", (code) => process.exit(code ?? 0));

for (let tries = 0; ; tries++) {
  const answer = await fetch(site).catch(() => undefined);
  if (answer?.ok) break;
  if (tries > 60) stop(`The shop does not answer at ${site}.`);
  await new Promise((done) => setTimeout(done, 250));
}
console.log(`
Open the shop:            ${site}/
Change a price or a name: ${variables.STORE_ADMIN_URL}/
Sign in there with admin_email and admin_password of ${options.keys ?? resolve(options.data, "first-run.json")}.
Its mailbox has the codes with which customers sign in.
`);
