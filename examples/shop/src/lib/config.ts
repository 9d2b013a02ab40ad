// What the shop is told by its environment, or by a file .env beside package.json; .env.example explains it.
try {
  process.loadEnvFile();
} catch { /* there is none */ }

const read = (name: string) => process.env[name] ?? "";

const key = read("VITRINE_PUBLISHABLE_KEY");
if (!key.startsWith("pk_")) {
  throw new Error("The shop needs a publishable key, pk_…, in VITRINE_PUBLISHABLE_KEY or in the file .env.");
}

export const config = {
  url: (read("VITRINE_URL") || "http://localhost:8080").replace(/\/+$/, ""),
  key,
  webhookSecret: read("VITRINE_WEBHOOK_SECRET"),
  language: read("SHOP_LANGUAGE"),
};
