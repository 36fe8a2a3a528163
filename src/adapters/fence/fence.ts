import { existsSync } from 'node:fs';
import { shellWord } from '../../domain/base/shell-word.ts';
import { callFilter } from './filter.ts';
import { type Bind, FenceUnavailable, findTool, type Host, nobody, systemDirectories } from './host.ts';
import { fencedRuntime, fencedWorkspace } from './launch-script.ts';
import { stageArguments } from './stage.ts';
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
 * its terminal comes back to the fence, never to the terminal that the person types into. When this process dies, `script` is told to
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
