// Suggestions below the search field while a visitor types: a combobox with a list (ARIA 1.2). The focus stays in the
// field; the arrow keys choose an option, Enter takes it, Escape closes the list.

import { $, el, money, number, picture, show } from "./dom.js";
import { call } from "./api.js";
import { filters, navigate, viewURL } from "./route.js";
import { T, count } from "./texts.js";

const delay = 120; // milliseconds after the last key before a request
const perList = { queries: 6, categories: 3, values: 3, products: 5 };

let typing; // timer of the next request
let request; // AbortController of the request under way
let options = []; // the elements of the options that are shown, in their order
let active = -1; // index of the chosen option, or -1
let typed = ""; // what the visitor typed, while an option is chosen

// startSuggestions sets up the suggestions. search is called with a query that was chosen from them.
export function startSuggestions(search) {
  const field = $("q");
  field.addEventListener("input", () => {
    choose(-1);
    clearTimeout(typing);
    typing = setTimeout(() => load(search), delay);
  });
  field.addEventListener("focus", () => { if (field.value.trim() === "") load(search); });
  field.addEventListener("blur", closeSuggestions);
  field.addEventListener("keydown", (event) => onKey(event, search));
  // A click must not take the focus from the field.
  $("suggestions").addEventListener("mousedown", (event) => event.preventDefault());
}

// takeSuggestion takes the chosen option, when the form is submitted. It reports whether there is one.
export function takeSuggestion() {
  const chosen = options[active];
  chosen?.click();
  return chosen !== undefined;
}

// closeSuggestions closes the list and drops the request under way, so that its response does not open it again.
export function closeSuggestions() {
  clearTimeout(typing);
  request?.abort();
  request = undefined;
  options = [];
  choose(-1);
  $("suggestions").hidden = true;
  $("q").setAttribute("aria-expanded", "false");
  $("suggested").textContent = "";
}

function onKey(event, search) {
  if (event.isComposing) return;
  const open = options.length > 0;
  switch (event.key) {
    case "ArrowDown":
    case "ArrowUp":
      event.preventDefault();
      if (!open) return load(search);
      // One place more than there are options: the field itself.
      move((active + 1 + (event.key === "ArrowDown" ? 1 : options.length) + options.length + 1) % (options.length + 1) - 1);
      return;
    case "Escape":
      if (!open) return;
      event.preventDefault(); // otherwise the field is cleared
      if (active >= 0) $("q").value = typed;
      closeSuggestions();
  }
}

// move chooses the option with this index, and shows its query in the field.
function move(to) {
  const field = $("q");
  if (active < 0) typed = field.value;
  choose(to);
  field.value = options[to]?.dataset.query ?? typed;
  options[to]?.scrollIntoView({ block: "nearest" });
}

function choose(index) {
  options[active]?.setAttribute("aria-selected", "false");
  active = index;
  options[active]?.setAttribute("aria-selected", "true");
  if (options[active]) $("q").setAttribute("aria-activedescendant", options[active].id);
  else $("q").removeAttribute("aria-activedescendant");
}

// load shows the suggestions for what is in the field. Only the newest request counts.
async function load(search) {
  clearTimeout(typing);
  request?.abort();
  const mine = request = new AbortController();
  const query = $("q").value.trim();
  try {
    const params = new URLSearchParams({ q: query, limit: Math.max(...Object.values(perList)) });
    const { data } = await call("GET", `/v2/suggest?${params}`, { signal: mine.signal });
    if (request !== mine || document.activeElement !== $("q")) return;
    render(query, data, search);
  } catch (problem) {
    // The search works without suggestions.
    if (problem.name !== "AbortError") console.warn(problem.message);
    if (request === mine) closeSuggestions();
  }
}

function render(query, found, search) {
  const starts = beginnings(query);
  const first = (list) => found[list].slice(0, perList[list]);
  const groups = [
    group("queries", "People search for", first("queries").filter(({ text }) => text !== query).map(({ text }) =>
      option({ "data-query": text }, () => search(text), el("span", { class: "what" }, marked(text, starts))))),
    group("categories", "Categories", first("categories").map((c) =>
      option({}, () => open({ category: c.id }), el("span", { class: "what" }, marked(c.name, starts)), el("span", { class: "n" }, number(c.count))))),
    group("values", "Features", first("values").map((v) =>
      option({}, () => open({ [`features[${v.feature_id}][]`]: v.value_id }), el("span", { class: "what" }, marked(v.name, starts)), el("span", { class: "n" }, number(v.count))))),
    group("products", "Products", first("products").map((p) => option({ class: "goods" }, () => openProduct(p),
      picture(p, p.image, "48px"), el("span", { class: "what" }, marked(p.name, starts)), price(p)))),
  ].filter(Boolean);
  show($("suggestions"), groups);
  options = [...$("suggestions").querySelectorAll('[role="option"]')];
  choose(-1);
  $("suggestions").hidden = options.length === 0;
  $("q").setAttribute("aria-expanded", String(options.length > 0));
  $("suggested").textContent = options.length > 0 ? count(options.length, "suggestion", number) : "";
}

let optionCount = 0;

function group(name, title, members) {
  return members.length > 0 && el("div", { role: "group", "aria-labelledby": `suggested-${name}` },
    el("p", { id: `suggested-${name}`, role: "presentation" }, T(title)), members);
}

function option(attributes, take, ...content) {
  return el("div", {
    role: "option", id: `suggestion-${++optionCount}`, "aria-selected": "false", ...attributes, onclick: () => {
      closeSuggestions();
      take();
    },
  }, ...content);
}

function price({ price: { from, to } }) {
  return from !== null && el("span", { class: "price" }, from !== to && el("small", {}, T("from ")), money(from));
}

// open shows all products with a filter, without the query.
function open(params) {
  $("q").value = "";
  navigate(viewURL(new URLSearchParams(params)));
}

// openProduct opens a product above the list that is shown.
function openProduct(product) {
  $("q").value = filters().get("q") ?? "";
  navigate(viewURL(filters(), product));
}

// fold makes texts comparable that differ in case and in ё. It keeps their length.
const fold = (text) => [...text].map((c) => c.toLowerCase().length === c.length ? c.toLowerCase() : c).join("").replaceAll("ё", "е");

const beginnings = (query) => fold(query).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

// marked returns the nodes of a text with the beginnings of its words marked that the visitor has typed.
function marked(text, starts) {
  const nodes = [];
  let end = 0;
  for (const { index, 0: word } of text.matchAll(/[\p{L}\p{N}]+/gu)) {
    const start = starts.filter((s) => fold(word).startsWith(s)).sort((a, b) => b.length - a.length)[0];
    if (!start) continue;
    nodes.push(text.slice(end, index), el("mark", {}, text.slice(index, index + start.length)));
    end = index + start.length;
  }
  return [...nodes, text.slice(end)];
}
