// The sidebar: what the products can be filtered by, with how many each choice would leave.

import { $, el, number, show } from "./dom.js";
import { viewURL, withFilter, filters, navigate, withToggledValue } from "./route.js";

const initialValues = 8; // values of a facet that are shown before somebody asks for all

const collapsedGroups = new Set(), expandedFacets = new Set(); // the groups that were folded, and those that show all their values
let last; // what was shown last, to show it again

// render shows the facets of an answer. categories is the expandedFacets tree, by id.
export function render(facets, categories) {
  last = [facets, categories];
  const at = document.activeElement?.id;
  show($("filters"),
    categoryGroup(facets.categories, categories),
    boundsGroup("price", "Price", facets.price),
    el("label", { class: "tick" }, el("input", { type: "checkbox", id: "in-stock", checked: filters().get("in_stock") === "true", onchange: (e) => navigate(viewURL(withFilter("in_stock", e.target.checked ? "true" : null))) }), "Only what is in stock"),
    facets.options.filter((facet) => facet.values.length > 0).map((facet) => valuesGroup("options", facet)),
    facets.features.map((facet) => facet.field_type.id === "range" ? boundsGroup(`features[${facet.id}]`, facet.name, facet.range) : facet.values.length > 0 && valuesGroup("features", facet)),
    el("button", { type: "button", class: "strong narrow-only", id: "close-filters", onclick: () => toggleOverlay(false) }, "Show the products"));
  if (at) $(at)?.focus();
}

// toggleOverlay lays the filters over the page of a narrow screen, and takes them away. What lies below cannot be reached meanwhile.
function toggleOverlay(open) {
  $("filters").classList.toggle("open", open);
  for (const id of ["top", "results", "bottom"]) $(id).inert = open;
  if (open) $("filters").querySelector("summary")?.focus();
  else $("open-filters").focus();
}

// startFilters makes the button work that only narrow screens have.
export function startFilters() {
  $("open-filters").addEventListener("click", () => toggleOverlay(true));
  $("filters").addEventListener("keydown", (event) => {
    if (event.key === "Escape" && $("filters").classList.contains("open")) toggleOverlay(false);
  });
  matchMedia("(max-width: 800px)").addEventListener("change", () => toggleOverlay(false));
}

function group(key, title, ...content) {
  return el("details", { open: !collapsedGroups.has(key), ontoggle: (e) => e.target.open ? collapsedGroups.delete(key) : collapsedGroups.add(key) }, el("summary", {}, title), ...content);
}

// categoryGroup shows the way up to the category that is open, and what lies below it.
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
  return group("categories", "Categories", el("ul", { class: "tree" },
    open && el("li", {}, link(null, "All categories")),
    way.filter((id) => !listed.some((c) => c.id === id)).map((id) => el("li", { class: "way" }, link(id, counts.get(id)?.name ?? categories.get(id)?.name ?? "This category"))),
    listed.map((c) => el("li", { class: open ? "below" : "" }, link(c.id, c.name, c.count)))));
}

// valuesGroup shows an option or a feature; what is ticked stands first, if not all are shown.
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
    facet.values.length > shown.length && el("button", { type: "button", class: "link", onclick: () => { expandedFacets.add(facet.id); render(...last); } }, `Show all ${number(facet.values.length)}`));
}

// boundsGroup shows two fields, from and to; a price or a feature of which there is none is not shown.
function boundsGroup(name, title, range) {
  const given = filters();
  const bound = (end, limit, label) => el("input", {
    id: `${name}-${end}`, inputmode: "decimal", value: given.get(`${name}[${end}]`) ?? "", placeholder: limit === undefined ? "" : String(limit), "aria-label": `${title}, ${label}`,
    onchange: (e) => navigate(viewURL(withFilter(`${name}[${end}]`, e.target.value.trim()))),
  });
  if (!range && !given.has(`${name}[from]`) && !given.has(`${name}[to]`)) return null;
  return group(name, title, el("div", { class: "bounds" }, bound("from", range?.min, "at least"), el("span", { "aria-hidden": "true" }, "–"), bound("to", range?.max, "at most")));
}

// activeFilters lists the filters that are set, each with a button that takes it away.
export function activeFilters(facets, categories) {
  const params = filters();
  const tags = [];
  const tag = (text, without) => tags.push(el("a", { class: "tag", href: viewURL(without), "data-go": "" }, text, el("span", { "aria-label": "remove" }, "✕")));
  if (params.has("category")) tag(categories.get(params.get("category"))?.name ?? "Category", withFilter("category", null));
  if (params.has("in_stock")) tag("In stock", withFilter("in_stock", null));
  const bounds = (name, title) => {
    const ends = [params.get(`${name}[from]`), params.get(`${name}[to]`)];
    if (!ends.some(Boolean)) return;
    const without = withFilter(`${name}[from]`, null);
    without.delete(`${name}[to]`);
    tag(`${title} ${ends[0] ?? "…"} – ${ends[1] ?? "…"}`, without);
  };
  bounds("price", "Price");
  for (const kind of ["options", "features"]) {
    for (const facet of facets[kind]) {
      bounds(`${kind}[${facet.id}]`, facet.name);
      const name = `${kind}[${facet.id}][]`;
      for (const id of params.getAll(name)) tag(`${facet.name}: ${facet.values.find((v) => v.id === id)?.name ?? "?"}`, withToggledValue(name, id, false));
    }
  }
  if (tags.length > 0) tags.push(el("a", { class: "tag all", href: "./", "data-go": "" }, "Clear all"));
  return tags;
}
