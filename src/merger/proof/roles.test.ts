import { expect, test } from 'vitest';
import {
  attempt,
  commit,
  dispatchEvidence,
  exited,
  handoff,
  hashOf,
  idOf,
  log,
  me,
  order,
  plan,
  snapshot,
  task,
  tree,
} from '../../../test/support/plans.ts';
import type { RoleReport } from '../../domain/closure/report.ts';
import type { ClosureRole } from '../../domain/closure/roles.ts';
import { inconclusive, pass } from '../../domain/gates/make-verdict.ts';
import type { LedgerEvent, RunEvent } from '../../domain/ledger/events.ts';
import type { FrozenPlan } from '../../domain/plan/plan.ts';
import type { Stored } from '../../ports/ledger.ts';
import type { History } from './history.ts';
import { landingGap, proveRoles } from './roles.ts';

/** What may be wrong with the history of one role. */
type Wrong = {
  readonly closes?: ClosureRole;
  /** What the attempt handed off, and what closure claims. */
  readonly said?: RoleReport;
  readonly claimed?: RoleReport | null;
  readonly claimedTree?: string;
  readonly claimedAttempt?: number;
  readonly openedTree?: string;
  readonly base?: string;
  readonly nonce?: string;
  readonly ended?: RoleReport;
  readonly leaves?: readonly string[];
  readonly fails?: 'monitor' | 'dispatch';
  readonly after?: readonly RunEvent[];
  readonly resolved?: boolean;
  /** Paths that its attempt changed. */
  readonly changed?: readonly string[];
};

const clear: RoleReport = { word: 'clear', findings: [] };
const verdicts = [pass('role')];
const failed = [inconclusive('role', { rule: 'round-has-tasks' })];

function historyOf(wrong: Wrong) {
  const { closes = 'security', said = clear } = wrong;
  const role = `wave-1-${closes}`;
  const base = plan([{ a: {} }]);
  const frozen: FrozenPlan = {
    ...base,
    waves: base.waves.map((wave) => ({ ...wave, closure: [task(role, { closes, owns: [] })] })),
  };
  const id = idOf(role);
  const own = attempt(role, 1);
  const given = handoff('n', { report: said });
  const judged = { type: 'phase-judged', version: 1 } as const;
  const subject = commit('tip');
  const events: readonly LedgerEvent[] = [
    { type: 'run-created', ...order(frozen), hash: hashOf(frozen), by: me },
    { type: 'role-opened', wave: 0, round: 0, task: id, commit: subject, tree: tree(wrong.openedTree ?? 'core') },
    {
      ...{ type: 'attempt-intended', task: id, attempt: own, number: 1, nonce: wrong.nonce ?? 'n' },
      ...{ base: wrong.base === undefined ? subject : commit(wrong.base), from: subject },
      ...{ agent: 'command', provider: '', terms: 0 },
    },
    {
      ...judged,
      ...{ phase: 'dispatch', task: id, evidence: dispatchEvidence(own) },
      verdicts: wrong.fails === 'dispatch' ? failed : verdicts,
    },
    {
      ...{ type: 'attempt-ended', task: id, attempt: own, ending: exited(0) },
      handoff: wrong.ended === undefined ? given : handoff('n', { report: wrong.ended }),
      ...{ snapshot: null, log, reminded: false, chargedSeconds: 1, snapshotProblem: null, kept: [], version: 1 },
    },
    {
      ...{ ...judged, phase: 'monitor', task: id },
      evidence: {
        attempt: own,
        nonce: 'n',
        ending: exited(0),
        handoff: given,
        snapshot: snapshot(role, wrong.changed ?? []),
      },
      verdicts: wrong.fails === 'monitor' ? failed : verdicts,
    },
    ...(wrong.after ?? []),
  ];
  const kept = events.filter((event) => !(wrong.leaves ?? []).includes(nameOf(event)));
  const history = kept.map((event, at) => ({ event, position: at + 1, hash: `${at}` }) as unknown as Stored);
  return { history: history as History, id };
}

const nameOf = (event: LedgerEvent): string => (event.type === 'phase-judged' ? event.phase : event.type);

function proven(wrong: Wrong = {}) {
  const { history, id } = historyOf(wrong);
  const claim = wrong.claimed === undefined ? (wrong.said ?? clear) : wrong.claimed;
  const reports =
    claim === null
      ? []
      : [
          {
            ...{ task: id, attempt: attempt(id, wrong.claimedAttempt ?? 1) },
            ...{ tree: tree(wrong.claimedTree ?? 'core'), report: claim },
          },
        ];
  const closure = {
    position: 100,
    event: {
      ...{ type: 'phase-judged', phase: 'closure', wave: 0, round: 0, version: 1, verdicts },
      evidence: {
        ...{ tasks: [], checks: [], tree: tree('whole') },
        closure: { core: tree('core'), reports, resolved: wrong.resolved === true ? [id] : [] },
      },
    },
  };
  const found = proveRoles(history, closure as never, { core: tree('core'), whole: tree('whole') });
  return 'gap' in found ? found.gap : found.map(({ position }) => position);
}

