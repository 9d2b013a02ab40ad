// The viewURL of the page says what it shows: the parameters of GET /v2/products as they are, and which product is open. So every view can
// be linked to, and the browser's buttons work.

const filterPattern = /^(q|category|in_stock|sort|page|price\[(from|to)\]|(features|options)\[[^\]]+\]\[(from|to|)\])$/;

// filters are the parameters of the list, as a copy.
export function filters() {
  const all = new URLSearchParams(location.search);
  return new URLSearchParams([...all].filter(([name, value]) => filterPattern.test(name) && value !== ""));
}

export const openProduct = () => new URLSearchParams(location.search).get("product");

// viewURL is that of a view; without page it begins at the first.
export function viewURL(params, product) {
  const all = new URLSearchParams(params);
  if (product) all.set("product", product);
  const text = all.toString();
  return text ? `?${text}` : "./";
}

// withFilter are the filters with one value set, or taken away by null. Another choice begins at the first page.
export function withFilter(name, value) {
  const params = filters();
  params.delete("page");
  if (value === null || value === "") params.delete(name);
  else params.set(name, value);
  return params;
}

// withToggledValue are the filters with one of several values of a name ticked or not.
export function withToggledValue(name, value, on) {
  const params = filters();
  params.delete("page");
  params.delete(name, value);
  if (on) params.append(name, value);
  return params;
}

let onChange = () => {};

// navigate shows another view.
export function navigate(to) {
  history.pushState(null, "", to);
  onChange();
}

// startRoute has every change of the viewURL followed. Links marked with data-go lead to a view of this page.
export function startRoute(listener) {
  onChange = listener;
  addEventListener("popstate", listener);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    navigate(link.getAttribute("href"));
  });
  listener();
}
