import node from "@astrojs/node";
import { defineConfig } from "astro/config";

export default defineConfig({
  output: "server",
  adapter: node({ mode: "standalone" }),
  // src/middleware.ts compares origins: it knows the address of the shop behind a proxy, too.
  security: { checkOrigin: false },
  // The styles are a few KB, packed. In the page they cost no request of their own.
  build: { inlineStylesheets: "always" },
  vite: { build: { assetsInlineLimit: 0 } },
  devToolbar: { enabled: false },
});
