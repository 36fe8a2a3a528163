/** Something that is told once. */
export type News = {
  /** The same for the same item, however its wording changes meanwhile. */
  readonly item: string;
  /** True for ever once it is true. What is not may be over, and be news again when it comes back. */
  readonly lasting: boolean;
};

/** What has to be told, and which of the items told before are still open. An item that is over is forgotten. */
export function dueNews<N extends News>(
  open: readonly N[],
  told: readonly string[],
): { readonly due: readonly N[]; readonly stillOpen: readonly string[] } {
  const items = new Map(open.map((news) => [news.item, news]));
  return {
    due: [...items.values()].filter(({ item }) => !told.includes(item)),
    stillOpen: told.filter((item) => items.has(item)),
  };
}
