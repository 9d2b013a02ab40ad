// Which variant a visitor means. The choice stands in the address, ?variant={id}, so that it can be sent to somebody.
import type { Variant } from "@vitrine/client";

export const isSoldOut = (variant: Variant) => variant.available !== null && variant.available <= 0;

export const canBeBought = (variant: Variant) => variant.price !== null && !isSoldOut(variant);

/** The chosen variant, or the first that can be bought. */
export const chosenVariant = (variants: readonly Variant[], id: string | null): Variant | undefined =>
  variants.find((v) => v.id === id) ?? variants.find(canBeBought) ?? variants.find((v) => v.price !== null) ?? variants[0];

const valueOf = (variant: Variant, option: string) => variant.options.find((o) => o.id === option)?.value;

/** The options of a product with their values, each with the variant that a click leads to: with the other values kept. */
export const optionsOf = (variants: readonly Variant[], chosen: Variant) => {
  const names = new Map(variants.flatMap((v) => v.options.map((o) => [o.id, o.name] as const)));
  return [...names].map(([id, name]) => {
    const values = new Map(variants.flatMap((v) => {
      const value = valueOf(v, id);
      return value ? [[value.id, value.name] as const] : [];
    }));
    return {
      name,
      values: [...values].map(([valueId, valueName]) => {
        const withIt = variants.filter((v) => valueOf(v, id)?.id === valueId);
        const likeness = (v: Variant) => chosen.options.filter((o) => valueOf(v, o.id)?.id === o.value.id).length +
          (canBeBought(v) ? 0.5 : 0);
        const target = withIt.reduce((best, v) => likeness(v) > likeness(best) ? v : best);
        return {
          name: valueName, variant: target, isChosen: valueOf(chosen, id)?.id === valueId,
          soldOut: !withIt.some(canBeBought),
        };
      }),
    };
  });
};
