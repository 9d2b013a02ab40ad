// The dialog with one product: its pictures, features, and the choice of a variant.

import { $, availability, withBusyButton, el, money, number, oldPrice, picture, showMessage, show, showTitle } from "./dom.js";
import { call } from "./api.js";
import { viewURL, filters, navigate, openProduct } from "./route.js";
import { addToCart } from "./cart.js";
import { modifierChooser } from "./modifiers.js";
import { dot } from "./colour.js";
import { T } from "./texts.js";

const maxChips = 12; // an option with more values is shown as a select element

// showOpenProduct opens the product in the page's URL, or closes the dialog if there is none.
export async function showOpenProduct() {
  const dialog = $("product");
  const id = openProduct();
  if (!id) return dialog.close();
  if (dialog.open && dialog.dataset.id === id) return;
  let product;
  try {
    product = (await call("GET", `/v2/products/${encodeURIComponent(id)}?with=prices,breadcrumbs`)).data;
  } catch (problem) {
    show(dialog, head(T("Product not found")), el("p", { class: "notice bad" }, problem.message));
  }
  if (openProduct() !== id) return; // the visitor has opened another product
  dialog.dataset.id = id;
  if (product) render(dialog, product);
  showTitle(product?.name);
  if (!dialog.open) dialog.showModal();
}

const head = (title) => el("header", {}, el("h2", { id: "product-name" }, title), el("button", { type: "button", class: "quiet", "data-close": "", autofocus: "", "aria-label": T("Close") }, "✕"));

// crumbs returns the way from the whole shop to the canonical category of a product.
const crumbs = (way) => el("nav", { class: "way", "aria-label": T("Breadcrumbs") },
  el("a", { href: viewURL(new URLSearchParams()), "data-go": "" }, T("All categories")),
  way.map((c) => [" / ", el("a", { href: viewURL(new URLSearchParams({ category: c.id })), "data-go": "" }, c.name)]).flat());

function render(dialog, product) {
  const price = el("p", { class: "price" }), steps = el("ul", { class: "steps", "aria-label": T("Prices by quantity") }), left = el("p", { class: "left" }), wrong = el("p", { class: "wrong", role: "alert", hidden: true });
  const quantity = el("input", { id: "quantity", inputmode: "decimal", value: "1", "aria-label": T("How many") });
  const button = el("button", { type: "submit", class: "strong" }, T("Add to cart"));
  const buy = el("div", { class: "buy" }, quantity, button);
  const pictures = gallery(product);
  let variant;
  const modifiers = modifierChooser(product.modifiers, () => choose(variant));
  const choose = (v) => {
    const image = v !== variant && v.images?.[0];
    if (image) pictures.open(image);
    variant = v;
    const extra = modifiers.price();
    const state = availability(v.available);
    show(price, v.price === null ? T("Not for sale") : [extra === 0 && oldPrice(v), money(v.price + extra)].flat());
    const larger = v.prices.filter((step) => step.from_quantity > 1);
    steps.hidden = larger.length === 0;
    show(steps, larger.map((step) => el("li", {}, T("from %s: ", number(step.from_quantity)), el("strong", {}, money(step.price)))));
    left.textContent = v.sku ? `${state.text} · ${v.sku}` : state.text;
    left.className = `left ${state.kind}`;
    buy.hidden = v.price === null;
    button.disabled = v.available !== null && v.available <= 0;
    showMessage(wrong, "");
  };
  const form = el("form", {
    novalidate: true, onsubmit: (event) => {
      event.preventDefault();
      withBusyButton(button, async () => {
        try {
          await addToCart(variant.id, Number(quantity.value.replace(",", ".")) || 0, modifiers.choices());
          navigate(viewURL(filters()));
        } catch (problem) {
          showMessage(wrong, (problem.errors ?? []).map((error) => error.message).join(" ") || problem.message);
        }
      });
    },
  }, price, steps, left, chooser(product.variants, choose), ...modifiers.elements, buy, wrong);
  const described = product.description && el("p", { class: "description" }, product.description);
  show(dialog, crumbs(product.breadcrumbs ?? []), head(product.name), el("div", { class: "sides" }, pictures.element,
    el("div", {}, product.variants.length > 0 ? form : el("p", { class: "left bad" }, T("Not for sale")), described, features(product.features))));
}

