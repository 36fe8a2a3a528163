import { createHash } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  lstatSync,
  opendirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  realpathSync,
  type Stats,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { explain } from '../../domain/explain/explain.ts';
import type { NamespaceSetting } from '../../domain/findings/attempt-rules.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { FileEntry, Listed, Look } from '../../domain/toolchains/rows.ts';
import { type Visible, visibleByPath } from '../../domain/toolchains/visible.ts';

/** A path of this machine and where it appears in the fence. */
export type Bind = { readonly source: string; readonly target: string; readonly access: 'read' | 'write' };

/** The parts of this machine that a fence is built from. */
export type Host = {
  readonly uid: number;
  /** The user that the fenced process runs as: the caller, or one without rights when the caller is root. */
  readonly agent: { readonly uid: number; readonly gid: number };
  readonly home: string;
  /**
   * Returns the files that the PATH makes visible, and the PATH inside without Tidegate's own directory. Computed for each start:
   * minutes may pass between two starts of a job, and private files may appear meanwhile.
   */
  visible(): Visible;
  readonly tools: Readonly<Record<Tool, string>>;
  readonly maxProcesses: number;
  readonly maxFileBytes: number;
};

const toolNames = ['bwrap', 'unshare', 'setpriv', 'mount', 'mkfifo'] as const;
type Tool = (typeof toolNames)[number];

export class FenceUnavailable extends Error {
  readonly finding: Finding;
  /** A command that a person can run. */
  readonly fix: string;
  constructor(finding: Finding) {
    const { detail, fix = '' } = explain(finding);
    super(detail);
    this.name = 'FenceUnavailable';
    this.finding = finding;
    this.fix = fix;
  }
}

/** Returns the system switch that forbids unprivileged user namespaces, as far as the system tells. */
export function closedNamespaces(): NamespaceSetting {
  const value = (name: string): string => {
    const file = `/proc/sys/${name}`;
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  };
  if (value('kernel/apparmor_restrict_unprivileged_userns') === '1') return 'apparmor';
  if (value('kernel/unprivileged_userns_clone') === '0') return 'clone';
  return value('user/max_user_namespaces') === '0' ? 'count' : 'unknown';
}

/** The uid of agents inside every fence. All programs know its name. */
export const nobody = 65534;
/** systemd's range for short-lived users: nobody logs in with these uids or owns files. */
const jobUsers = { first: 61_184, count: 4_096 };
const trusted = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

/**
 * Throws FenceUnavailable when a program that the fence needs is missing. Nothing in `closed` becomes visible because a directory in
 * or above it is on the PATH: `~/dev/bin` must not open every checkout in `~/dev`. As root, every job gets its own uid, because the
 * kernel counts processes by user and each job needs its own limit.
 */
export function findHost(
  environment: Readonly<Record<string, string | undefined>>,
  closed: readonly string[] = [],
  job = '',
): Host {
  const uid = process.getuid?.() ?? -1;
  const named = environment['HOME'] ?? '';
  const home = named.startsWith('/') && named !== '/' ? named : '/home/tidegate';
  const path = (environment['PATH'] ?? '').split(delimiter);
  return {
    uid,
    agent: agentUser(job),
    home,
    visible: () => visibleByPath({ path, home, closed, variables: environment }, lookAround),
    tools: findTools(toolDirectories(environment)),
    ...resourceLimits(),
  };
}

/** Computes `visible` once, so that the mounts and the variables of one start agree. */
export function withFixedView(host: Host): Host {
  const visible = host.visible();
  return { ...host, visible: () => visible };
}

/** Returns the user that the processes of a job run as. */
export function agentUser(job: string): Host['agent'] {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  if (uid !== 0) return { uid, gid };
  const id = jobUsers.first + (createHash('sha256').update(job).digest().readUInt32BE(0) % jobUsers.count);
  return { uid: id, gid: id };
}

/** System directories only, because root runs these programs. TIDEGATE_FENCE_PATH names others (Nix and the like). */
const toolDirectories = (environment: Readonly<Record<string, string | undefined>>): readonly string[] =>
  environment['TIDEGATE_FENCE_PATH']?.split(delimiter) ?? trusted;

function findTools(directories: readonly string[]): Record<Tool, string> {
  const paths = toolNames.map((name) => [name, findIn(directories, name)] as const);
  const missing = paths.filter(([, path]) => path === null).map(([name]) => name);
  if (missing.includes('bwrap'))
    throw new FenceUnavailable({ rule: 'no-bubblewrap', restricted: closedNamespaces() === 'apparmor' });
  if (missing.length > 0) throw new FenceUnavailable({ rule: 'tools-missing', tools: missing });
  return Object.fromEntries(paths) as Record<Tool, string>;
}

