/** Says whether a path, as `bytes(path)`, matches. */
export type Match = (path: string) => boolean;

/** One character per byte: git's `?` and `[…]` stand for one byte, also inside of an umlaut. */
export const bytes = (text: string): string => Buffer.from(text).toString('latin1');

type Token =
  | { readonly kind: 'one'; readonly accepts: (character: string) => boolean }
  /** `*`: any bytes but a slash. */
  | { readonly kind: 'star' }
  /** `**` at the end of the pattern, or in front of a slash: any bytes. */
  | { readonly kind: 'all' }
  /** Goes on with the next token, or leaves out the next two: the `all` and slash of a `**` that stands for nothing. */
  | { readonly kind: 'maybe' };

/**
 * Git's wildmatch with WM_PATHNAME. All positions of the pattern are followed at once, so that no pattern, however
 * hostile, takes longer than its length times the path's.
 */
export function wildmatch(pattern: string): Match {
  const tokens = tokenise(pattern);
  if (tokens === null) return () => false;
  return (path) => {
    let states = reach(tokens, new Set([0]));
    for (const character of path) {
      states = reach(tokens, step(tokens, states, character));
      if (states.size === 0) return false;
    }
    return states.has(tokens.length);
  };
}

function step(tokens: readonly Token[], states: ReadonlySet<number>, character: string): Set<number> {
  const next = new Set<number>();
  for (const state of states) {
    const token = tokens[state];
    if (token === undefined) continue;
    if (token.kind === 'one') {
      if (token.accepts(character)) next.add(state + 1);
    } else if (token.kind === 'star') {
      if (character !== '/') next.add(state);
    } else if (token.kind === 'all') next.add(state);
  }
  return next;
}

/** Adds the states that are reached without a character. */
function reach(tokens: readonly Token[], states: Set<number>): Set<number> {
  for (const state of states) {
    const kind = tokens[state]?.kind;
    if (kind !== undefined && kind !== 'one') states.add(state + 1);
    if (kind === 'maybe') states.add(state + 3);
  }
  return states;
}

/** Null for a pattern that can match nothing: an open bracket or a backslash at its end. */
function tokenise(pattern: string): readonly Token[] | null {
  const tokens: Token[] = [];
  // Git compares the plain beginning by itself, so that a `**` right behind it counts as one at the start.
  const plain = pattern.search(/[*?[\\]/);
  let at = 0;
  while (at < pattern.length) {
    const character = pattern[at] ?? '';
    if (character === '*') {
      let end = at;
      while (pattern[end] === '*') end += 1;
      const whole = end - at > 1 && (at === plain || pattern[at - 1] === '/');
      if (whole && end === pattern.length) tokens.push({ kind: 'all' });
      else if (whole && pattern[end] === '/') {
        tokens.push({ kind: 'maybe' }, { kind: 'all' }, { kind: 'one', accepts: (other) => other === '/' });
        end += 1;
      } else tokens.push({ kind: 'star' });
      at = end;
    } else if (character === '?') {
      tokens.push({ kind: 'one', accepts: (other) => other !== '/' });
      at += 1;
    } else if (character === '[') {
      const set = bracket(pattern, at + 1);
      if (set === null) return null;
      tokens.push({ kind: 'one', accepts: set.accepts });
      at = set.end;
    } else {
      const literal = character === '\\' ? pattern[at + 1] : character;
      if (literal === undefined) return null;
      tokens.push({ kind: 'one', accepts: (other) => other === literal });
      at += character === '\\' ? 2 : 1;
    }
  }
  return tokens;
}

const posix: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what the class means
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t-\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
};

/** A bracket expression from behind its `[`; null when it does not end or names an unknown class. */
function bracket(pattern: string, start: number): { accepts: (character: string) => boolean; end: number } | null {
  const negated = pattern[start] === '!' || pattern[start] === '^';
  const members: ((character: string) => boolean)[] = [];
  let at = negated ? start + 1 : start;
  let previous = '';
  do {
    const character = pattern[at];
    if (character === undefined) return null;
    const next = pattern[at + 1];
    if (character === '-' && previous !== '' && next !== undefined && next !== ']') {
      const last = next === '\\' ? pattern[at + 2] : next;
      if (last === undefined) return null;
      const first = previous;
      members.push((other) => other >= first && other <= last);
      at += next === '\\' ? 3 : 2;
      previous = '';
    } else if (character === '[' && next === ':') {
      const end = pattern.indexOf(']', at + 2);
      const name = pattern[end - 1] === ':' ? pattern.slice(at + 2, end - 1) : null;
      const known = name === null ? undefined : posix[name];
      if (end < 0 || (name !== null && known === undefined)) return null;
      members.push(known === undefined ? (other) => other === '[' : (other) => known.test(other));
      at = known === undefined ? at + 1 : end + 1;
      previous = known === undefined ? '[' : '';
    } else {
      const literal = character === '\\' ? next : character;
      if (literal === undefined) return null;
      members.push((other) => other === literal);
      at += character === '\\' ? 2 : 1;
      previous = literal;
    }
  } while (pattern[at] !== ']');
  const accepts = (other: string) => other !== '/' && members.some((member) => member(other)) !== negated;
  return { accepts, end: at + 1 };
}
