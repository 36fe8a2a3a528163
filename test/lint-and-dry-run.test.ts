import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { loadPlan } from '../src/adapters/plan-files/index.ts';
import { clauseTexts } from '../src/domain/explain/text.ts';
import type { FrozenPlan } from '../src/domain/plan/plan.ts';
import { refusals, rehearse } from '../src/engine/orders/create-run.ts';
import { order } from './support/plans.ts';

/**
 * `lint` reads a plan, `run --dry-run` reads it and then rehearses the phases before approval. Whatever follows from the plan, its files
 * and its base is found by both or by neither.
 */

const branches = ['main', 'dev'];
const [mergeGate = ''] = clauseTexts(['merge-gate'], []);
const never = 'push to main';
const [forbidden = ''] = clauseTexts(['forbid'], [never]);

const directive = '## Goal\nWrite `a`.\n\n## Scope\n`a`\n\n## Acceptance\n`a` is there.\n';
const files: Readonly<Record<string, string>> = {
  'tasks/whole.md': `---\nrole: docs\n---\n${directive}`,
  'tasks/owning.md': `---\nowns: [src/a.ts]\n---\n${directive}`,
  'tasks/bare.md': 'Write `a`.\n',
  'tasks/vague.md': `---\nrole: docs\n---\n${directive}\nImprove it.\n`,
  'tasks/empty.md': '---\nowns: [x]\n---\n\n',
  'tasks/copied.md': `${mergeGate}\n`,
};

/** Mostly sound, so that one mistake is not lost among many. */
const rarely = <T>(usual: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 14, arbitrary: usual }, { weight: 1, arbitrary: odd });

const pattern = rarely(
  fc.constantFrom('src/**', 'src/a.ts', 'SRC/b.ts', 'lib/*', 'docs/', 'test/**/a.ts', 'x', 'y', 'z/w', 'lock.json'),
  fc.constantFrom('../x', '/etc/x', 'a//b', '.git/config', '.tidegate/x', '{a,b}'),
);
const patterns = fc.array(pattern, { minLength: 1, maxLength: 2 });
const brief = rarely<string>(
  fc.constantFrom('Write `a`.', 'Make it 5 ms.', 'tasks/whole.md', 'tasks/owning.md', 'tasks/bare.md'),
  fc.constantFrom('', 'tasks/none.md', 'tasks/empty.md', 'tasks/vague.md', 'tasks/copied.md', mergeGate, forbidden),
);
const task = fc.record(
  {
    do: brief,
    owns: rarely<unknown>(patterns, fc.constantFrom([], null, 'src/**', [1])),
    shares: patterns,
    locks: patterns,
    needs: fc.array(rarely(fc.constantFrom('t0', 't1'), fc.constantFrom('t2', 't5', 'nobody')), { maxLength: 1 }),
    role: rarely<unknown>(fc.constantFrom('docs', 'discovery', 'qa'), fc.constant('nobody')),
    agent: rarely(fc.constantFrom('claude', 'codex'), fc.constantFrom('command', 'clawed')),
    limits: fc.constant({ minutes: 5 }),
  },
  { requiredKeys: ['do'] },
);
/** Most keys of most tasks are absent: the more there are, the more is wrong with them. */
const plainTask = fc.tuple(task, fc.infiniteStream(fc.nat(9))).map(([keys, chances]) => {
  const kept = Object.entries(keys).filter(([key]) => {
    const chance = chances.next().value ?? 0;
    return key === 'do' || (key === 'owns' ? chance < 8 : key === 'limits' ? chance < 1 : chance < 3);
  });
  return Object.fromEntries(kept);
});
const settings = fc
  .tuple(
    fc.record({
      strict: rarely<unknown>(fc.constant(false), fc.constantFrom(true, 'yes please')),
      base: rarely(fc.constantFrom(...branches), fc.constantFrom('gone', '-x')),
      land: rarely(fc.constantFrom('ask', 'branch'), fc.constant('nowhere')),
      generated: fc.constantFrom({ 'lock.json': 'make' }, {}),
      forbid: fc.constantFrom([never], []),
      version: rarely(fc.constant(1), fc.constant(2)),
      lnad: fc.constant('ask'),
    }),
    fc.array(fc.nat(9), { minLength: 7, maxLength: 7 }),
  )
  .map(([keys, chances]) =>
    Object.fromEntries(
      Object.entries(keys).filter(([key], at) => (chances[at] ?? 0) < (key === 'lnad' ? 1 : 4) && key !== ''),
    ),
  );
const waves = fc.array(
  rarely(fc.array(plainTask, { minLength: 1, maxLength: 3 }), fc.array(plainTask, { maxLength: 0 })),
  {
    minLength: 1,
    maxLength: 2,
  },
);
const plans = fc.tuple(settings, waves, fc.nat(19)).map(([keys, sketched, chance]) => {
  let next = 0;
  const id = () => (chance === 0 ? 't0' : `t${next++}`);
  return stringify({
    ...keys,
    waves: sketched.map((tasks) => ({ tasks: tasks.map((one) => ({ id: id(), ...one })) })),
  });
});

async function checkout() {
  const path = await mkdtemp(join(tmpdir(), 'tidegate-lint-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(path, name)), { recursive: true });
    await writeFile(join(path, name), text);
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

const lint = (root: string, text: string) =>
  loadPlan({
    root,
    planFile: { text, as: 'plan.yaml' },
    currentBranch: 'main',
    hasBranch: async (branch) => branches.includes(branch),
  });

/** The rules by which a dry run of a plan that could be read refuses it. */
function refusedBy(plan: FrozenPlan): readonly string[] {
  const asked = order(plan);
  const seen = { earlier: [], actual: asked.repo };
  const rehearsed = rehearse(asked, seen, { now: '2026-01-01T00:00:00.000Z', nonce: () => '' });
  return [
    ...(branches.includes(plan.base) ? [] : ['no-branch']),
    ...refusals(rehearsed).map(({ rule }) => rule),
    ...(rehearsed.taps.start === undefined ? ['not-asked'] : []),
  ];
}

test('F9: lint passes exactly when a dry run does', { timeout: 120_000 }, async () => {
  await using here = await checkout();
  const seen = new Map<string, number>();
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1);
  await fc.assert(
    fc.asyncProperty(plans, async (text) => {
      const linted = await lint(here.path, text);
      for (const { rule } of linted.ok ? [] : linted.findings) count(rule);
      count(linted.ok ? 'sound' : 'refused');
      if (linted.ok) expect(refusedBy(linted.plan)).toEqual([]);
      else for (const finding of linted.findings) expect(finding.where, JSON.stringify(finding)).toMatch(place);
    }),
    { numRuns: 1_000 },
  );
  const wanted = ['sound', 'refused', 'ownership-conflict', 'base-missing', 'empty-directive', 'empty-wave', 'cycle'];
  const more = ['unknown-agent', 'unknown-need', 'later-need', 'unknown-key', 'bad-pattern', 'duplicate-id'];
  const unseen = [...wanted, ...more].filter((what) => !seen.has(what));
  expect(unseen, JSON.stringify(Object.fromEntries(seen))).toEqual([]);
});

/** A whole file has no line. */
const place = /^(?:plan\.yaml|tasks\/\w+\.md)(?::\d+:\d+)?$/;
