import { definitionsOf } from '../../domain/check-definitions/read-check.ts';
import { type Found, type ProjectFiles, pathFrom } from '../../domain/check-definitions/reading.ts';
import { type GitCall, type ObjectReader, openObjects, runGit } from '../git-process/index.ts';
import { parseTree } from '../git-read/tree.ts';
import { longestDocument, readDocument } from '../structured-text.ts';

/** What defines each command on a branch of the person's repository, by command. Empty when there is no such branch. */
export async function definitionsOn(
  checkout: string,
  branch: string,
  commands: readonly string[],
): Promise<ReadonlyMap<string, Found>> {
  const at = { cwd: checkout };
  const [gitDir] = await lines({ ...at, args: ['rev-parse', '--absolute-git-dir'] });
  const tree = `refs/heads/${branch}^{tree}`;
  const [id] = await lines({ ...at, args: ['rev-parse', '--verify', '--quiet', '--end-of-options', tree] });
  if (gitDir === undefined || id === undefined || commands.length === 0) return new Map();
  const listed = await runGit({ ...at, args: ['ls-tree', '-r', '-z', '--full-tree', id] });
  const blobs = new Map(parseTree(listed.stdout).map(({ path, mode, id: blob }) => [path, { mode, blob }]));
  await using objects = openObjects(gitDir);
  return await readAsAsked(commands, blobs, objects);
}

type Blobs = ReadonlyMap<string, { readonly mode: string; readonly blob: string }>;
/** `path` is where the text really is: behind the links, if there are any. */
type Fetched = { readonly path: string; readonly text: string };

/** The pure reader asks for files as it goes. What it asked for and was not there yet is fetched, and it begins again. */
async function readAsAsked(
  commands: readonly string[],
  blobs: Blobs,
  objects: ObjectReader,
): Promise<ReadonlyMap<string, Found>> {
  const fetched = new Map<string, Fetched | null>();
  const paths = [...blobs.keys()];
  for (;;) {
    const asked = new Set<string>();
    const files = filesOf(blobs, paths, (path) => {
      if (blobs.has(path) && !fetched.has(path)) asked.add(path);
      return fetched.get(path) ?? null;
    });
    const found = new Map(commands.map((command) => [command, definitionsOf(command, files)]));
    if (asked.size === 0) return found;
    for (const path of asked) fetched.set(path, await fetchText(blobs, objects, path));
  }
}

const filesOf = (blobs: Blobs, paths: readonly string[], get: (path: string) => Fetched | null): ProjectFiles => ({
  paths,
  has: (path) => blobs.has(path),
  text: (path) => get(path)?.text ?? null,
  linked: (path) => (blobs.get(path)?.mode === '120000' ? (get(path)?.path ?? null) : null),
  data: (path) => {
    const text = get(path)?.text;
    return text === undefined ? null : (readDocument(path, text) ?? null);
  },
});

async function fetchText(blobs: Blobs, objects: ObjectReader, path: string, links = 0): Promise<Fetched | null> {
  const entry = blobs.get(path);
  if (entry === undefined || !/^1[02]0/.test(entry.mode) || links > 4) return null;
  const bytes = await objects.read(entry.blob);
  if (bytes === null || bytes.length > longestDocument) return null;
  const text = bytes.toString('utf8');
  if (entry.mode !== '120000') return { path, text };
  const target = pathFrom(path.split('/').slice(0, -1).join('/'), text);
  return target === null ? null : await fetchText(blobs, objects, target, links + 1);
}

async function lines(call: GitCall): Promise<readonly string[]> {
  const { exitCode, stdout } = await runGit(call);
  return exitCode === 0 ? stdout.toString('utf8').split('\n') : [];
}
