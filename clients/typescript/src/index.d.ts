import type {
  Callback, Category, Changes, Customer, Feature, Feedback, LoginConfirmation, LoginRequest, LoginRequested,
  NavigationNode, NewCallback, NewFeedback, Order, OrderItemEdit, OrderItemInput, OrderSubmission as Submission,
  PageMeta, Problem as ProblemDocument, ProblemCode, ProblemField, Product, ProductMeta, ProfileEdit, Recaptcha,
  Resolution, Store, Suggestions, Variant, VariantOption,
} from "./schema.js";

export type * from "./schema.js";

/** A request that failed. `status` is 0 if no answer came (`unreachable`). */
export class Problem extends Error {
  constructor(status: number, body?: Partial<ProblemDocument>, retryAfter?: number | null);
  /** The HTTP status, or 0 without an answer. */
  readonly status: number;
  /** A stable word to branch on. */
  readonly code: AnyProblemCode;
  /** Each place that broke a rule, such as `contact.phone`. */
  readonly errors: ProblemField[];
  /** To be quoted when you ask for help. */
  readonly requestId: string;
  /** After how many seconds a retry makes sense, if the server said so. */
  readonly retryAfter: number | null;
}

/** The codes of the API, and two of this client: no answer came, or one that is none of the API. */
export type AnyProblemCode = ProblemCode | "unreachable" | "unexpected_answer" | (string & {});

/** Reports whether an error is a problem, with one of these codes if any are given. */
export function isProblem<Code extends ProblemCode | "unreachable" | "unexpected_answer">(
  error: unknown, ...codes: Code[]
): error is Problem & { readonly code: Code };

/** What the client keeps between visits: the cart and the customer's session. `localStorage` is one. */
export interface ClientStorage {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, value: string): unknown;
  removeItem(name: string): unknown;
}

/** The features and options of a store by name, as `vitrine types` writes them. */
export interface StoreSchema {
  readonly features: {
    readonly [name: string]: {
      readonly id: string; readonly type: "select" | "range"; readonly values: { readonly [name: string]: string };
    };
  };
  readonly options: {
    readonly [name: string]: { readonly id: string; readonly values: { readonly [name: string]: string } };
  };
}

export interface ClientOptions<S extends StoreSchema | undefined = undefined> {
  /** The address of the API, such as `https://api.shop.example`. */
  url: string;
  /** A publishable key, `pk_…`. */
  key: string;
  /** What `vitrine types` wrote: filters take names then, and wrong ones do not compile. */
  schema?: S;
  /** Where the cart and the session are kept: `localStorage` in browsers, elsewhere memory. */
  storage?: ClientStorage;
  /** Makes a captcha token, where the client cannot: outside of browsers. */
  captcha?: RequestToken;
  /** Other addresses of the providers' scripts, by provider. */
  captchaScripts?: Record<string, string>;
  /** How often a request is sent again: 3 times by default. */
  retries?: number;
  /** How long an attempt may take, in milliseconds: 20,000 by default. */
  timeout?: number;
  /** A fetch of your own. */
  fetch?: (url: string, init: RequestInit) => Promise<Response>;
  /** Called when the customer's session has ended. The client goes on as a visitor. */
  onSignedOut?: () => void;
}

/** Makes a token for an action, such as `order_submission`, with the store's captcha settings. */
export type RequestToken = (
  action: string, settings: Recaptcha, scripts?: Record<string, string>,
) => Promise<string>;

export interface RequestOptions {
  query?: Record<string, Scalar | readonly Scalar[]>;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
  keepalive?: boolean;
  /** Not sent as a visitor if the session has ended. */
  customerOnly?: boolean;
}

type Scalar = string | number | boolean | null | undefined;

export interface Signal {
  signal?: AbortSignal;
}

/** Both ends belong to the range; either may be left out. */
export interface Range {
  from?: number | string | null;
  to?: number | string | null;
}

type Names<T> = readonly (keyof T & string)[];

/** The filter by features: by name with a schema, else by id. Values of one feature add up, features must all fit. */
export type FeatureFilter<S> = S extends StoreSchema
  ? { readonly [N in keyof S["features"]]?: S["features"][N]["type"] extends "range"
      ? Range | Names<S["features"][N]["values"]> : Names<S["features"][N]["values"]> }
  : { readonly [featureId: string]: Range | readonly string[] | undefined };

/** The filter by options, likewise. */
export type OptionFilter<S> = S extends StoreSchema
  ? { readonly [N in keyof S["options"]]?: Names<S["options"][N]["values"]> }
  : { readonly [optionId: string]: readonly string[] | undefined };

export interface PageQuery {
  page?: number;
  /** At most 250. */
  per_page?: number;
}

export type ProductExtra = "breadcrumbs" | "categories" | "features" | "images" | "modifiers" | "prices" | "variants";

/** What a single product can have beside what one of a list can. */
export type SingleProductExtra = ProductExtra | "jsonld";

