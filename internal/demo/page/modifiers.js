// The choice of the modifiers of a product: extras in groups.

import { el, money } from "./dom.js";
import { T } from "./texts.js";

// modifierChooser returns the fields of the groups, the chosen modifiers as a cart takes them, and what they cost. It
// calls changed with each choice.
export function modifierChooser(groups, changed) {
  const fields = (groups ?? []).filter((group) => group.items?.length > 0).map((group, i) => (group.max === 1 ? oneOf : someOf)(group, `group-${i}`, changed));
  const chosen = () => fields.flatMap((field) => field.chosen());
  return {
    elements: fields.map((field) => field.element),
    choices: () => chosen().map(({ group, item, quantity }) => ({ group_id: String(group.id), item_id: String(item.id), quantity })),
    price: () => chosen().reduce((sum, { item, quantity }) => sum + (item.price ?? 0) * quantity, 0),
  };
}

const label = (item) => item.price ? `${item.name} + ${money(item.price)}` : String(item.name);

// oneOf lets the visitor choose one item: the first of a required group is chosen at first, else none.
function oneOf(group, name, changed) {
  const items = group.required ? group.items : [null, ...group.items];
  const inputs = items.map((item, i) => el("input", { type: "radio", name, value: String(i), checked: i === 0, onchange: changed }));
  return {
    element: el("fieldset", { class: "options" }, el("legend", {}, group.name), inputs.map((input, i) => el("label", { class: "chip" }, input, el("span", {}, items[i] ? label(items[i]) : T("None"))))),
    chosen: () => inputs.flatMap((input, i) => input.checked && items[i] ? [{ group, item: items[i], quantity: 1 }] : []),
  };
}

// someOf lets the visitor say how much of each item.
function someOf(group, name, changed) {
  const inputs = group.items.map((item) => el("input", { type: "number", name, min: "0", max: String(group.max ?? ""), step: "1", value: "0", oninput: changed }));
  const bounds = [group.min > 0 && T("at least %s", group.min), group.max > 0 && T("at most %s", group.max)].filter(Boolean).join(", ");
  return {
    element: el("fieldset", { class: "amounts" }, el("legend", {}, group.name, bounds && el("span", { class: "faint" }, ` ${bounds}`)), inputs.map((input, i) => el("label", {}, input, " ", label(group.items[i])))),
    chosen: () => inputs.flatMap((input, i) => Number(input.value) > 0 ? [{ group, item: group.items[i], quantity: Number(input.value) }] : []),
  };
}

// modifierText describes a modifier of a line of a cart, and what it costs for each piece.
export const modifierText = (m, currency) => `${m.group_name}: ${m.name}${m.quantity > 1 ? ` × ${m.quantity}` : ""}${m.price > 0 ? ` + ${money(m.price * m.quantity, currency)}` : ""}`;
