// A network namespace whose only interface is loopback: what runs in it can reach itself and nothing else.
import { spawnSync } from 'node:child_process';

const isRoot = process.getuid?.() === 0;

/** Without a way to bring `lo` up, 127.0.0.1 does not answer either. perl: SIOCSIFFLAGS with IFF_UP. */
const raiseLoopback = [
  'ip link set lo up 2>/dev/null',
  `perl -e 'socket(S,2,2,0) && ioctl(S,0x8914,pack("a16sx14","lo",1)) or die' 2>/dev/null`,
  'ifconfig lo up 2>/dev/null',
].join(' || ');

/** The argument vector that runs `argv` in such a namespace, as the same user, with no more rights than before. */
export function inLoopback(argv) {
  const raised = ['/bin/sh', '-c', `PATH="$PATH:/usr/sbin:/sbin"; { ${raiseLoopback}; } || exit 97; exec "$@"`, 'sh'];
  if (isRoot) return ['unshare', '--net', '--', ...raised, ...argv];
  const own = ['unshare', '--user', '--map-current-user', '--keep-caps', '--net', '--'];
  return [...own, ...raised, 'setpriv', '--inh-caps=-all', '--ambient-caps=-all', '--', ...argv];
}

/** null when a namespace can be made here, else why not. */
export function loopbackProblem() {
  if (process.platform !== 'linux') return 'network namespaces are Linux only';
  const [program, ...args] = inLoopback(['true']);
  const tried = spawnSync(program, args, { encoding: 'utf8', timeout: 20_000 });
  if (tried.status === 0) return null;
  if (tried.status === 97) return 'neither ip nor perl nor ifconfig could bring the loopback interface up';
  return (tried.error?.message ?? tried.stderr.trim()) || `${program} ended with ${tried.status}`;
}
