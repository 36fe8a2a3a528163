import type { Host } from './host.ts';

/** The path of the workspace in every fence. It never differs, so that what `setup` builds works in any other workspace. */
export const fencedWorkspace = '/workspace';
export const fencedRuntime = '/run/tidegate';
/** With a list of hosts, programs in the fence reach the relay on this port of their own loopback; it leads to this socket of ours. */
export const relayPort = 61_080;
export const relaySocket = 'n';

/** The file that the canary writes wherever it can. One outside the workspace is a breach. */
export const canaryFile = (token: string): string => `.tidegate-canary-${token}`;

/**
 * When memory runs out, the kernel kills the process with the highest score. Our own processes keep theirs, usually 0; a container may
 * have set a higher one, which only root can lower. If the score cannot be set, it stays as it is.
 */
export const firstVictim =
  'if read -r score </proc/self/oom_score_adj && [ "$score" -lt 500 ]; then printf "500\\n" 2>/dev/null >/proc/self/oom_score_adj || :; fi';

/**
 * The canary, first process in the fence. It tries to escape, reports each success as a breach, then waits for our go before it
 * becomes the agent. If the supervisor dies meanwhile, the go never comes and the agent never starts.
 * Arguments: token, `on`/`off`/`relay`, `yes`/`no` for fenced, most processes, most blocks of 512 bytes in a file (0: no limit), its
 * standard input, count of paths outside, the paths, argv. Uses shell builtins only, except for one mount and the relay.
 */
const launchScript = `token=$1 network=$2 fenced=$3 processes=$4 blocks=$5 stdin=$6 count=$7
shift 7
say() { printf '%s\\n' "$1" >&3; }
no_more_than_three() { [ "$#" -le 3 ]; }
only_ours() { [ "$#" -eq 1 ] && [ "$1" = /run/tidegate ]; }
if [ "$fenced" = yes ]; then
  while [ "$count" -gt 0 ]; do
    command : 2>/dev/null >"$1/.tidegate-canary-$token"
    shift
    count=$((count - 1))
  done
  for directory in / /etc /usr /usr/bin /run /proc/sys/kernel; do
    if command : 2>/dev/null >"$directory/.tidegate-canary-$token"; then say "breach wrote-in $directory"; fi
  done
  command : 2>/dev/null >".tidegate-canary-$token" || say 'breach workspace-unwritable'
  no_more_than_three /proc/[0-9]* || say 'breach processes'
  only_ours /run/* || say 'breach run-directory'
  while read -r key value rest; do
    case $key:$value in
      CapEff:*[1-9a-f]*) say 'breach capabilities' ;;
      Uid::0) say 'breach root' ;;
      NoNewPrivs::0) say 'breach privileges' ;;
      Seccomp::2) break ;;
      Seccomp:*) say 'breach system-calls' ;;
    esac
  done </proc/self/status
  if read -r pattern </proc/sys/kernel/core_pattern && printf '%s\\n' "$pattern" 2>/dev/null >/proc/sys/kernel/core_pattern; then
    say 'breach core-pattern'
  fi
  if /bin/mount -o remount,bind,rw /usr 2>/dev/null; then say 'breach remount /usr'; fi
  if [ "$network" != on ]; then
    while read -r device rest; do
      case $device in lo:*) ;; *:*) say "breach network-device $device" ;; esac
    done </proc/net/dev
  fi
else
  while [ "$count" -gt 0 ]; do shift; count=$((count - 1)); done
fi
${firstVictim}
command -v "$1" >/dev/null 2>&1 || say "missing $1"
ulimit -c 0
[ "$processes" = 0 ] || ulimit -p "$processes" 2>/dev/null || ulimit -u "$processes"
[ "$blocks" = 0 ] || ulimit -f "$blocks"
# Waits until the relay listens. The relay is a child of the first process, not of the agent.
if [ "$network" = relay ]; then
  relay=$(${fencedRuntime}/bin/tidegate relay ${relayPort} ${fencedRuntime}/${relaySocket} 3>&- 4<&- &)
  [ "$relay" = listening ] || exit 125
fi
say ready
read -r go <&4 || exit 125
[ "$go" = go ] || exit 125
exec 3>&- 4<&-
# Not before the go: until then the supervisor checks whether these files are on the host.
if [ "$fenced" = yes ]; then /bin/rm -f "/tmp/.tidegate-canary-$token" "$HOME/.tidegate-canary-$token"; fi
[ -n "$stdin" ] || exec "$@"
exec "$@" <"$stdin"`;

type Start = {
  readonly token: string;
  /** `relay`: only the connections that our client in the fence passes on. */
  readonly network: 'on' | 'off' | 'relay';
  readonly fenced: boolean;
  /** Directories of the host that the canary tries to write. */
  readonly outside: readonly string[];
  /**
   * The path inside of the file that argv reads. A descriptor opened outside could bypass the fence's read-only mounts.
   * Null: the standard input that the launch left open.
   */
  readonly stdin: string | null;
  readonly argv: readonly string[];
};

/** The first command in the fence. */
export const startCommand = (start: Start, host: Pick<Host, 'maxProcesses' | 'maxFileBytes'>): readonly string[] => [
  ...['/bin/sh', '-c', launchScript, 'tidegate', start.token, start.network, start.fenced ? 'yes' : 'no'],
  ...[start.fenced ? host.maxProcesses : 0, start.fenced ? Math.floor(host.maxFileBytes / 512) : 0].map(String),
  ...[start.stdin ?? '', String(start.outside.length), ...start.outside, ...start.argv],
];
