// The cart, which is an order in state draft, and its submission.

import { $, withBusyButton, el, money, number, showMessage, show } from "./dom.js";
import { call, storage, postOnce, Problem } from "./api.js";
import { withCaptcha, isProtected } from "./captcha.js";
import { showProblem, onSubmit } from "./forms.js";
import { modifierText } from "./modifiers.js";
import { filters, viewURL } from "./route.js";
import { T } from "./texts.js";

let order = null; // the draft; null until the first item is added

const path = () => `/v2/orders/${storage.get("cart").id}`;
const headers = () => ({ "X-Order-Token": storage.get("cart").token });

// isGone reports whether the draft no longer exists: it was submitted in another tab, or the store was created again.
const isGone = (problem) => problem.status === 404 || problem.code === "wrong_state";

function forgetCart() {
  storage.set("cart", null);
  order = null;
}

async function refresh() {
  try {
    order = storage.get("cart") ? (await call("GET", path(), { headers: headers() })).data : null;
    if (order && order.state !== "draft") forgetCart();
  } catch (problem) {
    if (!isGone(problem)) throw problem;
    forgetCart();
  }
  render();
}

// addToCart adds a variant with modifiers to the cart and opens the cart. It creates the cart if necessary.
export async function addToCart(variantID, quantity, modifiers = []) {
  const line = { variant_id: variantID, quantity, modifiers };
  if (storage.get("cart")) {
    try {
      order = (await postOnce(`${path()}/items`, line, headers())).data;
    } catch (problem) {
      if (!isGone(problem) || problem.errors.length > 0) throw problem;
      forgetCart();
    }
  }
  if (!storage.get("cart")) {
    order = (await postOnce("/v2/orders", { items: [line] })).data;
    storage.set("cart", { id: order.id, token: order.order_token });
  }
  render();
  openCart();
}

// changeQuantity sets the quantity of an item. 0 removes the item; NaN changes nothing.
async function changeQuantity(item, quantity) {
  if (Number.isNaN(quantity)) return render();
  const at = `${path()}/items/${item.id}`;
  try {
    if (quantity > 0) order = (await call("PUT", at, { json: { quantity }, headers: headers() })).data;
    else {
      await call("DELETE", at, { headers: headers() });
      await refresh();
    }
    render();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    await refresh();
    showProblem($("checkout"), problem);
  }
}

function openCart() {
  $("cart-title").textContent = T("Your cart");
  $("cart-body").hidden = false;
  $("thanks").hidden = true;
  if (!$("cart").open) $("cart").showModal();
}

function render() {
  const items = order?.items ?? [];
  const full = items.length > 0;
  $("cart-count").textContent = number(items.reduce((sum, item) => sum + item.quantity, 0));
  $("open-cart").setAttribute("aria-label", T("Cart, %s in it", $("cart-count").textContent));
  $("cart-empty").hidden = full;
  $("cart-sum").hidden = $("checkout").hidden = !full;
  $("captcha-note").hidden = !isProtected("order_submission");
  const at = document.activeElement?.id;
  show($("lines"), items.map(lineElement));
  if (at) $(at)?.focus();
  if (full) {
    $("cart-total").textContent = money(order.total, order.currency);
    $("submit").textContent = T("Order for %s", money(order.total, order.currency));
  }
}

function lineElement(item) {
  const set = (quantity) => (event) => withBusyButton(event.target, () => changeQuantity(item, quantity));
  const details = [item.options.map((option) => `${option.name}: ${option.value.name}`).join(", ") || item.sku, ...item.modifiers.map((m) => modifierText(m, order.currency))].filter(Boolean);
  const link = item.slug && { href: viewURL(filters(), { id: item.product_id, slug: item.slug }), "data-go": "", onclick: () => $("cart").close() };
  return el("li", {},
    item.image ? el("img", { src: item.image, alt: "", width: "64", height: "64" }) : el("span", {}),
    el("div", { class: "what" }, el("strong", {}, link ? el("a", link, item.name) : item.name), details.map((text) => el("span", { class: "faint" }, text)), item.price === null ? el("span", { class: "wrong" }, T("Not for sale any more")) : item.quantity !== 1 && el("span", { class: "faint" }, T("%s each", money(item.price, order.currency))),
      (item.problems ?? []).map((problem) => el("span", { class: "wrong" }, problem.message))),
    el("output", {}, item.total === null ? "–" : money(item.total, order.currency)),
    el("div", { class: "stepper" },
      el("button", { type: "button", id: `less-${item.id}`, "aria-label": T("Less of %s", item.name), onclick: set(item.quantity - 1) }, "−"),
      el("input", {
        id: `quantity-${item.id}`, inputmode: "decimal", value: String(item.quantity), "aria-label": T("How many of %s", item.name),
        onchange: (event) => changeQuantity(item, Number(event.target.value.replace(",", "."))),
      }),
      el("button", { type: "button", id: `more-${item.id}`, "aria-label": T("More of %s", item.name), onclick: set(item.quantity + 1) }, "+")),
    el("button", { type: "button", class: "link", onclick: set(0), "aria-label": T("Take %s out", item.name) }, T("Remove")));
}

// showLineProblems shows errors at the lines they refer to.
function showLineProblems(problem) {
  for (const error of problem.errors) {
    const at = /^items\[(\d+)\]/.exec(error.field);
    if (at) $("lines").children[at[1]]?.append(el("p", { class: "wrong" }, error.message));
  }
  showMessage($("checkout").querySelector(".said"), problem.message, "bad");
}

async function submit(data, notify) {
  let sent;
  try {
    notify(T("Sending your order…"));
    sent = await withCaptcha("order_submission", (more) => postOnce(`${path()}/submit`, { ...data, ...more }, headers()), notify);
  } catch (problem) {
    if (problem.status === 404) {
      forgetCart();
      render();
      $("cart-empty").textContent = T("This cart has expired. Start a new one.");
      return;
    }
    if (problem.status !== 409) throw problem;
    if (problem.code !== "wrong_state") {
      showLineProblems(problem);
      return;
    }
    // The order was submitted before and the response was lost.
    sent = await call("GET", path(), { headers: headers() });
  }
  showThanks(sent.data);
}

function showThanks(sent) {
  forgetCart();
  render();
  $("checkout").reset();
  $("order-number").textContent = sent.number;
  $("thanks-total").textContent = T("%s for %s.", money(sent.total, sent.currency), sent.items.map((item) => `${number(item.quantity)} × ${item.name}`).join(", "));
  $("cart-title").textContent = T("Your order");
  $("cart-body").hidden = true;
  $("thanks").hidden = false;
  $("thanks").querySelector("h3").focus();
  dispatchEvent(new Event("ordered"));
}

// startCart sets up the cart and loads the stored one.
export async function startCart() {
  $("open-cart").addEventListener("click", openCart);
  onSubmit($("checkout"), submit);
  await refresh();
}
