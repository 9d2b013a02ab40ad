// Takes pictures of the shop, wide and on a phone, light and dark. Without paths it goes through the shop as a visitor
// does, from the home page to an order:
//
//   node examples/shop/check/shoot.mjs http://localhost:3000 folder [path…]
//
// With STORE_ADMIN_URL and STORE_SECRET_KEY, as `vitrine env` sets them, it signs in, too: it reads the code in the
// mailbox of `serve --dev`.
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../scripts/install.mjs";

const [site, folder, ...paths] = process.argv.slice(2);
if (!folder) {
  console.error("usage: node examples/shop/check/shoot.mjs http://localhost:3000 folder [path…]");
  process.exit(2);
}
install(dirname(fileURLToPath(import.meta.url)), "the checks");
const { launch } = await import("./browser.mjs");
mkdirSync(folder, { recursive: true });
const browser = await launch();
const page = await browser.newPage();

const sizes = [["wide", 1280, "light"], ["wide-dark", 1280, "dark"], ["phone", 360, "light"], ["phone-dark", 360, "dark"]];

/** Takes pictures of the page as it is. */
const shoot = async (name) => {
  for (const [size, width, scheme] of sizes) {
    await page.setViewport({ width, height: 800 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await page.evaluate(async () => { // images that are not seen yet are loaded when they are
      for (const image of document.images) image.loading = "eager";
      await Promise.all([...document.images].map((image) => image.decode().catch(() => {})));
    });
    const file = join(folder, `${name}-${size}.png`);
    await page.screenshot({ path: file, fullPage: true });
    console.log(file);
  }
  await page.setViewport({ width: 1280, height: 800 });
};

const open = (path) => page.goto(new URL(path, site).href, { waitUntil: "load" });
const click = (selector) => Promise.all([page.waitForNavigation(), page.$eval(selector, (element) => element.click())]);
const links = (selector) => page.$$eval(selector, (all) => all.map((a) => a.href));

const visit = async () => {
  await open("/");
  await shoot("1-home");
  const [menu] = await links(".menu a");
  const name = await page.$eval(".card a", (a) => a.textContent.trim());
  await page.type("input[name=q]", name.slice(0, 4));
  await page.waitForSelector(".suggestions:not([hidden]) a");
  await shoot("2-suggestions");

  await open(menu);
  await shoot("3-category");
  await page.$$eval(".filters .facet", ([first, second]) => {
    for (const box of [...first.querySelectorAll("input[type=checkbox]")].slice(0, 2)) box.checked = true;
    if (second) second.open = true;
  });
  await page.$eval(".filters input[name='price.to']", (input) => { input.value = "500000"; });
  await click(".filters button");
  await shoot("4-category-filtered");

  // A letter of the longest word is lost.
  const word = name.split(" ").reduce((longest, w) => w.length > longest.length ? w : longest);
  await open(`/search?q=${encodeURIComponent(word.slice(0, 2) + word.slice(3))}`);
  await shoot("5-search-typing-error");
  await open("/search?q=zzqxw");
  await shoot("6-search-nothing");

  const products = [];
  for (const n of [1, 2, 3]) {
    await open(`/search?page=${n}`);
    products.push(...await links(".card a"));
  }
  let rich = products[0];
  for (const product of products) {
    await open(product);
    if (await page.$(".option") && await page.$(".modifiers") && await page.$("button.main")) {
      rich = product;
      break;
    }
  }
  await open(rich);
  await shoot("7-product");
  await page.$$eval(".modifiers", (groups) => groups.forEach((g) => [...g.querySelectorAll("input")].at(-1).click()));
  await click("button.main");
  for (const product of products.filter((p) => p !== rich)) {
    await open(product);
    if (!await page.$("button.main")) continue;
    await click("button.main");
    break;
  }
  await shoot("8-cart");

  await open("/checkout");
  await page.type("input[name=name]", "Anna");
  await page.$eval("input[name=name]", (input) => { input.form.noValidate = true; });
  await page.type("input[name=phone]", "12");
  await page.type("input[name=email]", "anna");
  await click("form.stack button.main");
  await shoot("9-checkout-errors");
  await page.$eval("input[name=phone]", (input) => { input.value = "+49 30 1234567"; });
  await page.$eval("input[name=email]", (input) => { input.value = "anna@visitor.example"; });
  await click("form.stack button.main");
  await shoot("10-order");

  await open("/account");
  await shoot("11-sign-in");
  await page.type("input[name=email]", "anna@visitor.example");
  await click("form.stack button.main");
  await shoot("12-code");
  const { STORE_ADMIN_URL, STORE_SECRET_KEY } = process.env;
  if (STORE_ADMIN_URL && STORE_SECRET_KEY) {
    const answer = await fetch(`${STORE_ADMIN_URL}/api/store/mailbox`, { headers: { Authorization: `Bearer ${STORE_SECRET_KEY}` } });
    const [code] = /\b\d{6}\b/.exec((await answer.json()).data[0].text);
    await page.type("input[name=code]", code);
    await click("form.stack button.main");
    await open(rich);
    if (await page.$("button.main")) {
      await click("button.main");
      await open("/checkout");
      await page.$eval("input[name=name]", (input) => { input.value = "Anna"; });
      await click("form.stack button.main");
    }
    await open("/account");
    await shoot("13-account");
  }
  await open("/no/such/page");
  await shoot("14-not-found");
};

try {
  if (paths.length === 0) await visit();
  for (const path of paths) {
    await open(path);
    await shoot(path.replaceAll(/\W+/g, "-").slice(0, 40));
  }
} finally {
  await browser.close();
}
