import { existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { shellWord } from '../../domain/base/safe-text.ts';
import { callFilter } from './filter.ts';
import { type Bind, FenceUnavailable, findTool, type Host, nobody, systemDirectories } from './host.ts';
import { fencedRuntime, fencedWorkspace, firstVictim } from './launch-script.ts';
import { type Empty, toolchainMounts } from './toolchain-mounts.ts';

/** Everything that can be reached from inside. A path that is not named here does not exist there. */
export type Fence = {
  /** Writable, at `/workspace`; also where the process starts. */
  readonly workspace: string;
  readonly binds: readonly Bind[];
  readonly network: 'on' | 'off' | 'relay';
  /** True for a process with its own terminal. It stays in the session of that terminal, which job control needs. */
  readonly terminal?: boolean;
};

export type FencedCommand = {
  readonly file: string;
  readonly args: readonly string[];
  /** The seccomp program that bubblewrap reads from `filterFd`; null without a fence. */
  readonly filter: Buffer | null;
};

/** Descriptors of the fenced process: the canary's report, our go, bubblewrap's status, and the filter that bubblewrap reads. */
export const reportFd = 3;
export const goFd = 4;
export const statusFd = 5;
export const filterFd = 6;

/**
 * Returns the command that runs `inner` in the fence. Its argv never contains a secret: variables are passed by the spawn environment.
 * A root caller becomes `host.agent` first, because uid 0 inside bubblewrap is no boundary.
 */
export function fenceCommand(fence: Fence, host: Host, inner: readonly string[]): FencedCommand {
  const { links, empty, binds: toolchains } = toolchainMounts(host, fence.binds);
  const binds: readonly Bind[] = [
    ...toolchains,
    ...fence.binds,
    { source: fence.workspace, target: fencedWorkspace, access: 'write' },
  ];
  const stage =
    host.uid === 0 ? stageArguments(binds, host) : { prefix: [], sources: binds.map((bind) => bind.source) };
  const mounted = binds.map((bind, index) => ({ ...bind, source: stage.sources[index] ?? bind.source }));
  const [file, ...args] = [
    ...stage.prefix,
    ...becomeArguments(host),
    host.tools.bwrap,
    ...namespaceArguments(fence, host),
    ...systemArguments(fence, host),
    ...links.flatMap(({ path, to }) => ['--symlink', to, path]),
    ...[...mounted, ...empty].sort(byDepth).flatMap(mountArguments),
    // Last, when every mount point exists: the root, /run and the covered directories become read-only.
    ...[...empty.map(({ target }) => target), '/run', '/'].flatMap((path) => ['--remount-ro', path]),
    ...[
      '--chdir',
      fencedWorkspace,
      '--json-status-fd',
      String(statusFd),
      '--seccomp',
      String(filterFd),
      '--',
      ...inner,
    ],
  ];
  return { file: file as string, args, filter: callFilter() };
}

/** The kernel kills the process when its supervisor dies, even before bubblewrap has arranged that itself. */
function becomeArguments(host: Host): readonly string[] {
  const identity =
    host.uid === 0 ? ['--reuid', String(host.agent.uid), '--regid', String(host.agent.gid), '--clear-groups'] : [];
  return [host.tools.setpriv, ...identity, '--no-new-privs', '--pdeathsig', 'KILL', '--'];
}

function namespaceArguments(fence: Fence, host: Host): readonly string[] {
  return [
    '--unshare-user',
    ...(host.uid === 0 ? ['--uid', String(nobody), '--gid', String(nobody)] : []),
    '--unshare-pid',
    '--unshare-ipc',
    '--unshare-uts',
    '--unshare-cgroup-try',
    ...(fence.network === 'on' ? [] : ['--unshare-net']),
    ...['--hostname', 'tidegate', '--die-with-parent', '--cap-drop', 'ALL'],
    ...(fence.terminal === true ? [] : ['--new-session']),
  ];
}

function systemArguments(fence: Fence, host: Host): readonly string[] {
  return [
    ...systemDirectories(fence.network),
    ...['--dev', '/dev', '--proc', '/proc', '--ro-bind', '/proc/sys', '/proc/sys'],
    ...['/proc/keys', '/proc/key-users'].filter((path) => existsSync(path)).flatMap(emptied),
    ...['--tmpfs', '/tmp', '--tmpfs', '/var/tmp', '--tmpfs', '/run', '--dir', fencedRuntime],
    ...['--tmpfs', host.home],
  ];
}

const emptied = (file: string): readonly string[] => ['--ro-bind', '/dev/null', file];

const mountArguments = (mount: Bind | Empty): readonly string[] =>
  'access' in mount
    ? [mount.access === 'write' ? '--bind' : '--ro-bind', mount.source, mount.target]
    : ['--tmpfs', mount.target];

const depth = (path: string): number => path.split('/').length;
const byDepth = (a: Bind | Empty, b: Bind | Empty): number => depth(a.target) - depth(b.target);

/**
 * Runs the command on a new pseudo terminal. `script`, outside the fence, holds its other side: text that a fenced process pushes into
 * its terminal comes back to the fence, never to the terminal that the person types into. When this process dies, `script` gets a signal to
 * end, so that it restores the person's terminal.
 */
export function onOwnTerminal(
  command: FencedCommand,
  host: Host,
  environment: Readonly<Record<string, string | undefined>>,
): FencedCommand {
  const script = findTool(environment, 'script');
  if (script === null) throw new FenceUnavailable({ rule: 'tools-missing', tools: ['script'] });
  const line = [command.file, ...command.args].map(shellWord).join(' ');
  const args = ['--pdeathsig', 'TERM', '--', script, '--quiet', '--return', '--command', `exec ${line}`, '/dev/null'];
  return { ...command, file: host.tools.setpriv, args };
}

/** Empty on the host; a private mount over it exists only in the mount namespace of one launch. */
const stageDirectory = '/run/tidegate-fence';

/**
 * Runs as root, before it drops its rights. It binds the paths that the unprivileged uid could not reach (below a 0700 directory) into
 * a private mount namespace, and raises the out-of-memory score: set with CAP_SYS_RESOURCE, it cannot be lowered in the fence. It uses
 * `exec`, so that one process from the first program to bubblewrap receives signals and the death of its parent.
 */
const stageScript = `set -eu
mount=$1 stage=$2 table=$3 files=$4
shift 4
${firstVictim}
"$mount" -t tmpfs -o mode=755,size=1m,nr_inodes=4k tidegate "$stage"
for file in $files; do : >"$stage/$file"; done
printf '%s\\n' "$table" >"$stage/table"
"$mount" -a -T "$stage/table"
exec "$@"`;

/** `sources` holds the path of each bind after the stage script has run. */
function stageArguments(
  binds: readonly Bind[],
  host: Host,
): { readonly prefix: readonly string[]; readonly sources: readonly string[] } {
  mkdirSync(stageDirectory, { recursive: true, mode: 0o755 });
  const places = binds.map((bind) => placeOf(realpathSync(bind.source)));
  const staged = [...new Set(places.filter((place) => place.hidden).map((place) => place.mounted))];
  const sources = places.map((place, index) =>
    place.hidden ? `${stageDirectory}/${staged.indexOf(place.mounted)}${place.below}` : (binds[index] as Bind).source,
  );
  // One table for one call of mount: a process for each bind would cost more than the rest of the launch.
  const table = staged
    .map((path, index) => `${escapePath(path)} ${stageDirectory}/${index} none rbind,X-mount.mkdir 0 0`)
    .join('\n');
  // A file can only be mounted on a file that exists.
  const files = staged.flatMap((path, index) => (statSync(path).isDirectory() ? [] : [index])).join(' ');
  const { unshare, mount } = host.tools;
  return {
    prefix: [
      ...[unshare, '--mount', '--propagation', 'private', '--'],
      ...['/bin/sh', '-c', stageScript, 'tidegate-stage', mount, stageDirectory, table, files],
    ],
    sources,
  };
}

type Place = { readonly hidden: boolean; readonly mounted: string; readonly below: string };

/**
 * A file is reached through its directory where others may enter that, so that one mount serves many files. bubblewrap then binds the
 * file alone.
 */
function placeOf(path: string): Place {
  const hidden = !isReachable(path);
  const above = dirname(path);
  return statSync(path).isDirectory() || (statSync(above).mode & 0o1) === 0
    ? { hidden, mounted: path, below: '' }
    : { hidden, mounted: above, below: `/${basename(path)}` };
}

/** Escapes a path as fstab(5) requires. */
const escapePath = (path: string): string =>
  path.replaceAll(/[\\ \t\n\r#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);

/** True when any user can reach the path and open it. */
function isReachable(path: string): boolean {
  const stats = statSync(path);
  const needed = stats.isDirectory() ? 0o5 : 0o4;
  if ((stats.mode & needed) !== needed) return false;
  for (let above = dirname(path); above !== '/'; above = dirname(above)) {
    if ((statSync(above).mode & 0o1) === 0) return false;
  }
  return true;
}
