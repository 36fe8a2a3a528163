import { foldPath, normalisePath } from '../base/paths.ts';
import { err, ok, type Result } from '../base/result.ts';

/**
 * A pattern of paths: segments with `*` and `?`, whole segments `**`, a trailing `/` for everything below.
 * Nothing else, so that the intersection of two patterns can be decided exactly and without looking at files.
 * A trailing `**` or `/` needs at least one segment below; any other `**` matches zero or more segments.
 */
export type Pattern = {
  readonly text: string;
  /** Whole literal segments before the first wildcard, folded: an index may be built on them. */
  readonly prefix: readonly string[];
  /** True when nothing but a path equal to `prefix` matches. */
  readonly literal: boolean;
  /** True when everything below `prefix` matches, and nothing else. */
  readonly below: boolean;
  /** The beginning and end of the last segment of every match, folded. */
  readonly last: { readonly head: string; readonly tail: string };
  /** The text as written, in NFC. */
  readonly exact: () => Automaton;
  /** Under case folding and normalisation. */
  readonly folded: () => Automaton;
};

/** Why a text is not a pattern. */
export type PatternFault =
  | {
      readonly reason:
        | 'empty'
        | 'absolute'
        | 'parent'
        | 'empty-segment'
        | 'backslash'
        | 'partial-globstar'
        | 'control-character';
    }
  | { readonly reason: 'too-long'; readonly most: number }
  | { readonly reason: 'unsupported'; readonly token: string };

const patternLimit = 256;

export function parsePattern(text: string): Result<Pattern, PatternFault> {
  const fault = faultIn(text);
  if (fault) return err(fault);
  const segments = normalisePath(text.endsWith('/') ? `${text}**` : text).split('/');
  const wild = segments.findIndex(hasWildcard);
  return ok({
    text,
    prefix: segments.slice(0, wild < 0 ? segments.length : wild).map(foldPath),
    literal: wild < 0,
    below: wild === segments.length - 1 && segments[wild] === '**',
    last: {
      head: foldPath(/^[^*?]*/.exec(segments.at(-1) ?? '')?.[0] ?? ''),
      tail: foldPath(/[^*?]*$/.exec(segments.at(-1) ?? '')?.[0] ?? ''),
    },
    exact: once(() => build(segments, 'exact')),
    folded: once(() => build(segments.map(foldPath), 'folded')),
  });
}

/** For text that was parsed before, such as the patterns of a frozen plan. */
export function pattern(text: string): Pattern {
  const parsed = parsePattern(text);
  if (!parsed.ok) throw new Error(`Not a pattern: ${JSON.stringify(text)}: ${parsed.error.reason}`);
  return parsed.value;
}

/** Exactly this path, also when its name holds characters that patterns give a meaning to. */
export function literalPattern(path: string): Pattern {
  const segments = normalisePath(path).split('/');
  const prefix = segments.map(foldPath);
  return {
    text: path,
    prefix,
    literal: true,
    below: false,
    last: { head: prefix.at(-1) ?? '', tail: prefix.at(-1) ?? '' },
    exact: once(() => build(segments, 'exact', 'literal')),
    folded: once(() => build(prefix, 'folded', 'literal')),
  };
}

/** Case counts, normalisation does not. */
export const matches = (one: Pattern, path: string): boolean => accepts(one.exact(), normalisePath(path));

/** Also true for a path that some file system takes for one that matches. */
export const matchesFolded = (one: Pattern, path: string): boolean => accepts(one.folded(), foldPath(path));

/** A path that both match, or null when there is none. `spelling` says whether it takes case folding to see it. */
export function intersect(
  a: Pattern,
  b: Pattern,
): { readonly witness: string; readonly spelling: 'exact' | 'folded' } | null {
  if (areApart(a, b)) return null;
  const exact = commonWord(a.exact(), b.exact());
  if (exact !== null) return { witness: exact, spelling: 'exact' };
  const folded = commonWord(a.folded(), b.folded());
  return folded === null ? null : { witness: folded, spelling: 'folded' };
}

