import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { explain } from '../../../domain/explain/explain.ts';
import type { FindingOf } from '../../../domain/findings/finding.ts';
import { flushFile, syncDirectory } from '../../files/durable-file.ts';
import { hasCode } from '../../files/state-file.ts';
import { failpoint } from '../../process/failpoint.ts';
import { git, gitLine } from '../process/index.ts';
import { objectFormat } from '../read/index.ts';

export { AdoptionFailed, adoptCommit } from './adopt.ts';

/** Another repository, or none of ours, is at the path of our bare repository. */
export class ForeignRepository extends Error {
  override readonly name = 'ForeignRepository';
  readonly finding: FindingOf<'foreign-repository' | 'object-format'>;
  constructor(finding: FindingOf<'foreign-repository' | 'object-format'>) {
    super(explain(finding).detail);
    this.finding = finding;
  }
}

/**
 * Makes our own bare repository with the object format of the person's, unless it is there already. It appears whole,
 * by a rename; a second call changes nothing. 0700, no hooks, no remotes, every write on disk, merges always textual.
 */
export async function ensureBareRepository(path: string, checkoutGitDir: string): Promise<void> {
  const format = await objectFormat(checkoutGitDir);
  if (!existsSync(path)) await make(path, format);
  const mark = await gitLine({ gitDir: path, args: ['config', '--local', '--default=', '--get', 'tidegate.version'] });
  if (mark !== '1') throw new ForeignRepository({ rule: 'foreign-repository', repository: path });
  const actual = await objectFormat(path);
  if (actual !== format)
    throw new ForeignRepository({ rule: 'object-format', repository: path, expected: format, actual });
}

async function make(path: string, format: 'sha1' | 'sha256'): Promise<void> {
  const temporary = `${path}.${process.pid}.new`;
  removeLeftovers(path);
  mkdirSync(temporary, { recursive: true, mode: 0o700 });
  await git({
    args: ['init', '--quiet', '--bare', '--template=', `--object-format=${format}`, '--', temporary],
  });
  mkdirSync(`${temporary}/info`);
  writeFileSync(`${temporary}/info/attributes`, '* merge=text\n');
  writeFileSync(`${temporary}/config`, settings, { flag: 'a' });
  for (const file of ['HEAD', 'config', 'info/attributes']) flushFile(`${temporary}/${file}`);
  for (const folder of ['.', 'info', 'objects', 'refs']) syncDirectory(`${temporary}/${folder}`);
  failpoint('bare-repository-made');
  try {
    renameSync(temporary, path);
  } catch (error) {
    // Another process was faster; a directory that is not empty cannot be replaced.
    if (!hasCode(error, 'ENOTEMPTY', 'EEXIST')) throw error;
    rmSync(temporary, { recursive: true, force: true });
  }
  syncDirectory(dirname(path));
  failpoint('bare-repository-renamed');
}

/** Packs are readable by the unprivileged uid that agents run as, because stores may link them; the directory itself (0700) is not. */
const settings = `[core]
	sharedRepository = 0644
	fsync = all
	logAllRefUpdates = false
[gc]
	auto = 0
	pruneExpire = never
[maintenance]
	auto = false
[transfer]
	fsckObjects = true
[tidegate]
	version = 1
`;

/** Half-made repositories of processes that died. */
function removeLeftovers(path: string): void {
  if (!existsSync(dirname(path))) return;
  for (const name of readdirSync(dirname(path))) {
    const pid = name.startsWith(`${basename(path)}.`) ? /\.(\d+)\.new$/.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isOtherAlive(Number(pid))) rmSync(join(dirname(path), name), { recursive: true });
  }
}

function isOtherAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM');
  }
}
