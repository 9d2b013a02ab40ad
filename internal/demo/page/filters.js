// The sidebar with the filters and the number of products for each choice.

import { $, el, number, show } from "./dom.js";
import { viewURL, withFilter, filters, navigate, withToggledValue } from "./route.js";
import { T, count } from "./texts.js";

const initialValues = 8; // number of values of a facet shown at first

// Groups that the visitor has collapsed, and facets of which all values are shown.
const collapsedGroups = new Set(), expandedFacets = new Set();
let last; // arguments of the last render

// render shows the facets of a response. categories has the whole category tree, by id; found is the number of products.
export function render(facets, categories, found) {
  last = [facets, categories, found];
  const at = document.activeElement?.id;
  const active = countActive();
  $("open-filters").textContent = active > 0 ? T("Filters: %s", number(active)) : T("Filters");
  show($("filters"),
    el("header", { class: "narrow-only" }, el("h2", {}, T("Filters")),
      active > 0 && el("a", { href: viewURL(withoutFilters()), "data-go": "", id: "clear-filters" }, T("Clear all")),
      el("button", { type: "button", class: "quiet", id: "dismiss-filters", "aria-label": T("Close the filters"), onclick: () => toggleOverlay(false) }, "✕")),
    categoryGroup(facets.categories, categories),
    boundsGroup("price", T("Price"), facets.price),
    el("label", { class: "tick" }, el("input", { type: "checkbox", id: "in-stock", checked: filters().get("in_stock") === "true", onchange: (e) => navigate(viewURL(withFilter("in_stock", e.target.checked ? "true" : null))) }), T("Only what is in stock")),
    facets.options.filter((facet) => facet.values.length > 0 && !repeats("options", facet, facets.features)).map((facet) => valuesGroup("options", facet)),
    facets.features.filter((facet) => !repeats("features", facet, facets.options)).map((facet) => facet.field_type.id === "range" ? boundsGroup(`features[${facet.id}]`, facet.name, facet.range) : facet.values.length > 0 && valuesGroup("features", facet)),
    el("button", { type: "button", class: "strong narrow-only", id: "close-filters", onclick: () => toggleOverlay(false) }, T("Show %s", count(found, "product", number))));
  if (at) $(at)?.focus();
}

// withoutFilters returns the parameters of the list without its filters: what was searched for and the order stay.
function withoutFilters() {
  const kept = new URLSearchParams();
  for (const name of ["q", "sort"]) if (filters().has(name)) kept.set(name, filters().get(name));
  return kept;
}

// countActive returns how many filters are active. The two ends of a range are one.
function countActive() {
  const names = [...filters()].filter(([name]) => !["q", "sort", "page"].includes(name)).map(([name, value]) => name.endsWith("[]") ? name + value : name.replace(/\[(from|to)\]$/, ""));
  return new Set(names).size;
}

// repeats reports whether a facet would look like another one: an option and a feature of the same name, such as the
// colour. The one with more products is shown, and one that is in use.
function repeats(kind, facet, others) {
  const weight = ({ values = [] }) => values.reduce((sum, value) => sum + value.count, 0);
  const more = (other) => weight(other) > weight(facet) || (weight(other) === weight(facet) && kind === "features");
  return !filters().has(`${kind}[${facet.id}][]`) && others.some((other) => other.name === facet.name && more(other));
}

// toggleOverlay shows or hides the filters as an overlay on a narrow screen. The page below is inert while they are
// shown.
function toggleOverlay(open) {
  $("filters").classList.toggle("open", open);
  for (const id of ["top", "results", "bottom"]) $(id).inert = open;
  if (open) $("filters").querySelector("summary")?.focus();
  else $("open-filters").focus();
}

// startFilters sets up the filter button of narrow screens.
export function startFilters() {
  $("open-filters").addEventListener("click", () => toggleOverlay(true));
  $("filters").addEventListener("keydown", (event) => {
    if (event.key === "Escape" && $("filters").classList.contains("open")) toggleOverlay(false);
  });
  matchMedia("(max-width: 800px)").addEventListener("change", () => {
    if ($("filters").classList.contains("open")) toggleOverlay(false);
  });
}

function group(key, title, ...content) {
  return el("details", { open: !collapsedGroups.has(key), ontoggle: (e) => e.target.open ? collapsedGroups.delete(key) : collapsedGroups.add(key) }, el("summary", {}, title), ...content);
}

