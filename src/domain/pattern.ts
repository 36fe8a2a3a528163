import { foldPath, normalisePath } from './path-fold.ts';
import { type Automaton, accepts, build, commonWord } from './pattern-automaton.ts';
import { err, ok, type Result } from './result.ts';

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
  /** As written, in NFC. */
  readonly exact: () => Automaton;
  /** Under case folding and normalisation. */
  readonly folded: () => Automaton;
};

export type PatternError = { readonly reason: PatternReason; readonly detail: string };
export type PatternReason =
  | 'empty'
  | 'too-long'
  | 'absolute'
  | 'parent'
  | 'empty-segment'
  | 'backslash'
  | 'unsupported'
  | 'partial-globstar'
  | 'control-character';

export const patternLimit = 256;

export function parsePattern(text: string): Result<Pattern, PatternError> {
  const problem = syntaxProblem(text);
  if (problem) return err(problem);
  const segments = normalisePath(text.endsWith('/') ? `${text}**` : text).split('/');
  const wild = segments.findIndex(hasWildcard);
  return ok({
    text,
    prefix: segments.slice(0, wild < 0 ? segments.length : wild).map(foldPath),
    literal: wild < 0,
    exact: once(() => build(segments, 'exact')),
    folded: once(() => build(segments.map(foldPath), 'folded')),
  });
}

/** For text that was parsed before, such as the patterns of a frozen plan. */
export function pattern(text: string): Pattern {
  const parsed = parsePattern(text);
  if (!parsed.ok) throw new Error(`Not a pattern: ${JSON.stringify(text)}: ${parsed.error.detail}`);
  return parsed.value;
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
  const exact = commonWord(a.exact(), b.exact());
  if (exact !== null) return { witness: exact, spelling: 'exact' };
  const folded = commonWord(a.folded(), b.folded());
  return folded === null ? null : { witness: folded, spelling: 'folded' };
}

function syntaxProblem(text: string): PatternError | null {
  const wrong = (reason: PatternReason, detail: string): PatternError => ({ reason, detail });
  if (text === '') return wrong('empty', 'a pattern must not be empty');
  if (text.length > patternLimit) return wrong('too-long', `a pattern has at most ${patternLimit} characters`);
  if (text.startsWith('/')) return wrong('absolute', 'patterns are relative to the repository: no leading `/`');
  if (text.includes('\\')) return wrong('backslash', 'use `/` between segments; a backslash escapes nothing');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u001f\u007f]/.test(text)) return wrong('control-character', 'control characters are not allowed');
  const special = /[{}[\]]|^!|[@+?*!]\(/.exec(text);
  if (special) return wrong('unsupported', `\`${special[0]}\` is not supported: only \`*\`, \`?\` and \`**\` are`);
  const segments = (text.endsWith('/') ? text.slice(0, -1) : text).split('/');
  if (segments.includes('')) return wrong('empty-segment', 'two slashes in a row');
  if (segments.some((segment) => segment === '..' || segment === '.'))
    return wrong('parent', '`.` and `..` are not allowed');
  if (segments.some((segment) => segment.includes('**') && segment !== '**'))
    return wrong('partial-globstar', '`**` must be a whole segment');
  return null;
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