/** Settles most pairs without an automaton: they begin in other directories, or end in other names. */
function areApart(a: Pattern, b: Pattern): boolean {
  const shared = Math.min(a.prefix.length, b.prefix.length);
  for (let index = 0; index < shared; index++) if (a.prefix[index] !== b.prefix[index]) return true;
  const { head, tail } = a.last;
  return (
    !(head.startsWith(b.last.head) || b.last.head.startsWith(head)) ||
    !(tail.endsWith(b.last.tail) || b.last.tail.endsWith(tail))
  );
}

function faultIn(text: string): PatternFault | null {
  if (text === '') return { reason: 'empty' };
  if (text.length > patternLimit) return { reason: 'too-long', most: patternLimit };
  if (text.startsWith('/')) return { reason: 'absolute' };
  if (text.includes('\\')) return { reason: 'backslash' };
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) return { reason: 'control-character' };
  const [token] = /[{}[\]]|^!|[@+?*!]\(/.exec(text) ?? [];
  if (token !== undefined) return { reason: 'unsupported', token };
  const segments = (text.endsWith('/') ? text.slice(0, -1) : text).split('/');
  if (segments.includes('')) return { reason: 'empty-segment' };
  if (segments.some((segment) => segment === '..' || segment === '.')) return { reason: 'parent' };
  const isPartial = segments.some((segment) => segment.includes('**') && segment !== '**');
  return isPartial ? { reason: 'partial-globstar' } : null;
}

const hasWildcard = (segment: string): boolean => /[*?]/.test(segment);

/** Most patterns are settled by their prefix alone, so an automaton is built at its first use. */
function once<T>(make: () => T): () => T {
  let cell: { readonly value: T } | undefined;
  return () => {
    cell ??= { value: make() };
    return cell.value;
  };
}

/**
 * Many patterns, each with a value, found by the literal segments they begin with. Only patterns on the way
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

/** Entries by the beginning of their last segment: only prefixes of a name, or of one another, can match it. */
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
      const owners: PatternEntry<T>[] = [];
      let node: Node<T> | undefined = root;
      for (let depth = 0; node; depth++) {
        for (const entries of withPrefixOf(path.name, node))
          for (const entry of entries) if (matchesFrom(entry.pattern, path, depth)) owners.push(entry);
        node = node.children.get(segments[depth] ?? '');
      }
      return owners;
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
  const lists: (readonly PatternEntry<T>[])[] = [];
  if (!wanted || byHead.size === 0) return lists;
  for (let length = 0; length <= name.length; length++) {
    const entries = byHead.get(name.slice(0, length));
    if (entries) lists.push(entries);
  }
  return lists;
}

function nodeAt<T>(root: Node<T>, prefix: readonly string[]): Node<T> {
  let node = root;
  for (const segment of prefix) {
    const child = node.children.get(segment) ?? emptyNode<T>();
    node.children.set(segment, child);
    node = child;
  }
  return node;
}

/**
 * A non-deterministic automaton over code points; state 0 is the start. It has no empty moves, and `*` is a loop,
 * so its size is linear in the pattern and both questions below are polynomial whatever the pattern is.
 */
type Automaton = { readonly edges: readonly (readonly Edge[])[]; readonly final: number };
type Edge = { readonly on: Symbols; readonly to: number };
/** One code point, any but `/`, or what may follow a base character when a single character is decomposed. */
type Symbols = string | typeof any | typeof extender;
const any = 0;
const extender = 1;

