// What every page needs: the store, its menu and its language.
import type { OrderItem } from "@vitrine/client";
import { catalogue, catalogueOf, isCustomer, type Visit } from "./shop";
import { config } from "./config";
import { speak, type Language } from "./texts";

export const pageOf = async (visit: Visit) => {
  const [store, menu] = await Promise.all([
    catalogue.store({ with: ["settings"] }), catalogue.navigation({ depth: 1 }),
  ]);
  const language: Language = (config.language || store.locale) === "ru" ? "ru" : "en";
  return {
    store, menu: menu.filter((category) => category.count > 0),
    speech: speak(language, store.currency, store.timezone),
    /** The address of the site, without a slash at its end. */
    site: store.site_url.replace(/\/+$/, "") || visit.url.origin,
    shop: catalogueOf(visit),
    cartCount: Number(visit.cookies.get("count")?.value) || 0,
    isCustomer: isCustomer(visit),
    /** Whether an action, such as order_submission, asks for a captcha token. */
    captchaFor: (action: string) => {
      const { recaptcha } = store.settings!;
      return recaptcha.active && recaptcha.actions.some((a) => a.id === action)
        ? { action, provider: recaptcha.provider, public_key: recaptcha.public_key } : null;
    },
  };
};

export type PageContext = Awaited<ReturnType<typeof pageOf>>;

/** The path of a product or category by the store's setting paths, where a whole path is known from slugs. */
export const productPath = (page: PageContext, slug: string | null, id: string) =>
  page.store.paths.product.replace("{slug}", encodeURIComponent(slug ?? id));

export const categoryPath = (page: PageContext, slugs: readonly (string | null)[]) =>
  page.store.paths.category.replace("{path}", slugs.map((slug) => encodeURIComponent(slug ?? "")).join("/"));

/** What was chosen of a line, as far as its name, which has that of the variant, does not tell it. */
export const chosenIn = ({ name, options, modifiers }: OrderItem) => [
  ...options.map((option) => option.value.name).filter((value) => !name.includes(value)),
  ...modifiers.map((modifier) => modifier.quantity > 1 ? `${modifier.name} × ${modifier.quantity}` : modifier.name),
].join(", ");
