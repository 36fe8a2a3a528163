import { expect, test } from 'vitest';
import { tempRepo } from '../../../test/support/temp-repo.ts';
import { explain } from '../../domain/explain/explain.ts';
import { cataloguesOn, loadPlan } from './index.ts';

const files = {
  'evals/catalogue.json': JSON.stringify({
    version: 2,
    families: {
      latency: { title: 'Latency', benchmarks: { warm: { title: 'Warm' }, cold: {} } },
      output: { benchmarks: ['golden', 'smoke'] },
    },
  }),
  'evals/none.yaml': 'families: [latency]\n',
};

/** Loads a plan whose eval role has these keys. */
async function loading(role: object) {
  await using repo = await tempRepo();
  repo.commit('catalogue', files);
  const task = 'Write it. Acceptance is that src/a has 1.';
  repo.write('plan.yaml', JSON.stringify({ agent: 'claude', closure: { eval: role }, tasks: { a: task } }));
  return await loadPlan({
    root: repo.path,
    planFile: 'plan.yaml',
    currentBranch: 'main',
    catalogues: (branch, paths) => cataloguesOn(repo.path, branch, paths),
  });
}

const whyNot = async (role: object) => {
  const loaded = await loading(role);
  return loaded.ok ? [] : loaded.findings.map((finding) => explain(finding).detail);
};

test('the targets of eval are frozen with the benchmarks that the catalogue of the base has', async () => {
  const speed = { id: 'speed', family: 'latency', threshold: 'p95 below 200 ms' };
  const answers = { id: 'answers', benchmarks: ['smoke', 'golden'] };
  const sound = await loading({ agent: 'claude', catalogue: 'evals/catalogue.json', targets: [speed, answers] });
  if (!sound.ok) throw new Error(JSON.stringify(sound.findings));
  const [role] = sound.plan.waves[0]?.closure ?? [];
  expect(role?.targets).toEqual([
    { id: 'answers', benchmarks: ['golden', 'smoke'] },
    { id: 'speed', benchmarks: ['cold', 'warm'], family: 'latency', threshold: 'p95 below 200 ms' },
  ]);
  const other = await loading({ agent: 'claude', catalogue: 'evals/catalogue.json', targets: [answers, speed] });
  expect(other).toMatchObject({ hash: sound.hash });
  const pinned = await loading({ targets: [answers] });
  expect(pinned).toMatchObject({ ok: true });
});

test('a target that no report could meet is an error', async () => {
  const catalogue = 'evals/catalogue.json';
  const target = (more: object) => ({ catalogue, targets: [{ id: 'speed', ...more }] });
  expect(await whyNot(target({ family: 'latncy' }))).toEqual([
    'the target `speed` names the family `latncy`, which is not in the catalogue',
  ]);
  expect(await whyNot(target({ benchmarks: ['cold', 'hot'] }))).toEqual([
    'the target `speed` names the benchmark `hot`, which is not in the catalogue',
  ]);
  expect(await whyNot({ targets: [{ id: 'speed', family: 'latency' }] })).toEqual([
    'the target `speed` names the family `latency`, but the role has no catalogue',
  ]);
  expect(await whyNot({ catalogue: 'evals/no.json' })).toEqual(['the catalogue evals/no.json does not exist on main']);
  expect(await whyNot({ catalogue: 'evals/none.yaml' })).toEqual([
    'evals/none.yaml on main is not a catalogue of benchmarks',
  ]);
  const twice = { id: 'speed', benchmarks: ['cold'] };
  expect(await whyNot({ catalogue, targets: [twice, twice] })).toEqual(['there are two targets `speed`']);
});
