import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Bind, Host } from './host.ts';

/** Empty on the host; a private mount over it exists only in the mount namespace of one launch. */
const stageDirectory = '/run/tidegate-fence';

/**
 * Root, before it drops its rights, binds what the unprivileged uid could not reach (below a 0700 directory) into a
 * private mount namespace. `exec` throughout: one process from the first program to bubblewrap, so that signals and
 * the death of the parent reach it.
 */
const stageScript = `set -eu
mount=$1 mkdir=$2 stage=$3 count=$4
shift 4
"$mount" -t tmpfs -o mode=755,size=1m,nr_inodes=4k tidegate "$stage"
index=0
while [ "$index" -lt "$count" ]; do
  if [ -d "$1" ]; then "$mkdir" "$stage/$index"; else : >"$stage/$index"; fi
  "$mount" --rbind "$1" "$stage/$index"
  shift
  index=$((index + 1))
done
exec "$@"`;

/** `sources` are where each bind is found after the stage is set. */
export function stageArguments(
  binds: readonly Bind[],
  host: Host,
): { readonly prefix: readonly string[]; readonly sources: readonly string[] } {
  mkdirSync(stageDirectory, { recursive: true, mode: 0o755 });
  const hidden = binds.map((bind) => realpathSync(bind.source)).filter((source) => !isReachable(source));
  const staged = [...new Set(hidden)];
  const sources = binds.map((bind) => {
    const index = staged.indexOf(realpathSync(bind.source));
    return index < 0 ? bind.source : `${stageDirectory}/${index}`;
  });
  if (staged.length === 0) return { prefix: [], sources };
  const { unshare, mount, mkdir } = host.tools;
  return {
    prefix: [
      ...[unshare, '--mount', '--propagation', 'private', '--', '/bin/sh', '-c', stageScript, 'tidegate-stage'],
      ...[mount, mkdir, stageDirectory, String(staged.length), ...staged],
    ],
    sources,
  };
}

/** Whether a stranger may walk to the path and open it. */
function isReachable(path: string): boolean {
  const stats = statSync(path);
  const needed = stats.isDirectory() ? 0o5 : 0o4;
  if ((stats.mode & needed) !== needed) return false;
  for (let above = dirname(path); above !== '/'; above = dirname(above)) {
    if ((statSync(above).mode & 0o1) === 0) return false;
  }
  return true;
}
