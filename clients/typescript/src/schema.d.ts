// The types of the storefront's API, with dates=iso. Written from its OpenAPI document:
// go test ./clients/typescript -run TestSchema -update

/** A category on the way from the root. */
export interface Breadcrumb {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** Null until an old category has one. */
  slug: string | null;
}

/** A visitor's request to be called back. */
export interface Callback {
  /** A UUIDv7. */
  id: string;
  name: string | null;
  /** Its digits, behind a + if there was one. */
  phone: string;
  comment: string | null;
  /** In the visitor's own words. */
  preferred_time: string | null;
  created_at: ISODate;
}

/** An operation that asks for a captcha token. */
export interface CaptchaAction {
  /** What the token must be made for. */
  id: "passwordless_request" | "order_submission" | "feedback_request" | "callback_request";
  /** What it is called in the store's language. */
  name: string;
}

/** Asked for while the store protects the operation; otherwise not looked at. */
export interface CaptchaToken {
  /** A token made for this operation; it works once. */
  token: string;
}

/** A shelf of the shop. Categories form a tree of any depth. */
export interface Category {
  /** A UUIDv7. */
  id: string;
  /** Its id in another system, unique among the categories of the store. */
  external_id: string | null;
  name: string;
  /** Its address in the shop, unique among the categories of the store. null only for a short time after an upgrade, until a category that was made before has got one. */
  slug: string | null;
  seo: SEO;
  /** Plain text; empty where there is none. */
  description: string;
  /** Its picture; null without one. Where its alt is null, the name of the category stands for it. */
  image: ProductImage | null;
  /** The category that it lies in; null at the root. */
  parent_id: string | null;
  created_at: ISODate;
  /** When the category was last written. Moving up because its parent was deleted changes its ETag, not this. */
  updated_at: ISODate;
  /** Only where it is read by a slug: its present slug, which may be another one than that of the request. */
  canonical_slug?: string;
}

export interface CategoryFacet {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** The address of the category in the shop. */
  slug: string | null;
  /** How many products there are in it and in all below it. */
  count: number;
}

/** A category that a product lies in. */
export interface CategoryRef {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** Its address in the shop. */
  slug: string | null;
}

/** The products or categories that are new, changed or deleted. */
export interface ChangedThings {
  /** How many there are. */
  count: number;
  /** At most 1,000 ids. */
  ids: string[];
  /** Whether there are more than are listed. */
  more: boolean;
}

/** What changed in the catalogue since a version; only the version without since. */
export interface Changes {
  /** The version of the catalogue up to which the changes are told. Ask for the changes since it the next time. */
  version: number;
  products?: ChangedThings;
  categories?: ChangedThings;
  /** Whether nothing but prices and stock of products changed, on all pages. */
  prices_only?: boolean | null;
  /** The tags of the cached answers that are out of date, as in the header Cache-Tag: those of the listed ids, and list. */
  tags?: string[];
}

/** How the list of changes goes on. */
export interface ChangesMeta {
  /** Send it as cursor to read on; null if this is the end. */
  next_cursor: string | null;
}

/** Somebody who has signed in at the shop. */
export interface Customer {
  /** A UUIDv7. */
  id: string;
  /** Null until the customer tells it. */
  name: string | null;
  /** Where the customer wants mail; it need not be proven. */
  email: string | null;
  /** Where the customer wants calls; it need not be proven. Its digits, behind a + if there was one. */
  phone: string | null;
  login: CustomerLogin;
  /** The group whose prices the customer gets. Only secret keys get it. */
  group_id?: string;
  /** When the customer first signed in. */
  created_at: ISODate;
  /** When the profile was last written. */
  updated_at: ISODate;
}

/** What the customer signs in with: proven by codes that were sent there, and no other customer's. There is always one of the two. */
export interface CustomerLogin {
  /** In small letters. */
  email: string | null;
  phone: string | null;
}

/** A customer who has signed in. */
export interface CustomerSession {
  /** The customer token. It is shown this once; only its hash is kept. */
  token: string;
  /** When the token stops working: after 30 days. */
  expires_at: ISODate;
  customer: Customer;
}

/** What the thing is called in your own system: a string or an integer of 1 to 255 characters after trimming. `7` and `"7"` are the same id, and answers always show a string. */
export type ExternalIDInput = string | number;

export interface FacetValue {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** How many products there would be. */
  count: number;
}

/** What the products can be filtered by, with the number of products that each choice would leave. The counts of a facet ignore the selection inside it and respect all others, so that a shopper can tick a second value. What counts nothing is left out, unless it is selected. */
export interface Facets {
  /** The filterable features, in the order of their making. */
  features: FeatureFacet[];
  /** The variant options, in the order of their making. */
  options: OptionFacet[];
  /** The categories; each counts its subtree. */
  categories: CategoryFacet[];
  /** From the lowest to the highest price that fits all other filters; null without any. */
  price: PriceRange | null;
}

