import { describe, expect, test } from 'vitest';
import type { LedgerEvent } from '../../src/domain/ledger/events.ts';
import { checkHistory } from '../support/checker.ts';
import { type Project, project, scripted } from '../support/project.ts';

/** A component reaches the next level when all its owners are proven. The merger writes it, and nobody else. */

const matrix = `{
  "version": 1,
  "components": {
    "parser": { "title": "Parser",   "currentLevel": "repo-landed", "promotions": [{"wave": 0}] },
    "other": { "currentLevel": "inventoried" }
  }
}
`;
const files = { 'matrix.json': matrix, 'docs/shared.md': 'shared\n' };
const done = 'tidegate handoff done -m did';
const owner = (name: string, more: object = {}, script = done) =>
  scripted(`echo ${name} > ${name}.txt; ${script}`, {
    owns: [`${name}.txt`],
    promotes: { parser: 'baseline-proved' },
    ...more,
  });
const plan = (tasks: object, more: object = {}) => ({
  land: 'auto',
  matrix: 'matrix.json',
  limits: { attempts: 1 },
  tasks,
  ...more,
});

async function ran(p: Project): Promise<string> {
  const { stdout } = await p.cli('run', 'plan.yaml', '--yes', '--json');
  return (JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as { run: string }).run;
}

const eventsOf = async <T extends LedgerEvent['type']>(p: Project, type: T) =>
  (await p.events()).flatMap(({ event }) => (event.type === type ? [event as LedgerEvent & { readonly type: T }] : []));

const landedMatrix = (p: Project): string => p.git('show', 'main:matrix.json');

async function until(p: Project, run: string, type: LedgerEvent['type']): Promise<void> {
  while (!(await p.events()).some(({ event }) => event.type === type)) await p.cli('resume', run);
}

describe('a component with two owners', { timeout: 240_000 }, () => {
  test('waits for the second one; then its level lands with every other byte unchanged', async () => {
    const flaky = 'test -e ok || exit 1; tidegate handoff done -m did';
    await using p = await project({ files, plan: plan({ a: owner('a'), b: owner('b', {}, flaky) }) });
    const run = await ran(p);
    expect(await eventsOf(p, 'round-opened')).toEqual([]);
    expect((await p.cli('why', '--all', run)).stdout).toContain('parser reaches baseline-proved only with b');
    // it continues once more at no cost if the other owner finishes after it
    const ends = await eventsOf(p, 'attempt-ended');
    const snapshot = ends.findLast(({ task }) => task === 'b')?.snapshot?.commit ?? '';
    expect((await p.cli('accept', `${run}/b`, '--snapshot', snapshot)).code).toBe(0);
    await until(p, run, 'landed');
    expect(landedMatrix(p)).toBe(matrix.replace('"repo-landed"', '"baseline-proved"').trimEnd());
    const [promoted] = await eventsOf(p, 'components-promoted');
    expect(promoted?.levels).toEqual({ parser: 'baseline-proved' });
    expect(p.git('diff', '--name-only', `${promoted?.commit}~1`, `${promoted?.commit}`)).toBe('matrix.json');
    expect(p.git('log', '-1', '--format=%s', 'main')).toBe('Promote components');
  });

  test('stays open when an owner is dropped, until a person resolves it', async () => {
    await using p = await project({ files, plan: plan({ a: owner('a'), b: owner('b', {}, 'exit 1') }) });
    const run = await ran(p);
    expect((await p.cli('drop', `${run}/b`)).code).toBe(0);
    await until(p, run, 'candidate-built');
    expect((await p.cli('why', '--all', run)).stdout).toContain('parser cannot reach baseline-proved without b');
    expect(await eventsOf(p, 'merged')).toEqual([]);
    expect((await p.cli('resolve', `${run}/component-parser`, '-m', 'a alone is enough')).code).toBe(0);
    await until(p, run, 'merged');
    expect(p.git('show', 'main:matrix.json')).toBe(matrix.trimEnd());
  });

  test('stays at its level when a person resolves it instead of giving the proof', async () => {
    const at = matrix.replace('"repo-landed"', '"baseline-proved"');
    const live = { promotes: { parser: 'pilot-live' } };
    await using p = await project({
      files: { 'matrix.json': at },
      plan: plan({ a: owner('a', live), b: owner('b', live) }),
    });
    const run = await ran(p);
    expect(await eventsOf(p, 'components-promoted')).toHaveLength(1);
    const resolved = await p.cli('resolve', `${run}/component-parser`, '-m', 'the pilot comes later');
    expect([resolved.code, resolved.stdout]).toEqual([0, expect.stringContaining('keeps the present level of parser')]);
    await until(p, run, 'landed');
    expect([landedMatrix(p), p.git('show', 'main:a.txt')]).toEqual([at.trimEnd(), 'a']);
    expect(checkHistory(await p.events())).toEqual([]);
  });
});

