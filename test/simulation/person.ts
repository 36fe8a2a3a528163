import { type RunId, runId, type TaskId, taskId } from '../../src/domain/base/ids.ts';
import { recordActs } from '../../src/domain/board/acts.ts';
import { roleId } from '../../src/domain/closure/roles.ts';
import { type Need, needsOf } from '../../src/domain/explain/needs.ts';
import type { RequestEvent, TapName } from '../../src/domain/ledger/requests.ts';
import { type FrozenPlan, plannedById } from '../../src/domain/plan/plan.ts';
import { bundleLevels, bundlesOf } from '../../src/domain/proofs/bundle.ts';
import { relaunchPhases } from '../../src/domain/relaunch/phases.ts';
import type { RunState } from '../../src/domain/run/run.ts';
import { snapshotOf } from '../../src/domain/run/task.ts';
import { hashOf, me, task as planned, you } from '../support/plans.ts';
import type { Random } from './random.ts';
import { hasContracts, levelled } from './random-contracts.ts';

/** Before every expiry. */
const inTime = '2000-01-01T00:00:00.000Z';

/** Somebody who types what comes to mind, whatever the run is at. */
export function whim(random: Random, state: RunState): RequestEvent {
  const tasks = Object.keys(state.tasks);
  const task = taskId(random.pick(tasks));
  const by = random.pick([me, you]);
  const open = Object.keys(state.taps) as TapName[];
  const tap = open.length > 0 && random.chance(0.8) ? random.pick(open) : 'start';
  const hash = random.chance(0.9) ? state.hash : (`0${state.hash.slice(1)}` as typeof state.hash);
  const paths = [random.pick(['elsewhere/x.txt', 'readme.md', `${task}/a.txt`, '.github/ci.yml'])];
  const at = random.chance(0.9) ? inTime : '2099-01-01T00:00:00.000Z';
  const undo: RequestEvent = { type: 'requested-undo', task: random.chance(0.5) ? task : null, by };
  return random.pick<RequestEvent>([
    { type: 'requested-approve', tap, hash, at, by },
    { type: 'requested-hold', tap, hash, at, by },
    ...(random.chance(0.2) ? [{ type: 'requested-reject', tap, hash, at, by } as const] : []),
    { type: 'requested-grant', task, paths, by },
    { type: 'requested-drop', task, paths, by },
    ...(random.chance(0.4) ? [{ type: 'requested-drop', task, paths: [], by } as const] : []),
    { type: 'requested-retry', task, by },
    { type: 'requested-retry', task, agent: random.pick(['claude', 'codex', 'command', 'nobody']), by },
    { type: 'requested-send', task, message: 'look at the tests', by },
    { type: 'requested-post', kind: 'note', target: random.pick([task, 'all', 'person']), text: 'mind the gap', by },
    { type: 'requested-answer', record: random.pick(['1', '2', '9']), text: random.pick(['yes', null]), by },
    { type: 'requested-answer', record: '1', text: null, by },
    ...onBoard(random, task, by),
    { type: 'requested-raise', task: random.chance(0.5) ? task : null, usd: random.pick([-1, 1, 5]), by },
    { type: 'requested-rework', task, message: 'again, please', by },
    { type: 'requested-relaunch', ...selection(random, state, task), by },
    { type: 'requested-relaunch', ...selection(random, state, task), by },
    { type: 'requested-resolve', barrier: task, reason: 'it is fine', by },
    ...provings(random, state, task, by),
    ...takings(random, state, task, by),
    { type: 'requested-pause', by },
    { type: 'requested-resume', by },
    { type: 'requested-stop', by },
    ...(random.chance(0.3) ? [{ type: 'requested-abandon', by } as const] : []),
    { type: 'requested-replan', ...rewritten(random, state, task), by },
    { type: 'requested-land', by },
    undo,
    // somebody at work is there to be talked to
    ...Object.values(state.tasks)
      .filter(
        ({ progress }) => 'attempt' in progress && progress.attempt.agent === 'claude' && !('snapshot' in progress),
      )
      .flatMap(({ id }) =>
        Array.from({ length: 12 }, (): RequestEvent => ({ type: 'requested-send', task: id, message: 'go on', by })),
      ),
    // files that no snapshot holds are there to be discarded
    ...state.kept.flatMap((kept) =>
      Array.from(
        { length: 6 },
        (): RequestEvent => ({
          type: 'requested-discard',
          task: kept.task,
          paths: [random.pick([kept.path, '.', 'no such file'])],
          by,
        }),
      ),
    ),
    // what has landed is there to be taken back
    ...(state.undo.status === 'landed' ? Array.from({ length: 30 }, () => undo) : []),
  ]);
}

