/** The ids of a test, from the command line. */
export interface Ids {
  url: string;
  key: string;
  material: string;
  cotton: string;
  wool: string;
  power: string;
  size: string;
  large: string;
}

declare const process: { argv: string[] };

export const ids: Ids = JSON.parse(process.argv[2] ?? "{}");

/** What each client asks for, and what the answers must be: the names of the products. */
export const cases: { feature?: string[]; option?: string[]; price?: string; want: string }[] = [
  { feature: [`${ids.material}:${ids.cotton}`], want: "Cotton shirt" },
  { feature: [`${ids.material}:${ids.cotton},${ids.wool}`], want: "Cotton shirt,Wool shirt" },
  { feature: [`${ids.power}:..10`], want: "Lamp" },
  { feature: [`${ids.power}:10.5..`], want: "" },
  { feature: [`${ids.material}:${ids.wool}`, `${ids.power}:1..`], want: "" },
  { option: [`${ids.size}:${ids.large}`], price: "35..", want: "Wool shirt" },
  { option: [`${ids.size}:${ids.large}`], price: "..34.5", want: "" },
  { want: "Cotton shirt,Lamp,Wool shirt" },
];

/** Part of the query of every case. The answers have a facet and pictures, so lists of extras are sent rightly, too. */
export const others = { dates: "iso", sort: "name", with: ["facets", "images"] } as const;

/** Fails unless a list is the wanted one. Its type says what the generated types must be. */
export const check = (want: string, answer: {
  data: { name: string; created_at: string; images?: unknown[] }[]; meta: { total: number; facets?: object };
} | undefined) => {
  if (!answer) throw new Error("there is no answer");
  const names = answer.data.map((product) => product.name).join();
  if (names !== want) throw new Error(`the products are ${names}, want ${want}`);
  if (!answer.meta.facets || answer.data.some((product) => !product.images)) throw new Error("the extras are missing");
};
