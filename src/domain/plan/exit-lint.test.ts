import { expect, test } from 'vitest';
import { defaultSettings } from '../settings/settings.ts';
import { lintExits, lintExitWords } from './exit-lint.ts';
import type { PlanDraft, TaskKeys } from './plan-draft.ts';

const check = { name: 'test', run: 'true' };
type Made = { readonly checks?: readonly (typeof check)[]; readonly closure?: PlanDraft['waves'][number]['closure'] };
const draft = (keys: TaskKeys, { checks = [], closure = null }: Made = {}): PlanDraft => ({
  settings: { ...defaultSettings, checks },
  waves: [
    {
      name: null,
      place: ['tasks'],
      closure,
      tasks: [{ id: 'a', wave: 0, place: ['tasks', 'a'], file: null, text: 'do', hasFrontMatter: false, keys }],
    },
  ],
});
const missing = (keys: TaskKeys, made?: Made) =>
  lintExits(draft(keys, made)).map((one) => (one.rule === 'exit-unsupported' ? one.missing : one.rule));
const warned = (keys: TaskKeys, matrix: string | null = null) => {
  const { settings, waves } = draft(keys);
  return lintExitWords({ waves, settings: { ...settings, matrix } }).map(({ rule }) => rule);
};

test('a contract that nothing could hold up is a mistake, at its place', () => {
  expect(lintExits(draft({ exit: { proof: 'unit' } }))).toEqual([
    {
      rule: 'exit-unsupported',
      task: 'a',
      part: 'proof',
      level: 'unit',
      missing: 'check',
      place: ['tasks', 'a', 'exit', 'proof'],
    },
  ]);
  expect(missing({ exit: { proof: 'unit' } }, { checks: [check] })).toEqual([]);
  expect(missing({ exit: { proof: 'unit' }, proofs: [{ path: 'out.txt' }] })).toEqual(['check']);
  expect(missing({ exit: { proof: 'integration' }, proofs: [{ path: 'out.txt' }] })).toEqual(['check']);
  expect(missing({ exit: { completion: 'integrated' } })).toEqual(['check']);
  expect(missing({ exit: { durability: 'durable' } }, { checks: [check] })).toEqual(['proof']);
  expect(missing({ exit: { durability: 'durable' }, proofs: [{ path: 'a', for: 'ephemeral' }] })).toEqual(['proof']);
  expect(missing({ exit: { durability: 'ephemeral' }, proofs: [{ path: 'a', for: 'durable' }] })).toEqual([]);
  expect(missing({ exit: { docs: 'owned' } })).toEqual(['docs']);
  expect(missing({ exit: { docs: 'owned' } }, { closure: { docs: 'claude' } })).toEqual([]);
  expect(missing({ exit: { completion: 'live', proof: 'live' }, agent: 'scripted' })).toEqual(['agent', 'agent']);
  expect(missing({ exit: { completion: 'live', proof: 'live' } })).toEqual([]);
  expect(missing({ exit: { completion: 'contract', durability: 'none', docs: 'none' } })).toEqual([]);
});

test('a proof is one file of the repository, and a deliverable one that the task may write', () => {
  expect(missing({ proofs: [{ path: 'out/*' }, { path: 'out/' }] })).toEqual(['proof-pattern', 'proof-pattern']);
  expect(missing({ proofs: [{ path: '/etc/passwd' }, { path: '../x' }] })).toEqual([
    'leaves-repository',
    'leaves-repository',
  ]);
  expect(missing({ proofs: [{ path: '.tidegate/x' }] })).toEqual(['reserved-pattern']);
  expect(missing({ owns: ['src/**'], deliverables: ['src/a.ts', 'docs/a.md'] })).toEqual(['deliverable-outside']);
  expect(missing({ owns: ['src/**'], shares: ['docs/'], deliverables: ['docs/a.md'] })).toEqual([]);
});

test('words that mean nothing warn, and a level of maturity is read as a promotion', () => {
  const promoting = { exit: { completion: 'repo-landed' }, components: ['api'] };
  expect(warned(promoting, 'matrix.yaml')).toEqual(['exit-promotes']);
  expect(warned(promoting)).toEqual([]);
  expect(warned({ exit: { completion: 'nearly' } })).toEqual(['exit-free-word']);
  expect(warned({ exit: { completion: 'live', proof: 'unit' }, proofs: [{ path: 'a' }] })).toEqual([]);
  expect(warned({ proofs: ['tests pass'], components: ['api'], capabilities: ['go'] })).toEqual([
    'free-words',
    'free-words',
  ]);
});