function build(
  segments: readonly string[],
  spelling: 'exact' | 'folded',
  wildcards: 'wildcards' | 'literal' = 'wildcards',
): Automaton {
  const wild = wildcards === 'wildcards';
  const edges: Edge[][] = [[]];
  const edge = (from: number, on: Symbols, to: number) => edges[from]?.push({ on, to });
  const state = () => edges.push([]) - 1;
  let at = 0;
  for (const [index, segment] of segments.entries()) {
    const last = index === segments.length - 1;
    if (wild && segment === '**') {
      const inside = state();
      edge(at, any, inside);
      edge(inside, any, inside);
      // A last `**` ends inside a segment; any other returns to the start of the next one, and may be skipped.
      if (!last) {
        edge(inside, '/', at);
        continue;
      }
      const below = state();
      edge(inside, '/', below);
      edge(below, any, inside);
      at = inside;
      continue;
    }
    for (const character of segment) {
      if (wild && character === '*') {
        edge(at, any, at);
        continue;
      }
      const next = state();
      const one = wild && character === '?';
      edge(at, one ? any : character, next);
      if (one && spelling === 'folded') edge(next, extender, next);
      at = next;
    }
    if (!last) {
      const next = state();
      edge(at, '/', next);
      at = next;
    }
  }
  return { edges, final: at };
}

function accepts(automaton: Automaton, path: string): boolean {
  let states = new Set([0]);
  for (const character of path) {
    const next = new Set<number>();
    for (const from of states)
      for (const { on, to } of automaton.edges[from] ?? []) if (meets(on, character)) next.add(to);
    if (next.size === 0) return false;
    states = next;
  }
  return states.has(automaton.final) && isPath(path);
}

/** A shortest path that both accept, found breadth first over the product with the language of well-formed paths. */
function commonWord(a: Automaton, b: Automaton): string | null {
  const width = b.edges.length * shapes;
  const seen = new Uint8Array(a.edges.length * width);
  type Step = { left: number; right: number; shape: number; character: string; before: Step | null };
  const queue: Step[] = [{ left: 0, right: 0, shape: 0, character: '', before: null }];
  for (let head = 0; head < queue.length; head++) {
    const step = queue[head] as Step;
    if (step.left === a.final && step.right === b.final && step.shape === 3) return spell(step);
    for (const left of a.edges[step.left] ?? []) {
      for (const right of b.edges[step.right] ?? []) {
        const character = common(left.on, right.on);
        if (character === null) continue;
        const shape = reshape(step.shape, character);
        const key = left.to * width + right.to * shapes + shape;
        if (shape < 0 || seen[key]) continue;
        seen[key] = 1;
        queue.push({ left: left.to, right: right.to, shape, character, before: step });
      }
    }
  }
  return null;

  function spell(step: Step): string {
    const characters: string[] = [];
    for (let at: Step | null = step; at; at = at.before) characters.push(at.character);
    return characters.reverse().join('');
  }
}

/** The shapes of a segment so far: nothing yet, `.`, `..`, or a name. Only a name may be followed by `/` or the end. */
const shapes = 4;
function reshape(shape: number, character: string): number {
  if (character === '/') return shape === 3 ? 0 : -1;
  return character === '.' && shape < 2 ? shape + 1 : 3;
}

function isPath(path: string): boolean {
  let shape = 0;
  for (const character of path) {
    shape = reshape(shape, character);
    if (shape < 0) return false;
  }
  return shape === 3;
}

function meets(on: Symbols, character: string): boolean {
  if (on === any) return character !== '/';
  return on === extender ? extends_.test(character) : on === character;
}

/**
 * Returns a code point that both match; a plain letter where anything will do. An extender is met only by a written one:
 * a wildcard that would match it matches the whole composed character as well.
 */
function common(a: Symbols, b: Symbols): string | null {
  if (typeof a === 'string') return meets(b, a) ? a : null;
  if (typeof b === 'string') return meets(a, b) ? b : null;
  return a === any && b === any ? 'a' : null;
}

/** Combining marks, and the vowels and finals that a Hangul syllable decomposes to. */
const extends_ = /^[\p{M}\u1160-\u11ff]$/u;
