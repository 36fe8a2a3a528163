/**
 * A persistent list as plain data: items are appended or replaced. A change copies one node per level instead of the whole list. Equal
 * items have equal shape.
 */
export type Sequence<T> = { readonly length: number; readonly height: number; readonly root: Node<T> };

type Node<T> =
  | { readonly items: readonly T[]; readonly nodes?: undefined }
  | { readonly nodes: readonly Node<T>[]; readonly items?: undefined };

/** Entries of one node. */
const width = 32;

export const emptySequence: Sequence<never> = { length: 0, height: 0, root: { items: [] } };

export function appended<T>(sequence: Sequence<T>, item: T): Sequence<T> {
  const { length, height, root } = sequence;
  if (length < width ** (height + 1))
    return { length: length + 1, height, root: withItem(root, { height, index: length }, item) };
  const higher: Node<T> = { nodes: [root] };
  return {
    length: length + 1,
    height: height + 1,
    root: withItem(higher, { height: height + 1, index: length }, item),
  };
}

/** An index outside of the list changes nothing. */
export function replacedAt<T>(sequence: Sequence<T>, index: number, item: T): Sequence<T> {
  if (!has(sequence, index)) return sequence;
  return { ...sequence, root: withItem(sequence.root, { height: sequence.height, index }, item) };
}

export function itemAt<T>(sequence: Sequence<T>, index: number): T | undefined {
  if (!has(sequence, index)) return undefined;
  let node: Node<T> | undefined = sequence.root;
  for (let height = sequence.height; node?.nodes !== undefined; height -= 1) node = node.nodes[slotOf(height, index)];
  return node?.items[slotOf(0, index)];
}

export const itemsOf = <T>({ root }: Sequence<T>): readonly T[] => [...below(root)];

export const sequenceOf = <T>(items: readonly T[]): Sequence<T> => items.reduce<Sequence<T>>(appended, emptySequence);

function* below<T>({ nodes, items }: Node<T>): Generator<T> {
  if (nodes === undefined) yield* items;
  else for (const node of nodes) yield* below(node);
}

const has = ({ length }: Sequence<unknown>, index: number): boolean =>
  Number.isInteger(index) && index >= 0 && index < length;

/** Returns the position in a node at this height that leads to the index. */
const slotOf = (height: number, index: number): number => Math.floor(index / width ** height) % width;

type Place = { readonly height: number; readonly index: number };

function withItem<T>(node: Node<T> | undefined, { height, index }: Place, item: T): Node<T> {
  const slot = slotOf(height, index);
  if (height === 0) return { items: withEntry(node?.items ?? [], slot, item) };
  const nodes = node?.nodes ?? [];
  return { nodes: withEntry(nodes, slot, withItem(nodes[slot], { height: height - 1, index }, item)) };
}

const withEntry = <T>(entries: readonly T[], slot: number, entry: T): readonly T[] =>
  slot < entries.length ? entries.with(slot, entry) : [...entries, entry];