/** What somebody might select to run again: tasks, roles, a part of the wave, or a task that nobody has. */
function selection(random: Random, state: RunState, chosen: TaskId) {
  const others = Object.keys(state.tasks).map(taskId);
  const some = [chosen, random.pick(others)];
  const unknown = random.chance(0.1) ? [taskId('nobody')] : [];
  return {
    ...(random.chance(0.5) ? { only: [...new Set([...some, ...unknown])] } : {}),
    ...(random.chance(0.6) ? { from: random.pick(relaunchPhases) } : {}),
    ...(random.chance(0.3) ? { clear: [random.pick(others)] } : {}),
  };
}

/** Requests and contradictions of people, and acts on any record, with or without a reason. */
function onBoard(random: Random, task: TaskId, by: RequestEvent['by']): readonly RequestEvent[] {
  const kind = random.pick(['request', 'question', 'contradiction', 'decision'] as const);
  const words = random.chance(0.8) ? { text: 'seen it' } : {};
  const act = random.pick(recordActs);
  const details = random.chance(0.5) ? { references: ['path:a file.txt'], closureCondition: 'it is there' } : {};
  return [
    {
      type: 'requested-post',
      kind,
      target: kind === 'question' ? 'capability:sql' : task,
      text: 'do this too',
      ...details,
      by,
    },
    {
      type: 'requested-record',
      record: random.pick(['1', '2', '3']),
      act,
      ...words,
      to: 'text' in words ? task : 'person',
      by,
    },
  ];
}

/** The plan as somebody might have it next: one task less, one more, or one that says something else. Not always a good one. */
function rewritten(random: Random, { plan, hash }: RunState, chosen: TaskId) {
  const number = random.below(1000);
  const where = random.below(plan.waves.length);
  const waves: Record<'less' | 'more' | 'other', FrozenPlan['waves']> = {
    less: plan.waves
      .map((wave) => ({
        ...wave,
        tasks: wave.tasks
          .filter((task) => task.id !== chosen)
          .map((task) => ({ ...task, needs: task.needs.filter((need) => need !== chosen) })),
      }))
      .filter((wave) => wave.tasks.length > 0)
      .map((wave, index) => ({ ...wave, ...renamedRoles(wave, index) })),
    more: plan.waves.map((wave, index) =>
      index === where ? { ...wave, tasks: [...wave.tasks, planned(`n${number}`)] } : wave,
    ),
    other: plan.waves.map((wave) => ({
      ...wave,
      tasks: wave.tasks.map((task) => (task.id === chosen ? { ...task, priority: number } : task)),
    })),
  };
  const next = levelled({ ...plan, waves: waves[random.pick(['less', 'more', 'other'] as const)] });
  const replaces = random.chance(0.95) ? hash : hashOf(next);
  return { plan: next, hash: hashOf(next), replaces };
}

/** Roles are named after the place of their wave. */
const renamedRoles = ({ closure }: FrozenPlan['waves'][number], index: number) =>
  closure === undefined
    ? {}
    : { closure: closure.map((role) => ({ ...role, id: taskId(roleId(role.closes ?? 'qa', index)) })) };

