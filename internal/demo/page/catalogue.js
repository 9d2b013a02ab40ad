// The list of products with its filters, loaded with one request per view.

import { $, availability, el, money, number, oldPrice, picture, show } from "./dom.js";
import { call } from "./api.js";
import { viewURL, withFilter, filters, navigate } from "./route.js";
import { activeFilters, render as renderFilters, startFilters } from "./filters.js";

const perPage = 24;

let shownQuery; // the query of the displayed list
let request; // AbortController of the current request
let categoryTree; // promise of all categories, by id

async function loadCategories() {
  const categories = new Map();
  for (let page = 1, end = 1; page <= end; page++) {
    const { data, meta } = await call("GET", `/v2/categories?per_page=250&page=${page}`);
    for (const category of data) categories.set(category.id, category);
    end = Math.min(meta.last_page, 20); // more would not fit a sidebar
  }
  return categories;
}

// showProducts shows the products of the page's URL, unless they are displayed already. force reloads them in any case.
export async function showProducts(force = false) {
  const params = filters();
  const query = params.toString();
  if (query === shownQuery && !force) return;
  const queryChanged = shownQuery !== undefined && !force;
  shownQuery = query;
  if (document.activeElement !== $("q")) $("q").value = params.get("q") ?? "";
  $("sort").value = params.get("sort") ?? "";
  request?.abort();
  request = new AbortController();
  $("grid").setAttribute("aria-busy", "true");
  try {
    params.set("per_page", perPage);
    params.set("with", "variants,prices,images,facets");
    categoryTree ??= loadCategories();
    const [{ data, meta }, categories] = await Promise.all([call("GET", `/v2/products?${params}`, { signal: request.signal }), categoryTree]);
    $("trouble").hidden = true;
    render(data, meta, categories);
    if (queryChanged && scrollY > $("results").offsetTop) $("results").scrollIntoView();
  } catch (problem) {
    if (problem.name === "AbortError") return;
    shownQuery = categoryTree = undefined;
    show($("trouble"), el("p", {}, [problem.message, ...(problem.errors ?? []).map((error) => error.message)].join(" ")), el("a", { href: "./", "data-go": "" }, "Show all products"));
    $("trouble").hidden = false;
    show($("grid"));
    show($("pager"));
    $("found").textContent = "";
  }
  $("grid").removeAttribute("aria-busy");
}

function render(products, meta, categories) {
  renderFilters(meta.facets, categories);
  show($("chosen"), activeFilters(meta.facets, categories));
  $("found").textContent = meta.total === 1 ? "1 product" : `${number(meta.total)} products`;
  if (meta.total > 0) show($("grid"), products.map(card));
  else show($("grid"), filters().size > 0 ? el("p", { class: "nothing" }, "Nothing fits. ", el("a", { href: "./", "data-go": "" }, "Show all products")) : emptyShop());
  show($("pager"), pager(meta));
}

// emptyShop tells the owner of a new store how to fill it.
function emptyShop() {
  return el("div", { class: "nothing" }, el("h2", {}, "This shop sells nothing yet"),
    el("p", {}, "Fill it with a made-up catalogue: ", el("code", {}, "vitrine demo")),
    el("p", {}, "Or push your own, as JSON, NDJSON or CSV: ", el("code", {}, "vitrine push products.json")),
    el("button", { type: "button", class: "strong", onclick: () => { categoryTree = undefined; showProducts(true); } }, "Look again"));
}

function card(product) {
  const { from, to } = product.price;
  const kept = product.variants.every((v) => v.available !== null);
  const left = availability(kept ? product.available ?? 0 : null);
  const several = product.variants.length > 1 && `${number(product.variants.length)} variants`;
  const cheapest = product.variants.find((v) => v.price === from);
  return el("article", { class: "card" },
    el("div", { class: "shot" }, picture(product, product.images[0], "(max-width: 640px) 45vw, 260px")),
    el("h3", {}, el("a", { href: viewURL(filters(), product.id), "data-go": "" }, product.name)),
    el("p", { class: "price" }, from === null ? "Not for sale" : [oldPrice(cheapest), from !== to && el("small", {}, "from "), money(from)].flat()),
    el("p", { class: "about" }, el("span", { class: `left ${left.kind}` }, left.text), several && el("span", { class: "faint" }, several)));
}

function pager({ current_page: at, last_page: end }) {
  if (end < 2) return [];
  const pages = [...new Set([1, at - 2, at - 1, at, at + 1, at + 2, end])].filter((n) => n >= 1 && n <= end);
  const to = (n, text = number(n), label = `Page ${n}`) => el("a", { href: viewURL(pageOf(n)), "data-go": "", "aria-label": label, "aria-current": n === at ? "page" : null }, text);
  const links = pages.flatMap((n, i) => [i > 0 && n > pages[i - 1] + 1 && el("span", { "aria-hidden": "true" }, "…"), to(n)]);
  return [at > 1 && to(at - 1, "‹", "The page before"), ...links, at < end && to(at + 1, "›", "The next page")];
}

function pageOf(n) {
  const params = filters();
  params.set("page", n);
  return params;
}

// startCatalogue sets up the search, the sort order and the filters.
export function startCatalogue() {
  let typing;
  $("q").addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => navigate(viewURL(withFilter("q", $("q").value.trim()))), 250);
  });
  $("search").addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(typing);
    navigate(viewURL(withFilter("q", $("q").value.trim())));
  });
  $("sort").addEventListener("change", () => navigate(viewURL(withFilter("sort", $("sort").value))));
  startFilters();
  // A customer may have other prices than a guest.
  for (const event of ["ordered", "signed-in", "signed-out"]) addEventListener(event, () => showProducts(true));
}
