import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { definitionsOf } from '../../domain/check-definitions/read-check.ts';
import { type CommandDefinitions, type ProjectFiles, pathFrom } from '../../domain/check-definitions/reading.ts';
import { type Catalogue, type Catalogues, catalogueIn } from '../../domain/closure/catalogue.ts';
import type { Skill } from '../../domain/plan/plan.ts';
import { readMatrix } from '../../domain/proofs/matrix.ts';
import { longestDocument, readDocument } from '../files/structured-text.ts';
import { type GitCall, type ObjectReader, openObjects, runGit } from '../git/process/index.ts';
import { parseTree, splitNul } from '../git/read/tree.ts';
import { tooDeepAt } from './source-file.ts';

/** The commit that a run starts from. `changed`: paths of a checkout whose state replaces that of the commit. */
export type Start = {
  readonly repository: { readonly cwd: string } | { readonly gitDir: string };
  readonly ref: string;
  readonly changed?: { readonly checkout: string; readonly paths: readonly string[] };
};

/** Returns the current levels of components from a matrix on a branch. Null when the file is no matrix. */
export async function matrixOn(
  checkout: string,
  branch: string,
  path: string,
): Promise<ReadonlyMap<string, string> | 'missing' | null> {
  const repository = { cwd: checkout };
  const tree = await treeAt(repository, `refs/heads/${branch}`);
  if (tree === null) return 'missing';
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', tree.id, '--', path];
  const [entry] = parseTree((await runGit({ ...repository, args })).stdout);
  if (entry === undefined || entry.path !== path) return 'missing';
  await using objects = openObjects(tree.gitDir);
  const text = await textOf({ mode: entry.mode, blob: entry.id }, objects);
  return text === null || !entry.mode.startsWith('100') ? null : readMatrix(text);
}

/** Returns the modes of these files where a run starts. A file that does not exist there is absent. */
export async function modesAt(
  { repository, ref, changed }: Start,
  paths: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const tree = paths.length === 0 ? null : await treeAt(repository, ref);
  if (tree === null) return new Map();
  const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', tree.id, '--', ...paths];
  const modes = new Map(
    parseTree((await runGit({ ...repository, args })).stdout).map(({ path, mode }) => [path, mode]),
  );
  const blobs = new Map<string, Blob>();
  if (changed !== undefined)
    overlay(blobs, { ...changed, paths: changed.paths.filter((path) => paths.includes(path)) });
  return new Map([...modes, ...[...blobs].map(([path, { mode }]) => [path, mode] as const)]);
}

/** Returns the definitions of each command on a branch of the person's repository. Empty when there is no such branch. */
export const definitionsOn = (checkout: string, branch: string, commands: readonly string[]) =>
  definitionsAt({ repository: { cwd: checkout }, ref: `refs/heads/${branch}` }, commands);

/** The same, where a run starts. */
export async function definitionsAt(
  { repository, ref, changed }: Start,
  commands: readonly string[],
): Promise<ReadonlyMap<string, CommandDefinitions>> {
  const tree = commands.length === 0 ? null : await treeAt(repository, ref);
  if (tree === null) return new Map();
  const { stdout } = await runGit({ ...repository, args: ['ls-tree', '-r', '-z', '--full-tree', tree.id] });
  const blobs = new Map<string, Blob>(parseTree(stdout).map(({ path, mode, id: blob }) => [path, { mode, blob }]));
  if (changed !== undefined) overlay(blobs, changed);
  await using objects = openObjects(tree.gitDir);
  return await readOnDemand(commands, blobs, objects);
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

/** The pure reader requests files as it reads. Files that it missed are fetched, and it begins again. */
async function readOnDemand(
  commands: readonly string[],
  blobs: Blobs,
  objects: ObjectReader,
): Promise<ReadonlyMap<string, CommandDefinitions>> {
  const fetched = new Map<string, string | null>();
  const paths = [...blobs.keys()];
  for (;;) {
    const missing = new Set<string>();
    const files = filesOf(blobs, paths, (path) => {
      if (blobs.has(path) && !fetched.has(path)) missing.add(path);
      return fetched.get(path) ?? null;
    });
    const definitions = new Map(commands.map((command) => [command, definitionsOf(command, files)]));
    if (missing.size === 0) return definitions;
    for (const path of missing) fetched.set(path, await textOf(blobs.get(path), objects));
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
      const source = text(path);
      return source === null ? null : (readDocument(path, source) ?? null);
    },
  };
}

