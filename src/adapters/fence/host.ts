import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { explain } from '../../domain/explain/explain.ts';
import type { Closed } from '../../domain/explain/sentences/attempt-sentences.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { type Visible, visibleByPath } from '../../domain/toolchains/visible.ts';
import { lookAround } from './look.ts';

/** A path of this machine and where it appears in the fence. */
export type Bind = { readonly source: string; readonly target: string; readonly access: 'read' | 'write' };

/** What a fence is built from on this machine. */
export type Host = {
  readonly uid: number;
  /** Whom the fenced process runs as: the caller, or nobody when the caller is root. */
  readonly agent: { readonly uid: number; readonly gid: number };
  readonly home: string;
  /**
   * What the PATH makes visible, and the PATH inside, without Tidegate's own directory. Looked at anew for each start: minutes may lie
   * between two of a job, and what is private may come and go.
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
  /** What a person can type. */
  readonly fix: string;
  constructor(finding: Finding) {
    const { detail, fix = '' } = explain(finding);
    super(detail);
    this.name = 'FenceUnavailable';
    this.finding = finding;
    this.fix = fix;
  }
}

/** Which switch of the system keeps unprivileged user namespaces closed, as far as it says. */
export function closedNamespaces(): Closed {
  const value = (name: string): string => {
    const file = `/proc/sys/${name}`;
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  };
  if (value('kernel/apparmor_restrict_unprivileged_userns') === '1') return 'apparmor';
  if (value('kernel/unprivileged_userns_clone') === '0') return 'clone';
  return value('user/max_user_namespaces') === '0' ? 'count' : 'unknown';
}

/** Who agents are inside every fence: a name that all programs know. */
export const nobody = 65534;
/** A range in which no one has files and nobody logs in: systemd makes its short-lived users there. */
const jobUsers = { first: 61_184, count: 4_096 };
const trusted = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/usr/local/bin'];

/**
 * Throws FenceUnavailable when a program that the fence is made with is missing. Nothing of `closed` becomes visible because a
 * directory in or above it is on the PATH: `~/dev/bin` must not open every checkout in `~/dev`. As root every job gets a uid of its
 * own, so that the limit on processes, which the kernel counts by user, is each job's own too.
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
    tools: findTools(searchedFor(environment)),
    ...resourceLimits(),
  };
}

/** The same machine, looked at once: the mounts and the variables of one start agree. */
export function seenOnce(host: Host): Host {
  const visible = host.visible();
  return { ...host, visible: () => visible };
}

/** Whom the processes of a job run as. */
export function agentUser(job: string): Host['agent'] {
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  if (uid !== 0) return { uid, gid };
  const id = jobUsers.first + (createHash('sha256').update(job).digest().readUInt32BE(0) % jobUsers.count);
  return { uid: id, gid: id };
}

/** System directories only: root runs these. TIDEGATE_FENCE_PATH names others (Nix and the like). */
const searchedFor = (environment: Readonly<Record<string, string | undefined>>): readonly string[] =>
  environment['TIDEGATE_FENCE_PATH']?.split(delimiter) ?? trusted;

function findTools(directories: readonly string[]): Record<Tool, string> {
  const found = toolNames.map((name) => [name, findIn(directories, name)] as const);
  const missing = found.filter(([, path]) => path === null).map(([name]) => name);
  if (missing.includes('bwrap'))
    throw new FenceUnavailable({ rule: 'no-bubblewrap', restricted: closedNamespaces() === 'apparmor' });
  if (missing.length > 0) throw new FenceUnavailable({ rule: 'tools-missing', tools: missing });
  return Object.fromEntries(found) as Record<Tool, string>;
}

/** A program that only some fences need; null when it is missing. */
export const findTool = (environment: Readonly<Record<string, string | undefined>>, name: string): string | null =>
  findIn(searchedFor(environment), name);

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

/** Only what programs need to run and to name things; /etc/shadow, ssh keys and service configuration stay outside. */
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
    // A link that leads into /run (resolv.conf often does) would dangle: what it points to is bound instead.
    ...[...files, ...names].flatMap((path) => ['--ro-bind', realpathSync(path), path]),
    ...keys,
  ];
}

function topDirectory(name: string): readonly string[] {
  const path = `/${name}`;
  if (!existsSync(path)) return [];
  return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** Against fork bombs and runaway files, not a budget. Never above what we were given ourselves. */
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
