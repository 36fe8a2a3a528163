import { expect, test } from 'vitest';
import { handoff, task } from '../../test/support/plans.ts';
import { attempt, commit, inRound, snapshot, tree } from '../../test/support/standing-states.ts';
import { commitId, treeId } from '../domain/base/ids.ts';
import type { ClosureRole } from '../domain/closure/roles.ts';
import type { RunState } from '../domain/run/run.ts';
import { plannedTask, type TaskProgress, type TaskState } from '../domain/run/task.ts';
import { closeByRoles } from './closure-roles.ts';

const at = { wave: 0, round: 1 };
const tip = { commit, tree };
const added = { commit: commitId('e'.repeat(40)), tree: treeId('f'.repeat(40)) };
const candidate = { round: 1, base: commit, tasks: [], status: 'built', conflicts: [], steps: [], tip } as const;
type Candidate = Parameters<typeof closeByRoles>[2];

const reporting = (word: string, status: 'done' | 'ready' = 'done'): TaskProgress => {
  const given = handoff('n', { report: { word, findings: [] } });
  return { status, attempt: { ...attempt, handoff: given }, snapshot };
};
const waiting = plannedTask(task('x'), 0).progress;

type Known = { readonly progress: TaskProgress; readonly about?: TaskState['about'] };

/** A candidate whose roles have come this far; each has judged the tip unless it says otherwise. */
function stateOf(roles: Readonly<Partial<Record<ClosureRole, Known | null>>>, round: Candidate = candidate): RunState {
  const base = inRound(round);
  const planned = Object.keys(roles).map((role) =>
    task(`wave-1-${role}`, { closes: role as ClosureRole, owns: role === 'docs' ? ['docs/**'] : [] }),
  );
  const tasks = planned.map((role): TaskState => {
    const known = roles[role.closes ?? 'qa'];
    const about = known?.about ?? { round: 1, ...tip };
    return { ...plannedTask(role, 0), ...(known == null ? {} : { about, progress: known.progress }) };
  });
  return {
    ...base,
    plan: { ...base.plan, waves: base.plan.waves.map((wave) => ({ ...wave, closure: planned })) },
    tasks: { ...base.tasks, ...Object.fromEntries(tasks.map((one) => [one.id, one])) },
  };
}

const closing = (...args: Parameters<typeof stateOf>) => closeByRoles(stateOf(...args), at, args[1] ?? candidate);
const opened = (role: string, subject = tip) => ({
  step: [{ kind: 'fact', events: [{ type: 'role-opened', ...at, task: `wave-1-${role}`, ...subject }] }],
});

test('a wave without roles has no evidence of them', () => {
  expect(closing({})).toEqual({ evidence: {} });
});

test('roles start one by one, each when the one before lets the wave close', () => {
  expect(closing({ security: null, qa: null })).toMatchObject(opened('security'));
  expect(closing({ security: { progress: reporting('clear') }, qa: null })).toMatchObject(opened('qa'));
  for (const progress of [reporting('blocked'), { status: 'failed', attempt, snapshot: null } as const])
    expect(closing({ security: { progress }, qa: null })).toEqual({ step: [] });
});

test('reports of all roles are evidence, each with its attempt and tree', () => {
  const found = closing({ security: { progress: reporting('clear') }, qa: { progress: reporting('pass') } });
  expect(found).toMatchObject({
    evidence: {
      closure: {
        ...{ core: tree, resolved: [] },
        reports: [
          { task: 'wave-1-security', attempt: attempt.id, tree, report: { word: 'clear' } },
          { task: 'wave-1-qa', tree, report: { word: 'pass' } },
        ],
      },
    },
  });
});

test('a report on an earlier tree is none: the role starts again, when it has ended', () => {
  const about = { round: 0, commit, tree: treeId('1'.repeat(40)) };
  expect(closing({ qa: { progress: reporting('pass'), about } })).toMatchObject(opened('qa'));
  expect(closing({ qa: { progress: { status: 'ended', attempt, snapshot }, about } })).toEqual({ step: [] });
});

test('a report on the same tree counts in a later round; a role that was stopped with the round before starts again', () => {
  const about = { round: 0, ...tip };
  expect(closing({ qa: { progress: reporting('pass'), about } })).toHaveProperty('evidence');
  expect(closing({ qa: { progress: waiting, about } })).toMatchObject(opened('qa'));
  expect(closing({ qa: { progress: waiting } })).toEqual({ step: [] });
});

test('a person who resolved a role for this tree stands for it, and for no other tree', () => {
  const by = { who: 'ada', via: 'command' } as const;
  const decided = (of: typeof tree) => {
    const state = stateOf({ qa: { progress: reporting('concerns') } });
    const resolved = [{ barrier: 'wave-1-qa', tree: of, reason: 'fine', by }];
    return closeByRoles({ ...state, waves: state.waves.map((wave) => ({ ...wave, resolved })) }, at, candidate);
  };
  expect(decided(tree)).toMatchObject({ evidence: { closure: { reports: [], resolved: ['wave-1-qa'] } } });
  expect(decided(treeId('1'.repeat(40)))).toEqual({ step: [] });
});

test('changes of a role are added once; QA judges the tree with them, the others the tree without', () => {
  const docs = { progress: reporting('closed', 'ready') };
  const security = { progress: reporting('clear') };
  expect(closing({ security, docs, qa: null })).toMatchObject({
    step: [{ kind: 'effect', effect: { do: 'ask-merger', request: { do: 'add-role', task: 'wave-1-docs' } } }],
  });
  const step = { task: task('wave-1-docs').id, snapshot: snapshot.commit, ...added };
  const extended = { ...candidate, tip: added, core: tip, roles: [step] };
  expect(closing({ security, docs, qa: null }, extended)).toMatchObject(opened('qa', added));
  const qa = { progress: reporting('pass'), about: { round: 1, ...added } };
  expect(closing({ security, docs, qa }, extended)).toMatchObject({
    evidence: { closure: { core: tree, reports: [{ tree }, { tree }, { tree: added.tree }] } },
  });
  // QA saw the tree without them
  expect(closing({ security, docs, qa: { progress: reporting('pass') } }, extended)).toMatchObject(opened('qa', added));
});

test('a candidate with an earlier commit of a role is built anew', () => {
  const docs = { progress: reporting('closed', 'ready') };
  const roles = [{ task: task('wave-1-docs').id, snapshot: commitId('9'.repeat(40)), ...added }];
  expect(closing({ docs }, { ...candidate, tip: added, core: tip, roles })).toMatchObject({
    step: [{ kind: 'fact', events: [{ type: 'round-abandoned', ...at }] }],
  });
});

test('so is one with a commit of a role that ran again, also when a person then resolved the role', () => {
  const roles = [{ task: task('wave-1-docs').id, snapshot: commitId('9'.repeat(40)), ...added }];
  const extended = { ...candidate, tip: added, core: tip, roles };
  const by = { who: 'ada', via: 'command' } as const;
  const resolved = [{ barrier: 'wave-1-docs', tree, reason: 'fine', by }];
  for (const progress of [reporting('delta', 'ready'), waiting]) {
    const state = stateOf({ docs: { progress } }, extended);
    const decided = { ...state, waves: state.waves.map((wave) => ({ ...wave, resolved })) };
    expect(closeByRoles(decided, at, extended)).toMatchObject({ step: [{ events: [{ type: 'round-abandoned' }] }] });
  }
});
