// Helpers for DOM elements and for formatting.

import { T } from "./texts.js";

export const $ = (id) => document.getElementById(id);

// el creates an element. Strings among its children become text nodes, never markup, so data from the API cannot inject
// scripts.
export function el(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (key in element && typeof value !== "string") element[key] = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// show replaces the children of an element.
export const show = (element, ...children) => element.replaceChildren(...children.flat().filter(Boolean));

// showMessage shows a message in an element; an empty text hides the element.
export function showMessage(element, text, kind = "") {
  element.textContent = text;
  element.hidden = !text;
  element.className = element.className.replace(/ (good|bad|busy)\b/g, "") + (kind && " " + kind);
}

let store = { locale: "en", currency: "EUR" };

// setStore sets the store whose locale and currency are used.
export const setStore = (opened) => { store = opened; };

// showTitle sets the title of the page: that of a category or a product, or the name of the store.
export const showTitle = (title = "") => { document.title = title ? `${title} – ${store.name}` : store.name; };

// money formats an amount in the store's locale. Whole roubles are written without kopecks, as shops do.
export function money(amount, currency = store.currency) {
  try {
    const trailingZeroDisplay = currency === "RUB" ? "stripIfInteger" : "auto";
    return new Intl.NumberFormat(store.locale, { style: "currency", currency, trailingZeroDisplay }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}

export const number = (n) => new Intl.NumberFormat(store.locale).format(n);

// oldPrice returns the crossed out price of a variant that was read with=prices, or null if it has none.
export const oldPrice = (variant) => (variant?.old_price ?? null) === null ? null : [el("s", { title: T("Old price") }, money(variant.old_price)), " "];

// availability describes the available quantity; null means that the stock is not tracked.
export function availability(left) {
  if (left === null) return { text: T("In stock"), kind: "good" };
  if (left <= 0) return { text: T("Sold out"), kind: "bad" };
  if (left <= 5) return { text: T("Only %s left", number(left)), kind: "few" };
  return { text: T("In stock: %s", number(left)), kind: "good" };
}

// picture returns an image of a product, or a coloured tile if there is none.
export function picture(product, image, sizes) {
  if (image) {
    return el("img", {
      src: image.thumbnails.medium, srcset: `${image.thumbnails.small} 160w, ${image.thumbnails.medium} 640w`, sizes,
      alt: "", loading: "lazy", width: String(image.width), height: String(image.height),
    });
  }
  let hue = 0;
  for (const c of product.id) hue = (hue * 31 + c.charCodeAt(0)) % 360;
  const tile = el("div", { class: "tile", "aria-hidden": "true" }, [...product.name][0] ?? "?");
  tile.style.setProperty("--hue", hue);
  return tile;
}

// withBusyButton disables a button while work runs.
export async function withBusyButton(button, work) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-busy");
  }
}
