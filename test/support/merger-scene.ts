import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readDiff } from '../../src/adapters/git/read/index.ts';
import { memoryLedger } from '../../src/adapters/ledger/memory/index.ts';
import { identify } from '../../src/adapters/process/process-identity.ts';
import {
  attemptId,
  type CommitId,
  commitId,
  type TaskId,
  type TreeId,
  taskId,
  treeId,
} from '../../src/domain/base/ids.ts';
import { pass } from '../../src/domain/gates/make-verdict.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import { stateDir } from '../../src/domain/ledger/state-dir.ts';
import type { FrozenPlan, PlannedTask } from '../../src/domain/plan/plan.ts';
import type { MergerContext } from '../../src/merger/order.ts';
import { runTip } from '../../src/merger/proof/history.ts';
import { perform } from '../../src/merger/serve.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import type { Merger, MergerAnswer, MergerRequest } from '../../src/ports/merger.ts';
import {
  dispatchEvidence,
  exited,
  handoff as handoffWith,
  hashOf,
  log,
  me,
  plan,
  plannedTask,
  theRun,
} from './plans.ts';
import { runOnly } from './run-only.ts';

/** Content; null removes; `link` a symbolic link; `exec` an executable file. */
export type Edits = Readonly<Record<string, string | null | { readonly link: string } | { readonly exec: string }>>;

export type SceneOptions = {
  /** Files of the person's first commit. */
  readonly files?: Edits;
  readonly waves: readonly Readonly<Record<string, Partial<PlannedTask>>>[];
  readonly plan?: Partial<FrozenPlan>;
  readonly openLedger?: (file: string) => Promise<Ledger>;
  /** Instead of the merger's functions in this process. */
  readonly merger?: (context: MergerContext) => Merger;
};

export const run = theRun;

