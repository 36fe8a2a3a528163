import { join } from 'node:path';
import { expect, test } from 'vitest';
import { created, idOf, plan, stateAfter, type TaskSketch } from '../../../test/support/plans.ts';
import { tempRepo } from '../../../test/support/temp-repo.ts';
import { gitReader } from '../../adapters/git/read/index.ts';
import { commitId } from '../../domain/base/ids.ts';
import { plannedById } from '../../domain/plan/plan.ts';
import { filesInScope, filesSection } from './sections.ts';

async function listing(sketch: TaskSketch) {
  await using repo = await tempRepo();
  const base = commitId(
    repo.commit('base', { 'src/a.ts': 'a', 'src/b.ts': 'bb', 'src/[x]/c.md': 'ccc', 'docs/d.md': '' }),
  );
  const from = commitId(repo.commit('work', { 'src/b.ts': 'x'.repeat(2_000), 'src/new.ts': '' }));
  const state = stateAfter(created(plan([{ a: sketch }])));
  const task = plannedById(state.plan, idOf('a'));
  if (task === undefined) throw new Error('no task');
  const git = gitReader({ checkout: repo.path, repository: join(repo.home, 'repo.git') });
  return filesSection(task, await filesInScope(git, state, task, { base, from })).text;
}

test('names what matches the scope in the commit that the attempt starts from, with what was changed since the base', async () => {
  expect(await listing({ owns: ['src/*.ts', 'docs/'] })).toBe(`## Files in your scope

4 files, as they are in the workspace at the start:
- docs/d.md (0 B)
- src/a.ts (1 B)
- src/b.ts (2.0 KB, changed by an earlier attempt)
- src/new.ts (0 B, changed by an earlier attempt)`);
});

test.each([
  [
    'a read-only task has those that it is to read',
    { owns: [], reads: ['src/**/*.md'] },
    '## Files to read\n\nOne file',
  ],
  ['a task without `owns` has those that it shares', { owns: null, shares: ['src/a.ts'] }, '- src/a.ts (1 B)'],
  ['a task that begins from nothing is told so', { owns: ['lib/**'] }, 'There are none yet'],
  ['a pattern that begins with a wildcard looks everywhere', { owns: ['**/d.md'] }, '- docs/d.md (0 B)'],
])('%s', async (_, sketch, expected) => {
  expect(await listing(sketch)).toContain(expected);
});
