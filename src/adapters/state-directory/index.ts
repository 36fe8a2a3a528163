import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, realpath, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { z } from 'zod';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { ledgerFormat } from '../../domain/ledger/event-format.ts';
import { stateDir } from '../../domain/ledger/state-dir.ts';
import { writeDurably } from '../files/durable-file.ts';
import { absentAsNull, hasCode, isAbsent, isThere, readCache } from '../files/state-file.ts';
import { parseFields } from '../files/untrusted-json.ts';
import { personsHome } from '../process/caller.ts';

export type StateDirectory = {
  readonly path: string;
  readonly from: Root['from'];
  readonly filesystem: Filesystem;
  /** Risks of a place that was chosen explicitly. */
  readonly warnings: readonly string[];
  /** State of an earlier format beside it, which stays untouched; null when there is none. */
  readonly older: string | null;
};

/** Explains that runs of an older format stay where they are. */
export const olderState = (older: string, path: string): string =>
  `the runs in ${older} are of an older format that this version does not read; they stay as they are, and new runs are kept in ${path}`;
type Filesystem = 'local' | 'network' | 'memory';

/** Finds the state directory of a repository, and creates nothing. Refuses a risky default, warns about a risky choice. */
export async function locateStateDirectory(
  repository: Repository,
  inputs: PlaceInputs,
): Promise<Result<StateDirectory, string>> {
  const root = stateRoot(inputs);
  if (!root.path.startsWith('/')) return err(notAbsolute(root, inputs));
  try {
    return await look(repository, root);
  } catch (error) {
    return err(`the state directory ${root.path} cannot be read (${codeOf(error)}); ${chooseAnother}`);
  }
}

const chooseAnother = 'choose another with --state-dir or TIDEGATE_STATE_DIR';

const notAbsolute = (root: Root, { home }: PlaceInputs): string =>
  root.from === 'default'
    ? `HOME must be an absolute path, not '${home}'; set it, or ${chooseAnother}`
    : `${root.from} must be an absolute path, not ${root.path}`;

async function look(repository: Repository, root: Root): Promise<Result<StateDirectory, string>> {
  const base = await realWhereItExists(root.path);
  const path = join(base, repositoryName(repository));
  const filesystem = await filesystemOf(path);
  const unwise = [
    ...(isBelow(path, repository.toplevel) || isBelow(path, repository.commonDir) ? ['lies inside the checkout'] : []),
    ...(isTemporary(path) || filesystem === 'memory' ? ['lies in a temporary directory, and may vanish'] : []),
    ...(filesystem === 'network' ? ['lies on a network file system, where locks cannot be trusted'] : []),
  ].map((why) => `the state directory ${path} ${why}`);
  if (root.from === 'default' && unwise[0] !== undefined) {
    return err(`${unwise[0]}; choose another with TIDEGATE_STATE_DIR=<dir> or --state-dir <dir>`);
  }
  const old = join(base, unversionedName(repository));
  const older = (await isThere(join(old, 'ledger.db'))) ? old : null;
  return ok({ path, from: root.from, filesystem, warnings: unwise, older });
}

/** Makes the directory, for its owner only. */
export async function makeStateDirectory(place: StateDirectory, uid: number): Promise<Result<StateDirectory, string>> {
  const parent = await makeParents(dirname(place.path));
  const made = parent.ok ? await makePrivate(place.path, uid) : parent;
  return made.ok ? ok(place) : err(`the state directory cannot be made: ${made.error}; ${chooseAnother}`);
}

/** Makes the short directory for sockets, and never uses one that another user made first. */
export async function makeRunDirectory(
  repository: Repository,
  inputs: Pick<PlaceInputs, 'env' | 'uid'>,
): Promise<Result<string, string>> {
  const problems: string[] = [];
  for (const path of runDirectories(repository.commonDir, inputs)) {
    const parent = await makePrivate(dirname(path), inputs.uid);
    const made = parent.ok ? await makePrivate(path, inputs.uid) : parent;
    if (made.ok) return made;
    problems.push(made.error);
  }
  return err(`no directory for sockets: ${problems.join('; ')}; set XDG_RUNTIME_DIR to one that is yours`);
}

/** Makes the state directory with the folders in it, and returns the directory for sockets. */
export async function makePlaces(
  repository: Repository,
  place: StateDirectory,
  inputs: PlaceInputs,
): Promise<Result<string, string>> {
  const made = await makeStateDirectory(place, inputs.uid);
  if (!made.ok) return made;
  const state = stateDir(place.path);
  for (const directory of [state.jobs, state.cache, `${state.root}/runs`])
    await mkdir(directory, { recursive: true, mode: 0o700 });
  await recordRepository(state.root, repository);
  return await makeRunDirectory(repository, inputs);
}

