import { pipeline } from 'node:stream/promises';
import type { CommitId } from '../../../domain/base/ids.ts';
import { explain } from '../../../domain/explain/explain.ts';
import type { FindingOf } from '../../../domain/findings/finding.ts';
import { failpoint } from '../../process/failpoint.ts';
import {
  type GitCall,
  GitFailed,
  git,
  gitFailure,
  keepStart,
  launchError,
  objectId,
  runGit,
  spawnGit,
} from '../process/index.ts';
import { findIncompleteness } from '../read/index.ts';
import { linkPacks } from './link-packs.ts';

type Incomplete = FindingOf<'repository-shallow' | 'repository-partial' | 'objects-missing'>;

/** The person's repository does not hold everything that the commit is made of. */
export class AdoptionFailed extends Error {
  override readonly name = 'AdoptionFailed';
  readonly finding: Incomplete;
  constructor(finding: Incomplete) {
    super(explain(finding).detail);
    this.finding = finding;
  }
}

/**
 * Brings every object reachable from `commit` into our bare repository: packs by hard link where the file system
 * allows, the rest as one new pack. Afterwards nothing depends on the person's repository any more. Safe to repeat.
 */
export async function adoptCommit(bare: string, personsGitDir: string, commit: CommitId): Promise<void> {
  objectId(commit);
  if (await isComplete(bare, commit)) return;
  const incomplete = await findIncompleteness(personsGitDir);
  if (incomplete !== null) throw new AdoptionFailed(incomplete);
  const linked = linkPacks(personsGitDir, bare);
  failpoint('adopt-packs-linked');
  if (linked && (await isComplete(bare, commit))) return;
  await copyObjects(bare, personsGitDir, commit, linked ? ['--incremental'] : []);
  failpoint('adopt-objects-copied');
  if (await isComplete(bare, commit)) return;
  // The person's repository was repacked while we linked: copy everything instead.
  await copyObjects(bare, personsGitDir, commit, []);
  if (await isComplete(bare, commit)) return;
  throw new AdoptionFailed({ rule: 'objects-missing', repository: personsGitDir, commit });
}

/** Everything that our refs reach is complete already, so only the rest is walked. */
async function isComplete(bare: string, commit: CommitId): Promise<boolean> {
  const there = await runGit({ gitDir: bare, args: ['cat-file', '-e', `${commit}^{commit}`] });
  if (there.exitCode !== 0) return false;
  const walked = await runGit({ gitDir: bare, args: ['rev-list', '--objects', '--quiet', commit, '--not', '--all'] });
  return walked.exitCode === 0;
}

async function copyObjects(bare: string, persons: string, commit: CommitId, options: readonly string[]): Promise<void> {
  const from = { gitDir: persons, args: ['pack-objects', '--revs', '--stdout', '--quiet', ...options] };
  const into = { gitDir: bare, config: ['core.fsync=all'], tied: true, args: ['index-pack', '--stdin'] };
  const wanted = [commit, ...(await sharedTips(bare, persons)).map((tip) => `^${tip}`)].join('\n');
  const pack = spawnGit(from);
  const index = spawnGit(into);
  index.stdout?.resume();
  if (pack.stdin === null || pack.stdout === null || index.stdin === null) throw new Error('git without pipes');
  pack.stdin.on('error', () => undefined);
  pack.stdin.end(`${wanted}\n`);
  const ends = [endOf(pack, from), endOf(index, into)];
  // index-pack leaves at the end of the pack, which may be before the end of its input: only the exits tell how it went
  const [packed, indexed] = await Promise.allSettled([...ends, pipeline(pack.stdout, index.stdin)]);
  // a full disk ends index-pack, and pack-objects only because nobody reads what it writes
  const parts = isDiskFull(indexed) ? [indexed] : [packed, indexed];
  for (const part of parts) if (part?.status === 'rejected') throw part.reason;
}

const isDiskFull = (end: PromiseSettledResult<unknown> | undefined): boolean =>
  end?.status === 'rejected' && end.reason instanceof GitFailed && end.reason.finding.rule === 'disk-full';

function endOf(child: ReturnType<typeof spawnGit>, call: GitCall): Promise<void> {
  const stderr = keepStart(child);
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(launchError(call, error)));
    child.once('close', (code) => (code === 0 ? resolve() : reject(gitFailure(call, code, stderr()))));
  });
}

/** Commits that we hold completely and that the person's repository knows: nothing behind them need be sent. */
async function sharedTips(bare: string, persons: string): Promise<readonly string[]> {
  const ours = await git({ gitDir: bare, args: ['for-each-ref', '--format=%(objectname)'] });
  const known = await git({
    gitDir: persons,
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    stdin: ours,
  });
  return known
    .toString('latin1')
    .split('\n')
    .filter((line) => line.endsWith(' commit'))
    .map((line) => line.slice(0, line.indexOf(' ')));
}