test('a report of its own attempt on exactly this tree proves a role, with every record that it rests on', () => {
  expect(proven()).toEqual([2, 3, 4, 5, 6]);
  expect(proven({ said: { word: 'concerns', findings: ['old cipher'] } })).toEqual([2, 3, 4, 5, 6]);
});

const id = idOf('wave-1-security');
const blocked: RoleReport = { word: 'blocked', findings: [] };
const again: RunEvent = {
  ...{ type: 'role-opened', wave: 0, round: 0, task: id, commit: commit('tip'), tree: tree('core'), by: me },
};

test.each<readonly [string, Wrong, string]>([
  ['closure does not name it', { claimed: null }, 'role-unreported'],
  ['it is about another tree', { claimedTree: 'yesterday' }, 'role-unreported'],
  ['it is about the tree with what roles added', { claimedTree: 'whole' }, 'role-unreported'],
  ['its word keeps the wave open', { said: blocked }, 'role-open'],
  ['it is clear with findings', { said: { word: 'clear', findings: ['a key'] } }, 'role-open'],
  ['closure says clear, the attempt said blocked', { said: blocked, claimed: clear }, 'role-other-report'],
  ['the end of the attempt says something else', { ended: blocked }, 'role-other-report'],
  ['the attempt had another nonce', { nonce: 'other' }, 'role-other-report'],
  ['it names another attempt', { claimedAttempt: 2 }, 'role-other-attempt'],
  ['the attempt was never recorded', { leaves: ['attempt-intended'] }, 'role-other-attempt'],
  ['the attempt never ended', { leaves: ['attempt-ended'] }, 'role-other-attempt'],
  ['the role was never opened', { leaves: ['role-opened'] }, 'role-other-attempt'],
  ['it was opened for another tree', { openedTree: 'yesterday' }, 'role-other-tree'],
  ['its attempt started elsewhere', { base: 'elsewhere' }, 'role-other-tree'],
  ['its gates never judged it', { leaves: ['monitor'] }, 'role-unjudged'],
  ['its gates did not pass', { fails: 'monitor' }, 'role-unjudged'],
  ['its fence was never proven', { leaves: ['dispatch'] }, 'role-unjudged'],
  ['its fence was broken', { fails: 'dispatch' }, 'role-unjudged'],
  ['it was opened again since', { after: [again] }, 'role-other-tree'],
  ['closure says resolved, and no person did', { resolved: true, claimed: null }, 'role-unreported'],
])('nothing is proven when %s', (_name, wrong, gap) => {
  expect(proven(wrong)).toBe(gap);
});

test('QA is proven only on the tree with everything, and only when no dimension is open', () => {
  const qa = { closes: 'qa', said: { word: 'pass', findings: [] } } as const;
  const whole = { openedTree: 'whole', claimedTree: 'whole' };
  expect(proven({ ...qa, ...whole })).toEqual([2, 3, 4, 5, 6]);
  expect(proven(qa)).toBe('role-unreported');
  const said = { word: 'pass', findings: [], dimensions: { live: 'concerns' } };
  expect(proven({ ...qa, ...whole, said })).toBe('role-open');
});

test('a landing is proven by a report on the rebuilt tree, never by one on the tree before', () => {
  const rebuilt = { onto: commit('m'), commit: commit('l'), conflicts: [] };
  const closed: RunEvent = { type: 'wave-closed', wave: 0 };
  const said = { word: 'pass', findings: [] };
  const gapOf = (wrong: Wrong, unjudged: readonly string[] = ['x']) => {
    const { history } = historyOf({ closes: 'qa', said, after: [closed], ...wrong });
    return landingGap(history, { type: 'landing-rebuilt', ...rebuilt, tree: tree('rebuilt'), unjudged });
  };
  expect(gapOf({ openedTree: 'rebuilt' })).toBeNull();
  expect(gapOf({})).toBe('wave-1-qa');
  expect(gapOf({}, [])).toBeNull();
  expect(gapOf({ openedTree: 'rebuilt', said: { word: 'concerns', findings: [] } })).toBe('wave-1-qa');
  expect(gapOf({ openedTree: 'rebuilt', said: { ...said, dimensions: { docs: 'blocked' } } })).toBe('wave-1-qa');
  expect(gapOf({ openedTree: 'rebuilt', fails: 'monitor' })).toBe('wave-1-qa');
  expect(gapOf({ openedTree: 'rebuilt', leaves: ['monitor'] })).toBe('wave-1-qa');
  expect(gapOf({ openedTree: 'rebuilt', changed: ['docs/int.md'] })).toBe('wave-1-qa');
});
