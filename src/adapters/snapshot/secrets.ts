import type { Finding } from '../../domain/findings/finding.ts';
import type { DiffEntry } from '../../domain/gates/evidence.ts';
import { openFrom, secretSpans } from '../../domain/secrets/secret-shapes.ts';
import { findObject, objectChunks, parsePointer } from '../git/lfs/index.ts';
import type { ObjectReader } from '../git/process/index.ts';
import type { RawDiffEntry, TreeEntry } from '../git/read/index.ts';

/** Finds secrets in content that comes in chunks. The matches stay in here; only the names of rules come out. */
export interface SecretScan {
  push(chunk: Buffer): void;
  /** Rules with a match that `before` does not have: secrets that the base already had are not reported. */
  rulesBeyond(before: SecretScan | null): readonly string[];
  /** All matches, for comparison with another scan. */
  matches(): ReadonlySet<string>;
}

/** The rule of a secret that is known exactly. */
const knownValue = 'known-value';

/** `values` are secrets known exactly (credentials of the run); those under 8 characters would match by chance. */
export function secretScan(values: readonly string[]): SecretScan {
  const exact = values.filter((value) => value.length >= 8).map((value) => Buffer.from(value).toString('latin1'));
  const longest = Math.max(1, ...exact.map(({ length }) => length));
  const ruleOf = new Map<string, string>();
  /** The end of what came: where a value that is known may have begun, and where what looks like a credential has. */
  let ofValues = '';
  let ofShapes = '';
  const lookForShapes = (text: string, upTo: number): void => {
    for (const { rule, from, to } of secretSpans(text)) if (from < upTo) ruleOf.set(text.slice(from, to), rule);
  };
  return {
    push(chunk) {
      const bytes = chunk.toString('latin1');
      const values = ofValues + bytes;
      for (const value of exact) if (values.includes(value)) ruleOf.set(value, knownValue);
      ofValues = values.slice(values.length - longest + 1);
      const text = ofShapes + bytes;
      const open = openFrom(text);
      lookForShapes(text, open);
      // one character stays, because rules ask what is before a match
      ofShapes = text.slice(Math.max(0, open - 1));
    },
    rulesBeyond(before) {
      lookForShapes(ofShapes, ofShapes.length);
      const old = before?.matches() ?? new Set<string>();
      return [...new Set([...ruleOf].filter(([match]) => !old.has(match)).map(([, rule]) => rule))].sort();
    },
    matches() {
      lookForShapes(ofShapes, ofShapes.length);
      return new Set(ruleOf.keys());
    },
  };
}

/**
 * Reports only secrets that the change adds: a match that the base's version of the file has as well is left out. Content that
 * came from an earlier attempt was not read now, so it is taken from the repository, or from an LFS store where the
 * repository holds only a pointer.
 */
export async function secretFindings(input: {
  readonly objects: ObjectReader;
  readonly raw: readonly RawDiffEntry[];
  readonly baseTree: readonly TreeEntry[];
  readonly scans: ReadonlyMap<string, SecretScan>;
  readonly values: readonly string[];
  readonly stores: () => Promise<readonly string[]>;
}): Promise<readonly Finding[]> {
  const scanBlob = async (id: string) => {
    const scan = secretScan(input.values);
    const bytes = (await input.objects.read(id)) ?? Buffer.alloc(0);
    scan.push(bytes);
    const pointer = parsePointer(bytes);
    const object = pointer === null ? null : findObject(await input.stores(), pointer);
    if (object !== null) for await (const chunk of objectChunks(object)) scan.push(chunk);
    return scan;
  };
  const findings: Finding[] = [];
  for (const { path, change, id } of input.raw) {
    if (change === 'deleted') continue;
    const scan = input.scans.get(path) ?? (await scanBlob(id));
    if (scan.matches().size === 0) continue;
    const before = input.baseTree.find((entry) => entry.path === path);
    for (const rule of scan.rulesBeyond(before === undefined ? null : await scanBlob(before.id)))
      findings.push(secretAt(path, rule));
  }
  return findings;
}

export const secretAt = (path: string, rule: string): Finding =>
  rule === knownValue
    ? { rule: knownValue, where: path, in: 'content' }
    : { rule: 'secret-shape', shape: rule, where: path, in: 'content' };

/** Files that hold definitions of checks beside other settings. */
const manifests = new Set([
  ...['package.json', 'pnpm-workspace.yaml', 'bunfig.toml', 'deno.json', 'composer.json'],
  ...['pyproject.toml', 'setup.cfg', 'tox.ini', 'Cargo.toml'],
]);
const longestKey = 200;

/** Adds to each manifest of a diff which of its keys changed. Both sides are read from git, never from the workspace. */
export async function nameKeys(
  diff: readonly DiffEntry[],
  { objects, raw, baseTree }: Sides,
  mask: (text: string) => string,
): Promise<readonly DiffEntry[]> {
  const changed = diff.filter((entry) => manifests.has(entry.path.split('/').at(-1) ?? '') && isPlain(entry));
  if (changed.length === 0) return diff;
  // the parsers are large, and most tasks change no manifest
  const { keysBetweenTexts } = await import('../files/structured-text.ts');
  const after = new Map(raw.map(({ path, id }) => [path, id]));
  const before = new Map(baseTree.map(({ path, id }) => [path, id]));
  const keys = new Map<string, readonly string[]>();
  for (const { path, change } of changed) {
    const old = change === 'added' ? null : await textOf(objects, before.get(path));
    const now = change === 'deleted' ? null : await textOf(objects, after.get(path));
    const changedKeys = keysBetweenTexts(path, old, now);
    if (changedKeys !== null) keys.set(path, changedKeys);
  }
  return diff.map((entry) => {
    const changedKeys = keys.get(entry.path);
    return changedKeys === undefined
      ? entry
      : { ...entry, keys: changedKeys.map((key) => mask(key).slice(0, longestKey)) };
  });
}

type Sides = {
  readonly objects: ObjectReader;
  readonly raw: readonly RawDiffEntry[];
  readonly baseTree: readonly TreeEntry[];
};

/** A link leads elsewhere, whatever is written in it. */
const isPlain = ({ oldMode, newMode }: DiffEntry): boolean =>
  [oldMode, newMode].every((mode) => mode === '000000' || mode.startsWith('100'));

const textOf = async (objects: ObjectReader, id: string | undefined): Promise<string> =>
  (id === undefined ? null : await objects.read(id))?.toString('utf8') ?? '';
