// The entry point of the storefront: it reads the key, loads the store and starts the modules.

import { $, showMessage, showTitle, setStore } from "./dom.js";
import { call, storage, useKey } from "./api.js";
import { setCaptcha } from "./captcha.js";
import { startInquiries } from "./forms.js";
import { startAccount } from "./account.js";
import { startCart } from "./cart.js";
import { showProducts, startCatalogue } from "./catalogue.js";
import { showOpenProduct, startProduct } from "./product.js";
import { startRoute } from "./route.js";
import { T, useLanguage } from "./texts.js";

// keyInAddress moves the key from a link such as /demo#key=pk_… to the storage.
function keyInAddress() {
  const key = new URLSearchParams(location.hash.slice(1)).get("key");
  if (!key) return false;
  useKey(key);
  history.replaceState(null, "", location.pathname + location.search);
  return true;
}

function askForKey(wrong = "") {
  useLanguage(navigator.language);
  $("welcome").hidden = false;
  showMessage($("key-form").querySelector(".wrong"), wrong);
  $("key").focus();
}

// openShop loads the store of the key. If the key is missing or invalid, it asks for another one.
async function openShop() {
  const key = storage.get("key");
  if (!key) return askForKey();
  if (!key.startsWith("pk_")) {
    useKey(null);
    return askForKey(key.startsWith("sk_") ? T("This is a secret key. It must never be in a page; take the publishable one, which begins with pk_.") : T("A publishable key begins with pk_."));
  }
  let store;
  try {
    store = (await call("GET", "/v2/store?with=settings")).data;
  } catch (problem) {
    if (problem.isCredential) useKey(null);
    return askForKey(problem.isCredential ? T("No store has this key, or it was revoked.") : problem.message);
  }
  $("welcome").hidden = true;
  start(store);
}

function start(store) {
  setStore(store);
  useLanguage(store.locale);
  $("store-name").textContent = store.name;
  showTitle();
  for (const id of ["shop", "search", "actions", "bottom"]) $(id).hidden = false;
  setCaptcha(store.settings.recaptcha);
  startInquiries();
  startAccount();
  startCatalogue();
  startProduct();
  startCart().catch((problem) => console.warn(problem.message));
  startRoute(store.paths, () => {
    showProducts();
    showOpenProduct();
  });
}

// beside reports whether a click is outside an open dialog.
function beside(dialog, { clientX: x, clientY: y }) {
  const { left, right, top, bottom } = dialog.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}

document.addEventListener("click", (event) => {
  const dialog = event.target.closest("dialog");
  if (event.target.closest("[data-close]") || (event.target === dialog && beside(dialog, event))) dialog.close();
});
// A link to a part of the page would lead to the base of the page.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  $("results").focus();
});
$("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  useKey($("key").value.trim() || null);
  openShop();
});
$("change-key").addEventListener("click", () => {
  useKey(null);
  location.href = document.baseURI;
});
addEventListener("hashchange", () => { if (keyInAddress()) location.reload(); });

keyInAddress();
openShop();