// categoryGroup shows the path to the selected category and its children.
function categoryGroup(counted, categories) {
  if (counted.length === 0) return null;
  const counts = new Map(counted.map((c) => [c.id, c]));
  const above = (id) => { const up = categories.get(id)?.parent_id; return counts.has(up) ? up : null; };
  const below = (id) => counted.filter((c) => above(c.id) === id);
  const open = filters().get("category");
  const way = [];
  for (let id = open; id && !way.includes(id); id = above(id)) way.unshift(id);
  const listed = below(open).length > 0 || !open ? below(open) : below(above(open));
  const link = (id, text, count) => el("a", { href: viewURL(withFilter("category", id)), "data-go": "", "aria-current": id === open ? "true" : null }, text, count !== undefined && el("span", { class: "n" }, number(count)));
  return group("categories", T("Categories"), el("ul", { class: "tree" },
    open && el("li", {}, link(null, T("All categories"))),
    way.filter((id) => !listed.some((c) => c.id === id)).map((id) => el("li", { class: "way" }, link(id, counts.get(id)?.name ?? categories.get(id)?.name ?? T("This category")))),
    listed.map((c) => el("li", { class: open ? "below" : "" }, link(c.id, c.name, c.count)))));
}

// valuesGroup shows the values of an option or a feature. If not all are shown, the selected ones come first.
function valuesGroup(kind, facet) {
  const name = `${kind}[${facet.id}][]`;
  const ticked = new Set(filters().getAll(name));
  const all = expandedFacets.has(facet.id);
  const values = all ? facet.values : [...facet.values.filter((v) => ticked.has(v.id)), ...facet.values.filter((v) => !ticked.has(v.id))].slice(0, Math.max(initialValues, ticked.size));
  const shown = facet.values.filter((v) => values.includes(v));
  return group(facet.id, facet.name,
    shown.map((v) => el("label", { class: "tick" },
      el("input", { type: "checkbox", id: `tick-${v.id}`, checked: ticked.has(v.id), onchange: (e) => navigate(viewURL(withToggledValue(name, v.id, e.target.checked))) }),
      el("span", {}, v.name), el("span", { class: "n" }, number(v.count)))),
    facet.values.length > shown.length && el("button", { type: "button", class: "link", onclick: () => { expandedFacets.add(facet.id); render(...last); } }, T("Show all %s", number(facet.values.length))));
}

// boundsGroup shows the two fields of a range. It is omitted if no product has a value.
function boundsGroup(name, title, range) {
  const given = filters();
  const bound = (end, limit, label) => el("input", {
    id: `${name}-${end}`, inputmode: "decimal", value: given.get(`${name}[${end}]`) ?? "", placeholder: limit === undefined ? "" : name === "price" && limit % 1 ? limit.toFixed(2) : String(limit), "aria-label": `${title}, ${label}`,
    onchange: (e) => navigate(viewURL(withFilter(`${name}[${end}]`, e.target.value.trim()))),
  });
  if (!range && !given.has(`${name}[from]`) && !given.has(`${name}[to]`)) return null;
  return group(name, title, el("div", { class: "bounds" }, bound("from", range?.min, T("at least")), el("span", { "aria-hidden": "true" }, "–"), bound("to", range?.max, T("at most"))));
}

// activeFilters returns the active filters, each as a link that removes it.
export function activeFilters(facets, categories) {
  const params = filters();
  const tags = [];
  const tag = (text, without) => tags.push(el("a", { class: "tag", href: viewURL(without), "data-go": "" }, text, el("span", { "aria-label": T("remove") }, "✕")));
  if (params.has("category")) tag(categories.get(params.get("category"))?.name ?? T("Category"), withFilter("category", null));
  if (params.has("in_stock")) tag(T("In stock"), withFilter("in_stock", null));
  const bounds = (name, title) => {
    const ends = [params.get(`${name}[from]`), params.get(`${name}[to]`)];
    if (!ends.some(Boolean)) return;
    const without = withFilter(`${name}[from]`, null);
    without.delete(`${name}[to]`);
    tag(`${title} ${ends[0] ?? "…"} – ${ends[1] ?? "…"}`, without);
  };
  bounds("price", T("Price"));
  for (const kind of ["options", "features"]) {
    for (const facet of facets[kind]) {
      bounds(`${kind}[${facet.id}]`, facet.name);
      const name = `${kind}[${facet.id}][]`;
      for (const id of params.getAll(name)) tag(`${facet.name}: ${facet.values.find((v) => v.id === id)?.name ?? "?"}`, withToggledValue(name, id, false));
    }
  }
  if (tags.length > 0) tags.push(el("a", { class: "tag all", href: viewURL(new URLSearchParams()), "data-go": "" }, T("Clear all")));
  return tags;
}
