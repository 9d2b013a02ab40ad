// Colours of the values of options, such as "Navy" or "Тёмно-синий", for dots beside their names.

import { el } from "./dom.js";

const tones = {
  black: "#2a2a2e", white: "#f3f1ec", grey: "#8c9094", gray: "#8c9094", silver: "#c2c6cb", navy: "#283862", blue: "#3a6cb2", turquoise: "#46aaa8",
  green: "#4e865c", olive: "#747648", yellow: "#e8be48", gold: "#cea85e", orange: "#de823e", terracotta: "#c0684e", red: "#be3a38",
  burgundy: "#76283a", pink: "#e098aa", beige: "#dac8ac", brown: "#7e563c", oak: "#c8a070", walnut: "#704c36", neutral: "#d6c4a0",
  "чёрный": "#2a2a2e", "белый": "#f3f1ec", "серый": "#8c9094", "серебристый": "#c2c6cb", "тёмно-синий": "#283862", "синий": "#3a6cb2",
  "голубой": "#80b2d8", "зелёный": "#4e865c", "хаки": "#747648", "жёлтый": "#e8be48", "золотистый": "#cea85e", "оранжевый": "#de823e",
  "бронзовый": "#9e7042", "красный": "#be3a38", "бордовый": "#76283a", "розовый": "#e098aa", "фиолетовый": "#7a569e", "бежевый": "#dac8ac",
  "коричневый": "#7e563c", "хром": "#d0d4d9",
};

// dot returns a dot in the colour of this name, or null if the name is no known colour.
export function dot(name) {
  const tone = tones[name.toLowerCase()];
  if (!tone) return null;
  const element = el("span", { class: "dot", "aria-hidden": "true" });
  element.style.setProperty("--tone", tone);
  return element;
}

const shownDots = 6;

// dots returns the colours of a product's variants as dots, or null if there are fewer than two.
export function dots(product) {
  const names = [...new Set(product.variants.flatMap((v) => v.options.map((o) => o.value.name)))];
  const all = names.map(dot).filter(Boolean);
  if (all.length < 2) return null;
  return el("p", { class: "dots" }, all.slice(0, shownDots), all.length > shownDots && el("span", { class: "faint" }, `+${all.length - shownDots}`));
}