describe('a plan that promotes', { timeout: 240_000 }, () => {
  test.each([
    ['a component that the matrix lacks', { parsre: 'repo-landed' }, 'has no component `parsre`'],
    ['two levels at once', { parser: 'pilot-live' }, 'cannot reach pilot-live: it is at repo-landed'],
    ['a level below', { parser: 'contract-frozen' }, 'cannot reach contract-frozen: it is at repo-landed'],
  ])('%s is refused', async (_, promotes, message) => {
    await using p = await project({ files, plan: plan({ a: owner('a', { promotes }) }) });
    const linted = await p.cli('lint', 'plan.yaml');
    expect([linted.code, linted.stdout + linted.stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  test('cannot change the matrix by a task, whatever it owns', async () => {
    const script = `sed -i s/repo-landed/fleet-ready/ matrix.json; ${done}`;
    await using p = await project({ files, plan: plan({ a: owner('a', { owns: ['a.txt', 'matrix.json'] }, script) }) });
    await ran(p);
    expect(await eventsOf(p, 'merged')).toEqual([]);
    expect(landedMatrix(p)).toBe(matrix.trimEnd());
  });

  test('to a level of a running system needs a proof that names the component', async () => {
    const live = { 'matrix.json': matrix.replace('"repo-landed"', '"baseline-proved"') };
    await using p = await project({
      files: live,
      plan: plan({ a: owner('a', { promotes: { parser: 'pilot-live' } }) }),
    });
    const run = await ran(p);
    expect((await p.cli('why', '--all', run)).stdout).toContain('no proof says that parser has reached pilot-live');
    const url = ['--url', 'https://example.org/dash', '--sha256', '0'.repeat(64)];
    const add = (...more: string[]) => p.cli('proof', 'add', `${run}/a`, ...url, '-m', 'I saw it', ...more);
    expect((await add('--component', 'parser=fleet-ready')).stderr).toContain('does not promote the component parser');
    expect((await add('--component', 'parser=pilot-live')).code).toBe(0);
    await until(p, run, 'landed');
    expect(landedMatrix(p)).toBe(live['matrix.json'].replace('"baseline-proved"', '"pilot-live"').trimEnd());
  });
});

describe('the docs queue', { timeout: 240_000 }, () => {
  const docs = (...items: string[]) => ({
    command: ['/bin/sh', '-c', `tidegate verdict no-change ${items.map((item) => `--item ${item}`).join(' ')}`],
  });
  const tasks = {
    a: scripted(`echo a > a.txt; ${done} --claim docs=owned`, { owns: ['a.txt'] }),
    b: scripted(`echo more >> docs/shared.md; ${done}`, { owns: ['docs/**'] }),
  };

  test('keeps the wave open while the docs role has not closed every item by name', async () => {
    const more = { sharedDocs: ['docs/**'], closure: { docs: docs('a') } };
    await using p = await project({ files, plan: plan(tasks, more) });
    const run = await ran(p);
    expect((await p.cli('why', '--all', run)).stdout).toContain('the docs role has not closed docs/shared.md');
    expect(await eventsOf(p, 'merged')).toEqual([]);
  });

  test('lets it close on a report that names all of them', async () => {
    const more = { sharedDocs: ['docs/**'], closure: { docs: docs('a', 'docs/shared.md') } };
    await using p = await project({ files, plan: plan(tasks, more) });
    await ran(p);
    expect(await eventsOf(p, 'landed')).toHaveLength(1);
    const closure = (await eventsOf(p, 'phase-judged')).find((event) => event.phase === 'closure');
    expect(closure?.evidence).toMatchObject({ closure: { docs: ['a', 'docs/shared.md'] } });
  });
});