/** Makes one level at a time: with `recursive`, Node tries forever on a file system such as /proc. */
async function makeParents(path: string): Promise<Result<null, string>> {
  const made = await makeLevel(path);
  if (made !== 'no-parent') return made;
  const parent = await makeParents(dirname(path));
  if (!parent.ok) return parent;
  const again = await makeLevel(path);
  return again === 'no-parent' ? err(`${path} (ENOENT)`) : again;
}

async function makeLevel(path: string): Promise<Result<null, string> | 'no-parent'> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (isAbsent(error)) return path === dirname(path) ? err(path) : 'no-parent';
    if (!hasCode(error, 'EEXIST')) return err(`${path} (${codeOf(error)})`);
    if (!(await stat(path)).isDirectory()) return err(`${path} is not a directory`);
  }
  return ok(null);
}

/** Anything but a refusal of the operating system is a bug. */
function codeOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && 'syscall' in error) return String(error.code);
  throw error;
}

/** One level, mode 0700, ours, and not a link. */
async function makePrivate(path: string, uid: number): Promise<Result<string, string>> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) return err(`${path} (${codeOf(error)})`);
  }
  const found = await lstat(path);
  if (!found.isDirectory()) return err(`${path} is not a directory`);
  if (found.uid !== uid) return err(`${path} belongs to another user (uid ${found.uid})`);
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700);
  return ok(path);
}

/** Links resolved as far as the path exists: a default below a linked home must not hide that it lies in a checkout. */
async function realWhereItExists(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isAbsent(error) || path === dirname(path)) throw error;
    return join(await realWhereItExists(dirname(path)), basename(path));
  }
}

const isTemporary = (path: string): boolean =>
  ['/tmp', '/var/tmp', '/dev/shm', tmpdir()].some((directory) => isBelow(path, directory));

/** Magic numbers of statfs(2). */
const network = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x01021997, 0x5346414f, 0x00c36400, 0x73757245]);
const memory = new Set([0x01021994, 0x858458f6]);

async function filesystemOf(path: string): Promise<Filesystem> {
  try {
    const { type } = await statfs(path);
    if (network.has(type)) return 'network';
    return memory.has(type) ? 'memory' : 'local';
  } catch (error) {
    if (!isAbsent(error) || path === dirname(path)) throw error;
    return await filesystemOf(dirname(path));
  }
}

export type Repository = {
  /** The checkout around the working directory; it may be a linked worktree. */
  readonly toplevel: string;
  /** `.git` of the repository itself, shared by all its worktrees: what identifies it. */
  readonly commonDir: string;
};

/**
 * Finds the repository around `from` by looking upwards. Runs no git and reads no git variable,
 * so that neither a hostile configuration nor the environment can point us elsewhere.
 */
export async function findRepository(from: string): Promise<Result<Repository, string>> {
  const start = await realpath(from).catch(absentAsNull);
  if (start === null) return err(`${from} does not exist`);
  if (!(await stat(start)).isDirectory()) return err(`${from} is not a directory`);
  for (let directory = start; ; directory = dirname(directory)) {
    const gitDir = await gitDirOf(join(directory, '.git'));
    if (gitDir !== null) return ok({ toplevel: directory, commonDir: await commonDirOf(gitDir) });
    if (await isGitDir(directory)) return err(`${directory} is a bare repository; Tidegate needs a checkout`);
    if (directory === dirname(directory))
      return err(`${from} is not in a git repository. Change to one, or use -C <dir>`);
  }
}

/** `.git` is a directory, or in a linked worktree or submodule a file that names one. */
async function gitDirOf(path: string): Promise<string | null> {
  const found = await stat(path).catch(absentAsNull);
  if (found === null) return null;
  if (found.isDirectory()) return (await isGitDir(path)) ? await realpath(path) : null;
  const named = /^gitdir: (.+?)\r?\n?$/.exec(await readFile(path, 'utf8'))?.[1];
  if (named === undefined) return null;
  const target = await realpath(resolve(dirname(path), named)).catch(absentAsNull);
  return target !== null && (await isGitDir(target)) ? target : null;
}

async function commonDirOf(gitDir: string): Promise<string> {
  const named = await readFile(join(gitDir, 'commondir'), 'utf8').catch(absentAsNull);
  return named === null ? gitDir : await realpath(resolve(gitDir, named.trimEnd()));
}

async function isGitDir(path: string): Promise<boolean> {
  const head = await stat(join(path, 'HEAD')).catch(absentAsNull);
  if (head === null) return false;
  const objects = await stat(join(path, 'objects')).catch(absentAsNull);
  const common = await stat(join(path, 'commondir')).catch(absentAsNull);
  return objects?.isDirectory() === true || common !== null;
}