/** Work is taken by hand: mostly the snapshot that the task is at, now and then another one. */
function takings(random: Random, state: RunState, id: TaskId, by: RequestEvent['by']): readonly RequestEvent[] {
  const all = Object.values(state.tasks).flatMap((one) => snapshotOf(one)?.commit ?? []);
  const known = state.tasks[id];
  const own = known === undefined ? undefined : snapshotOf(known)?.commit;
  if (own === undefined) return [];
  const snapshot = random.chance(0.8) ? own : random.pick(all);
  const copy = `${random.pick(['inside', 'outside'])}-${random.pick(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])}`;
  return [
    ...Array.from({ length: 6 }, () => ({ type: 'requested-accept', task: id, snapshot, by }) as const),
    ...Array.from({ length: 3 }, () => ({ type: 'requested-edit', task: id, from: snapshot, copy, by }) as const),
  ];
}

/** Somebody proves, revokes and decides what comes to mind. Only where there is something to prove. */
function provings(random: Random, state: RunState, id: TaskId, by: RequestEvent['by']): readonly RequestEvent[] {
  if (!hasContracts(state.plan)) return [];
  const barrier = random.pick([`proof-${id}`, `contract-${id}`, 'component-parser']);
  const bundle = random.pick(['p1', ...bundlesOf(state).map((one) => one.id)]);
  const level = random.pick(bundleLevels);
  const components = Object.values(state.tasks).length % 2 === 0 ? promotedBy(state, id) : undefined;
  const proof = proofOf(state, id, { level, ...(components === undefined ? {} : { components }), by });
  return [
    ...Array.from({ length: 3 }, () => ({ type: 'requested-resolve', barrier, reason: 'I know it', by }) as const),
    ...Array.from(
      { length: 6 },
      () => ({ type: 'requested-proof-revoke', bundle, reason: 'wrong system', by }) as const,
    ),
    ...(proof === null ? [] : Array.from({ length: 4 }, () => proof)),
    ...(proof === null ? [] : [{ ...proof, supersedes: bundle }]),
  ];
}

const promotedBy = ({ plan }: RunState, id: string) => plannedById(plan, taskId(id))?.promotes;

type Proven = Pick<RequestEvent & { readonly type: 'requested-proof' }, 'level' | 'components' | 'by'>;

function proofOf(
  state: RunState,
  id: string,
  proven: Proven,
): (RequestEvent & { readonly type: 'requested-proof' }) | null {
  const known = state.tasks[taskId(id)];
  const snapshot = known === undefined ? undefined : snapshotOf(known)?.commit;
  if (snapshot === undefined) return null;
  const artifact = { kind: 'file', name: 'shot.png', sha256: '5'.repeat(64), bytes: 1 } as const;
  return {
    type: 'requested-proof',
    task: taskId(id),
    snapshot,
    artifacts: [artifact],
    attestation: 'I saw it',
    ...proven,
  };
}

/** Somebody who makes runs wait for each other, and now and then decides that they need not. */
export function dependencyWhim(random: Random, state: RunState, runs: readonly RunId[]): RequestEvent {
  const by = random.pick([me, you]);
  const [known] = (state.dependencies ?? []).toReversed();
  if (known !== undefined && random.chance(0.2)) {
    const end = random.pick(['resolved', 'cancelled'] as const);
    return { type: 'requested-dependency-end', dependency: known.id, end, reason: 'it is fine', by };
  }
  const tasks = Object.keys(state.tasks);
  const other = random.pick(runs);
  const on = random.pick([other, other, other, `${other}/${random.pick(tasks)}`, 'main', 'nowhere']);
  const subject = random.chance(0.3) ? taskId(random.pick(tasks)) : null;
  return { type: 'requested-dependency', subject, on, required: random.chance(0.8), text: `needs ${on}`, by };
}

