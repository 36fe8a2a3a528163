import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { definitionsOf } from '../../domain/check-definitions/read-check.ts';
import { type CommandDefinitions, type ProjectFiles, pathFrom } from '../../domain/check-definitions/reading.ts';
import { longestDocument, readDocument } from '../files/structured-text.ts';
import { type GitCall, type ObjectReader, openObjects, runGit } from '../git/process/index.ts';
import { parseTree } from '../git/read/tree.ts';

/** The commit that a run starts from. `changed`: files of a checkout that take the place of those in the commit, or are missing there. */
export type Start = {
  readonly repository: { readonly cwd: string } | { readonly gitDir: string };
  readonly ref: string;
  readonly changed?: { readonly checkout: string; readonly paths: readonly string[] };
};

/** The definitions of each command on a branch of the person's repository, by command. Empty when there is no such branch. */
export const definitionsOn = (checkout: string, branch: string, commands: readonly string[]) =>
  definitionsAt({ repository: { cwd: checkout }, ref: `refs/heads/${branch}` }, commands);

/** The same where a run starts. */
export async function definitionsAt(
  { repository, ref, changed }: Start,
  commands: readonly string[],
): Promise<ReadonlyMap<string, CommandDefinitions>> {
  const [gitDir] = await lines({ ...repository, args: ['rev-parse', '--absolute-git-dir'] });
  const tree = `${ref}^{tree}`;
  const [id] = await lines({ ...repository, args: ['rev-parse', '--verify', '--quiet', '--end-of-options', tree] });
  if (gitDir === undefined || id === undefined || commands.length === 0) return new Map();
  const listed = await runGit({ ...repository, args: ['ls-tree', '-r', '-z', '--full-tree', id] });
  const blobs = new Map<string, Blob>(
    parseTree(listed.stdout).map(({ path, mode, id: blob }) => [path, { mode, blob }]),
  );
  if (changed !== undefined) overlay(blobs, changed);
  await using objects = openObjects(gitDir);
  return await readAsAsked(commands, blobs, objects);
}

/** `bytes`: of a file that no commit holds. */
type Blob = { readonly mode: string } & ({ readonly blob: string } | { readonly bytes: Buffer });
type Blobs = ReadonlyMap<string, Blob>;

function overlay(blobs: Map<string, Blob>, { checkout, paths }: NonNullable<Start['changed']>): void {
  for (const path of paths) {
    const file = join(checkout, path);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats?.isSymbolicLink()) blobs.set(path, { mode: '120000', bytes: readlinkSync(file, { encoding: 'buffer' }) });
    else if (stats?.isFile())
      blobs.set(path, { mode: '100644', bytes: stats.size > longestDocument ? Buffer.alloc(0) : readFileSync(file) });
    else blobs.delete(path);
  }
}

/** The pure reader asks for files as it goes. What it asked for and was not there yet is fetched, and it begins again. */
async function readAsAsked(
  commands: readonly string[],
  blobs: Blobs,
  objects: ObjectReader,
): Promise<ReadonlyMap<string, CommandDefinitions>> {
  const fetched = new Map<string, string | null>();
  const paths = [...blobs.keys()];
  for (;;) {
    const asked = new Set<string>();
    const files = filesOf(blobs, paths, (path) => {
      if (blobs.has(path) && !fetched.has(path)) asked.add(path);
      return fetched.get(path) ?? null;
    });
    const found = new Map(commands.map((command) => [command, definitionsOf(command, files)]));
    if (asked.size === 0) return found;
    for (const path of asked) fetched.set(path, await textOf(blobs.get(path), objects));
  }
}

/** `content`: the text of a file, or the target of a link. */
function filesOf(blobs: Blobs, paths: readonly string[], content: (path: string) => string | null): ProjectFiles {
  const linked = (path: string): readonly string[] => {
    const ways: string[] = [];
    for (let next = throughLink(blobs, content, path); next !== null; next = throughLink(blobs, content, next)) {
      if (ways.length >= mostLinks) return [];
      ways.push(next);
    }
    return ways;
  };
  const real = (path: string): string => linked(path).at(-1) ?? path;
  const text = (path: string): string | null => (isFile(blobs.get(real(path))) ? content(real(path)) : null);
  return {
    paths,
    linked,
    text,
    has: (path) => blobs.has(real(path)),
    data: (path) => {
      const found = text(path);
      return found === null ? null : (readDocument(path, found) ?? null);
    },
  };
}

const mostLinks = 16;
const isFile = (blob: Blob | undefined): boolean => blob?.mode.startsWith('100') === true;

/** The path with its first link followed, that of a directory or its own; null when there is none, or it leads out. */
function throughLink(blobs: Blobs, content: (path: string) => string | null, path: string): string | null {
  const steps = path.split('/');
  for (let length = 1; length <= steps.length; length++) {
    const link = steps.slice(0, length).join('/');
    if (blobs.get(link)?.mode !== '120000') continue;
    const target = content(link);
    return target === null
      ? null
      : pathFrom(steps.slice(0, length - 1).join('/'), [target, ...steps.slice(length)].join('/'));
  }
  return null;
}

async function textOf(blob: Blob | undefined, objects: ObjectReader): Promise<string | null> {
  if (blob === undefined || !/^1[02]0/.test(blob.mode)) return null;
  const bytes = 'bytes' in blob ? blob.bytes : await objects.read(blob.blob);
  return bytes === null || bytes.length > longestDocument ? null : bytes.toString('utf8');
}

async function lines(call: GitCall): Promise<readonly string[]> {
  const { exitCode, stdout } = await runGit(call);
  return exitCode === 0 ? stdout.toString('utf8').split('\n') : [];
}
