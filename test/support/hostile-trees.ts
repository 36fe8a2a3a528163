import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { stateDisk } from '../../src/adapters/disk/index.ts';
import { removeTree } from '../../src/adapters/files/remove-tree.ts';
import { memoryLedger } from '../../src/adapters/ledger/memory/index.ts';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace } from '../../src/adapters/workspace/index.ts';
import { cleanDisk } from '../../src/cli/commands/keep/clean.ts';
import { attemptId, type CommitId, commitId, treeId } from '../../src/domain/base/ids.ts';
import { bytesOfShown } from '../../src/domain/base/paths.ts';
import type { SnapshotEvidence } from '../../src/domain/gates/evidence.ts';
import { keepAtEnd } from '../../src/domain/kept/discard.ts';
import type { Kept } from '../../src/domain/kept/kept.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { refs, stateDir } from '../../src/domain/ledger/state-dir.ts';
import { foldRun } from '../../src/domain/run/run.ts';
import { keepDisk } from '../../src/engine/jobs/disk-keeper.ts';
import type { RepositoryHandle } from '../../src/ports/repository-handle.ts';
import { approved, begun, by, ended, hello, run } from './run-events.ts';
import { type TempRepo, tempRepo } from './temp-repo.ts';

/**
 * `hostile-trees <seed> <runs>`: trees as hostile agents leave them, over one or two attempts that land, are dropped, fail or are given
 * up, then the disk cap and `clean`. Says of each file that the base does not ignore and that is neither in a snapshot nor kept and
 * named. Real files, real git; run as the user whose modes are to be tried.
 */
const secret = 'hunter2-hunter2';
const names = [
  ...['a', 'b.txt', 'x.log', 'ignored', 'dir', 'tracked.txt', ' -x', '.git', 'GIT~1', '"quoted"', 'back\\slash'],
  ...['new\nline', '\u001b[31m', 'é', 'rtl\u202e', secret, '[redacted]'],
].map((name) => Buffer.from(name));
const notText = [Buffer.from([0x63, 0xe9]), Buffer.from([0xff, 0xfe]), Buffer.from([0x64, 0x2f + 0x80, 0x0a])];

type Leaf = { readonly path: readonly Buffer[]; readonly what: 'file' | 'large' | 'link' | 'gone' };
type Tree = {
  readonly leaves: readonly Leaf[];
  readonly modes: readonly { readonly at: number; readonly mode: number }[];
};

const pathArbitrary = fc.array(fc.constantFrom(...names, ...notText), { minLength: 1, maxLength: 4 });
const treeArbitrary: fc.Arbitrary<Tree> = fc.record({
  leaves: fc.array(fc.record({ path: pathArbitrary, what: fc.constantFrom('file', 'file', 'large', 'link', 'gone') }), {
    minLength: 1,
    maxLength: 12,
  }),
  modes: fc.array(fc.record({ at: fc.nat(50), mode: fc.constantFrom(0, 0o111, 0o444, 0o555) }), { maxLength: 6 }),
});
const fates = ['landed', 'dropped', 'failed', 'abandoned'] as const;
type Fate = (typeof fates)[number];

/** A file that must not be lost. */
type Work = { readonly job: string; readonly path: Buffer; readonly content: Buffer };

async function lost(trees: readonly Tree[], fate: Fate): Promise<readonly string[]> {
  await using repo = await tempRepo();
  const base = repo.commit('base', {
    '.gitignore': 'ignored/\n*.log\n',
    'tracked.txt': 'tracked\n',
    'dir/tracked.txt': 'tracked\n',
    'dir/kept.log': 'tracked although ignored\n',
  });
  repo.git('add', '-f', 'dir/kept.log');
  const start = repo.commit('all of it');
  const state = stateDir(join(repo.home));
  await using _ = { [Symbol.asyncDispose]: () => removeTree(state.jobs) };
  const repository = await repo.bare(start ?? base);
  const work: Work[] = [];
  const events: RunEvent[] = [...begun(), ...approved];
  for (const [index, tree] of trees.entries()) {
    const attempt = attemptId(run, hello, index + 1);
    const workspace = join(state.job(attempt), 'workspace');
    const made = await makeWorkspace({ repository, directory: workspace, commit: start });
    grow(Buffer.from(workspace), tree);
    work.push(...filesIn(Buffer.from(workspace)).map((file) => ({ job: attempt, ...file })));
    close(Buffer.from(workspace), tree);
    const snapshot = await takeSnapshot({
      repository,
      workspace,
      base: start,
      from: start,
      statCache: made.record,
      ref: refs.attempt(attempt),
      message: 'snapshot',
      secrets: [secret],
      limits: { file: 1_000, total: 2_500, lfs: 1_000 },
    });
    writeFileSync(join(state.job(attempt), 'exit.json'), '{}');
    events.push(...attemptEvents(attempt, index + 1, start, snapshot));
  }
  events.push(...fateEvents(fate));

  const told = await sweep(state, events);
  const folded = foldRun(events.map((event, at) => ({ seq: at + 1, event })));
  const kept = folded?.kept ?? [];
  for (const job of readdirSync(state.jobs)) open(Buffer.from(join(state.job(job), 'workspace')));
  const problems = work.flatMap((file) => whyLost(repo, repository, state.job(file.job), file, kept));

  // discarded by name, nothing of it is in the way any more
  const disk = stateDisk(state, async () => ({ cap: 0, free: 0 }));
  for (const { attempt, path } of kept) await disk.discard(attempt, path);
  await sweep(state, [...events, { type: 'kept-discarded', task: hello, kept, by }]);
  const isOver = fate === 'landed' || fate === 'dropped';
  const left = isOver ? readdirSync(state.jobs).filter((job) => existsSync(join(state.job(job), 'workspace'))) : [];
  return [...problems, ...told, ...left.map((job) => `${job} is still there`)];
}