/** What describes a product, such as its material or its weight. */
export interface Feature {
  /** A UUIDv7. */
  id: string;
  /** Its id in another system, unique among the features of the store; only present where it has one. */
  external_id?: string;
  name: string;
  /** Whether products can be filtered by it. */
  filterable: boolean;
  /** How it is filtered: by picking values, or by a range of numbers. */
  field_type: FieldType;
  /** Which numbers a range feature takes; null on a select feature. */
  range_type: RangeType | null;
  created_at: ISODate;
  /** When the feature or one of its values last changed. */
  updated_at: ISODate;
  /** All values, in their order: as people arranged them, and the others as they were added. Only present when the request says with=values. */
  values?: FeatureValue[];
}

export interface FeatureFacet {
  /** The id of the feature. */
  id: string;
  name: string;
  field_type: FieldType;
  /** Empty for a range feature. */
  values: FacetValue[];
  /** Of a range feature: its least and greatest number; null for a select feature, and where no product has a number. */
  range: FeatureRange | null;
}

export interface FeatureRange {
  min: number;
  max: number;
}

/** One value of a feature. */
export interface FeatureValue {
  /** A UUIDv7. */
  id: string;
  /** Its id in another system, unique among the values of the feature; only present where it has one. */
  external_id?: string;
  /** Always a string, as it was written. */
  name: string;
  /** On a range feature the number that the name reads as, exactly; null on a select feature. */
  range_value: number | null;
  created_at: ISODate;
  updated_at: ISODate;
}

/** What a visitor of the shop wrote. Members that were sent beside these are given back among them, as they were sent. */
export interface Feedback {
  /** A UUIDv7. */
  id: string;
  name: string;
  email: string | null;
  /** Its digits, behind a + if there was one. */
  phone: string | null;
  message: string;
  created_at: ISODate;
}

/** How a feature is filtered. */
export interface FieldType {
  id: "select" | "range";
  /** In the language of the store. */
  name: string;
}

/** A whole word that q matches. Its place counts UTF-16 units, as strings in JavaScript do. */
export interface Highlight {
  /** The member of the product. */
  field: "name";
  /** Where the word begins, from 0. */
  start: number;
  /** How long the word is. */
  length: number;
}

/** An instant in UTC, in ISO 8601. */
export type ISODate = string;

/** An image with its thumbnails. Its files need no key, and never change. */
export interface Image {
  /** A UUIDv7. */
  id: string;
  /** Its id in another system, unique among the images of the store. */
  external_id: string | null;
  /** What it belongs to: product, variant or category, or null while it belongs to nothing. */
  owner_type: string | null;
  /** The id of the product that has it in its images, of the variant that it was uploaded for, or of the category whose image it is; null while it belongs to nothing. */
  owner_id: string | null;
  /** Where the image is, without its metadata, upright. */
  url: string;
  /** In pixels, as it is seen. */
  width: number;
  /** In pixels, as it is seen. */
  height: number;
  thumbnails: Thumbnails;
  /** Where the image is in smaller widths, which are made at the first request: JPEGs, or PNGs where something shines through. */
  srcset: ImageWidth[];
  /** Its text for those who do not see it; empty if it says nothing. null stands for the name of the product. */
  alt: string | null;
  /** Its dominant color, to be shown until it is loaded. null for a short time after an update from a version without colors. */
  color: string | null;
  created_at: ISODate;
  /** When its external_id, its text or its owner last changed. */
  updated_at: ISODate;
}

/** Where the image is in a smaller width. */
export interface ImageWidth {
  /** In pixels: 160, 320, 640, 960, 1280 or 1920. */
  width: number;
  url: string;
}

/** A price in a price list, from a quantity on. */
export interface ListPrice {
  /** A UUIDv7. */
  price_list_id: string;
  from_quantity: number;
  price: Money;
}

export interface LoginConfirmation {
  /** That of the answer to the request for the code. */
  request_id: string;
  /** The six digits. */
  code: string;
}

/** Whom the code is sent to: an e-mail address or a phone number, and not both. */
export interface LoginRequest {
  email?: string | null;
  /** 7 to 15 digits, in whichever way they are written. */
  phone?: string | null;
  recaptcha?: CaptchaToken;
}

/** A code is on its way. The answer is the same whether anybody is known by that address or not. */
export interface LoginRequested {
  /** What the code is confirmed with. */
  request_id: string;
  /** When the code stops working: after 10 minutes. */
  expires_at: ISODate;
}

/** One thing to choose. Members that are not described here are kept and given back. */
export interface Modifier {
  /** Your own id of the item, unique in the group. Without one the item gets an id that follows from its name, as a group does. */
  id?: ExternalIDInput | null;
  name: NameInput;
  /** What it costs on top; not negative. Null or absent: nothing. */
  price?: Money | null;
}

/** What a buyer can add to a product or choose in it. Members that are not described here are kept and given back. */
export interface ModifierGroup {
  /** Your own id of the group, unique in the product. Without one the group gets an id that follows from its name, and among equal names from their order: it stays when the same names are sent again. */
  id?: ExternalIDInput | null;
  name: NameInput;
  /** How many of its items must be chosen at least, if any is chosen or the group is required. */
  min?: number | null;
  /** How many of its items may be chosen at most; not less than min. Null or absent: any number. */
  max?: number | null;
  /** Whether something must be chosen: at least one, also if min is 0. */
  required?: boolean | null;
  items?: Modifier[];
}

