import { parsePattern } from '../domain/scope/pattern.ts';

/**
 * Splits a goal into its clauses: items of a list, sentences, and text after a comma, `and` or `then` that begins with a verb of its own.
 * Text in quotes, back-ticks or brackets is never cut. Every goal has at least one clause.
 */
export function clausesOf(goal: string): readonly string[] {
  const clauses = blocksOf(goal).flatMap(sentencesOf);
  return clauses.length === 0 ? [goal.trim()] : clauses;
}

/** Items of lists, and paragraphs. A line that only introduces a list is left out. */
function blocksOf(goal: string): readonly string[] {
  const blocks: string[] = [];
  let open = false;
  for (const line of goal.split('\n').map((one) => one.trim())) {
    const item = bullet.exec(line)?.[1];
    if (item !== undefined && blocks.at(-1)?.endsWith(':')) blocks.pop();
    if (item !== undefined) blocks.push(item);
    else if (open && line !== '') blocks.push(`${blocks.pop()} ${line}`);
    else if (line !== '') blocks.push(line);
    open = line !== '';
  }
  return blocks;
}
const bullet = /^(?:[-*•‣]|\d{1,3}[.)])\s+(\S.*)$/u;

/** Goals come from anyone: runs of one character must not take longer than their length. */
function sentencesOf(block: string): readonly string[] {
  const text = block.replaceAll(/\s{2,}/gu, ' ');
  const masked = text.replaceAll(untouchable, (match) => '\u{e000}'.repeat(match.length));
  const cuts = [...masked.matchAll(separator)].map(({ index, 0: match }) => ({
    from: index,
    to: index + match.length,
  }));
  const starts = [0, ...cuts.map(({ to }) => to)];
  const ends = [...cuts.map(({ from }) => from), text.length];
  return starts
    .map((start, at) =>
      withoutEnd(text.slice(start, ends[at]).replace(/^[\s,;]*(?:(?:and\s)?then\b[\s,]*)?/iu, ''), ' .,;:'),
    )
    .filter((clause) => /[\p{L}\p{N}]/u.test(clause));
}

const untouchable =
  /`[^`]{0,500}`|"[^"]{0,500}"|“[^“”]{0,500}”|«[^«»]{0,500}»|\([^()]{0,500}\)|\b(?:e\.g|i\.e|etc|vs|cf)\./gu;

const verbs =
  'add adjust analyse analyze audit build configure convert create delete deploy disable document enable expose explain extend extract find fix implement improve integrate introduce investigate make migrate modify move optimise optimize prepare prove publish refactor remove rename replace rewrite simplify translate understand update upgrade validate verify wire write';
/** Also nouns: verbs only before what they are done to. */
const either =
  'benchmark change check clean design lint measure release report review run scan search split support test use';
const begins = `(?:(?:${verbs.replaceAll(' ', '|')})\\b|(?:${either.replaceAll(' ', '|')}) (?:the|a|an|it|its|them|all|each|every|both|that|this|how|whether|for|in|with|by)\\b)`;
const separator = new RegExp(
  [
    '[.!?;]{1,3}\\s|[。！？；]+\\s?',
    ',?\\s(?:and\\s)?then,?\\s(?=\\S)',
    `\\s?,\\s?(?:and\\s)?(?:also\\s)?(?=${begins})`,
    `\\sand\\s(?:also\\s)?(?=${begins})`,
  ].join('|'),
  'giu',
);

/** Returns the text without these characters at its end. */
function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text[end - 1] ?? '')) end -= 1;
  return text.slice(0, end);
}

/** Returns the paths and patterns that a text plainly names, each once, in their order. Words that could be anything else are left out. */
export function pathsIn(text: string): readonly string[] {
  const tokens = text.split(/[\s,;()<>"'`«»“”‘’]+/u).map((token) => withoutEnd(token, '.:!?…'));
  return [...new Set(tokens.map((token) => token.replace(/^\.\//, '')).filter(isPath))];
}

/** Returns a text without the paths that it names: the rest tells the kind of work. */
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

/** Returns the words of a text in lower case, without punctuation, to be compared with keywords. */
export function wordsOf(text: string): readonly string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}

/**
 * True when a text has a keyword, as whole words in this order. Words of four letters and more also count with the usual English endings,
 * articles may stand between the words of a phrase, and `profil*` means every word that begins so.
 */
export function mentions(words: readonly string[], keyword: string): boolean {
  const key = keyword
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}*]+/u)
    .filter((word) => word !== '');
  return key.length > 0 && words.some((_, at) => phraseAt(words, at, key));
}

function phraseAt(words: readonly string[], start: number, key: readonly string[]): boolean {
  let at = start;
  return key.every((word, index) => {
    while (index > 0 && articles.has(words[at] ?? '')) at += 1;
    return isWord(words[at++] ?? '', word);
  });
}

function isWord(word: string, key: string): boolean {
  if (key.endsWith('*')) return key.length > 1 && word.startsWith(key.slice(0, -1));
  if (word === key) return true;
  if (key.length < 4) return false;
  if (word.startsWith(key)) return endings.has(word.slice(key.length));
  // policy, policies
  if (key.endsWith('y') && word === `${key.slice(0, -1)}ies`) return true;
  // cache, caching
  return key.endsWith('e') && word.startsWith(key.slice(0, -1)) && word.slice(key.length - 1) === 'ing';
}

const articles: ReadonlySet<string> = new Set(['the', 'a', 'an']);
const endings: ReadonlySet<string> = new Set(['s', 'es', 'd', 'ed', 'ing', 'er', 'ers']);
