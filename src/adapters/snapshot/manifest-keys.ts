import { changedKeys } from '../../domain/check-definitions/changed-keys.ts';
import type { DiffEntry } from '../../domain/evidence.ts';
import type { ObjectReader } from '../git-process/index.ts';
import type { RawDiffEntry, TreeEntry } from '../git-read/index.ts';
import { readDocument } from '../structured-text.ts';

/** Files in which what defines a check stands beside what does not. */
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
  const after = new Map(raw.map(({ path, id }) => [path, id]));
  const before = new Map(baseTree.map(({ path, id }) => [path, id]));
  const keys = new Map<string, readonly string[]>();
  for (const { path, change } of changed) {
    const old = change === 'added' ? {} : await documentOf(objects, path, before.get(path));
    const now = change === 'deleted' ? {} : await documentOf(objects, path, after.get(path));
    const found = old === undefined || now === undefined ? null : keysBetween(old, now);
    if (found !== null) keys.set(path, found);
  }
  return diff.map((entry) => {
    const found = keys.get(entry.path);
    return found === undefined ? entry : { ...entry, keys: found.map((key) => mask(key).slice(0, longestKey)) };
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

async function documentOf(objects: ObjectReader, path: string, id: string | undefined): Promise<unknown> {
  const bytes = id === undefined ? null : await objects.read(id);
  return bytes === null ? undefined : readDocument(path, bytes.toString('utf8'));
}

/** A document that is nested too deeply to be compared has no keys that can be told. */
function keysBetween(before: unknown, after: unknown): readonly string[] | null {
  try {
    return changedKeys(before, after);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