/** A person's repository, a run in the ledger as the coordinator would record it, and the merger's own functions. */
export async function scene(options: SceneOptions) {
  const root = mkdtempSync(join(tmpdir(), 'tidegate-merger-'));
  const checkout = join(root, 'checkout');
  const state = stateDir(join(root, 'state'));
  mkdirSync(state.root);
  mkdirSync(checkout);
  const git = (...args: string[]) => runOnly('git', args, checkout);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Ada');
  git('config', 'user.email', 'ada@example.com');
  write(checkout, options.files ?? { 'readme.md': 'hello\n' });
  git('add', '-A');
  git('commit', '-q', '-m', 'first');

  const ledger = await (options.openLedger?.(state.ledger) ?? memoryLedger());
  const taken = await ledger.takeEpoch({ ...identify(), socket: '' }, () => false);
  const epoch = taken.epoch;
  const append = async (...events: RunEvent[]) => {
    const past = await ledger.read(run);
    const appended = await ledger.append(run, past.length, events, epoch);
    if (appended.outcome !== 'appended') throw new Error(appended.outcome);
  };
  const env = { HOME: root, PATH: process.env['PATH'] ?? '', GIT_CONFIG_GLOBAL: join(root, '.gitconfig') };
  const context: MergerContext = { ledger, state, checkout, env };
  const merger = options.merger?.(context);
  const ask = (request: MergerRequest): Promise<MergerAnswer> =>
    merger?.ask(request, epoch) ?? perform(context, request, epoch);
  const bareWith = (extra: Record<string, string>, ...args: string[]) =>
    runOnly('git', ['--git-dir', state.repository, ...args], root, extra);
  const bare = (...args: string[]) => bareWith({}, ...args);

  const plan = planOf(options);
  const hash = hashOf(plan);
  const target = { branch: 'main', commit: commitId(git('rev-parse', 'HEAD')) };
  const repo = { rootCommit: target.commit, remotes: [] };
  await append(
    {
      type: 'run-created',
      run,
      plan,
      hash,
      planFile: 'plan.yaml',
      repo,
      target,
      wave: null,
      by: me,
      landing: 'as-planned',
      approves: [],
      tidegate: '0',
    },
    judgedRun('contract', { run, planFile: 'plan.yaml', planExists: true, wave: null }),
    judgedRun('load', { findings: [], tasks: 1, expected: null, actual: repo }),
    { type: 'tap-decided', tap: 'start', decision: 'approved', hash, by: me },
  );
  for (const wave of plan.waves.keys())
    await append(
      { ...judgedWave(wave), phase: 'thread', evidence: { board: 'builtin', id: 'b' } },
      { ...judgedWave(wave), phase: 'preflight', evidence: { errors: [], warnings: [] } },
      { ...judgedWave(wave), phase: 'ownership', evidence: { granted: [] } },
      { ...judgedWave(wave), phase: 'approval', evidence: { decision: 'approved', hash } },
    );

  /** An attempt on `task` that ended well with these edits on its base, gated and ready. */
  const work = async (name: string, edits: Edits) => {
    const task = taskId(name);
    const based = await ask({ do: 'make-task-base', run, task });
    if (based.outcome !== 'done') throw new Error(JSON.stringify(based));
    const past = (await ledger.read(run)).map(({ event }) => event);
    const made = past.findLast((event) => event.type === 'task-base-made' && event.task === task);
    if (made?.type !== 'task-base-made') throw new Error('no base');
    const number = past.filter((event) => event.type === 'attempt-intended' && event.task === task).length + 1;
    const attempt = attemptId(run, task, number);
    const snapshot = await snapshotOf(made.commit, edits, `refs/tidegate/attempts/${attempt}`);
    const nonce = `nonce-${attempt}`;
    const base = made.commit;
    const ending = exited(0);
    const handoff = handoffWith(nonce);
    const dispatched = dispatchEvidence(attempt, { base, workspaceBase: base });
    await append(
      {
        type: 'attempt-intended',
        task,
        attempt,
        number,
        nonce,
        base,
        from: base,
        agent: 'command',
        provider: '',
        terms: 0,
      },
      { type: 'attempt-started', task, attempt, pid: 1 },
      { ...judgedTask(task), phase: 'dispatch', evidence: dispatched },
      {
        type: 'attempt-ended',
        ...{ task, attempt, ending, handoff, snapshot, log, reminded: false, chargedSeconds: 1 },
        ...{ snapshotProblem: null, kept: [], version: 1 },
      },
      { ...judgedTask(task), phase: 'monitor', evidence: { attempt, nonce, ending, handoff, snapshot } },
    );
    return snapshot;
  };

  const snapshotOf = async (base: CommitId, edits: Edits, ref: string) => {
    const tree = join(root, 'work');
    mkdirSync(tree);
    const at = ['--git-dir', state.repository, '--work-tree', tree];
    const index = { GIT_INDEX_FILE: join(root, 'work.index') };
    runOnly('git', [...at, 'read-tree', base], root, index);
    runOnly('git', [...at, 'checkout-index', '-a', '-f'], root, index);
    write(tree, edits);
    runOnly('git', [...at, 'add', '-A', '-f'], root, index);
    const id = treeId(runOnly('git', [...at, 'write-tree'], root, index));
    const commit = commitId(runOnly('git', [...at, 'commit-tree', id, '-p', base, '-m', 'snapshot'], root, index));
    runOnly('git', [...at, 'update-ref', ref, commit], root);
    rmSync(tree, { recursive: true });
    return { commit, tree: id, base, diff: await readDiff(state.repository, base, commit), refused: [], secrets: [] };
  };

  /** Lets the commands of `generated` leave these edits on the candidate. */
  const rebuild = async (wave: number, round: number, on: CommitId, edits: Edits) => {
    const snapshot = await snapshotOf(on, edits, `refs/tidegate/attempts/${run}.generate.${wave}.${round}.1`);
    await append({ type: 'generator-ended', wave, round, ending: exited(0), snapshot, log, tail: '' });
    const answer = await ask({ do: 'add-generated', run, wave, round });
    if (answer.outcome !== 'done') throw new Error(JSON.stringify(answer));
    const completed = (await ledger.read(run)).findLast(({ event }) => event.type === 'candidate-completed')?.event;
    if (completed?.type !== 'candidate-completed') throw new Error('not completed');
    return completed;
  };

  /** Opens a round of these tasks, builds its candidate, rebuilds generated files, lets every check pass and closes it. */
  const closeRound = async (wave: number, round: number, names: readonly string[], rebuilt: Edits = {}) => {
    const past = await ledger.read(run);
    const tasks = names.map((name) => {
      const task = taskId(name);
      const monitor = past.findLast(
        ({ event }) => event.type === 'phase-judged' && event.phase === 'monitor' && event.task === task,
      )?.event;
      if (monitor?.type !== 'phase-judged' || monitor.phase !== 'monitor') throw new Error(`${name} is not ready`);
      return { task, snapshot: monitor.evidence.snapshot?.commit ?? commitId('') };
    });
    await append({ type: 'round-opened', wave, round, base: runTip(past) ?? commitId(''), tasks });
    const answer = await ask({ do: 'build-candidate', run, wave, round });
    if (answer.outcome !== 'done') throw new Error(JSON.stringify(answer));
    const built = (await ledger.read(run)).findLast(({ event }) => event.type === 'candidate-built')?.event;
    if (built?.type !== 'candidate-built') throw new Error('no candidate');
    const last = built.steps.at(-1);
    if (last === undefined) return built;
    const isRebuilt = Object.keys(plan.generated).length > 0;
    const top = isRebuilt ? await rebuild(wave, round, last.commit, rebuilt) : last;
    const passedOn = (tree: TreeId) =>
      plan.checks.map(({ name }) => ({ name, tree, outcome: 'passed', code: 0, log, tail: '' }) as const);
    const checks = passedOn(top.tree);
    const earlier = built.before === undefined ? [] : passedOn(built.before.tree);
    const before = built.before === undefined ? {} : { before: { ...built.before, checks: earlier } };
    const merged = tasks.filter(({ task }) => built.steps.some((step) => step.task === task));
    const evidence = {
      round,
      base: built.base,
      candidate: top.commit,
      tree: top.tree,
      tasks: merged,
      checks,
      ...before,
    };
    await append(
      ...[...checks, ...earlier].map((check) => ({ type: 'check-ended', purpose: 'candidate', check }) as const),
      {
        ...judgedWave(wave),
        phase: 'closure',
        evidence,
      },
    );
    return built;
  };

  /** A person says yes to the landing, also once more after a refusal. */
  const approveLanding = () =>
    append(
      { type: 'tap-opened', tap: 'land', hash, expires: null },
      { type: 'tap-decided', tap: 'land', decision: 'approved', hash, by: me },
    );

  return {
    root,
    checkout,
    state,
    ledger,
    epoch,
    context,
    plan,
    hash,
    git,
    bare,
    bareWith,
    ask,
    append,
    approveLanding,
    work,
    snapshotOf,
    closeRound,
    write: (edits: Edits) => write(checkout, edits),
    open: () => ask({ do: 'open-run', run }),
    merge: (wave: number, round: number) => ask({ do: 'merge', run, wave, round }),
    events: async () => (await ledger.read(run)).map(({ event }) => event),
    async [Symbol.asyncDispose]() {
      await merger?.[Symbol.asyncDispose]();
      await ledger[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}
export type Scene = Awaited<ReturnType<typeof scene>>;

const verdicts = [pass('round')];
const judgedWave = (wave: number) => ({ type: 'phase-judged', wave, version: 1, verdicts }) as const;
const judgedTask = (task: TaskId) => ({ type: 'phase-judged', task, version: 1, verdicts }) as const;
const judgedRun = (phase: 'contract' | 'load', evidence: unknown): RunEvent =>
  ({ type: 'phase-judged', phase, evidence, version: 1, verdicts }) as RunEvent;

export function write(directory: string, edits: Edits): void {
  // Removals first: a file may become a directory.
  const entries = Object.entries(edits).sort(([, a], [, b]) => Number(b === null) - Number(a === null));
  for (const [path, edit] of entries) {
    const file = join(directory, path);
    rmSync(file, { recursive: true, force: true });
    if (edit === null) continue;
    mkdirSync(dirname(file), { recursive: true });
    if (typeof edit === 'object' && 'link' in edit) symlinkSync(edit.link, file);
    else writeFileSync(file, typeof edit === 'string' ? edit : edit.exec);
    if (typeof edit === 'object' && 'exec' in edit) chmodSync(file, 0o755);
  }
}

function planOf(options: SceneOptions): FrozenPlan {
  const taps = { start: 'run', expiresMinutes: 60 } as const;
  const checks = [{ name: 'test', run: 'true', minutes: 1 }];
  const directive = (id: string) => ({ file: null, text: `Do ${id}\n`, clauses: ['merge-gate'] as const });
  return {
    ...plan([], { land: 'auto', taps, checks, protect: [] }),
    ...options.plan,
    waves: options.waves.map((tasks, index) => ({
      name: `wave ${index}`,
      tasks: Object.entries(tasks).map(([id, keys]) => ({ ...plannedTask(id, { directive: directive(id) }), ...keys })),
    })),
  };
}
