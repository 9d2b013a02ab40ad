// The list of products with its filters, loaded with one request per view.

import { $, availability, el, money, number, oldPrice, picture, show, showTitle } from "./dom.js";
import { call, tell } from "./api.js";
import { addressProblem, openProduct, viewURL, withFilter, filters, navigate, useCategories } from "./route.js";
import { activeFilters, render as renderFilters, startFilters } from "./filters.js";
import { closeSuggestions, startSuggestions, takeSuggestion } from "./suggest.js";
import { isAsTyped, quoted, showUnderstood, withMarks } from "./understood.js";
import { T, P, count } from "./texts.js";
import { dots } from "./colour.js";

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
  if (addressProblem()) return showNowhere(addressProblem());
  const params = filters();
  const query = `${params}${isAsTyped() ? " as typed" : ""}`;
  if (!openProduct()) showTitle($("crumbs").querySelector("h1")?.textContent);
  if (query === shownQuery && !force) return;
  const queryChanged = shownQuery !== undefined && !force;
  shownQuery = query;
  $("q").value = params.get("q") ?? "";
  showSort(params);
  request?.abort();
  request = new AbortController();
  $("grid").setAttribute("aria-busy", "true");
  try {
    params.set("per_page", perPage);
    params.set("with", params.has("q") ? "variants,prices,images,facets,highlights" : "variants,prices,images,facets");
    categoryTree ??= loadCategories();
    const [{ data, meta }, categories] = await Promise.all([call("GET", `/v2/products?${params}`, { signal: request.signal }), categoryTree]);
    $("trouble").hidden = true;
    useCategories(categories);
    render(data, meta, categories);
    if (queryChanged && scrollY > $("results").offsetTop) $("results").scrollIntoView();
  } catch (problem) {
    if (problem.name === "AbortError") return;
    categoryTree = undefined;
    showTrouble([problem.message, ...(problem.errors ?? []).map((error) => error.message)].join(" "));
  }
  $("grid").removeAttribute("aria-busy");
}

// showNowhere says that the path of the page leads nowhere.
function showNowhere(problem) {
  request?.abort();
  show($("crumbs"));
  show($("chosen"));
  show($("filters"));
  showTitle();
  showTrouble(problem.status === 404 ? T("There is no such page in this shop.") : problem.message);
}

// showTrouble shows a message in the place of the products.
function showTrouble(message) {
  shownQuery = undefined;
  show($("trouble"), el("p", {}, message), showAll());
  $("trouble").hidden = false;
  show($("grid"));
  show($("pager"));
  showUnderstood(null);
  $("found").textContent = "";
}

const showAll = () => el("a", { href: viewURL(new URLSearchParams()), "data-go": "" }, T("Show all products"));

// showSort shows the sort order. With a query, the usual order is that of relevance.
function showSort(params) {
  $("usual-order").textContent = T(params.has("q") ? "relevance" : "the shop’s order");
  $("sort").value = params.get("sort") ?? "";
}

const noFacets = { categories: [], price: null, options: [], features: [] };

function render(products, meta, categories) {
  const refused = showUnderstood(meta.search);
  const total = refused ? 0 : meta.total;
  const facets = refused ? noFacets : meta.facets;
  renderFilters(facets, categories, total);
  show($("crumbs"), breadcrumbs(categories));
  if (!openProduct()) showTitle($("crumbs").querySelector("h1")?.textContent);
  show($("chosen"), activeFilters(facets, categories));
  $("found").textContent = count(total, "product", number);
  if (total > 0) show($("grid"), products.map(card));
  else show($("grid"), filters().size > 0 ? nothingFound(meta.search) : emptyShop());
  show($("pager"), refused ? [] : pager(meta));
}

// breadcrumbs returns the way from the whole shop to the open category, and its name as the heading.
function breadcrumbs(categories) {
  const way = [];
  for (let at = categories.get(filters().get("category")); at && !way.includes(at); at = categories.get(at.parent_id)) way.unshift(at);
  if (way.length === 0) return [];
  const link = (text, id) => el("a", { href: viewURL(id ? new URLSearchParams({ category: id }) : new URLSearchParams()), "data-go": "" }, text);
  return [el("p", {}, link(T("All categories")), way.slice(0, -1).map((c) => [" / ", link(c.name, c.id)]).flat()), el("h1", {}, way.at(-1).name), about(way.at(-1))].flat();
}

// about returns the picture and the description of a category, as far as it has them.
function about({ name, image, description }) {
  return [image && el("img", { class: "category-picture", src: image.thumbnails.medium, alt: image.alt ?? name }), description && el("p", { class: "category-text" }, description)];
}

