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
mount=$1 mkdir=$2 stage=$3 directories=$4 files=$5 table=$6
shift 6
"$mount" -t tmpfs -o mode=755,size=1m,nr_inodes=4k tidegate "$stage"
cd "$stage"
[ -z "$directories" ] || "$mkdir" $directories
for file in $files; do : >"$file"; done
printf '%s' "$table" >table
"$mount" -a -T "$stage/table"
cd /
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
  const named = staged.map((source, index) => ({ source, index, isDirectory: statSync(source).isDirectory() }));
  const indices = (wanted: boolean): string =>
    named
      .filter(({ isDirectory }) => isDirectory === wanted)
      .map(({ index }) => index)
      .join(' ');
  // One table for one call of mount: a process for each bind would cost more than the rest of the launch.
  const table = named
    .map(({ source, index }) => `${escaped(source)} ${stageDirectory}/${index} none rbind 0 0\n`)
    .join('');
  return {
    prefix: [
      ...[unshare, '--mount', '--propagation', 'private', '--', '/bin/sh', '-c', stageScript, 'tidegate-stage'],
      ...[mount, mkdir, stageDirectory, indices(true), indices(false), table],
    ],
    sources,
  };
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
