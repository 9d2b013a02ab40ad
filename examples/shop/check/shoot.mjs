// Takes pictures of pages: node shoot.mjs http://localhost:3000 folder [path…]
import { mkdirSync } from "node:fs";
import { launch } from "./browser.mjs";

const [site, folder, ...paths] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const path of paths) {
  for (const [name, width, scheme] of [["wide", 1280, "light"], ["dark", 1280, "dark"], ["phone", 360, "light"],
    ["phone-dark", 360, "dark"]]) {
    const page = await browser.newPage();
    await page.setViewport({ width, height: width === 360 ? 740 : 900, isMobile: width === 360, hasTouch: width === 360 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.goto(site + path, { waitUntil: "load" });
    const file = `${folder}/${path.replaceAll(/\W+/g, "-").slice(0, 40)}-${name}.png`;
    await page.screenshot({ path: file });
    console.log(file);
    await page.close();
  }
}
await browser.close();
