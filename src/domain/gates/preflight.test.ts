import { describe, expect, test } from 'vitest';
import { commit, frozenPlan, idOf, plannedTask } from '../../../test/support/plans.ts';
import { explain } from '../explain/explain.ts';
import type { Finding } from '../findings/finding.ts';
import {
  type AgentReadiness,
  agentFindings,
  type CheckoutState,
  checkoutFindings,
  ownedByName,
  remoteFindings,
  uncommittedUnfit,
} from './preflight.ts';

const clean: CheckoutState = { branch: 'main', changed: [], untracked: [], ignored: [] };
const plan = frozenPlan([
  [plannedTask('a', { owns: ['src/**', 'docs/a.md'] }), plannedTask('b', { owns: null, shares: ['package.json'] })],
]);
const order = { plan, planFile: 'plan.yaml' };
const rules = (findings: readonly Finding[]) => findings.map(({ rule }) => rule);

describe('a checkout', () => {
  test('in which all is committed says nothing', () => {
    expect(checkoutFindings(order, clean, false)).toEqual([]);
  });

  test('with changes names a few of them, and not the files that the plan was read from', () => {
    const files = ['one', 'two', 'three', 'four', 'five', 'six'];
    const changed = ['plan.yaml', 'tidegate.yaml', ...files];
    expect(checkoutFindings(order, { ...clean, changed }, false)).toEqual([
      { rule: 'checkout-changed', base: 'main', files: files.slice(0, 5), count: 6 },
    ]);
    expect(rules(checkoutFindings(order, { ...clean, changed }, true))).toEqual(['uncommitted-seen']);
  });

  test('with untracked files where a task may write names them and the task; a task without owns is no reason', () => {
    const untracked = ['src/new.ts', 'notes.txt'];
    expect(checkoutFindings(order, { ...clean, untracked, ignored: ['docs/a.md'] }, false)).toContainEqual({
      rule: 'untracked-in-the-way',
      files: ['docs/a.md', 'src/new.ts'],
      count: 2,
      tasks: [idOf('a')],
    });
    expect(rules(checkoutFindings(order, { ...clean, untracked: ['notes.txt'] }, false))).toEqual(['checkout-changed']);
    // landing does not touch the files of another branch
    expect(rules(checkoutFindings(order, { ...clean, untracked, branch: 'aside' }, false))).toEqual([
      'checkout-changed',
    ]);
  });

  test('is asked for ignored files only at paths that a task owns by name', () => {
    expect(ownedByName(plan)).toEqual(['docs/a.md']);
  });

  test('is taken along only from the branch that the run lands on, and not onto a branch of its own', () => {
    expect(uncommittedUnfit(plan, clean)).toEqual([]);
    expect(rules(uncommittedUnfit(plan, { ...clean, branch: null }))).toEqual(['uncommitted-unfit']);
    for (const land of ['branch', 'pr'] as const) {
      const [unfit] = uncommittedUnfit({ ...plan, land }, clean);
      expect(unfit && explain(unfit).detail).toContain(`cannot be used with \`land: ${land}\``);
    }
  });
});

describe('agents of a plan', () => {
  const missing = { ready: false, installed: false, because: { rule: 'program-not-found', program: 'x' } } as const;
  const loggedOut: AgentReadiness = {
    ready: false,
    installed: true,
    because: { rule: 'not-logged-in', program: 'x', file: null, variables: [] },
  };
  const byChain = (agent: readonly string[], env: readonly string[] = []) => {
    const chained = frozenPlan([[plannedTask('a', { agent }), plannedTask('b', { agent })]]);
    const readiness = new Map<string, AgentReadiness>([
      ['claude', missing],
      ['codex', loggedOut],
      ['command', { ready: true }],
    ]);
    const { refused, warnings } = agentFindings({ ...chained, fence: { ...chained.fence, env } }, readiness);
    return [rules(refused), rules(warnings)];
  };
  test('refuse the run when none of a chain can start, and warn when another can', () => {
    expect(byChain(['claude', 'codex'])).toEqual([['no-agent-ready'], []]);
    expect(byChain(['claude', 'command'])).toEqual([[], ['agent-unready']]);
    expect(byChain(['command'])).toEqual([[], []]);
  });
  test('may be logged in by a variable that the plan passes on, but not installed by one', () => {
    expect(byChain(['codex'], ['MY_TOKEN'])).toEqual([[], []]);
    expect(byChain(['claude'], ['MY_TOKEN'])).toEqual([['no-agent-ready'], []]);
  });
});

test('a pull request without any remote is refused before agents are paid', () => {
  const repo = { rootCommit: commit('first'), remotes: [] };
  const pr = frozenPlan([[plannedTask('a')]], { land: 'pr' });
  expect(rules(remoteFindings({ plan: pr, repo }))).toEqual(['no-remote']);
  expect(remoteFindings({ plan: pr, repo: { ...repo, remotes: [{ name: 'origin', url: 'x' }] } })).toEqual([]);
  expect(remoteFindings({ plan, repo })).toEqual([]);
});