const mostLinks = 16;
const isFile = (blob: Blob | undefined): boolean => blob?.mode.startsWith('100') === true;

/** Returns the path with its first link followed; null when it has none, or the link leads out of the repository. */
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

/** The folders in which projects keep skills. Of two with the same name the first counts. */
const skillDirectories = ['.claude/skills', '.agents/skills'];

/** Returns the skills on a branch of the person's repository, by name. Files that only the checkout has reach no workspace. */
export async function skillsOn(checkout: string, branch: string): Promise<ReadonlyMap<string, Skill>> {
  const repository = { cwd: checkout };
  const tree = await treeAt(repository, `refs/heads/${branch}`);
  if (tree === null) return new Map();
  const { stdout } = await runGit({
    ...repository,
    args: ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', tree.id, '--', ...skillDirectories],
  });
  const files = splitNul(stdout).flatMap((record) => {
    const [, blob, path = '', name = ''] = skillFile.exec(record) ?? [];
    return blob === undefined ? [] : [{ blob, path, name }];
  });
  await using objects = openObjects(tree.gitDir);
  const skills = new Map<string, Skill>();
  for (const { blob, path, name } of files.toSorted(byDirectory))
    if (!skills.has(name)) {
      const text = (await objects.read(blob))?.toString('utf8') ?? '';
      skills.set(name, { name, path, description: descriptionIn(text) });
    }
  return skills;
}

/** Returns catalogues of benchmarks on a branch of the person's repository, by path. */
export async function cataloguesOn(checkout: string, branch: string, paths: readonly string[]): Promise<Catalogues> {
  const repository = { cwd: checkout };
  const tree = await treeAt(repository, `refs/heads/${branch}`);
  if (tree === null) return new Map();
  const args = ['--literal-pathspecs', 'ls-tree', '-r', '-z', '--full-tree', tree.id, '--', ...paths];
  const { stdout } = await runGit({ ...repository, args });
  await using objects = openObjects(tree.gitDir);
  const found = new Map<string, Catalogue | 'malformed'>();
  for (const { path, mode, id } of parseTree(stdout)) {
    const text = mode.startsWith('100') && paths.includes(path) ? await textOf({ mode, blob: id }, objects) : null;
    if (text !== null) found.set(path, catalogueIn(readDocument(path, text)));
  }
  return found;
}

/** A plain file: a link may lead anywhere. */
const skillFile = /^100\d{3} blob ([0-9a-f]+)\t((?:\.claude|\.agents)\/skills\/([^/]+)\/SKILL\.md)$/;

const byDirectory = (a: { readonly path: string }, b: { readonly path: string }): number =>
  skillDirectories.findIndex((one) => a.path.startsWith(one)) -
  skillDirectories.findIndex((one) => b.path.startsWith(one));

/** Empty where the front matter has none, or cannot be read: an agent sees the file anyway. */
function descriptionIn(text: string): string {
  const matter = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[1];
  const document = matter === undefined || tooDeepAt(matter) !== null ? null : parseDocument(matter);
  const description: unknown = document === null || document.errors.length > 0 ? null : document.get('description');
  return typeof description === 'string' ? description.replaceAll(/\s+/g, ' ').trim() : '';
}

/** The tree of a ref, and the directory that holds its objects; null when there is no such ref. */
async function treeAt(
  repository: Start['repository'],
  ref: string,
): Promise<{ readonly gitDir: string; readonly id: string } | null> {
  const [gitDir] = await lines({ ...repository, args: ['rev-parse', '--absolute-git-dir'] });
  const tree = `${ref}^{tree}`;
  const [id] = await lines({ ...repository, args: ['rev-parse', '--verify', '--quiet', '--end-of-options', tree] });
  return gitDir === undefined || id === undefined ? null : { gitDir, id };
}

async function lines(call: GitCall): Promise<readonly string[]> {
  const { exitCode, stdout } = await runGit(call);
  return exitCode === 0 ? stdout.toString('utf8').split('\n') : [];
}
