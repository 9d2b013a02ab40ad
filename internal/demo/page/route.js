// The URL of the page contains its state: its path is that of a product or a category in the store, its query has the
// other parameters of GET /v2/products. So every view has a link, and the browser's back button works. The list below an
// open product is in the state of the browser's history.

import { call } from "./api.js";

const filterPattern = /^(q|category|in_stock|sort|page|price\[(from|to)\]|(features|options)\[[^\]]+\]\[(from|to|)\])$/;

const root = new URL(document.baseURI).pathname; // ends with a slash
const targets = new Map(); // what the paths lead to, by path
let paths = { product: "", category: "" }; // their forms, a setting of the store
let categories = new Map(); // the whole tree, by id

// view is what the URL stands for: the query and the category of a list, an open product, and the problem of a path that
// leads nowhere.
let view = { search: new URLSearchParams(), category: null, product: null, problem: null };

// useCategories sets the categories by whose slugs the paths are made.
export const useCategories = (all) => { categories = all; };

// filters returns a copy of the list's parameters.
export function filters() {
  const all = new URLSearchParams([...view.search].filter(([name, value]) => filterPattern.test(name) && value !== ""));
  if (view.category) all.set("category", view.category);
  return all;
}

// parameter returns a parameter of the list that is none of the filters, or null.
export const parameter = (name) => view.search.get(name);

export const openProduct = () => view.product;

// addressProblem returns why the path of the page leads nowhere, or null.
export const addressProblem = () => view.problem;

// viewURL returns the URL of a view. Without the parameter page it is the first page. A product without a slug, which is
// not made yet, has its id in the URL.
export function viewURL(params, product) {
  const all = new URLSearchParams(params);
  let path = product?.slug ? paths.product.replace("{slug}", product.slug) : "";
  if (path) return urlOf(path, { type: "product", id: product.id }, "");
  if (product) all.set("product", product.id);
  const category = all.get("category");
  path = category && categoryPath(category);
  if (path) all.delete("category");
  return urlOf(path || "/", path && { type: "category", id: category }, all);
}

function urlOf(path, target, search) {
  const at = root + encodeURI(path.slice(1));
  if (target) targets.set(at, target);
  return `${search}` ? `${at}?${search}` : at;
}

// categoryPath returns the path of a category, or null if it is not known.
function categoryPath(id) {
  const slugs = [];
  for (let at = categories.get(id); at; at = categories.get(at.parent_id)) {
    if (!at.slug || slugs.length > categories.size) return null;
    slugs.unshift(at.slug);
  }
  return slugs.length > 0 ? paths.category.replace("{path}", slugs.join("/")) : null;
}

// withFilter returns the filters with one value set, or removed if it is null. It resets the page.
export function withFilter(name, value) {
  const params = filters();
  params.delete("page");
  if (value === null || value === "") params.delete(name);
  else params.set(name, value);
  return params;
}

// withToggledValue returns the filters with one of several values of a name added or removed. It resets the page.
export function withToggledValue(name, value, on) {
  const params = filters();
  params.delete("page");
  params.delete(name, value);
  if (on) params.append(name, value);
  return params;
}

// targetOf returns what a path of the page leads to, by GET /v2/resolve.
async function targetOf(path) {
  if (!targets.has(path)) {
    const { data } = await call("GET", `/v2/resolve?path=${encodeURIComponent(path.slice(root.length - 1))}`);
    targets.set(path, data);
  }
  return targets.get(path);
}

// readView returns the view of the URL. It follows redirects, and replaces the URL by the canonical one.
async function readView(redirects = 0) {
  const search = new URLSearchParams(location.search);
  const read = { search, category: search.get("category"), product: search.get("product"), problem: null };
  const path = location.pathname;
  if (path === root) return read;
  try {
    const { type, id, canonical = "" } = await targetOf(path);
    if (location.pathname !== path) return read; // the visitor has gone on
    if (/^https?:/.test(canonical)) location.replace(canonical);
    else if (canonical && root + encodeURI(canonical.slice(1)) !== path) {
      history.replaceState(history.state, "", urlOf(canonical, type !== "redirect" && { type, id }, search));
    }
    if (type === "redirect" && redirects < 5) return readView(redirects + 1);
    if (type === "category") return { ...read, category: id };
    const { list = "", category = null } = history.state ?? {};
    return { ...read, search: new URLSearchParams(list), category, product: type === "product" ? id : null };
  } catch (problem) {
    return { ...read, problem };
  }
}

let onChange = () => {};
let changes = 0;

// follow shows the view of the URL.
async function follow() {
  const change = ++changes;
  const read = await readView();
  if (change !== changes) return; // the visitor has gone on
  view = read;
  onChange();
}

// navigate shows another view. The list stays that of the present view if the other one is a product.
export function navigate(to) {
  history.pushState({ list: view.search.toString(), category: view.category }, "", to);
  follow();
}

// startRoute calls listener on every change of the URL. Links with data-go navigate within this page. forms are those of
// the paths.
export function startRoute(forms, listener) {
  paths = forms;
  onChange = listener;
  addEventListener("popstate", follow);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(link.href);
  });
  follow();
}