export interface MomentObject {
  iso_utc: string;
}

/** An amount in the currency of the store: a JSON number with at most 12 digits before the point and at most 4 decimals. It is exact. Read it into a decimal type, not into a binary float, if you add amounts up. */
export type Money = number;

/** A string or a number. It is stored trimmed and has 1 to 255 characters then. A number is stored as it was written (`10.50` stays `10.50`), and answers always show a string. */
export type NameInput = string | number;

/** A category with those below it. */
export interface NavigationNode {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** Null until an old category has one. */
  slug: string | null;
  /** The number of products in it and below it, as the facets of categories count them. */
  count: number;
  /** Its own image, otherwise the first image of its first product; null where there is none. */
  image: ProductImage | null;
  /** In their order. Empty below the depth that was asked for. */
  children: NavigationNode[];
}

export interface NewCallback {
  /** At most 255 characters on one line. */
  name?: string | null;
  /** The number to call: 7 to 15 digits, in whichever way they are written. */
  phone: string;
  /** At most 10,000 characters. */
  comment?: string | null;
  /** When to call, in the visitor's own words: at most 255 characters on one line. */
  preferred_time?: string | null;
  recaptcha?: CaptchaToken;
}

/** What a visitor writes. Other members are kept and given back as they were sent: up to 16 KiB together. */
export interface NewFeedback {
  /** Who writes: 1 to 255 characters on one line. */
  name: string;
  /** Where to answer. Empty is the same as absent. */
  email?: string | null;
  /** 7 to 15 digits, in whichever way they are written. Empty is the same as absent. */
  phone?: string | null;
  /** 1 to 10,000 characters. */
  message: string;
  recaptcha?: CaptchaToken;
}

export interface OptionFacet {
  /** The id of the option. */
  id: string;
  name: string;
  values: FacetValue[];
}

/** One value of a variant option. */
export interface OptionValue {
  /** A UUIDv7. */
  id: string;
  /** Its id in another system, unique among the values of the option; only present where it has one. */
  external_id?: string;
  /** Always a string, also where a number was sent. */
  name: string;
}

/** A cart, which is an order in state draft, or what became of it. What nobody said is null. */
export interface Order {
  /** A UUIDv7. */
  id: string;
  /** Counts the submitted orders of the store; null for a draft. */
  number: number | null;
  state: "draft" | "submitted" | "confirmed" | "completed" | "cancelled";
  /** One for each variant with each choice of modifiers, in the order in which they were added. */
  items: OrderItem[];
  /** The sum over the items that have a total. */
  total: Money;
  /** ISO 4217. That of the store, frozen when the order is submitted. */
  currency: string;
  contact: OrderContact;
  delivery: OrderDelivery;
  comment: string | null;
  /** The number of the payment in accounting. Only secret keys see it, and only once accounting has told it. */
  payment_number?: string;
  /** How the goods travel; null if the shop has not said it. */
  tracking: OrderTracking | null;
  /** When it was paid; null if it is not, as far as the shop knows. */
  paid_at: ISODate | null;
  /** The shop's words for groups of orders. Only secret keys and events have them. */
  tags?: string[];
  /** The customer it belongs to; null for a guest's. */
  customer_id: string | null;
  submitted_at: ISODate | null;
  confirmed_at: ISODate | null;
  completed_at: ISODate | null;
  cancelled_at: ISODate | null;
  created_at: ISODate;
  updated_at: ISODate;
  /** What a guest reaches the order by: the header X-Order-Token. Only present in the answer that makes the order; it is shown this once. */
  order_token?: string;
}

/** Who orders, and how to reach them. */
export interface OrderContact {
  name: string | null;
  /** Its digits, behind a + if there was one. */
  phone: string | null;
  email: string | null;
}

/** Who orders, and how to reach them. */
export interface OrderContactInput {
  /** At most 255 characters on one line. */
  name?: string | null;
  /** 7 to 15 digits, in whichever way they are written. */
  phone?: string | null;
  /** An e-mail address. */
  email?: string | null;
}

/** Where the goods shall go. */
export interface OrderDelivery {
  address: string | null;
  comment: string | null;
}

/** Where the goods shall go. */
export interface OrderDeliveryInput {
  /** At most 1,000 characters. */
  address?: string | null;
  /** At most 10,000 characters. */
  comment?: string | null;
}

