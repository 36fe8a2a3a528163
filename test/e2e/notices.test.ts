import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { honest } from '../support/crew.ts';
import { type Project, project } from '../support/project.ts';

/** The person's own command: keeps every notice on a line of its own. */
function listen(scene: Project): () => readonly { kind: string; command: string }[] {
  const kept = join(scene.root, 'notices');
  mkdirSync(join(scene.root, 'home/.config/tidegate'), { recursive: true });
  const config = JSON.stringify({ notify: ['sh', '-c', `cat >> ${kept}`] });
  writeFileSync(join(scene.root, 'home/.config/tidegate/config.yaml'), config);
  return () =>
    existsSync(kept)
      ? readFileSync(kept, 'utf8')
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line) as { kind: string; command: string })
      : [];
}

test('a person who is needed is told once of each item by their own command, and never by one of the repository', async () => {
  await using scene = await project({ plan: { land: 'ask', tasks: { honest } } });
  const notices = listen(scene);
  const asked = await scene.cli('run', 'plan.yaml', '--json');
  expect(asked.code).toBe(43);
  const { run } = JSON.parse(asked.stdout) as { run: string };
  expect(notices()).toMatchObject([{ kind: 'approve', command: `tidegate approve ${run}` }]);
  expect((await scene.cli('resume', run, '--json')).code).toBe(43);
  expect(notices().length).toBe(1);
  const hostile = join(scene.root, 'hostile');
  scene.write('tidegate.yaml', JSON.stringify({ notify: ['touch', hostile] }));
  expect((await scene.cli('resume', run, '--yes', '--json')).code).toBe(43);
  expect(notices().map(({ kind }) => kind)).toEqual(['approve', 'land']);
  expect(existsSync(hostile)).toBe(false);
});
