import { existsSync, linkSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { CommitId } from '../../../domain/base/ids.ts';
import { explain } from '../../../domain/explain/explain.ts';
import type { FindingOf } from '../../../domain/findings/finding.ts';
import { flushFile, syncDirectory } from '../../files/durable-file.ts';
import { hasCode } from '../../files/state-file.ts';
import { failpoint } from '../../process/failpoint.ts';
import { endOf, GitFailed, git, objectId, runGit, spawnGit } from '../process/index.ts';
import { findIncompleteness } from '../read/index.ts';

type Incomplete = FindingOf<'repository-shallow' | 'repository-partial' | 'objects-missing'>;

/** The person's repository lacks objects of the commit. */
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

/** Walks only what our refs do not reach: everything that they reach is complete already. */
async function isComplete(bare: string, commit: CommitId): Promise<boolean> {
  const lookup = await runGit({ gitDir: bare, args: ['cat-file', '-e', `${commit}^{commit}`] });
  if (lookup.exitCode !== 0) return false;
  const walked = await runGit({ gitDir: bare, args: ['rev-list', '--objects', '--quiet', commit, '--not', '--all'] });
  return walked.exitCode === 0;
}

async function copyObjects(bare: string, persons: string, commit: CommitId, options: readonly string[]): Promise<void> {
  const from = { gitDir: persons, args: ['pack-objects', '--revs', '--stdout', '--quiet', ...options] };
  const into = { gitDir: bare, config: ['core.fsync=all'], tied: true, args: ['index-pack', '--stdin'] };
  const revisions = [commit, ...(await sharedTips(bare, persons)).map((tip) => `^${tip}`)].join('\n');
  const pack = spawnGit(from);
  const index = spawnGit(into);
  index.stdout?.resume();
  if (pack.stdin === null || pack.stdout === null || index.stdin === null) throw new Error('git without pipes');
  pack.stdin.on('error', () => undefined);
  pack.stdin.end(`${revisions}\n`);
  const ends = [endOf(pack, from), endOf(index, into)];
  // index-pack leaves at the end of the pack, which may be before the end of its input: only the exits tell how it went
  const [packed, indexed] = await Promise.allSettled([...ends, pipeline(pack.stdout, index.stdin)]);
  // a full disk ends index-pack, and pack-objects only because nobody reads what it writes
  const parts = isDiskFull(indexed) ? [indexed] : [packed, indexed];
  for (const part of parts) if (part?.status === 'rejected') throw part.reason;
}

const isDiskFull = (end: PromiseSettledResult<unknown> | undefined): boolean =>
  end?.status === 'rejected' && end.reason instanceof GitFailed && end.reason.finding.rule === 'disk-full';

/** Lists commits that we hold completely and that the person's repository has: their ancestors need not be sent. */
async function sharedTips(bare: string, persons: string): Promise<readonly string[]> {
  const ours = await git({ gitDir: bare, args: ['for-each-ref', '--format=%(objectname)'] });
  const types = await git({
    gitDir: persons,
    args: ['cat-file', '--batch-check=%(objectname) %(objecttype)'],
    stdin: ours,
  });
  return types
    .toString('latin1')
    .split('\n')
    .filter((line) => line.endsWith(' commit'))
    .map((line) => line.slice(0, line.indexOf(' ')));
}

/**
 * Hard-links every pack of the person's repository, and of those that it borrows from, into ours. A pack counts from the
 * moment that its index is there, so the index comes last. False when a pack could not be linked (other file system,
 * not readable for agents' uid): then nothing may be assumed to be here.
 */
function linkPacks(personsGitDir: string, bare: string): boolean {
  const target = `${bare}/objects/pack`;
  try {
    for (const objects of objectDirectories(`${commonDirectory(personsGitDir)}/objects`)) linkFrom(objects, target);
  } catch (error) {
    if (!hasCode(error, ...unlinkable)) throw error;
    return false;
  } finally {
    syncDirectory(target);
  }
  return true;
}

/** ENOENT: the person's git repacked meanwhile. */
const unlinkable = ['EXDEV', 'EPERM', 'EACCES', 'EMLINK', 'ENOENT', 'ENOTSUP', 'ENOSYS'];

function linkFrom(objects: string, target: string): void {
  const folder = `${objects}/pack`;
  if (!existsSync(folder)) return;
  for (const index of readdirSync(folder).filter((name) => /^pack-[0-9a-f]+\.idx$/.test(name))) {
    const stem = index.slice(0, -'.idx'.length);
    if (existsSync(`${target}/${index}`)) continue;
    for (const name of [`${stem}.pack`, index]) linkOne(`${folder}/${name}`, `${target}/${name}`);
  }
}

function linkOne(from: string, to: string): void {
  const unreadable = (statSync(from).mode & 0o004) === 0;
  if (unreadable) throw Object.assign(new Error(`${from} is private`), { code: 'EACCES' });
  // Left by a call that died before the index: it may belong to another packing of the same objects.
  rmSync(to, { force: true });
  linkSync(from, to);
  flushFile(to);
}

/** A linked worktree keeps its objects in the main repository. */
function commonDirectory(gitDir: string): string {
  const pointer = `${gitDir}/commondir`;
  return existsSync(pointer) ? resolve(gitDir, readFileSync(pointer, 'utf8').trim()) : gitDir;
}

function objectDirectories(objects: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(objects)) return seen;
  seen.add(objects);
  const alternates = `${objects}/info/alternates`;
  if (!existsSync(alternates)) return seen;
  for (const line of readFileSync(alternates, 'utf8').split('\n'))
    if (line !== '' && !line.startsWith('#')) objectDirectories(isAbsolute(line) ? line : resolve(objects, line), seen);
  return seen;
}