/** What is in the cart, or what changes in a submitted order. A cart as it was read may be sent back. */
export interface OrderEdit {
  /** Of a draft. The full list, at most 1,000 lines. The same variant twice with the same modifiers is one line with the sum of both. All lines together have at most 2,000 modifiers. */
  items?: OrderItemInput[];
  /** Who orders, as far as it is known already. */
  contact?: OrderContactInput;
  delivery?: OrderDeliveryInput;
  /** At most 10,000 characters. */
  comment?: string | null;
  /** Of a submitted order. How the goods travel, whole; null takes it away. */
  tracking?: OrderTrackingInput | null;
  /** Of a submitted order. When it was paid; null if it is not. */
  paid_at?: string | MomentObject | null;
  /** Of a submitted order. The full list of at most 20 words for groups of orders, each with at most 40 characters and without commas. */
  tags?: string[];
}

/** What is in the cart. An order as it was read may be sent back. */
export interface OrderInput {
  /** The full list, at most 1,000 lines. The same variant twice with the same modifiers is one line with the sum of both. All lines together have at most 2,000 modifiers. */
  items?: OrderItemInput[];
  /** Who orders, as far as it is known already. */
  contact?: OrderContactInput;
  delivery?: OrderDeliveryInput;
  /** At most 10,000 characters. */
  comment?: string | null;
}

/** A line of an order. In a draft it shows the variant as it is now; from the submission on it is frozen. */
export interface OrderItem {
  /** The id of the item. */
  id: string;
  /** A UUIDv7. */
  variant_id: string;
  /** A UUIDv7. */
  product_id: string;
  /** The name of the product with that of the variant. */
  name: string;
  /** The address of the product in the shop at present; null if the product was deleted. */
  slug: string | null;
  /** Empty where there is none. */
  sku: string;
  /** The first barcode of the variant; null where it has none. */
  barcode: string | null;
  /** What quantity counts; null where it is not known. */
  unit: Unit | null;
  /** The rate of value-added tax that the price includes, in percent; null without VAT. */
  vat_rate: number | null;
  options: VariantOptionValue[];
  /** What was added to it or chosen in it, in the order of the product's groups. */
  modifiers: OrderModifier[];
  /** What one of it costs, with its modifiers. In a draft it is null if the variant is not for sale any more: the order cannot be submitted with it. Never null once the order is submitted. */
  price: Money | null;
  /** The price list that gave the price; null if it is the price of the variant itself. Only secret keys and events have it. */
  price_list_id?: string | null;
  quantity: number;
  /** price times quantity, rounded to 4 decimals; null if price is. */
  total: Money | null;
  /** Why the choice of modifiers is no longer possible; empty if it is. The order cannot be submitted with a problem. Only lines of drafts have the member. */
  problems?: OrderProblem[];
  /** The address of the small thumbnail (160 pixels) of the product's first image; null without one. In events it begins with the public address that the operator has set, or else with the one at which a client with a secret key changed the order. Without such an address it is null in events. */
  image: string | null;
  /** In a draft how many are available, as on the variant: null if its stock is not kept, 0 if it is not sold any more. Null once the order is submitted. */
  available: number | null;
}

export interface OrderItemEdit {
  /** More than 0, with at most 9 digits before the point and 3 decimals. */
  quantity: number;
}

/** How much of a variant is wanted, and with what. What it costs is said by the catalogue. */
export interface OrderItemInput {
  /** A variant that is in the shop. */
  variant_id: string;
  /** More than 0, with at most 9 digits before the point and 3 decimals. */
  quantity: number;
  /** What is added to each piece or chosen in it, at most 100. The same item twice counts as the sum of both. Of each group the sum of the quantities is from min to max, or 0 if the group is not required. Lines with different modifiers are different lines. */
  modifiers?: OrderModifierInput[];
}

/** What was added to one piece of a line, or chosen in it. In a draft it shows the product as it is now; from the submission on it is frozen. */
export interface OrderModifier {
  /** The id of the group in modifiers of the product, always as a string. */
  group_id: string;
  group_name: string;
  /** The id of the item in its group, always as a string. */
  item_id: string;
  name: string;
  /** What one of it costs; 0 if it has no price. The price of the line includes price times quantity. */
  price: Money;
  /** How many for one piece of the line. */
  quantity: number;
}

/** A modifier of the product, by the ids in modifiers of the product. An id may be sent as a number, too. */
export interface OrderModifierInput {
  /** The id of a group. */
  group_id: ExternalIDInput;
  /** The id of an item of that group. */
  item_id: ExternalIDInput;
  /** How many for one piece of the line: a whole number up to 999,999,999; 1 by default. */
  quantity?: number | null;
}

/** Why a line cannot be submitted as it is. */
export interface OrderProblem {
  /** unknown_modifier_group, unknown_modifier, modifier_required, too_few_modifiers, too_many_modifiers, or out_of_range if the line would cost more than an amount can say. */
  code: string;
  /** For people. */
  message: string;
}

export interface OrderSubmission {
  /** A name, and a phone number or an e-mail address. */
  contact: OrderContactInput;
  /** Left out, it stays what the draft says. */
  delivery?: OrderDeliveryInput;
  /** At most 10,000 characters. Left out, it stays what the draft says. */
  comment?: string | null;
  recaptcha?: CaptchaToken;
}

