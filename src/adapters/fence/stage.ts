import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Bind, Host } from './host.ts';
import { firstVictim } from './launch-script.ts';

/** Empty on the host; a private mount over it exists only in the mount namespace of one launch. */
const stageDirectory = '/run/tidegate-fence';

/**
 * Root, before it drops its rights, binds what the unprivileged uid could not reach (below a 0700 directory) into a
 * private mount namespace, and makes everything that follows the kernel's first victim when memory runs out: set with
 * CAP_SYS_RESOURCE, it cannot be taken back in the fence. `exec` throughout: one process from the first program to bubblewrap, so that signals
 * and the death of the parent reach it.
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

/** `sources` are where each bind is found after the stage is set. */
export function stageArguments(
  binds: readonly Bind[],
  host: Host,
): { readonly prefix: readonly string[]; readonly sources: readonly string[] } {
  mkdirSync(stageDirectory, { recursive: true, mode: 0o755 });
  const found = binds.map((bind) => placeOf(realpathSync(bind.source)));
  const staged = [...new Set(found.filter((place) => place.hidden).map((place) => place.mounted))];
  const sources = found.map((place, index) =>
    place.hidden ? `${stageDirectory}/${staged.indexOf(place.mounted)}${place.below}` : (binds[index] as Bind).source,
  );
  // One table for one call of mount: a process for each bind would cost more than the rest of the launch.
  const table = staged
    .map((path, index) => `${escaped(path)} ${stageDirectory}/${index} none rbind,X-mount.mkdir 0 0`)
    .join('\n');
  // What a file is mounted on must be there.
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
 * Files are found through their directory where a stranger may walk through it: one mount serves many. What bubblewrap then binds
 * is the file alone.
 */
function placeOf(path: string): Place {
  const hidden = !isReachable(path);
  const above = dirname(path);
  return statSync(path).isDirectory() || (statSync(above).mode & 0o1) === 0
    ? { hidden, mounted: path, below: '' }
    : { hidden, mounted: above, below: `/${basename(path)}` };
}

/** As fstab(5) wants it. */
const escaped = (path: string): string =>
  path.replaceAll(/[\\ \t\n\r#]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`);

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
