// The address of the page says what it shows: the parameters of GET /v2/products as they are, and which product is open. So every view can
// be linked to, and the browser's buttons work.

const known = /^(q|category|in_stock|sort|page|price\[(from|to)\]|(features|options)\[[^\]]+\]\[(from|to|)\])$/;

// filters are the parameters of the list, as a copy.
export function filters() {
  const all = new URLSearchParams(location.search);
  return new URLSearchParams([...all].filter(([name, value]) => known.test(name) && value !== ""));
}

export const openProduct = () => new URLSearchParams(location.search).get("product");

// address is that of a view; without page it begins at the first.
export function address(params, product) {
  const all = new URLSearchParams(params);
  if (product) all.set("product", product);
  const text = all.toString();
  return text ? `?${text}` : "./";
}

// changed are the filters with one value set, or taken away by null. Another choice begins at the first page.
export function changed(name, value) {
  const params = filters();
  params.delete("page");
  if (value === null || value === "") params.delete(name);
  else params.set(name, value);
  return params;
}

// toggled are the filters with one of several values of a name ticked or not.
export function toggled(name, value, on) {
  const params = filters();
  params.delete("page");
  params.delete(name, value);
  if (on) params.append(name, value);
  return params;
}

let follow = () => {};

// go shows another view.
export function go(to) {
  history.pushState(null, "", to);
  follow();
}

// startRoute has every change of the address followed. Links marked with data-go lead to a view of this page.
export function startRoute(listener) {
  follow = listener;
  addEventListener("popstate", listener);
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-go]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    go(link.getAttribute("href"));
  });
  listener();
}