/** What the disk cap and `clean` do, as the coordinator and a person would have them. */
async function sweep(state: ReturnType<typeof stateDir>, events: readonly RunEvent[]): Promise<readonly string[]> {
  const folded = foldRun(events.map((event, at) => ({ seq: at + 1, event })));
  const disk = stateDisk(state, async () => ({ cap: 0, free: 0 }));
  const failures: string[] = [];
  const clock = {
    now: () => '2026-01-01T00:00:00.000Z',
    nonce: () => 'n',
    sleep: () => new Promise<void>(() => undefined),
  };
  const looked = Promise.withResolvers<void>();
  const keeper = keepDisk({
    disk: { ...disk, free: () => 1, memory: () => 2 ** 40, holdings: disk.holdings },
    clock,
    runs: () => [folded],
    changed: looked.resolve,
    failed: (cause) => {
      failures.push(String(cause));
      looked.resolve();
    },
  });
  keeper.look();
  await Promise.race([looked.promise, settled(disk)]);
  keeper.stop();
  const ledger = memoryLedger();
  const { epoch } = await ledger.takeEpoch({ pid: 1, startTime: '', bootId: '', host: '' } as never, () => false);
  await ledger.append(run, 0, events, epoch);
  const repo = {
    ledger,
    disk,
    state,
    clock,
    git: {},
    files: { lfsBytes: async () => 0, removeLfs: async () => undefined },
  };
  await cleanDisk(false, repo as unknown as RepositoryHandle);
  return failures;
}

/** The look of the keeper may find nothing to say. */
async function settled(disk: { holdings(): Promise<unknown> }): Promise<void> {
  await disk.holdings();
  for (let turn = 0; turn < 200; turn += 1) await nextTurn();
}

function whyLost(
  repo: TempRepo,
  repository: string,
  job: string,
  { job: attempt, path, content }: Work,
  kept: readonly Kept[],
): readonly string[] {
  const id = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
  if (idsIn(repo, repository, attempt).get(path.toString('latin1')) === id) return [];
  const name = path.toString('latin1');
  const isNamed = kept.some((one) => one.attempt === attempt && names_(one.path, name));
  const shown = `${attempt} ${JSON.stringify(name)}`;
  if (!isNamed) return [`${shown} is in no snapshot and not named`];
  const place = Buffer.concat([Buffer.from(`${job}/workspace/`), path]);
  return contentAt(place)?.equals(content) === true ? [] : [`${shown} is named and gone`];
}

/** Whether a path that people are shown stands for this one. A masked name stands for any. */
function names_(shown: string, name: string): boolean {
  const text = shown === '.' ? '' : Buffer.from(bytesOfShown(shown) ?? []).toString('latin1');
  const masked = name.replaceAll(secret, '[redacted]');
  return text === '' || masked === text || masked.startsWith(`${text}/`);
}

const trees = new Map<string, ReadonlyMap<string, string>>();
function idsIn(repo: TempRepo, repository: string, attempt: string): ReadonlyMap<string, string> {
  const key = `${repository} ${attempt}`;
  const known = trees.get(key);
  if (known !== undefined) return known;
  const listed = repo.git('--git-dir', repository, '-c', 'core.quotePath=true', 'ls-tree', '-r', refs.attempt(attempt));
  const ids = new Map(
    listed.split('\n').map((line) => {
      const [about = '', path = ''] = line.split('\t');
      return [unquoted(path), about.split(' ')[2] ?? ''] as const;
    }),
  );
  trees.set(key, ids);
  return ids;
}

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', f: '\f', v: '\v' };
const unquoted = (path: string): string =>
  !path.startsWith('"')
    ? path
    : path
        .slice(1, -1)
        .replaceAll(/\\(\d{3}|.)/g, (_, code: string) =>
          code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (escapes[code] ?? code),
        );

const inside = (directory: Buffer, name: Buffer): Buffer => Buffer.concat([directory, Buffer.from('/'), name]);

/** Does what the agent would; what cannot be done it cannot do either. */
function grow(root: Buffer, { leaves }: Tree): void {
  for (const { path, what } of leaves) {
    const place = path.reduce(inside, root);
    attempted(() => {
      if (what === 'gone') return unlinkSync(place);
      mkdirSync(path.slice(0, -1).reduce(inside, root), { recursive: true });
      if (what === 'link') return symlinkSync('tracked.txt', place);
      writeFileSync(
        place,
        `${place.toString('hex')}\n`.repeat(what === 'large' ? 40 : 1).slice(0, what === 'large' ? 4_000 : 200),
      );
    });
  }
}

