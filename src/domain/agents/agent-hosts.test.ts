import { expect, test } from 'vitest';
import { frozenPlan, plannedTask } from '../../../test/support/plans.ts';
import { explain } from '../explain/explain.ts';
import { unlistedModels } from '../settings/network-hosts.ts';

const plan = (network: readonly string[] | 'on' | null, ...agent: string[]) => {
  const frozen = frozenPlan([[plannedTask('one', { agent })]]);
  return { ...frozen, fence: { ...frozen.fence, network } };
};

test('an agent whose models are not in the list of hosts is warned of, with the host to add', () => {
  expect(unlistedModels(plan(['registry.npmjs.org'], 'claude'), {}).map(explain)).toEqual([
    {
      rule: 'model-unlisted',
      detail: 'claude cannot reach its model: api.anthropic.com is not in `fence.network`',
      fix: 'add api.anthropic.com to the list',
    },
  ]);
  expect(unlistedModels(plan(['*.anthropic.com'], 'claude'), {})).toEqual([]);
  expect(unlistedModels(plan([], 'command', 'opencode'), {})).toEqual([]);
  expect(unlistedModels(plan('on', 'claude'), {})).toEqual([]);
  expect(unlistedModels(plan(null, 'codex'), {})).toEqual([]);
});

test('the address that a person set for the models is the one that counts', () => {
  const env = { ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000/x' };
  expect(unlistedModels(plan(['api.anthropic.com'], 'claude'), env).map((one) => explain(one).fix)[0]).toBe(
    'add 127.0.0.1:4000 to the list',
  );
  expect(unlistedModels(plan(['127.0.0.1:4000'], 'claude'), env)).toEqual([]);
});
