// Small helpers for the document, and how things are written for people.

export const $ = (id) => document.getElementById(id);

// el makes an element. Texts among its children are texts, never markup: what a shop is told by others cannot become a script.
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

// show puts some elements in the place of what an element holds.
export const show = (element, ...children) => element.replaceChildren(...children.flat().filter(Boolean));

// showMessage writes a message into an element made for that; none hides it.
export function showMessage(element, text, kind = "") {
  element.textContent = text;
  element.hidden = !text;
  element.className = element.className.replace(/ (good|bad|busy)\b/g, "") + (kind && " " + kind);
}

let store = { locale: "en", currency: "EUR" };

// setStore sets the language and the currency of the store.
export const setStore = (opened) => { store = opened; };

// money writes an amount as the shop does.
export function money(amount, currency = store.currency) {
  try {
    return new Intl.NumberFormat(store.locale, { style: "currency", currency }).format(amount);
  } catch {
    return `${amount} ${currency}`;
  }
}

export const number = (n) => new Intl.NumberFormat(store.locale).format(n);

// availability says how many are left; null stands for a stock that is not kept.
export function availability(left) {
  if (left === null) return { text: "In stock", kind: "good" };
  if (left <= 0) return { text: "Sold out", kind: "bad" };
  if (left <= 5) return { text: `Only ${number(left)} left`, kind: "few" };
  return { text: `In stock: ${number(left)}`, kind: "good" };
}

// picture is an image of a product, or a tile in a colour of its own where there is none.
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

// withBusyButton keeps a button from being pressed again until the work is done.
export async function withBusyButton(button, work) {
  if (button.getAttribute("aria-busy") === "true") return;
  button.setAttribute("aria-busy", "true");
  try {
    await work();
  } finally {
    button.removeAttribute("aria-busy");
  }
}