/** Somebody who writes to all runs, settles that again, or lets the branch wait for one of them. */
export function repositoryWhim(random: Random, runs: readonly RunId[]): RequestEvent {
  const by = random.pick([me, you]);
  const on = random.pick(runs);
  const end = random.pick(['resolved', 'cancelled'] as const);
  const dependency = `d${1 + random.below(4)}`;
  const references = ['path:a file.txt', 'record:1'];
  const decision = { type: 'requested-post', kind: 'decision', target: 'all', text: `as ${on} does it` } as const;
  return random.pick<RequestEvent>([
    { ...decision, references, by },
    { ...decision, kind: 'contradiction', severity: 'critical', by },
    { type: 'requested-record', record: random.pick(['1', '2']), act: random.pick(recordActs), text: 'seen it', by },
    { type: 'requested-answer', record: '1', text: random.pick(['yes', null]), by },
    { type: 'requested-dependency', subject: null, branch: 'main', on, required: true, text: `${on} first`, by },
    { type: 'requested-dependency-end', dependency, end, reason: 'it is fine', by },
  ]);
}

export type Person = { answer(state: RunState): Asked | null };

/** `run` is the one that is asked: a login that another run lacks too is tried again by that one. */
type Asked = { readonly run: RunId; readonly request: RequestEvent };

/**
 * Somebody who does exactly what each need says, or writes the plan anew for a task that does not get on, and gives a task up
 * when that has not helped for the third time.
 */
export function obedientPerson(random: Random): Person {
  const tries = new Map<string, number>();
  let rewrites = 3;
  return {
    answer: (state) => {
      const needs = needsOf(state);
      if (needs.length === 0) return null;
      const need = random.pick(needs);
      const asked = (request: RequestEvent): Asked => ({ run: state.run, request });
      if (need.kind === 'question') return asked(typed(state, need));
      if (need.kind === 'requires' || need.kind === 'dependency') return settle(random, state, need);
      const subject = [need.kind, need.task, ...(need.barrier === undefined ? [] : [need.barrier])].join(' ');
      const count = (tries.get(subject) ?? 0) + 1;
      tries.set(subject, count);
      const again = selectedBy(random, state, need);
      if (again !== null && count < 3) return asked({ type: 'requested-relaunch', ...again, by: me });
      if (need.barrier !== undefined && count > 2)
        return asked({ type: 'requested-resolve', barrier: need.barrier, reason: 'seen it', by: me });
      if (need.task !== null && rewrites > 0 && count === 2) {
        rewrites -= 1;
        return asked({ type: 'requested-replan', ...rewritten(random, state, taskId(need.task)), by: me });
      }
      if (need.task?.startsWith('wave-') && count > 3)
        return asked({ type: 'requested-resolve', barrier: need.task, reason: 'nobody else will', by: me });
      if (need.task !== null && count > 3)
        return asked({ type: 'requested-drop', task: taskId(need.task), paths: [], by: me });
      if (need.kind === 'landing' && count > 6)
        return asked({ type: 'requested-reject', tap: 'land', hash: state.hash, at: inTime, by: me });
      // the same tasks fail together again: one of them has to go
      const ready = Object.values(state.tasks).filter(({ progress }) => progress.status === 'ready');
      if (need.kind === 'halted' && count % 4 === 0 && ready.length > 0)
        return asked({ type: 'requested-drop', task: random.pick(ready).id, paths: [], by: me });
      return need.kind === 'login' ? { ...asked(typed(state, need)), run: runIn(need) } : asked(typed(state, need));
    },
  };
}

/** `tidegate proof add run/task --level live --component parser=pilot-live --file …` */
function typedProof(state: RunState, { command }: Need): RequestEvent {
  const [, subject = '', level = '', component, to] =
    /^tidegate proof add (\S+) --level (\S+)(?: --component (\S+)=(\S+))? --file /.exec(command) ?? [];
  const known = bundleLevels.find((one) => one === level);
  const components = component === undefined || to === undefined ? {} : { components: { [component]: to } };
  const proof =
    known === undefined ? null : proofOf(state, subject.split('/')[1] ?? '', { level: known, ...components, by: me });
  if (proof === null) throw new Error(`nobody can type this: ${command}`);
  return proof;
}