/** How the goods travel. What nobody said is null. */
export interface OrderTracking {
  /** The number of the parcel. */
  number: string | null;
  carrier: string | null;
  /** A page that shows where the parcel is. */
  url: string | null;
}

/** How the goods travel. The customer sees it. */
export interface OrderTrackingInput {
  /** The number of the parcel: at most 100 characters. */
  number?: string | null;
  /** At most 100 characters. */
  carrier?: string | null;
  /** A page that shows where the parcel is. */
  url?: string | null;
}

/** Where in the list this page stands. */
export interface PageMeta {
  /** The number of this page, from 1. */
  current_page: number;
  /** How many elements a page has at most. */
  per_page: number;
  /** The number of the last page; 1 when there is nothing. A page past it is empty. */
  last_page: number;
  /** How many elements the whole list has. */
  total: number;
}

export interface PriceRange {
  min: Money;
  max: Money;
}

/** The lowest and the highest price of the variants that have one; both null if none is for sale. */
export interface PriceSpan {
  from: Money | null;
  to: Money | null;
}

/** What one costs if at least that many are bought. */
export interface PriceStep {
  from_quantity: number;
  price: Money;
}

export interface Problem {
  /** A URI that names the kind of problem. */
  type: string;
  /** The HTTP status in words. */
  title: string;
  /** The HTTP status. */
  status: number;
  /** What was wrong, and what would be right. */
  detail: string;
  /** A stable snake_case word for programs. */
  code: string;
  /** Name it when you ask for help. */
  request_id: string;
  /** With 422, and with 409 where lines are named: each place that broke a rule. */
  errors?: ProblemField[];
}

export interface ProblemField {
  field: string;
  code: string;
  message: string;
  /** With out_of_stock: how many are left. */
  available?: number;
}

/** A product: what all its variants have in common. */
export interface Product {
  /** A UUIDv7. */
  id: string;
  /** Its id in another system. */
  external_id: string | null;
  name: string;
  /** Empty where there is none. */
  description: string;
  /** What it is sold by; null where it is not known. */
  unit: Unit | null;
  /** The rate of value-added tax that its prices include, in percent; null without VAT. */
  vat_rate: number | null;
  /** The weight of one unit in kilograms; null where it is not known. */
  weight: number | null;
  /** Its address in the shop, unique among the products of the store. null only for a short time after an upgrade, until a product that was made before has got one. */
  slug: string | null;
  seo: SEO;
  price: PriceSpan;
  /** How many can be sold now: the sum over the variants whose stock is kept. null where that of none is kept. A variant whose stock is not kept can always be sold, so in_stock=true finds the product though this may be 0. */
  available: number | null;
  /** When it was taken out of the shop; null while it is in it. */
  archived_at: ISODate | null;
  created_at: ISODate;
  /** When the product or one of its variants was last written. Losing a deleted value changes its ETag, not this. */
  updated_at: ISODate;
  /** The members that pushes leave alone. Only secret keys get it. */
  locks?: ("name" | "description" | "images" | "categories" | "features" | "price" | "unit" | "vat_rate" | "weight" | "barcodes" | "slug" | "seo")[];
  /** The categories that it lies in. Like all that follows: present on a single product, and in a list where with= names it. */
  categories?: CategoryRef[];
  /** Beside categories: the one of them that breadcrumbs go to. It is the one that was chosen, else the deepest, and of several the first; null for a product without categories. */
  canonical_category_id?: string | null;
  /** With with=breadcrumbs: the categories from the root to its canonical one. */
  breadcrumbs?: Breadcrumb[];
  /** Its features. A product may have several values of one feature: one element each. */
  features?: ProductFeature[];
  /** Its images, in the order in which they were sent. */
  images?: ProductImage[];
  /** What a buyer can add to it or choose in it, as it was sent; groups and items that were sent without an id have a made one. Orders name a modifier by both ids. */
  modifiers?: ModifierGroup[];
  /** Its variants, in the order in which they were made. */
  variants?: Variant[];
  /** In lists with with=highlights: the words of the name that q matches; empty if it matches elsewhere. */
  highlights?: Highlight[];
  /** On a single product with with=jsonld: what search engines read of it, for a script element of type application/ld+json. */
  jsonld?: Record<string, unknown>;
  /** Only where it is read by a slug: its present slug, which may be another one than that of the request. */
  canonical_slug?: string;
}

/** A feature of a product with its value. */
export interface ProductFeature {
  /** The id of the feature. */
  id: string;
  /** The name of the feature. */
  name: string;
  value: ProductFeatureValue;
}

export interface ProductFeatureValue {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** The number that the name reads as; null on a select feature. */
  range_value: number | null;
}

/** An image of a product with its thumbnails. Its files need no key, and never change. */
export interface ProductImage {
  /** A UUIDv7. */
  id: string;
  /** Where the image is. */
  url: string;
  /** In pixels. */
  width: number;
  /** In pixels. */
  height: number;
  thumbnails: Thumbnails;
  /** Where the image is in smaller widths, which are made at the first request: JPEGs, or PNGs where something shines through. */
  srcset: ImageWidth[];
  /** Its text for those who do not see it; empty if it says nothing. null stands for the name of the product. */
  alt: string | null;
  /** Its dominant color, to be shown until it is loaded. null for a short time after an update from a version without colors. */
  color: string | null;
}

