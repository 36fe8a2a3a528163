import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  visit,
} from 'yaml';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { Finding, FindingOf } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import { type Place, type PlanProblem, placed } from '../../domain/plan/plan-draft.ts';

const sourceLimit = 1024 * 1024;
/** The most that an agent is given at once. */
const commentLimit = 64 * 1024;

type SourceText = { readonly ok: true; readonly text: string } | { readonly ok: false; readonly finding: Unread };

type Unread = FindingOf<'file-missing' | 'not-a-file' | 'file-too-large' | 'not-utf-8' | 'file-unreadable'>;

/** Reads a file that a person wrote. A file that is not UTF-8 text of a sensible size is a finding, never repaired. */
export async function readSource(path: string, shown: string): Promise<SourceText> {
  const of = { file: shown, where: shown };
  const fail = (finding: Unread): SourceText => ({ ok: false, finding });
  try {
    // Non-blocking, so that a FIFO is seen for what it is instead of being waited for.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await file.stat();
    if (!stat.isFile()) return fail({ rule: 'not-a-file', isDirectory: stat.isDirectory(), ...of });
    if (stat.size > sourceLimit) return fail({ rule: 'file-too-large', bytes: stat.size, most: sourceLimit, ...of });
    return { ok: true, text: decode(await file.readFile()).replaceAll('\r\n', '\n') };
  } catch (error) {
    if (error instanceof TypeError) return fail({ rule: 'not-utf-8', ...of });
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return fail({ rule: 'file-missing', ...of });
    if (code === 'EACCES' || code === 'EPERM') return fail({ rule: 'file-unreadable', fault: 'denied', ...of });
    if (code === 'ELOOP' || code === 'ENAMETOOLONG' || code === 'ERR_INVALID_ARG_VALUE')
      return fail({ rule: 'file-unreadable', fault: 'path', ...of });
    throw error;
  }
}

/** Reads a person's comments for an agent, from a file or, for `-`, from standard input. */
export async function readComments(
  file: string,
  cwd: string,
  input: NodeJS.ReadStream,
): Promise<Result<string, string>> {
  const read = file === '-' ? await readInput(input) : await readSource(resolve(cwd, file), file);
  if (!read.ok) return err('finding' in read ? explain(read.finding).detail : read.error);
  const text = 'text' in read ? read.text : read.value;
  const bytes = Buffer.byteLength(text);
  const name = file === '-' ? standardInput : file;
  return bytes > commentLimit ? err(`${name} has ${bytes} bytes. An agent gets at most ${commentLimit}.`) : ok(text);
}

const standardInput = 'standard input';

async function readInput(input: NodeJS.ReadStream): Promise<Result<string, string>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of input) {
    chunks.push(Buffer.from(chunk));
    size += chunk.length;
    if (size > commentLimit) break;
  }
  try {
    return ok(decode(Buffer.concat(chunks)));
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // a text that was cut in the middle of a character is too long, not wrong
    const fault = size > commentLimit ? `has more than ${commentLimit} bytes` : 'is not valid UTF-8';
    return err(`${standardInput} ${fault}`);
  }
}

const decode = (bytes: Buffer): string => new TextDecoder('utf-8', { fatal: true }).decode(bytes);

/**
 * Returns the file that `path` names from `directory`, if it lies in the repository: by its spelling, and by where links lead.
 * A file that does not exist counts by its spelling; reading it will say that it is missing.
 */
export async function insideRepository(root: string, directory: string, path: string): Promise<string | null> {
  if (isAbsolute(path) || path.includes('\0')) return null;
  const spelled = resolve(directory, path);
  if (!isWithin(root, spelled)) return null;
  const real = await realpath(spelled).catch(nullIfMissing);
  return real === null || isWithin(await realpath(root), real) ? spelled : null;
}

function nullIfMissing(error: unknown): null {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP' || code === 'ENAMETOOLONG' || code === 'EACCES')
    return null;
  throw error;
}

/** Returns a path as people write it: from the root, with `/`. */
export const pathFromRoot = (root: string, path: string): string => relative(root, path).split(sep).join('/') || '.';

export function isWithin(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || !(way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way));
}

export const fromRoot = (root: string, path: string): string => (isAbsolute(path) ? path : join(root, path));

/** A parsed file that still knows the line and column of each value. */
export type YamlDocument = {
  readonly value: unknown;
  /** `file:line:column` of a value or key; of its nearest ancestor when it is not there. */
  where(place: Place, at?: 'key' | 'value'): string;
  finding(problem: PlanProblem): Finding;
};