/** The stream of the repository, for what concerns a branch. */
const theRepo = runId('repo');

/** Waits for the other run now and then; otherwise decides. The run that requires it is the one that is asked. */
function settle(random: Random, state: RunState, need: Need): Asked | null {
  if (need.kind === 'requires' && random.chance(0.7)) return null;
  const dependency = (state.dependencies ?? []).find(({ id }) => id === need.barrier);
  if (dependency === undefined) throw new Error(`nothing is known of ${need.barrier}`);
  const end = random.pick(['resolved', 'cancelled'] as const);
  const request = {
    type: 'requested-dependency-end',
    dependency: dependency.id,
    end,
    reason: 'seen it',
    by: me,
  } as const;
  const { side, other, branch } = dependency;
  if (side === 'owes') return { run: 'run' in other ? other.run : theRepo, request };
  return { run: branch === undefined ? state.run : theRepo, request };
}

/** Now and then somebody selects what runs again, instead of the command that they are shown. */
function selectedBy(random: Random, { plan }: RunState, { kind, task }: Need) {
  if (task === null || !['failed', 'held', 'barrier'].includes(kind) || !random.chance(0.4)) return null;
  const role = plan.waves.flatMap(({ closure = [] }) => closure).find(({ id }) => id === task)?.closes;
  const only = { only: [taskId(task)] };
  return random.pick([
    only,
    { from: role ?? ('implementation' as const) },
    { from: 'implementation' as const, ...only },
  ]);
}

const runIn = ({ command }: Need): RunId => runId(command.split(' ')[2] ?? '');

/** The request that typing the need's command makes. */
export function typed(state: RunState, need: Need): RequestEvent {
  if (need.command.startsWith('tidegate proof add ')) return typedProof(state, need);
  const [program, verb, subject = '', ...rest] = need.command.split(' ');
  const [run, id] = subject.split('/');
  const isOwn = run === state.run || (need.kind === 'login' && verb === 'resume');
  if (program !== 'tidegate' || !isOwn) throw new Error(`nobody can type this: ${need.command}`);
  const task = taskId(id ?? '');
  switch (verb) {
    case 'approve': {
      const tap = Object.entries(state.taps).find(
        ([name, open]) => name !== 'land' && (open?.status === 'pending' || open?.status === 'held'),
      )?.[0] as TapName;
      return { type: 'requested-approve', tap, hash: state.hash, at: inTime, by: me };
    }
    case 'land':
      return { type: 'requested-land', by: me };
    case 'resume':
      return { type: 'requested-resume', by: me };
    case 'grant':
      return { type: 'requested-grant', task, paths: rest, by: me };
    case 'drop':
      return { type: 'requested-drop', task, paths: rest, by: me };
    case 'raise':
      return { type: 'requested-raise', task: id === undefined ? null : task, usd: Number(rest[1]), by: me };
    case 'retry':
      return { type: 'requested-retry', task, by: me };
    case 'resolve':
      return { type: 'requested-resolve', barrier: id ?? '', reason: 'seen it', by: me };
    case 'answer':
      return { type: 'requested-answer', record: id ?? '', text: 'the first', by: me };
    case 'record':
      return { type: 'requested-record', record: id ?? '', act: 'resolve', text: 'it is settled', by: me };
    case 'rework':
      return { type: 'requested-rework', task, message: 'mend it', by: me };
    case 'accept': {
      const known = state.tasks[task];
      const snapshot = known === undefined ? undefined : snapshotOf(known)?.commit;
      if (snapshot === undefined) throw new Error(`there is nothing to accept: ${need.command}`);
      return { type: 'requested-accept', task, snapshot, by: me };
    }
    default:
      throw new Error(`this command brings nothing on: ${need.command}`);
  }
}