/** Which products, in which order, with which extras. The names are those of `GET /v2/products`. */
export interface ProductQuery<S = undefined> extends PageQuery {
  q?: string;
  ids?: readonly string[];
  external_ids?: readonly string[];
  barcode?: string;
  /** The id of a category; products of its subtree count. */
  category?: string;
  price?: Range;
  in_stock?: boolean;
  features?: FeatureFilter<S>;
  options?: OptionFilter<S>;
  sort?: "relevance" | "popularity" | "name" | "-name" | "price" | "-price" | "created_at" | "-created_at";
  with?: readonly (ProductExtra | "facets" | "highlights")[];
}

export interface Page<Element, Meta = PageMeta> {
  data: Element[];
  meta: Meta;
}

export interface Resource<Element, Query, One, Meta = PageMeta> {
  list(query?: Query, request?: Signal): Promise<Page<Element, Meta>>;
  /** All elements, page by page. */
  all(query?: Omit<Query, "page">, request?: Signal): AsyncGenerator<Element, void, undefined>;
  get(id: string, query?: One, request?: Signal): Promise<Element>;
}

/** A resource with addresses. A former slug finds it, too: `canonical_slug` is the present one. */
export interface SluggedResource<Element, Query, One, Meta = PageMeta> extends Resource<Element, Query, One, Meta> {
  bySlug(slug: string, query?: One, request?: Signal): Promise<Element>;
}

export type CartLine = OrderItemInput;

export type CartLineEdit = OrderItemEdit;

export type OrderSubmission = Omit<Submission, "recaptcha">;

/** An order with the token by which a guest reads it. */
export type SubmittedOrder = Order & { order_token: string };

/** The cart of this visitor. It begins with the first line, and its changes follow one another. */
export interface Cart {
  /** The cart, or null if there is none. */
  load(): Promise<Order | null>;
  /** Adds lines. The same variant with the same modifiers is one line. */
  add(line: CartLine | CartLine[]): Promise<Order>;
  /** Changes a line, by the id of the item. The quantity 0 removes it. */
  update(itemId: string, edit: number | CartLineEdit): Promise<Order>;
  /** Orders. The cart is empty afterwards. */
  submit(details: OrderSubmission): Promise<SubmittedOrder>;
  /** Forgets the cart without ordering. */
  forget(): Promise<void>;
}

export interface Client<S = undefined> {
  products: SluggedResource<Product, ProductQuery<S>, { with?: readonly SingleProductExtra[] }, ProductMeta> & {
    /** The variants of a product. */
    variants(id: string, query?: PageQuery & { with?: readonly "prices"[] }): Promise<Page<Variant>>;
  };
  categories: SluggedResource<Category, PageQuery & { q?: string }, object>;
  features: Resource<Feature, PageQuery & { q?: string; with?: readonly "values"[] }, { with?: readonly "values"[] }>;
  options: Resource<VariantOption, PageQuery & { q?: string; with?: readonly "values"[] },
    { with?: readonly "values"[] }>;
  store(query?: { with?: readonly "settings"[] }): Promise<Store>;
  /** The tree of categories, whole or down to a depth. */
  navigation(query?: { depth?: number }, request?: Signal): Promise<NavigationNode[]>;
  /** What a path of the site leads to, such as `/c/lamps`, or null. The path is percent-encoded, as in an address. */
  resolve(path: string, request?: Signal): Promise<Resolution | null>;
  /**
   * What changed in the catalogue since a version, in parts; the present version alone without one. Versions are known
   * for at least 7 days, after which they are refused with `version_expired`.
   */
  changes(since?: number, request?: Signal): AsyncGenerator<Changes, void, undefined>;
  /** What the store has for what somebody types. */
  suggest(q: string, query?: { limit?: number }, request?: Signal): Promise<Suggestions>;
  /** Counts a click on a product that a search has found. */
  clicked(query: string, productId: string): Promise<void>;

  cart: Cart;
  orders: {
    /** The orders of the customer who has signed in. */
    list(query?: PageQuery): Promise<Page<Order>>;
    /** An order of the customer, or of a guest with the order's token. */
    get(id: string, guest?: { token?: string }): Promise<Order>;
  };

  customer: {
    /** Sends a code to an e-mail address or a phone number. */
    requestCode(person: Omit<LoginRequest, "recaptcha">): Promise<LoginRequested>;
    signIn(confirmation: LoginConfirmation): Promise<Customer>;
    signOut(): Promise<void>;
    isSignedIn(): Promise<boolean>;
    get(): Promise<Customer>;
    edit(profile: ProfileEdit): Promise<Customer>;
  };

  sendFeedback(feedback: Omit<NewFeedback, "recaptcha">): Promise<Feedback>;
  requestCallback(callback: Omit<NewCallback, "recaptcha">): Promise<Callback>;

  /** Sends any other request, with the retries, the cache and the problems of all. Answers the JSON as it came. */
  request<Answer = unknown>(method: "GET" | "POST" | "PUT" | "DELETE", path: string, request?: RequestOptions):
    Promise<Answer>;
}

export function createClient<const S extends StoreSchema | undefined = undefined>(
  options: ClientOptions<S>,
): Client<S>;
