import { foldPath } from '../base/path-fold.ts';
import { matches, matchesFolded, type Pattern } from './pattern.ts';

/**
 * Many patterns, each with what it stands for, found by the literal segments they begin with. Only patterns on the way
 * from the root to a path can match it, and of two patterns that meet, one lies on the way to the other.
 */
export type PatternIndex<T> = {
  /** Everything whose pattern matches, also when only by folding. */
  owners(path: string): readonly PatternEntry<T>[];
  /** Each unordered pair whose patterns could meet, once. Exact judgement is the caller's. */
  pairs(visit: (a: PatternEntry<T>, b: PatternEntry<T>) => void): void;
};

export type PatternEntry<T> = { readonly pattern: Pattern; readonly value: T };

type Lookup = { readonly text: string; readonly segments: readonly string[]; readonly name: string };

/** Entries by what the last segment begins with: only prefixes of a name, or of one another, can have to do with it. */
type Node<T> = { readonly children: Map<string, Node<T>>; readonly byHead: Map<string, PatternEntry<T>[]> };

export function indexPatterns<T>(entries: readonly PatternEntry<T>[]): PatternIndex<T> {
  const root = emptyNode<T>();
  for (const entry of entries) {
    const { byHead } = nodeAt(root, entry.pattern.prefix);
    const { head } = entry.pattern.last;
    const alike = byHead.get(head);
    if (alike) alike.push(entry);
    else byHead.set(head, [entry]);
  }

  return {
    owners(text) {
      const segments = foldPath(text).split('/');
      const path = { text, segments, name: segments.at(-1) ?? '' };
      const found: PatternEntry<T>[] = [];
      let node: Node<T> | undefined = root;
      for (let depth = 0; node; depth++) {
        for (const entries of withPrefixOf(path.name, node))
          for (const entry of entries) if (matchesFrom(entry.pattern, path, depth)) found.push(entry);
        node = node.children.get(segments[depth] ?? '');
      }
      return found;
    },
    pairs(visit) {
      walk(root, []);
      function walk(node: Node<T>, above: readonly PatternEntry<T>[]): void {
        for (const [head, entries] of node.byHead) {
          for (const [index, entry] of entries.entries()) {
            for (const other of above) visit(other, entry);
            for (const others of withPrefixOf(head.slice(0, -1), node, head !== ''))
              for (const other of others) visit(other, entry);
            for (const other of entries.slice(index + 1)) visit(entry, other);
          }
        }
        const below = node.byHead.size === 0 ? above : [...above, ...[...node.byHead.values()].flat()];
        for (const child of node.children.values()) walk(child, below);
      }
    },
  };
}

/** The prefix is known to match; the commonest patterns need no automaton, and most others end in another name. */
function matchesFrom(one: Pattern, path: Lookup, segments: number): boolean {
  if (one.below) return path.segments.length > segments;
  if (one.literal) return path.segments.length === segments;
  if (!path.name.endsWith(one.last.tail)) return false;
  return matches(one, path.text) || matchesFolded(one, path.text);
}

const emptyNode = <T>(): Node<T> => ({ children: new Map(), byHead: new Map() });

function withPrefixOf<T>(name: string, { byHead }: Node<T>, wanted = true): readonly (readonly PatternEntry<T>[])[] {
  const found: (readonly PatternEntry<T>[])[] = [];
  if (!wanted || byHead.size === 0) return found;
  for (let length = 0; length <= name.length; length++) {
    const entries = byHead.get(name.slice(0, length));
    if (entries) found.push(entries);
  }
  return found;
}

function nodeAt<T>(root: Node<T>, prefix: readonly string[]): Node<T> {
  let node = root;
  for (const segment of prefix) {
    const known = node.children.get(segment);
    const child = known ?? emptyNode<T>();
    if (!known) node.children.set(segment, child);
    node = child;
  }
  return node;
}
