import { expect, test } from 'vitest';
import { task } from '../../test/support/plans.ts';
import { attempt, commit, inRound, seen, snapshot, tree } from '../../test/support/standing-states.ts';
import { standings } from '../../test/support/standings.ts';
import { treeId } from '../domain/base/ids.ts';
import { noticesOf } from '../domain/board/notices.ts';
import type { RoleReport } from '../domain/closure/report.ts';
import { type RoleView, rolesOf } from '../domain/closure/role-state.ts';
import { needsOf } from '../domain/explain/needs.ts';
import { evolveRun, type RunState } from '../domain/run/run.ts';
import { plannedTask, type TaskProgress, type TaskState } from '../domain/run/task.ts';
import { closingActions, closingLines, closureDocument } from './closing.ts';
import { landingNoteLines, roleColumns, waveStanding } from './role-text.ts';

const security = task('wave-1-security', { closes: 'security', owns: [] });
const qa = task('wave-1-qa', { closes: 'qa', owns: [] });
const tip = { commit, tree };
const round = { round: 1, base: commit, tasks: [], status: 'built', conflicts: [], steps: [], tip } as const;
const common = {
  status: 'done',
  summary: '',
  remaining: [],
  files: [],
  proofs: [],
  questions: [],
  nonce: 'n',
} as const;

const reporting = (report: RoleReport): TaskProgress => ({
  status: 'done',
  attempt: { ...attempt, handoff: { kind: 'given', via: 'socket', handoff: { ...common, report } } },
  snapshot,
});

/** A candidate whose roles have come this far. */
function judged(progresses: readonly TaskProgress[], about: TaskState['about'] = { round: 1, ...tip }): RunState {
  const base = inRound(round);
  const roles = [security, qa].map((role, at) => {
    const progress = progresses[at];
    return { ...plannedTask(role, 0), ...(progress === undefined ? {} : { about, progress }) };
  });
  return {
    ...base,
    plan: { ...base.plan, waves: base.plan.waves.map((wave) => ({ ...wave, closure: [security, qa] })) },
    tasks: { ...base.tasks, ...Object.fromEntries(roles.map((role) => [role.id, role])) },
  };
}

const viewed = (state: RunState): readonly RoleView[] =>
  state.waves[0] === undefined ? [] : rolesOf(state, state.waves[0]);
const statesOf = (state: RunState) => viewed(state).map((role) => role.state);

test('a role is waiting, running, reported, absent or resolved', () => {
  const absent: TaskProgress = { status: 'failed', attempt, snapshot: null };
  expect(statesOf(judged([]))).toEqual(['waiting', 'waiting']);
  expect(statesOf(judged([absent]))).toEqual(['absent', 'waiting']);
  expect(
    statesOf(judged([reporting({ word: 'clear', findings: [] }), { status: 'ended', attempt, snapshot }])),
  ).toEqual(['reported', 'running']);
  const [first, ...others] = judged([absent]).waves;
  if (first === undefined) throw new Error('no wave');
  const by = { who: 'ada', via: 'command' } as const;
  const resolved = { ...first, resolved: [{ barrier: 'wave-1-security', tree, reason: 'fine', by }] };
  expect(statesOf({ ...judged([absent]), waves: [resolved, ...others] })).toEqual(['resolved', 'waiting']);
});

test('a landing that a role refuses is judged again by it; after the end of the run only a person decides', () => {
  const state = judged([reporting({ word: 'blocked', findings: [] })]);
  const because = { rule: 'landing-role', run: state.run, branch: 'main', task: security.id } as const;
  const command = (ended: RunState['ended']) =>
    needsOf({ ...state, ended, landing: { status: 'refused', because } }).find(({ kind }) => kind === 'landing');
  expect(command(null)?.command).toBe(`tidegate retry ${state.run}/wave-1-security`);
  expect(command('done')?.command).toBe(`tidegate resolve ${state.run}/wave-1-security -m "your reason"`);
  expect(command('done')?.lines?.join()).not.toContain('retry');
});

test('a role that was stopped by the end of the run is not shown as judging', () => {
  const state = judged([{ status: 'ended', attempt, snapshot }]);
  const words = (run: RunState) => viewed(run).map((role) => roleColumns(run, role).word);
  expect([words(state), words({ ...state, ended: 'abandoned' })]).toEqual([
    ['judging', 'waiting'],
    ['not done', 'not started'],
  ]);
});

test('a report on another tree is none', () => {
  const earlier = { round: 1, commit, tree: treeId('f'.repeat(40)) };
  expect(viewed(judged([reporting({ word: 'clear', findings: [] })], earlier))).toMatchObject([
    { state: 'waiting', word: null, closes: false },
    { state: 'waiting' },
  ]);
});

test('every action has an owner and a command; a role that has not started owns itself', () => {
  const state = judged([reporting({ word: 'blocked', findings: ['a key'] })]);
  expect(closingActions(seen(state)).map(({ id, owner, command, code }) => [id, owner, command, code])).toEqual([
    [
      'wave-1-security',
      'person',
      `tidegate rework ${state.run}/hello -m 'security reports blocked: a key'`,
      'security-blocked',
    ],
    ['wave-1-qa', 'wave-1-qa', `tidegate watch ${state.run}`, 'missing-cont-qa'],
  ]);
  expect(JSON.stringify(closingLines(seen(state)))).toContain('1 thing is open');
  expect(JSON.stringify(closingLines(seen(state)))).toContain('after that, without you: wave-1-qa');
  const [wave] = state.waves;
  if (wave === undefined) throw new Error('no wave');
  expect(waveStanding(state, wave)).toBe(', open: security reports blocked: a key');
  expect(closureDocument(seen(state), wave)).toMatchObject({
    closure: [
      { role: 'security', word: 'blocked', tree },
      { role: 'qa', word: null },
    ],
    barriers: [{ id: 'wave-1-security', kind: 'report' }, { id: 'wave-1-qa' }],
  });
});

test('a barrier gives one notice, which ends when the role runs again', () => {
  const items = (state: RunState) => noticesOf(state).map(({ item, news }) => `${news} ${item}`);
  const open = judged([reporting({ word: 'blocked', findings: [] })]);
  expect(items(open)).toEqual([`needs-you ${open.run} barrier wave-1-security wave-1-security`]);
  expect(items(judged([{ status: 'ended', attempt, snapshot }]))).toEqual([]);
});

test('concerns of security let the wave close and are shown to the person who lands it', () => {
  const state = judged([reporting({ word: 'concerns', findings: ['old cipher'] })]);
  expect(closingActions(seen(state)).map(({ id }) => id)).toEqual(['wave-1-qa']);
  expect(JSON.stringify(landingNoteLines(state))).toContain('old cipher');
  expect(standings()['need: barrier']?.command).toContain('tidegate rework');
});

test('a record that keeps the wave open is listed once', () => {
  const base = inRound(round);
  const [first] = Object.values(base.tasks);
  if (first === undefined) throw new Error('no task');
  const post = { kind: 'request', target: first.id, text: 'the name too' } as const;
  const place = { id: '1', to: first.id, status: 'open' } as const;
  const by = { who: 'ada', via: 'terminal' } as const;
  const state = evolveRun(base, { seq: 1, event: { type: 'record-posted', ...post, place, by } });
  if (state === null) throw new Error('no run');
  const listed = closingActions(seen(state)).filter(({ id }) => id.endsWith('-1'));
  expect(listed.map(({ id }) => id)).toEqual(['request-1']);
});
