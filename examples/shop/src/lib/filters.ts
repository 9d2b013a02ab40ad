// Filters stand in the address of a page, as a form without JavaScript sends them: f.{feature}={value}, f.{feature}.from,
// o.{option}={value}, price.from, price.to, in_stock=1, sort, page and q.
import type { ProductQuery, Range } from "@vitrine/client";

export const perPage = 24;

export const sorts = ["popularity", "price", "-price", "-created_at", "name"] as const;

const range = (params: URLSearchParams, name: string): Range | undefined => {
  const number = (end: string) => {
    const text = (params.get(`${name}.${end}`) ?? "").trim().replace(",", ".");
    return /^\d{1,12}(\.\d{1,4})?$/.test(text) ? text : undefined;
  };
  const from = number("from"), to = number("to");
  if (from === undefined && to === undefined) return undefined;
  // Whoever exchanges the ends means the range between them.
  return from && to && Number(from) > Number(to) ? { from: to, to: from } : { from, to };
};

export interface Filters {
  features: Record<string, Range | string[]>;
  options: Record<string, string[]>;
  price: Range | undefined;
  inStock: boolean;
  sort: (typeof sorts)[number] | undefined;
  page: number;
  q: string;
}

/** The number of the page of a list. */
export const pageIn = (params: URLSearchParams) => {
  const page = Number(params.get("page"));
  return Number.isInteger(page) && page > 0 && page < 1e6 ? page : 1;
};

/** What is searched for, on one line. */
export const searchIn = (params: URLSearchParams) =>
  (params.get("q") ?? "").replace(/[\0-\x1f\x7f]+/g, " ").trim().slice(0, 200);

export const readFilters = (params: URLSearchParams): Filters => {
  const features: Filters["features"] = {};
  const options: Filters["options"] = {};
  for (const name of new Set(params.keys())) {
    const [kind, id, end] = name.split(".");
    if (!id || (kind !== "f" && kind !== "o")) continue;
    if (kind === "o") options[id] = params.getAll(name);
    else if (!end) features[id] = params.getAll(name);
    else {
      const chosen = range(params, `f.${id}`);
      if (chosen) features[id] = chosen;
    }
  }

  return {
    features, options, price: range(params, "price"), inStock: params.get("in_stock") === "1",
    sort: sorts.find((sort) => sort === params.get("sort")),
    page: pageIn(params),
    q: searchIn(params),
  };
};

export const productQuery = (filters: Filters, category?: string): ProductQuery => ({
  category, q: filters.q || undefined, features: filters.features, options: filters.options, price: filters.price,
  in_stock: filters.inStock || undefined, sort: filters.sort ?? (filters.q ? "relevance" : "popularity"),
  page: filters.page, per_page: perPage, with: filters.q ? ["images", "facets", "highlights"] : ["images", "facets"],
});

/** How many filters are set. */
export const countFilters = (filters: Filters) => Object.keys(filters.features).length +
  Object.keys(filters.options).length + Number(filters.price !== undefined) + Number(filters.inStock);

/** The address of the same page with other parameters; null removes one. */
export const withParams = (url: URL, changes: Record<string, string | null>) => {
  const params = new URLSearchParams([...url.searchParams].filter(([, value]) => value !== ""));
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) params.delete(name);
    else params.set(name, value);
  }
  return url.pathname + (params.size > 0 ? `?${params}` : "");
};

/** The address of the same page without one chosen value. */
export const withoutValue = (url: URL, name: string, value: string) => {
  const params = new URLSearchParams([...url.searchParams].filter(([n, v]) =>
    v !== "" && n !== "page" && !(n === name && v === value)));
  return url.pathname + (params.size > 0 ? `?${params}` : "");
};
