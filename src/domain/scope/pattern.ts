import { foldPath, normalisePath } from '../base/path-fold.ts';
import { err, ok, type Result } from '../base/result.ts';
import { type Automaton, accepts, build, commonWord } from './pattern-automaton.ts';

/**
 * Paths that a task speaks of: segments with `*` and `?`, whole segments `**`, a trailing `/` for everything below.
 * Nothing else, so that the intersection of two patterns can be decided exactly and without looking at files.
 * A trailing `**` or `/` needs at least one segment below; any other `**` stands for zero or more segments.
 */
export type Pattern = {
  readonly text: string;
  /** Whole literal segments before the first wildcard, folded: what an index may be built on. */
  readonly prefix: readonly string[];
  /** True when nothing but a path equal to `prefix` matches. */
  readonly literal: boolean;
  /** True when everything below `prefix` matches, and nothing else. */
  readonly below: boolean;
  /** What the last segment of every match begins and ends with, folded. */
  readonly last: { readonly head: string; readonly tail: string };
  /** As written, in NFC. */
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

/** Most patterns are settled by their prefix alone, so automata are built when first asked for. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
