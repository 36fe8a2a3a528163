import { globSync, readFileSync } from 'node:fs';
import { explain } from '../../src/domain/explain/explain.ts';
import type { Finding } from '../../src/domain/findings/finding.ts';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { findingsBelow, type StoredString } from './stored-strings.ts';

/** Stored strings with a sentence of ours in them, in somebody's words too: those that our sources have, and the findings explained. */
export function storedSentences(events: readonly LedgerEvent[], strings: readonly StoredString[]): readonly object[] {
  const texts = new Map(strings.filter(({ value }) => /\s/.test(value)).map((one) => [one.value, one]));
  const sentences = [...sentencesOfSources(), ...new Set(events.flatMap(findingsBelow).flatMap(renderings))];
  return [...texts.values()].flatMap(({ type, path, value }) => {
    const sentence = sentences.find((one) => value.includes(one));
    return sentence === undefined ? [] : [{ type, path, value, sentence }];
  });
}

/** The finding in words, cut where it quotes somebody, without what is too short for a sentence, such as `exit 1`. */
function renderings(finding: Finding): readonly string[] {
  const { detail, fix = '' } = explain(quoting(finding));
  return [detail, fix]
    .flatMap((text) => text.split(quote))
    .map((text) => text.trim())
    .filter((text) => wordCount(text) >= 3);
}

const quote = '\u{1f5e8}';

/** The same with a mark for whatever anybody said. */
function quoting<T>(value: T, isQuote = false): T {
  if (typeof value === 'string') return (isQuote ? quote : value) as T;
  if (Array.isArray(value)) return value.map((item) => quoting(item, isQuote)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, quoting(field, key === 'words')])) as T;
}

let known: readonly string[] | null = null;

/** What is written in our sources: texts of four words and more, without what is filled in. */
function sentencesOfSources(): readonly string[] {
  const files = globSync('src/**/*.ts').filter((file) => !file.endsWith('.test.ts'));
  known ??= [...new Set(files.flatMap((file) => textsIn(readFileSync(file, 'utf8'))))];
  return known;
}

/** Comments are matched to be skipped: they have quotes of their own. */
const literal = /\/\*[\s\S]*?\*\/|\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\[\s\S])*`/g;

const textsIn = (source: string): readonly string[] =>
  [...source.matchAll(literal)]
    .map(([text]) => text)
    .filter((text) => !text.startsWith('/'))
    .flatMap((text) => text.slice(1, -1).split(/\$\{[^}]*\}|\\n/))
    .map((text) => text.replaceAll(/\\(['"`])/g, '$1').trim())
    .filter((text) => wordCount(text) >= 4);

const wordCount = (text: string): number => text.trim().split(/\s+/).length;