// nothingFound says that a query or the filters match no product.
function nothingFound(search) {
  const nothing = search?.matched === "none" && filters().size === 1
    ? [el("p", {}, P("Nothing was found for %s.", quoted(search.query))), el("p", { class: "faint" }, T("Try fewer words, or a more general one."))]
    : !isAsTyped() && el("p", {}, search ? P("Nothing for %s fits these filters.", quoted(search.query)) : T("Nothing fits."));
  return el("div", { class: "nothing" }, nothing, showAll());
}

// emptyShop tells the owner of a new store how to fill it.
function emptyShop() {
  return el("div", { class: "nothing" }, el("h2", {}, T("This shop sells nothing yet")),
    el("p", {}, T("Fill it with a made-up catalogue: "), el("code", {}, "vitrine demo")),
    el("p", {}, T("Or push your own, as JSON, NDJSON or CSV: "), el("code", {}, "vitrine push products.json")),
    el("button", { type: "button", class: "strong", onclick: () => { categoryTree = undefined; showProducts(true); } }, T("Look again")));
}

function card(product) {
  const { from, to } = product.price;
  const kept = product.variants.every((v) => v.available !== null);
  const left = availability(kept ? product.available ?? 0 : null);
  const several = product.variants.length > 1 && count(product.variants.length, "variant", number);
  const cheapest = product.variants.find((v) => v.price === from);
  const sizes = "(max-width: 640px) 45vw, 300px";
  return el("article", { class: left.kind === "bad" ? "card gone" : "card" },
    el("div", { class: "shot" }, picture(product, product.images[0], sizes), product.images.length > 1 && otherPicture(product, sizes), badge(left, cheapest)),
    dots(product),
    el("h3", {}, el("a", { href: viewURL(filters(), product), "data-go": "", onclick: () => countClick(product), onauxclick: () => countClick(product) }, withMarks(product))),
    el("p", { class: "price" }, from === null ? T("Not for sale") : [oldPrice(cheapest), from !== to && el("small", {}, T("from ")), money(from)].flat()),
    el("p", { class: "about" }, el("span", { class: `left ${left.kind}` }, left.text), several && el("span", { class: "faint" }, several)));
}

// otherPicture returns the picture that is shown while the pointer is on the card.
function otherPicture(product, sizes) {
  const image = picture(product, product.images[1], sizes);
  image.classList.add("other");
  return image;
}

// badge returns what stands on the picture: that the product is sold out or how much its price was lowered.
function badge(left, variant) {
  if (left.kind === "bad") return el("span", { class: "badge gone", "aria-hidden": "true" }, left.text);
  const lowered = variant?.old_price > 0 ? Math.round((1 - variant.price / variant.old_price) * 100) : 0;
  return lowered > 0 && el("span", { class: "badge", "aria-hidden": "true" }, `−${number(lowered)} %`);
}

// countClick tells the shop that a product was opened from the results of a search.
function countClick(product) {
  const query = filters().get("q");
  if (query) tell("/v2/search/clicks", { query, product_id: product.id });
}

function pager({ current_page: at, last_page: end }) {
  if (end < 2) return [];
  const pages = [...new Set([1, at - 2, at - 1, at, at + 1, at + 2, end])].filter((n) => n >= 1 && n <= end);
  const to = (n, text = number(n), label = T("Page %s", n)) => el("a", { href: viewURL(pageOf(n)), "data-go": "", "aria-label": label, "aria-current": n === at ? "page" : null }, text);
  const links = pages.flatMap((n, i) => [i > 0 && n > pages[i - 1] + 1 && el("span", { "aria-hidden": "true" }, "…"), to(n)]);
  return [at > 1 && to(at - 1, "‹", T("The page before")), ...links, at < end && to(at + 1, "›", T("The next page"))];
}

function pageOf(n) {
  const params = filters();
  params.set("page", n);
  return params;
}

// search shows what a query finds, in the order of relevance and without the filters of the list before.
function search(query) {
  closeSuggestions();
  if (matchMedia("(pointer: coarse)").matches) $("q").blur(); // closes the keyboard of a phone
  navigate(viewURL(query ? new URLSearchParams({ q: query }) : new URLSearchParams()));
}

// startCatalogue sets up the search, the sort order and the filters.
export function startCatalogue() {
  startSuggestions(search);
  $("search").addEventListener("submit", (event) => {
    event.preventDefault();
    if (!takeSuggestion()) search($("q").value.trim());
  });
  $("q").addEventListener("input", () => {
    if ($("q").value === "" && filters().has("q")) navigate(viewURL(withFilter("q", null)));
  });
  $("sort").addEventListener("change", () => navigate(viewURL(withFilter("sort", $("sort").value))));
  startFilters();
  // A customer may have other prices than a guest.
  for (const event of ["ordered", "signed-in", "signed-out"]) addEventListener(event, () => showProducts(true));
}