/** Where in the list this page stands, and with with=facets what the whole list can be filtered by. */
export interface ProductMeta {
  /** The number of this page, from 1. */
  current_page: number;
  /** How many elements a page has at most. */
  per_page: number;
  /** The number of the last page; 1 when there is nothing. A page past it is empty. */
  last_page: number;
  /** How many elements the whole list has. */
  total: number;
  /** Present with with=facets. */
  facets?: Facets;
  /** How q was understood. Present with q. */
  search?: ProductSearch;
}

/** How the words of q were understood. */
export interface ProductSearch {
  /** q, as it was sent. */
  query: string;
  /** The weakest way in which the first product matches: the words themselves, other forms of them, their beginnings, synonyms, words with typing errors corrected (also those of the other keyboard layout and of the other script), or only some of the words. */
  matched: "exact" | "forms" | "prefix" | "synonym" | "corrected" | "partial" | "none";
  /** The query as it was understood, if a word of it was taken for another one; else null. */
  corrected: string | null;
  /** The words that the first product does not match; all of them if nothing was found. */
  dropped: string[];
  /** true, while the store's index is not in memory: only words and the beginnings of words in names and codes were looked for, and the newest products come first. */
  limited?: boolean;
}

export interface ProfileEdit {
  /** At most 255 characters on one line; null or empty takes it away. */
  name?: string | null;
  /** Where the customer wants mail. Null or empty takes it away. It does not sign in. */
  email?: string | null;
  /** 7 to 15 digits, in whichever way they are written. Null or empty takes it away. It does not sign in. */
  phone?: string | null;
}

/** Which numbers a range feature takes. */
export interface RangeType {
  id: "float" | "integer";
  /** In the language of the store. */
  name: string;
}

/** Which operations ask for a captcha token. */
export interface Recaptcha {
  /** While it is false, no operation asks for a token. */
  active: boolean;
  /** The version of the captcha: one that gives scores. */
  version: "v3";
  /** Whose script makes the tokens. */
  provider: "recaptcha_v3" | "turnstile" | "hcaptcha" | "smartcaptcha";
  /** What the captcha's script is started with; empty where none is set. */
  public_key: string;
  /** The operations whose body must carry recaptcha.token. */
  actions: CaptchaAction[];
}

/** What a stock has of a variant. quantity less reserved is left. */
export interface Remainder {
  /** A UUIDv7. */
  stock_id: string;
  /** What accounting or the operator says, with at most 3 decimals. */
  quantity: number;
  /** What submitted orders wait for. */
  reserved: number;
}

/** What a path of the site leads to. */
export interface Resolution {
  /** redirect is a redirect of the store's own that leads to neither a product nor a category. */
  type: "product" | "category" | "redirect";
  /** The id of the product, the category or the redirect. */
  id: string;
  /** The path that the page has at present. For a redirect, where it ends: a path or an absolute address. */
  canonical: string;
  /** 301 if the path is not the canonical one, so that the site answers with a redirect to it; otherwise null. */
  redirect: number | null;
  /** The categories from the root to the category, or to the canonical category of the product. Empty for a redirect. */
  breadcrumbs: Breadcrumb[];
}

/** What search engines are told of it, if that is not its name and description. */
export interface SEO {
  /** Empty for the name. */
  title: string;
  /** Empty for the description. */
  description: string;
  /** Whether search engines are to leave it out. */
  noindex: boolean;
}

export interface SearchClick {
  /** The query whose results were shown, at most 1,024 characters. */
  query: string;
  /** The product that was clicked. */
  product_id: string;
}

/** A place where goods lie: a warehouse, a shop. */
export interface Stock {
  /** A UUIDv7. */
  id: string;
  /** Its id in another system, unique among the stocks of the store. */
  external_id: string | null;
  name: string;
  created_at: ISODate;
  /** When the stock itself was last written; what lies in it does not change this. */
  updated_at: ISODate;
}

/** The shop that the key belongs to. */
export interface Store {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** IANA name. All dates are shown in it. */
  timezone: string;
  /** The language of dates and of fixed words. */
  locale: "en" | "ru" | "de" | "es" | "fr" | "uk" | "kk";
  /** ISO 4217. All prices are in it. */
  currency: string;
  /** The address of the storefront; empty where none is set. */
  site_url: string;
  paths: StorePaths;
  created_at: ISODate;
  updated_at: ISODate;
  /** Present only when the request passes with=settings. */
  settings?: StoreSettings;
}

/** The forms of the paths of the site, which GET /v2/resolve reads. */
export interface StorePaths {
  /** The path of a product: {slug} stands for its slug. */
  product: string;
  /** The path of a category: {path} stands for the slugs from the root on, joined by slashes. */
  category: string;
}

/** What a storefront must know of the settings. */
export interface StoreSettings {
  recaptcha: Recaptcha;
}

