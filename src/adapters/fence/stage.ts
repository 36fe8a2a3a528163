import { mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Bind, Host } from './host.ts';
import { firstVictim } from './launch-script.ts';

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
export function stageArguments(
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