// gallery shows one picture large and all of them small. Its function open shows another one, such as that of a variant.
function gallery(product) {
  const stage = el("div", { class: "shot" });
  const buttons = product.images.map((image, i) =>
    el("button", { type: "button", "aria-label": T("Picture %s", i + 1), onclick: () => open(image) }, el("img", { src: image.thumbnails.small, alt: "", loading: "lazy" })));
  const open = (image) => {
    show(stage, picture(product, image, "(max-width: 640px) 92vw, 560px"));
    buttons.forEach((button, i) => button.setAttribute("aria-pressed", String(product.images[i].id === image?.id)));
  };
  open(product.images[0]);
  return { open, element: el("div", { class: "gallery" }, stage, buttons.length > 1 && el("div", { class: "thumbs" }, buttons)) };
}

function features(list) {
  const values = new Map();
  for (const { name, value } of list) values.set(name, [...(values.get(name) ?? []), value.name]);
  return values.size > 0 && el("dl", {}, [...values].map(([name, all]) => [el("dt", {}, name), el("dd", {}, all.join(", "))]).flat());
}

// chooser lets the visitor choose a variant by its options, or from a list if the options do not distinguish all
// variants. It calls choose with each choice. The initial choice is the first variant that is for sale and available.
function chooser(variants, choose) {
  const sellable = (v) => v.price !== null && (v.available === null || v.available > 0);
  let at = variants.find(sellable) ?? variants[0];
  choose(at);
  if (variants.length < 2) return null;
  const combinations = new Set(variants.map((v) => v.options.map((o) => o.value.id).sort().join()));
  if (combinations.size < variants.length) {
    return el("label", {}, T("Variant"), " ", el("select", { onchange: (e) => choose(variants[e.target.selectedIndex]) },
      variants.map((v) => el("option", { selected: v === at }, label(v)))));
  }

  const options = new Map(); // id → name and values, in the order of the variants
  for (const { id, name, value } of variants.flatMap((v) => v.options)) {
    if (!options.has(id)) options.set(id, { id, name, values: new Map() });
    options.get(id).values.set(value.id, value.name);
  }
  const has = (v, option, value) => v.options.some((o) => o.id === option && o.value.id === value);
  // selectValue selects the variant with this value that has the most of the other selected values. Among equals it
  // prefers one that is available.
  const selectValue = (option, value) => {
    const alike = (v) => v.options.filter((o) => o.id !== option && has(at, o.id, o.value.id)).length + (sellable(v) ? 0.5 : 0);
    const fitting = variants.filter((v) => has(v, option, value));
    at = fitting.reduce((best, v) => alike(v) > alike(best) ? v : best);
    choose(at);
    mark();
  };
  const groups = [...options.values()].map((option) => option.values.size > maxChips ? list(option, selectValue) : radios(option, selectValue));
  const mark = () => groups.forEach((g) => g.mark((option, value) => {
    const here = variants.filter((v) => has(v, option, value));
    const others = (v) => at.options.every((o) => o.id === option || has(v, o.id, o.value.id));
    return { chosen: has(at, option, value), off: !here.some((v) => others(v) && sellable(v)) };
  }));
  mark();
  return groups.map((g) => g.element);
}

const label = (v) => [v.name || v.sku || v.options.map((o) => o.value.name).join(", ") || T("Variant"), v.price === null ? T("not for sale") : money(v.price)].join(" · ");

function radios(option, selectValue) {
  const inputs = new Map([...option.values].map(([id]) => [id, el("input", { type: "radio", name: `option-${option.id}`, value: id, onchange: () => selectValue(option.id, id) })]));
  return {
    element: el("fieldset", { class: "options" }, el("legend", {}, option.name), [...option.values].map(([id, name]) => el("label", { class: "chip" }, inputs.get(id), el("span", {}, dot(name), name)))),
    mark: (state) => inputs.forEach((input, id) => {
      const { chosen, off } = state(option.id, id);
      input.checked = chosen;
      input.parentElement.classList.toggle("off", off);
      input.parentElement.title = off ? T("Not available with the other selected values") : "";
    }),
  };
}

function list(option, selectValue) {
  const select = el("select", { onchange: () => selectValue(option.id, select.value) }, [...option.values].map(([id, name]) => el("option", { value: id }, name)));
  return {
    element: el("label", {}, option.name + " ", select),
    mark: (state) => { for (const entry of select.options) entry.selected = state(option.id, entry.value).chosen; },
  };
}

// startProduct updates the URL when the dialog is closed.
export function startProduct() {
  $("product").addEventListener("close", () => {
    if (openProduct()) navigate(viewURL(filters()));
  });
}
