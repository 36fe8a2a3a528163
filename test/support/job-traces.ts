import { createHash } from 'node:crypto';
import { existsSync, globSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stored } from '../../src/ports/ledger.ts';
import { all } from './events-found.ts';
import { environmentOf } from './processes.ts';
import type { Project } from './project.ts';
import { runOnly } from './run-only.ts';

/** Jobs of which a process lives: each has the job's nonce in its environment, in whichever namespace it is. */
export function livingJobs(p: Project): readonly string[] {
  const { jobs } = p.state();
  const nonces = new Map(
    globSync('*/job.json', { cwd: jobs }).map((file) => {
      const { id, nonce } = JSON.parse(readFileSync(join(jobs, file), 'utf8')) as { id: string; nonce: string };
      return [`TIDEGATE_NONCE=${nonce}`, id];
    }),
  );
  const pids = readdirSync('/proc').filter((pid) => /^\d+$/.test(pid));
  return [...new Set(pids.flatMap((pid) => environmentOf(pid).flatMap((word) => nonces.get(word) ?? [])))];
}

/** What must be true of attempts, whoever was killed: each counts once, and what its agent wrote is in its snapshot (I7). */
export function attemptProblems(p: Project, events: readonly Stored[]): readonly string[] {
  const intended = all(events, 'attempt-intended').map(({ event }) => event);
  const ended = all(events, 'attempt-ended').map(({ event }) => event);
  const numbers = Object.entries(Object.groupBy(intended, ({ task }) => task)).flatMap(([task, attempts = []]) =>
    attempts.every(({ number }, index) => number === index + 1)
      ? []
      : [`attempts of ${task} are counted ${attempts.map(({ number }) => number).join()}`],
  );
  const ends = intended.flatMap(({ attempt }) => {
    const times = ended.filter((one) => one.attempt === attempt).length;
    return times === 1 ? [] : [`${attempt} ended ${times} times`];
  });
  return [...numbers, ...ends, ...ended.flatMap((one) => lostFiles(p, one.attempt, one.snapshot?.commit ?? null))];
}

/** Files of a workspace in which an agent worked that its snapshot does not have as they are. */
function lostFiles(p: Project, attempt: string, snapshot: string | null): readonly string[] {
  const { jobs, repository, lfs } = p.state();
  const workspace = join(jobs, attempt, 'workspace');
  if (!existsSync(workspace) || !existsSync(join(jobs, attempt, 'started.json'))) return [];
  if (snapshot === null) return [`${attempt} has no snapshot`];
  const files = globSync('**/*', { cwd: workspace, exclude: ['.git', '.tidegate'] });
  const plain = files.filter((file) => lstatSync(join(workspace, file)).isFile());
  const kept = runOnly(
    'git',
    ['--git-dir', repository, 'ls-tree', '-r', '--format=%(objectname) %(path)', snapshot],
    jobs,
  );
  const entries = new Set(kept.split('\n'));
  const isKept = (file: string): boolean => {
    const content = readFileSync(join(workspace, file));
    return (
      entries.has(`${blobId(content)} ${file}`) ||
      (isObject(lfs, content) && entries.has(`${pointerId(content)} ${file}`))
    );
  };
  return plain.filter((file) => !isKept(file)).map((file) => `${file} of ${attempt} is lost`);
}

/** What LFS keeps is a pointer in the snapshot, and beside it the object. */
const pointerId = (content: Buffer): string =>
  blobId(
    Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${oidOf(content)}\nsize ${content.length}\n`),
  );

function isObject(lfs: string, content: Buffer): boolean {
  const oid = oidOf(content);
  const [path] = globSync(`**/${oid}`, { cwd: lfs });
  return path !== undefined && oidOf(readFileSync(join(lfs, path))) === oid;
}

const oidOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

const blobId = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
