import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { parseSync } from 'rolldown/utils';

/**
 * `npm run strings` lists every string of src/ that a person may read, with its file and line. `--write` keeps the texts in
 * test/strings.golden.txt, so that a review shows every changed word. `--check` lists what breaks the rules below.
 */
export type Text = { readonly file: string; readonly line: number; readonly text: string };

export const goldenFile = 'test/strings.golden.txt';

/** The golden file holds texts only: moving a string changes nothing in it. */
export const goldenText = (texts: readonly Text[]): string =>
  `${[...new Set(texts.map(({ text }) => text.replaceAll('\n', '\\n')))].sort().join('\n')}\n`;

/** What a machine can check of how English reads here. The pattern of each rule matches what we do not write. */
const wording: Readonly<Record<string, RegExp>> = {
  'everyday words':
    /\b(?:whom|told|mended|is through|are through|was through|at work|stands(?! for\b(?! [\d$]))|goes on|brings? on|in the way)\b/i,
  'name the thing that is meant': /\bwhat is (?:asked|meant|wanted)\b|\bwhat was (?:asked|said)\b|waits for you for/i,
  'no relative clause that begins with what or who': /(?:^|(?<!\d)[.;] )(?:what|who|whom|whose) (?!.*\?)/i,
  'people count waves from 1': /\bwave 0\b/,
};
const layout: Readonly<Record<string, RegExp>> = {
  'at most three lines': /\n[^\n]+\n[^\n]+\n[^\n]/,
  'one space between words': /[a-z,.] {2,}[a-z]/,
};

export type Violation = Text & { readonly rule: string };

/** Strings that break a rule. Prompts, examples, usages and files that we write may have more than three lines. */
export const wordingViolations = (texts: readonly Text[]): readonly Violation[] =>
  texts.flatMap((each) =>
    Object.entries({ ...wording, ...(isLong(each.file) ? {} : layout) })
      .filter(([, pattern]) => pattern.test(withoutCode(each.text)))
      .map(([rule]) => ({ ...each, rule })),
  );

/** Names and commands in backticks are not English. */
const withoutCode = (text: string): string => text.replaceAll(/`[^`]*`/g, '`x`');

const isLong = (file: string): boolean =>
  /prompt|directive|brief|fence-client|completion|usage|help|mcp|mail|init-files|commands\/|agents\/|relay|plan-view/.test(
    file,
  );

/** Comments that break a rule. One that is about a question may begin with its word if it ends with its mark. */
export const commentViolations = (comments: readonly Text[]): readonly Violation[] =>
  comments.flatMap((each) => {
    const begins = /^(?:What|Who|Whom|Whose)\b(?!.*\?$)/.test(each.text) ? ['begin with the subject'] : [];
    const words = wording['everyday words']?.test(each.text) ? ['everyday words'] : [];
    return [...begins, ...words].map((rule) => ({ ...each, rule }));
  });

/** Every string with a space, or with a mark at its end, and every doc comment, in sources that are no tests. */
export function textsOf(root = '.'): { readonly strings: readonly Text[]; readonly comments: readonly Text[] } {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) => !/\.test\.tsx?$/.test(file));
  const parsed = files.sort().map((file) => textsIn(file, readFileSync(`${root}/${file}`, 'utf8')));
  return { strings: parsed.flatMap(({ strings }) => strings), comments: parsed.flatMap(({ comments }) => comments) };
}

type Node = { readonly type: string; readonly start: number } & Readonly<Record<string, unknown>>;

function textsIn(file: string, source: string) {
  const { program, comments, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const at = (start: number, text: string): Text => ({ file, line: source.slice(0, start).split('\n').length, text });
  return {
    strings: [...stringsBelow(program.body)]
      .filter(({ text }) => isForPeople(text))
      .map(({ start, text }) => at(start, text)),
    comments: comments.map(({ start, value }) =>
      at(
        start,
        value
          .replaceAll(/^\*+|\n\s*\* ?/g, ' ')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    ),
  };
}

const isForPeople = (text: string): boolean =>
  (hasWords(text) || /^[A-Z][a-z]+[.?!:…]$/.test(text)) && !isForMachines(text);

const hasWords = (text: string): boolean =>
  /[A-Za-z]{2}[^A-Za-z{}]* [^A-Za-z{}]*[A-Za-z]{2}|\b[Aa] [a-z]{2}|\{\} [a-z]{2}|[a-z]{2}:? \{\}/.test(text);

/** SQL, markup, shell, configuration, arguments of programs and tables of names. */
const isForMachines = (text: string): boolean =>
  /^\s*(?:select|insert|update \w+ set|delete from|create (?:table|index|trigger)|alter|drop table|pragma|begin immediate|with \w+ as|attach database|vacuum)\b/i.test(
    text,
  ) ||
  /^\s*<|^\* |;\s*\}|\{\s*$|%\(|\$\(|^\n? *\[\w+\]|^#!|^set -|^HTTP|\bmark :|^if read/.test(text) ||
  (/^--|=\d|^(?:git|exec|printf) /.test(text) && !/(?:\b[a-z]{1,} ){3}/.test(text)) ||
  (text.split(/\s/).length > 30 && !/[.,] /.test(text));

/** What is filled in is written as {}. Types, imports and keys of properties are left out. */
function* stringsBelow(value: unknown): Generator<{ readonly start: number; readonly text: string }> {
  if (Array.isArray(value)) for (const item of value) yield* stringsBelow(item);
  if (!isNode(value) || value.type.startsWith('TSLiteral') || /^(?:Import|ExportAll)Declaration$/.test(value.type))
    return;
  if (value.type === 'Literal' && typeof value['value'] === 'string')
    yield { start: value.start, text: value['value'] };
  if (value.type === 'TemplateLiteral') {
    const parts = value['quasis'] as readonly { readonly value: { readonly cooked: string } }[];
    yield { start: value.start, text: parts.map((part) => part.value.cooked).join('{}') };
  }
  for (const key of Object.keys(value)) if (key !== 'quasis') yield* stringsBelow(value[key]);
}

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

if (import.meta.main) {
  const { strings, comments } = textsOf();
  const shown = (text: string): string => text.replaceAll('\n', '\\n');
  if (process.argv.includes('--write')) writeFileSync(goldenFile, goldenText(strings));
  else if (process.argv.includes('--check'))
    for (const { file, line, rule, text } of [...wordingViolations(strings), ...commentViolations(comments)])
      console.log(`${file}:${line}: ${rule}: ${shown(text)}`);
  else for (const { file, line, text } of strings) console.log(`${file}:${line}: ${shown(text)}`);
}
