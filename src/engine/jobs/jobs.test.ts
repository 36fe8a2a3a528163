import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { attempt, commit, created, idOf, nonceOf, plan, stateAfter, tree } from '../../../test/support/plans.ts';
import { runId } from '../../domain/base/ids.ts';
import { stateDir } from '../../domain/ledger/state-dir.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import { attemptJob, checkJob, generateJob, shellJob } from './jobs.ts';

const frozen = plan([{ alpha: {}, beta: {}, reader: { owns: [] }, free: { owns: null } }], {
  checks: [{ name: 'test', run: 'npm test', minutes: 7 }],
});
const state = stateAfter(created(frozen));
const places = { state: stateDir('/state'), checkout: '/checkout', runDirectory: '/run/t' };
const launch = (id: string, number = 1) => ({
  id: attempt(id, number),
  number,
  nonce: nonceOf(id, number),
  base: commit('base'),
  from: commit('base'),
  agent: 'command',
  provider: '',
  session: null,
  message: null,
  findings: [],
  after: null,
});
const planned = (id: string) => {
  const found = plannedById(frozen, idOf(id));
  if (found === undefined) throw new Error(`no ${id}`);
  return found;
};
const job = (id: string, number = 1) => attemptJob(places, state, planned(id), launch(id, number), 'the prompt');

const fenceWithSecret = { mode: 'auto', network: null, read: [], write: [], env: ['TOKEN'] } as const;

describe('the job of an attempt', () => {
  test('is a function of the ledger alone, so that a restart tells the supervisor the same', () => {
    expect(job('alpha')).toEqual(job('alpha'));
  });

  test('has a network only if the plan gives it one', () => {
    expect(job('alpha').fence.network).toBe('off');
  });

  test('gives each task ports of its own, the same at every attempt', () => {
    const ports = ['alpha', 'beta', 'reader', 'free'].map((id) => job(id).environment['PORT']);
    expect(new Set(ports).size).toBe(4);
    expect(job('alpha', 2).environment['PORT']).toBe(ports[0]);
  });

  test('names the attempt and its nonce to the agent, and nobody else', () => {
    const { environment } = job('alpha');
    expect(environment).toMatchObject({ TIDEGATE_TASK: 'alpha', TIDEGATE_NONCE: 'nonce-alpha-1' });
    expect(JSON.stringify(environment)).not.toContain('beta');
  });
});

describe('the shell of a person', () => {
  const made = { commit: commit('work'), base: commit('base'), nonce: 'fresh' };
  const shell = (agent: string, fence: typeof frozen.fence = frozen.fence) =>
    shellJob(places, { ...state, plan: { ...frozen, fence } }, planned('alpha'), { ...made, agent });

  test('is fenced as the agent is, and has its ports', () => {
    const { id, nonce, kind, argv, executor, agent, teardown, minutes, silence, ...same } = job('alpha');
    const { TIDEGATE_ATTEMPT: _, TIDEGATE_NONCE: __, ...environment } = same.environment;
    expect(shell('command')).toMatchObject({ fence: same.fence, environment, readOnly: same.readOnly });
    expect(shell('command').environment).toEqual(environment);
    expect(shell('claude').fence.network).toBe('on');
  });

  test('gets what the plan passes by name, but nothing that logs an agent in', () => {
    const env = ['TOKEN', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY'];
    expect(shell('claude', { ...fenceWithSecret, env }).fence.env).toEqual(['TOKEN']);
  });
});

describe('the job of a check', () => {
  const check = frozen.checks[0] ?? { name: '', run: '', minutes: 0 };
  const at = { commit: commit('c'), tree: tree('c'), check };
  test('runs offline in a clean checkout of that commit', () => {
    expect(checkJob(places, state, { ...at, number: 1 })).toMatchObject({
      kind: 'check',
      argv: ['/bin/sh', '-c', 'npm test'],
      from: commit('c'),
      minutes: 7,
      fence: { network: 'off' },
    });
  });

  test('has another id each time it is run again', () => {
    const [one, two] = [1, 2].map((number) => checkJob(places, state, { ...at, number }).id);
    expect(one).not.toBe(two);
  });
});

describe('the job that rebuilds generated files', () => {
  const sketch = {
    generated: { 'b.lock': 'exit 3', 'a.txt': 'echo $((1+1))' },
    setup: 'npm ci',
    fence: fenceWithSecret,
  };
  const jobOf = (number: number) => {
    const run = stateAfter(created(plan([{ a: {} }], sketch)));
    return generateJob(places, run, { wave: 0, round: 2, commit: commit('c'), number });
  };
  test('runs on that commit with a network, without setup and without secrets', () => {
    expect(jobOf(1)).toMatchObject({
      id: 'demo-ab12.generate.0.2.1',
      kind: 'generate',
      from: commit('c'),
      base: commit('c'),
      setup: null,
      fence: { network: 'on', env: [] },
      minutes: 10,
    });
    expect(jobOf(2).nonce).not.toBe(jobOf(1).nonce);
  });

  test('runs one command after the other, and the first that fails is named and is the last', () => {
    const [shell = '', ...args] = jobOf(1).argv;
    const { status, stdout } = spawnSync(shell, [...args, 'echo never'], { encoding: 'utf8' });
    expect([status, stdout]).toEqual([3, '2\nexit 3: exit 3\n']);
  });
});

describe('the nonce of a check', () => {
  const nonceOfCheck = (of: typeof state, name: string, number: number): string => {
    const check = { name, run: 'true', minutes: 7 };
    return checkJob(places, of, { commit: commit('c'), tree: tree('c'), check, number }).nonce;
  };
  const two = { ...frozen, checks: ['test', 'lint'].map((name) => ({ name, run: 'true', minutes: 7 })) };

  test('is its own: without a fence, processes are known and ended by it', () => {
    const here = stateAfter(created(two));
    const elsewhere = { ...here, run: runId('demo-cd34') };
    const nonces = [here, elsewhere].flatMap((of) =>
      ['test', 'lint'].flatMap((name) => [1, 2].map((number) => nonceOfCheck(of, name, number))),
    );
    expect(new Set(nonces).size).toBe(8);
  });
});