/** Syntax errors leave nothing to look at; duplicate keys do, so the rest is judged along with them. */
export function readYaml(text: string, shown: string): { document: YamlDocument | null; findings: readonly Finding[] } {
  const lines = new LineCounter();
  const deep = tooDeepAt(text);
  if (deep !== null) return { document: null, findings: [tooDeep(text, deep, shown)] };
  const parsed = parseDocument(text, { lineCounter: lines, stringKeys: true, logLevel: 'error' });
  const position = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${shown}:${line}:${col}`;
  };
  const findings = [...parsed.errors, ...parsed.warnings].map((error): Finding => {
    const where = position(error.pos[0]);
    if (error.code === 'DUPLICATE_KEY') return { rule: 'duplicate-key', where };
    const [line = ''] = error.message.split('\n');
    const words = boundedWords(line.replace(/ at line \d+, column \d+:$/, ''), 300);
    return { rule: 'yaml-syntax', code: error.code, words, where };
  });
  findings.push(...aliasFindings(parsed, position));
  if (findings.some((finding) => finding.rule !== 'duplicate-key')) return { document: null, findings };
  const value = expanded(parsed);
  if (value === bomb) {
    findings.push({ rule: 'yaml-alias', fault: 'expands', where: position(0) });
    return { document: null, findings };
  }
  const where = (place: Place, at: 'key' | 'value' = 'value') => position(offsetOf(parsed, place, at));
  const finding = (problem: PlanProblem): Finding => placed(problem, where(problem.place, problem.at));
  return { document: { value, where, finding }, findings };
}

function tooDeep(text: string, offset: number, shown: string): Finding {
  const before = text.slice(0, offset).split('\n');
  return { rule: 'yaml-depth', most: deepestYaml, where: `${shown}:${before.length}:${before.at(-1)?.length ?? 0}` };
}

const bomb = Symbol('bomb');

/** Replaces each alias by its value. A few aliases can expand to very much, so there is a limit. */
function expanded(parsed: Document): unknown {
  try {
    return parsed.toJS();
  } catch (error) {
    if (error instanceof ReferenceError) return bomb;
    throw error;
  }
}

/** An alias without an anchor, or inside its own anchor, has no value; too many of them are a bomb. */
function aliasFindings(parsed: Document, position: (offset: number) => string): readonly Finding[] {
  const findings: Finding[] = [];
  let count = 0;
  visit(parsed, {
    Alias(_, alias, ancestors) {
      const where = position(alias.range?.[0] ?? 0);
      const source = alias.resolve(parsed);
      count++;
      if (source === undefined) findings.push({ rule: 'yaml-alias', fault: 'no-anchor', alias: alias.source, where });
      else if (ancestors.includes(source))
        findings.push({ rule: 'yaml-alias', fault: 'contains-itself', alias: alias.source, where });
      else if (count === aliasLimit + 1)
        findings.push({ rule: 'yaml-alias', fault: 'too-many', most: aliasLimit, where });
    },
  });
  return findings;
}

/** The limit of `toJS` before it takes a document for a bomb. */
const aliasLimit = 90;

function offsetOf(parsed: Document, place: Place, at: 'key' | 'value'): number {
  let node: Node | null = parsed.contents as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (const [index, step] of place.entries()) {
    const last = index === place.length - 1;
    const container: Node | null | undefined = isAlias(node) ? (node.resolve(parsed) as Node | undefined) : node;
    if (isMap(container)) {
      const pair = container.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (!pair) return offset;
      const key = isNode(pair.key) ? (pair.key.range?.[0] ?? offset) : offset;
      node = isNode(pair.value) ? pair.value : null;
      const empty = node === null || (isScalar(node) && node.value === null && node.range?.[0] === node.range?.[1]);
      // A nested block is best shown by its key.
      offset = empty || isMap(node) || (last && at === 'key') ? key : (node?.range?.[0] ?? key);
    } else if (isSeq(container)) {
      const item = container.items[Number(step)];
      if (!isNode(item)) return offset;
      node = item;
      offset = item.range?.[0] ?? offset;
    } else return offset;
  }
  return offset;
}

/** Deeper than anything that a person has a reason to write; far below where the parser runs out of stack. */
const deepestYaml = 100;

/** Returns the offset at which lists and mappings nest too deep. Null when they do not. Reads no further than there. */
export function tooDeepAt(text: string): number | null {
  const parser = new Parser();
  for (const lexeme of new Lexer().lex(text)) {
    for (const _ of parser.next(lexeme));
    // The document itself, the collections that are open, and a value.
    if (parser.stack.length > deepestYaml + 2) return parser.offset;
  }
  return null;
}
