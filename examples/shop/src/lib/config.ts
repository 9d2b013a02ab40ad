// What the shop is told by its environment, or by a file .env beside package.json; .env.example explains it.
try {
  process.loadEnvFile();
} catch { /* there is none */ }

const read = (name: string) => process.env[name] ?? "";

export const config = {
  url: (read("VITRINE_URL") || "http://localhost:8080").replace(/\/+$/, ""),
  key: read("VITRINE_KEY"),
  webhookSecret: read("VITRINE_WEBHOOK_SECRET"),
  language: read("SHOP_LANGUAGE"),
};