function close(root: Buffer, { modes }: Tree): void {
  const entries = [root, ...entriesIn(root)];
  // the innermost first: nothing below a closed directory can be reached
  const chosen = modes.map(({ at, mode }) => ({ place: entries[at % entries.length] ?? root, mode }));
  for (const { place, mode } of chosen.toSorted((a, b) => b.place.length - a.place.length))
    attempted(() => {
      if (!lstatSync(place).isSymbolicLink()) chmodSync(place, mode);
    });
}

/** Lets the test look; the judging is over. */
function open(directory: Buffer): void {
  if (lstatSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(directory, 0o700);
  for (const name of readdirSync(directory, { encoding: 'buffer' })) open(inside(directory, name));
}

function attempted(work: () => void): void {
  try {
    work();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
  }
}

function entriesIn(directory: Buffer): readonly Buffer[] {
  return readdirSync(directory, { withFileTypes: true, encoding: 'buffer' }).flatMap((entry) => {
    const place = inside(directory, entry.name);
    return entry.isDirectory() ? [place, ...entriesIn(place)] : [place];
  });
}

/** Files and links that are work, by rules of our own that are as plain as the base's two patterns. */
function filesIn(root: Buffer): readonly { readonly path: Buffer; readonly content: Buffer }[] {
  return entriesIn(root).flatMap((place) => {
    const path = place.subarray(root.length + 1);
    const content = contentAt(place);
    return content === null || isIgnored(path.toString('latin1')) ? [] : [{ path: Buffer.from(path), content }];
  });
}

function isIgnored(path: string): boolean {
  const parts = path.split('/');
  if (parts[0] === '.git' || parts[0] === '.tidegate') return true;
  if (path === 'dir/kept.log') return false;
  const above = parts.slice(0, -1);
  return above.some((name) => name === 'ignored') || parts.some((name) => name.endsWith('.log'));
}

function contentAt(place: Buffer): Buffer | null {
  const stats = lstatSync(place, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink()) return readlinkSync(place, 'buffer');
  if (stats?.isFile() !== true) return null;
  if ((stats.mode & 0o400) === 0) attempted(() => chmodSync(place, stats.mode | 0o400));
  return readFileSync(place);
}

function attemptEvents(
  attempt: ReturnType<typeof attemptId>,
  number: number,
  start: CommitId,
  snapshot: SnapshotEvidence,
): readonly RunEvent[] {
  const of = { task: hello, attempt } as const;
  const intended = { number, nonce: 'n', base: start, from: start, agent: 'command', provider: '', terms: 0 };
  return [
    { type: 'attempt-intended', ...of, ...intended },
    { type: 'attempt-started', ...of, pid: 1 },
    {
      ...(ended as RunEvent & { type: 'attempt-ended' }),
      ...of,
      snapshot,
      ...keepAtEnd(undefined, { attempt, snapshot, snapshotProblem: null }),
    },
  ];
}

function fateEvents(fate: Fate): readonly RunEvent[] {
  const commit = commitId('c'.repeat(40));
  const merged = { wave: 0, round: 1, old: commit, new: commit, tasks: [{ task: hello, commit }] };
  switch (fate) {
    case 'landed':
      return [
        { type: 'round-opened', wave: 0, round: 1, base: commit, tasks: [{ task: hello, snapshot: commit }] },
        {
          type: 'candidate-built',
          wave: 0,
          round: 1,
          base: commit,
          steps: [{ task: hello, commit, tree: treeId('e'.repeat(40)) }],
          conflicts: [],
        },
        { type: 'merged', ...merged },
        { type: 'landed', branch: 'main', old: commit, new: commit, tasks: [hello], commits: merged.tasks },
        { type: 'run-ended', outcome: 'landed' },
      ];
    case 'dropped':
      return [
        { type: 'task-dropped', task: hello, by },
        { type: 'run-ended', outcome: 'done' },
      ];
    case 'failed':
      return [];
    case 'abandoned':
      return [
        { type: 'run-abandoned', by },
        { type: 'run-ended', outcome: 'abandoned' },
        { type: 'task-dropped', task: hello, by },
      ];
  }
}

const [seed = '1', runs = '10'] = process.argv.slice(2);
const checked = await fc.check(
  fc.asyncProperty(
    fc.array(treeArbitrary, { minLength: 1, maxLength: 2 }),
    fc.constantFrom(...fates),
    async (grown, fate) => {
      const problems = await lost(grown, fate);
      if (problems.length > 0) throw new Error(problems.join('\n'));
    },
  ),
  { seed: Number(seed), numRuns: Number(runs), endOnFailure: true },
);
const why = checked.failed ? `${(checked.errorInstance as Error).stack}\n${fc.defaultReportMessage(checked)}` : '';
console.log(JSON.stringify({ runs: checked.numRuns, failed: checked.failed, why }));
