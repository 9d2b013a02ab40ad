// The URL of the page contains its state: the parameters of GET /v2/products and the open product. So every view has a
// link, and the browser's back button works.

const filterPattern = /^(q|category|in_stock|sort|page|price\[(from|to)\]|(features|options)\[[^\]]+\]\[(from|to|)\])$/;

// filters returns a copy of the list's parameters.
export function filters() {
  const all = new URLSearchParams(location.search);
  return new URLSearchParams([...all].filter(([name, value]) => filterPattern.test(name) && value !== ""));
}

export const openProduct = () => new URLSearchParams(location.search).get("product");

// viewURL returns the URL of a view. Without the parameter page it is the first page.
export function viewURL(params, product) {
  const all = new URLSearchParams(params);
  if (product) all.set("product", product);
  const text = all.toString();
  return text ? `?${text}` : "./";
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

let onChange = () => {};

// navigate shows another view.
export function navigate(to) {
  history.pushState(null, "", to);
  onChange();
}

// startRoute calls listener on every change of the URL. Links with data-go navigate within this page.
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
