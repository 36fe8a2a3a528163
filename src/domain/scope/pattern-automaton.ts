/**
 * A non-deterministic automaton over code points; state 0 is the start. It has no empty moves, and `*` is a loop,
 * so its size is linear in the pattern and both questions below are polynomial whatever the pattern is.
 */
export type Automaton = { readonly edges: readonly (readonly Edge[])[]; readonly final: number };
type Edge = { readonly on: Symbols; readonly to: number };
/** One code point, any but `/`, or what may follow a base character when a single character is decomposed. */
type Symbols = string | typeof any | typeof extender;
const any = 0;
const extender = 1;

export function build(
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

export function accepts(automaton: Automaton, path: string): boolean {
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
export function commonWord(a: Automaton, b: Automaton): string | null {
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

/** Where a segment stands: nothing yet, `.`, `..`, or a name. Only a name may be followed by `/` or the end. */
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
 * A code point that both stand for; a plain letter where anything will do. An extender is met only by a written one:
 * a wildcard that would stand for it stands for the whole composed character as well.
 */
function common(a: Symbols, b: Symbols): string | null {
  if (typeof a === 'string') return meets(b, a) ? a : null;
  if (typeof b === 'string') return meets(a, b) ? b : null;
  return a === any && b === any ? 'a' : null;
}

/** Combining marks, and the vowels and finals that a Hangul syllable decomposes to. */
const extends_ = /^[\p{M}\u1160-\u11ff]$/u;