export interface SuggestedCategory {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** The address of the category; null where it has none. */
  slug: string | null;
  /** How many products there are in it and in all below it. */
  count: number;
}

export interface SuggestedProduct {
  /** A UUIDv7. */
  id: string;
  name: string;
  /** The address of the product; null where it has none. */
  slug: string | null;
  price: PriceSpan;
  /** As that of products. */
  available: number | null;
  /** The first image; null where there is none. */
  image: ProductImage | null;
}

export interface SuggestedQuery {
  /** The query, folded. */
  text: string;
  /** How often it was asked. */
  count: number;
}

export interface SuggestedValue {
  /** A UUIDv7. */
  feature_id: string;
  /** A UUIDv7. */
  value_id: string;
  name: string;
  /** How many products have it. */
  count: number;
}

/** What the store has for what was typed, the most relevant or the most frequent first. */
export interface Suggestions {
  /** What others searched for, at least three times in the last 90 days, and found something. */
  queries: SuggestedQuery[];
  products: SuggestedProduct[];
  /** The categories whose names match. */
  categories: SuggestedCategory[];
  /** The values of filterable features whose names match. */
  values: SuggestedValue[];
}

/** Where smaller forms of the image are: JPEGs, or PNGs where something shines through. Of an animation they show the first frame. An image that is smaller is not made larger. */
export interface Thumbnails {
  /** At most 160 pixels on the longer side. */
  small: string;
  /** At most 640 pixels on the longer side. */
  medium: string;
}

/** The unit in which a product is sold. */
export interface Unit {
  /** The code of OKEI; null where it is not known. */
  code: string | null;
  name: string;
}

/** What a buyer puts into the cart: one combination of option values of a product. */
export interface Variant {
  /** A UUIDv7. */
  id: string;
  /** Its id in another system, unique within the product. */
  external_id: string | null;
  /** Empty where there is none. */
  name: string;
  /** Empty where there is none. */
  sku: string;
  /** Null: the variant is not for sale. 0: it is free. */
  price: Money | null;
  /** Its barcodes, as they were sent. */
  barcodes: string[];
  /** How many can be sold now: the sum over its remainders of quantity less reserved, none of which counts below zero. null without a remainder: its stock is not kept, and it can always be sold. */
  available: number | null;
  /** Its value of each option that it carries. */
  options: VariantOptionValue[];
  /** What each stock has of it. For secret keys, and for everybody where the store's setting public_remainders is true; absent otherwise. */
  remainders?: Remainder[];
  /** Its images, in the order in which they were sent: its own, and others of its product. In a list of products present where with= names images as well. */
  images?: ProductImage[];
  /** The prices by quantity that the reader gets, ascending, beginning with the price for 1. Present where with= names prices. */
  prices?: PriceStep[];
  /** What the variant cost before: its price in the list that the setting old_price_list names, if that is higher than price; else null. Present where with= names prices. */
  old_price?: Money | null;
  /** Its prices in all price lists, by list and quantity. Present where with= names price_lists, for secret keys. */
  price_lists?: ListPrice[];
  /** When it was taken out of the shop; null while it is in it. Present on the routes of variants, and in a list of products that asks for archived ones. */
  archived_at?: ISODate | null;
}

/** What tells the variants of one product apart, such as size or colour. */
export interface VariantOption {
  /** A UUIDv7. */
  id: string;
  /** The store that owns it. */
  store_id: string;
  /** Its id in another system, unique among the options of the store; only present where it has one. */
  external_id?: string;
  name: string;
  created_at: ISODate;
  /** When the option or one of its values last changed. */
  updated_at: ISODate;
  /** All values, in their order: as people arranged them, and the others as they were added. Only present when the request says with=values. */
  values?: OptionValue[];
}

/** An option of a variant with its value. */
export interface VariantOptionValue {
  /** The id of the option. */
  id: string;
  /** The name of the option. */
  name: string;
  value: OptionValue;
}

/** The codes of problems that every operation may answer with. */
export type CommonProblemCode =
  | "body_incomplete"
  | "busy"
  | "credential_required"
  | "database_busy"
  | "database_unavailable"
  | "disk_full"
  | "facets_unavailable"
  | "file_storage_unavailable"
  | "forbidden"
  | "internal"
  | "invalid_credential"
  | "loop"
  | "malformed_encoding"
  | "malformed_form"
  | "malformed_idempotency_key"
  | "malformed_json"
  | "malformed_query"
  | "outcome_unknown"
  | "overloaded"
  | "search_busy"
  | "storage_failed"
  | "timeout"
  | "too_many_connections"
  | "too_many_failed_credentials"
  | "too_many_members"
  | "too_many_requests"
  | "weak_idempotency_key";

