import { parsePattern } from '../domain/scope/pattern.ts';
import { withoutEnd } from './clauses.ts';

/** Paths and patterns that a text plainly names, each once, in its order. What could be anything else is left out. */
export function pathsIn(text: string): readonly string[] {
  const tokens = text.split(/[\s,;()<>"'`«»“”‘’]+/u).map((token) => withoutEnd(token, '.:!?…'));
  return [...new Set(tokens.map((token) => token.replace(/^\.\//, '')).filter(isPath))];
}

/** A text without the paths that it names: what is left says what kind of work it is. */
export function withoutPaths(text: string): string {
  return pathsIn(text)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, path) => rest.replaceAll(path, ' '), text);
}

function isPath(token: string): boolean {
  if (!/^[\p{L}\p{N}._@*?/-]+$/u.test(token) || !parsePattern(token).ok) return false;
  const segments = token.replace(/\/$/, '').split('/');
  const last = segments.at(-1) ?? '';
  if (['.git', '.tidegate'].includes((segments[0] ?? '').toLowerCase())) return false;
  if (segments.length === 1) return token.endsWith('/') ? /^[\w.-]+\/$/.test(token) : isFileName(last);
  // `and/or`, `5/min`, `TCP/IP` are no paths; `src/login`, `docs/api.md`, `a/b/` are
  return token.endsWith('/') || isFileName(last) || last === '**' || folders.has(segments[0] ?? '');
}

/** `Node.js` and `v1.2` are no files. */
const isFileName = (name: string): boolean =>
  !/^(?:[A-Z][a-z]+\.js|v?\d+(?:\.\d+)*)$/.test(name) &&
  (/^(?:Dockerfile|Makefile|LICENSE|\.[a-z]+(?:rc|ignore))$/.test(name) ||
    extensions.has(/[^.]\.([a-z0-9]+)$/i.exec(name)?.[1]?.toLowerCase() ?? ''));

const extensions: ReadonlySet<string> = new Set(
  'bash c cc conf cpp cs css csv dart env ex exs go gradle graphql h hpp html ini java js json jsonc jsx kt less lock lua md mdx mjs ml mts php pl prisma proto py r rb rs rst sass scala scss sh sql svelte svg swift tf toml ts tsx txt vue xml yaml yml zig'.split(
    ' ',
  ),
);
const folders: ReadonlySet<string> = new Set(
  '.github app apps bin cmd config crates deploy doc docs e2e infra internal lib migrations packages pkg public scripts server spec src test tests tools web'.split(
    ' ',
  ),
);
