// What the search made of a query: the correction, the words without a match, and the matched words of names.

import { $, el, show } from "./dom.js";
import { filters, parameter, viewURL } from "./route.js";
import { P, T } from "./texts.js";

// asTyped is the name of a parameter of the page's URL. It asks for what a query finds without corrections. The search
// corrects a query only if it finds nothing as it was typed, so that needs no other request.
const asTyped = "as_typed";

// isAsTyped reports whether the visitor wants no corrections.
export const isAsTyped = () => parameter(asTyped) !== null;

// quoted returns a query in the quotation marks of the language.
export const quoted = (text) => el("b", {}, T("“%s”", text));

const link = (label, query, exact) => {
  const params = filters();
  params.delete("page");
  params.set("q", query);
  if (exact) params.set(asTyped, "1");
  return el("a", { href: viewURL(params), "data-go": "" }, P(label, quoted(query)));
};

// showUnderstood shows how the query of a list was understood: member meta.search, which lists without a query lack.
// It reports whether the products are not to be shown, since the visitor wants no corrections.
export function showUnderstood(search) {
  const refused = search?.matched === "corrected" && isAsTyped();
  show($("understood"), search ? [...sentences(search, refused)].map((nodes) => el("p", {}, nodes)) : []);
  $("understood").hidden = $("understood").childElementCount === 0;
  return refused;
}

function* sentences({ query, matched, corrected, dropped, limited }, refused) {
  const without = dropped.flatMap((word, i) => [i > 0 && ", ", quoted(word)]).filter(Boolean);
  if (refused) {
    yield P("Nothing has %s exactly as it is written.", quoted(query));
    yield [link("Show results for %s", corrected, false)];
  } else if (corrected !== null) {
    yield P("Showing results for %s.", el("a", { href: viewURL(withQuery(corrected)), "data-go": "" }, quoted(corrected)));
    if (matched === "corrected") yield [link("Search instead for %s", query, true)];
  }
  if (dropped.length > 0 && matched !== "none") {
    const text = matched === "partial" ? "No product has all the words. Shown without %s." : "Shown without %s.";
    yield P(text, el("span", {}, ...without));
  }
  if (limited) yield P("The search is getting ready: only words as they are written are found now.");
}

function withQuery(query) {
  const params = filters();
  params.delete("page");
  params.set("q", query);
  return params;
}

// withMarks returns the nodes of a product's name with the words marked that the query matched.
export function withMarks({ name, highlights = [] }) {
  const nodes = [];
  let end = 0;
  for (const { start, length } of highlights) {
    nodes.push(name.slice(end, start), el("mark", {}, name.slice(start, start + length)));
    end = start + length;
  }
  return [...nodes, name.slice(end)];
}