/** The codes of the problems of each operation. */
export interface ProblemCodes {
  addOrderItem: CommonProblemCode | "body_too_large" | "body_too_slow" | "decompression_bomb" | "idempotency_in_progress" | "not_for_sale" | "not_found" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed" | "wrong_state";
  confirmLoginCode: CommonProblemCode | "body_too_large" | "body_too_slow" | "decompression_bomb" | "email_taken" | "idempotency_in_progress" | "invalid_code" | "phone_taken" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed";
  countSearchClick: CommonProblemCode | "body_too_large" | "body_too_slow" | "decompression_bomb" | "idempotency_in_progress" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed";
  createOrder: CommonProblemCode | "body_too_large" | "body_too_slow" | "decompression_bomb" | "idempotency_in_progress" | "not_for_sale" | "too_many_carts" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed";
  editMe: CommonProblemCode | "body_too_large" | "body_too_slow" | "decompression_bomb" | "precondition_failed" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed";
  editOrder: CommonProblemCode | "body_too_large" | "body_too_slow" | "decompression_bomb" | "idempotency_in_progress" | "not_for_sale" | "not_found" | "precondition_failed" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed" | "wrong_state";
  editOrderItem: CommonProblemCode | "body_too_large" | "body_too_slow" | "decompression_bomb" | "idempotency_in_progress" | "not_found" | "precondition_failed" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed" | "wrong_state";
  getCategory: CommonProblemCode | "not_found";
  getCategoryBySlug: CommonProblemCode | "not_found";
  getFeature: CommonProblemCode | "not_found";
  getImage: CommonProblemCode | "not_found";
  getMe: CommonProblemCode;
  getNavigation: CommonProblemCode;
  getOrder: CommonProblemCode | "not_found";
  getProduct: CommonProblemCode | "not_found";
  getProductBySlug: CommonProblemCode | "not_found";
  getSitemapFile: CommonProblemCode | "idempotency_in_progress" | "no_site_url" | "not_found" | "secret_in_address";
  getSitemapIndex: CommonProblemCode | "idempotency_in_progress" | "no_site_url" | "secret_in_address";
  getStock: CommonProblemCode | "not_found";
  getStore: CommonProblemCode;
  getVariant: CommonProblemCode | "not_found";
  getVariantOption: CommonProblemCode | "not_found";
  listCategories: CommonProblemCode | "validation_failed";
  listChanges: CommonProblemCode | "version_expired";
  listFeatureValues: CommonProblemCode | "not_found";
  listFeatures: CommonProblemCode;
  listImages: CommonProblemCode;
  listOptionValues: CommonProblemCode | "not_found";
  listOrders: CommonProblemCode;
  listProducts: CommonProblemCode | "validation_failed";
  listStocks: CommonProblemCode;
  listVariantOptions: CommonProblemCode;
  listVariants: CommonProblemCode | "not_found";
  removeOrderItem: CommonProblemCode | "idempotency_in_progress" | "not_found" | "precondition_failed" | "wrong_state";
  requestCallback: CommonProblemCode | "body_too_large" | "body_too_slow" | "captcha_failed" | "captcha_required" | "captcha_unavailable" | "decompression_bomb" | "idempotency_in_progress" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed";
  requestLoginCode: CommonProblemCode | "body_too_large" | "body_too_slow" | "captcha_failed" | "captcha_required" | "captcha_unavailable" | "decompression_bomb" | "idempotency_in_progress" | "too_many_codes" | "too_many_codes_in_country" | "too_many_codes_in_store" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed";
  resolvePath: CommonProblemCode | "not_found";
  sendFeedback: CommonProblemCode | "body_too_large" | "body_too_slow" | "captcha_failed" | "captcha_required" | "captcha_unavailable" | "decompression_bomb" | "idempotency_in_progress" | "too_many_elements" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed";
  signOut: CommonProblemCode | "precondition_failed";
  submitOrder: CommonProblemCode | "body_too_large" | "body_too_slow" | "captcha_failed" | "captcha_required" | "captcha_unavailable" | "decompression_bomb" | "idempotency_in_progress" | "modifiers_unavailable" | "not_for_sale" | "not_found" | "order_empty" | "out_of_stock" | "too_expensive" | "too_many_elements" | "unavailable" | "unsupported_encoding" | "unsupported_media_type" | "validation_failed" | "wrong_state";
  suggest: CommonProblemCode;
}

/** The codes of all problems. Later versions may have others. */
export type ProblemCode =
  | CommonProblemCode
  | "body_too_large"
  | "body_too_slow"
  | "captcha_failed"
  | "captcha_required"
  | "captcha_unavailable"
  | "decompression_bomb"
  | "email_taken"
  | "idempotency_in_progress"
  | "invalid_code"
  | "modifiers_unavailable"
  | "no_site_url"
  | "not_for_sale"
  | "not_found"
  | "order_empty"
  | "out_of_stock"
  | "phone_taken"
  | "precondition_failed"
  | "secret_in_address"
  | "too_expensive"
  | "too_many_carts"
  | "too_many_codes"
  | "too_many_codes_in_country"
  | "too_many_codes_in_store"
  | "too_many_elements"
  | "unavailable"
  | "unsupported_encoding"
  | "unsupported_media_type"
  | "validation_failed"
  | "version_expired"
  | "wrong_state";
