import type { DiffEntry } from '../../domain/gates/evidence.ts';
import type { ObjectReader } from '../git/process/index.ts';
import type { RawDiffEntry, TreeEntry } from '../git/read/index.ts';

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