type KnownRepository = {
  /** Its directory below the root; also how the API calls it. */
  readonly id: string;
  readonly checkout: string;
  /** False when the checkout is gone. */
  readonly present: boolean;
};

const file = 'repository.json';
const schema = z.object({ checkout: z.string(), commonDir: z.string() });

/** Records the repository of a state directory, unless it is recorded already. */
export async function recordRepository(directory: string, { toplevel, commonDir }: Repository): Promise<void> {
  const path = join(directory, file);
  const text = `${JSON.stringify({ checkout: toplevel, commonDir })}\n`;
  if (readCache(path, (kept) => kept) !== text) writeDurably(path, text);
}

/** Lists the repositories that keep their state below this root, by name. Ignores directories of others. */
export async function knownRepositories(root: string): Promise<readonly KnownRepository[]> {
  const names = (await readdir(root).catch(absentAsNull)) ?? [];
  const found = await Promise.all(
    names.toSorted().map(async (id): Promise<KnownRepository | null> => {
      const kept = readCache(join(root, id, file), (text) => schema.parse(parseFields(text)));
      if (kept === null || repositoryName(kept) !== id) return null;
      const { checkout, commonDir } = kept;
      if (await isThere(checkout)) return { id, checkout, present: true };
      // a linked worktree may go while the repository stays
      const main = dirname(commonDir);
      const isMain = basename(commonDir) === '.git' && (await isThere(commonDir));
      return isMain ? { id, checkout: main, present: true } : { id, checkout, present: false };
    }),
  );
  return found.filter((one) => one !== null);
}

/** Decides where state is kept. */
export type PlaceInputs = {
  /** `--state-dir`. */
  readonly flag: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly uid: number;
  readonly home: string;
};

/** Returns the inputs of a call: its options and environment, and the user that calls. */
export const placeInputs = (call: Pick<PlaceInputs, 'env'> & { readonly stateRoot: string | null }): PlaceInputs => ({
  flag: call.stateRoot,
  env: call.env,
  uid: process.getuid?.() ?? -1,
  home: personsHome(),
});

export type Root = { readonly path: string; readonly from: '--state-dir' | 'TIDEGATE_STATE_DIR' | 'default' };

/** Returns the directory below which the repositories keep their state. */
export function stateRoot({ flag, env, uid, home }: PlaceInputs): Root {
  if (flag !== null) return { path: flag, from: '--state-dir' };
  const explicit = env['TIDEGATE_STATE_DIR'];
  if (explicit !== undefined && explicit !== '') return { path: explicit, from: 'TIDEGATE_STATE_DIR' };
  const xdg = env['XDG_STATE_HOME'];
  // The XDG specification says to ignore a relative value.
  if (xdg?.startsWith('/')) return { path: join(xdg, 'tidegate'), from: 'default' };
  if (uid === 0) return { path: '/var/lib/tidegate', from: 'default' };
  return { path: join(home, '.local', 'state', 'tidegate'), from: 'default' };
}

/** Returns `<repo>-<hash>-v<format>`, the same for all worktrees of a repository. */
export const repositoryName = (repository: Pick<Repository, 'commonDir'>): string =>
  `${unversionedName(repository)}-v${ledgerFormat}`;

/** Returns the name that a state directory had in format 1, which nothing reads any more. */
export function unversionedName({ commonDir }: Pick<Repository, 'commonDir'>): string {
  const named = basename(commonDir) === '.git' ? basename(dirname(commonDir)) : basename(commonDir, '.git');
  const slug = named
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40);
  return `${slug === '' ? 'repository' : slug}-${repositoryHash(commonDir)}`;
}

export const repositoryHash = (commonDir: string): string =>
  createHash('sha256').update(commonDir).digest('hex').slice(0, 12);

/**
 * A short directory for sockets: their paths may have 107 bytes at most, however deep the state directory lies.
 * Candidates in order; the first that can be made and is ours is used.
 */
export function runDirectories(commonDir: string, { env, uid }: Pick<PlaceInputs, 'env' | 'uid'>): readonly string[] {
  const name = `${repositoryHash(commonDir)}-v${ledgerFormat}`;
  const runtime = env['XDG_RUNTIME_DIR'];
  const places = [
    ...(uid === 0 ? ['/run/tidegate'] : []),
    ...(uid !== 0 && runtime?.startsWith('/') ? [join(runtime, 'tidegate')] : []),
    `/tmp/tidegate-${uid}`,
  ];
  return places.map((place) => join(place, name)).filter((path) => Buffer.byteLength(path) <= 64);
}

const isBelow = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(directory.endsWith(sep) ? directory : directory + sep);