/** Finds a program that only some fences need; null when it is missing. */
export const findTool = (environment: Readonly<Record<string, string | undefined>>, name: string): string | null =>
  findIn(toolDirectories(environment), name);

function findIn(directories: readonly string[], name: string): string | null {
  for (const directory of directories) {
    const path = join(directory, name);
    if (isExecutable(path)) return path;
  }
  return null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return false;
  }
}

/** The files in /etc that programs need. /etc/shadow, ssh keys and service configuration stay outside. */
const etc = [
  ...['alternatives', 'ca-certificates', 'ca-certificates.conf', 'fonts', 'group', 'hosts', 'inputrc', 'ld.so.cache'],
  ...['ld.so.conf', 'ld.so.conf.d', 'locale.alias', 'localtime', 'magic', 'mime.types', 'networks', 'nsswitch.conf'],
  ...['os-release', 'passwd', 'perl', 'pki', 'protocols', 'python3', 'services', 'ssl', 'terminfo', 'timezone', 'xdg'],
];

export function systemDirectories(network: 'on' | 'off' | 'relay'): readonly string[] {
  const top = ['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].flatMap(topDirectory);
  const javas = readdirSync('/etc').filter((name) => name.startsWith('java'));
  const files = [...etc, ...javas].filter((name) => existsSync(`/etc/${name}`)).map((name) => `/etc/${name}`);
  const names = network === 'on' ? ['/etc/resolv.conf'].filter((path) => existsSync(path)) : [];
  const nix = existsSync('/nix/store') ? ['--ro-bind', '/nix', '/nix'] : [];
  const keys = existsSync('/etc/ssl/private')
    ? ['--tmpfs', '/etc/ssl/private', '--remount-ro', '/etc/ssl/private']
    : [];
  return [
    ...['--ro-bind', '/usr', '/usr', ...top, ...nix],
    // A link into /run (resolv.conf often is one) would dangle, so its target is bound instead.
    ...[...files, ...names].flatMap((path) => ['--ro-bind', realpathSync(path), path]),
    ...keys,
  ];
}

function topDirectory(name: string): readonly string[] {
  const path = `/${name}`;
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** Limits against fork bombs and runaway files. They are no budget, and never above our own limits. */
function resourceLimits(): { readonly maxProcesses: number; readonly maxFileBytes: number } {
  const limits = readFileSync('/proc/self/limits', 'utf8');
  const hard = (name: string): number => {
    const value = new RegExp(`^${name}\\s+\\S+\\s+(\\S+)`, 'm').exec(limits)?.[1];
    return value === undefined || value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value);
  };
  return {
    maxProcesses: Math.min(8192, hard('Max processes')),
    maxFileBytes: Math.min(64 * 2 ** 30, hard('Max file size')),
  };
}

/** Reads this machine's files for the rules that decide which of them a fence shows. */
const lookAround: Look = {
  at: (path) => orNull(() => entryAt(path)),
  list: (directory, most) => orNull(() => listEntries(directory, most)),
  text: (path) => orNull(() => (lstatSync(path).isFile() ? readText(path) : null)),
};

function entryAt(path: string): FileEntry | null {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const { mode } = stats;
  const kind = kindOf(stats);
  return kind === 'link' ? { kind, mode, to: readlinkSync(path) } : { kind, mode };
}

function kindOf(entry: Pick<Stats, 'isSymbolicLink' | 'isDirectory' | 'isFile'>): FileEntry['kind'] {
  if (entry.isSymbolicLink()) return 'link';
  return entry.isDirectory() ? 'directory' : entry.isFile() ? 'file' : 'other';
}

/** Reads piece by piece, because a directory may hold millions of entries. Null when it holds more than `most`. */
function listEntries(directory: string, most: number): readonly Listed[] | null {
  const open = opendirSync(directory, { bufferSize: 512 });
  try {
    const entries: Listed[] = [];
    const start = directory === '/' ? '' : directory;
    for (let entry = open.readSync(); entry !== null; entry = open.readSync())
      if (entries.push({ path: `${start}/${entry.name}`, kind: kindOf(entry) }) > most) return null;
    return entries;
  } finally {
    open.closeSync();
  }
}

const mostBytes = 65_536;

function readText(path: string): string | null {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(mostBytes + 1);
    const read = readSync(file, bytes);
    return read > mostBytes ? null : bytes.toString('utf8', 0, read);
  } finally {
    closeSync(file);
  }
}

/** Null for a path that the person cannot read either, or that vanishes meanwhile. */
function orNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}
