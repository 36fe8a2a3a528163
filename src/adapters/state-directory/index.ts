import { chmod, lstat, mkdir, realpath, stat, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { hasCode, isAbsent, isThere } from '../files/absent.ts';
import type { Repository } from './find-repository.ts';
import {
  isBelow,
  type PlaceInputs,
  type Root,
  repositoryName,
  runDirectories,
  stateRoot,
  unversionedName,
} from './place.ts';

export { findRepository, type Repository } from './find-repository.ts';
export type { PlaceInputs } from './place.ts';

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
