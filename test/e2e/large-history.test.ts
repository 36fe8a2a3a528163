import { execFileSync } from 'node:child_process';
import { linkSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handoff, type Project, project, scripted } from '../support/project.ts';

/** More than a thousand commits, in packs that git counts as more than a million objects: they are all the same. */
function grow(scene: Project): void {
  const commits = Array.from({ length: 1_100 }, (_, index) => {
    const who = `Ada <ada@example.com> ${1_800_000_000 + index} +0000`;
    const from = index === 0 ? 'from refs/heads/main^0\n' : '';
    return `commit refs/heads/main\nauthor ${who}\ncommitter ${who}\ndata 2\nc\n${from}M 100644 inline f${index % 10}\ndata ${String(index).length}\n${index}\n`;
  });
  const input = `${commits.join('')}done\n`;
  execFileSync('git', ['fast-import', '--quiet', '--done', '--force'], { cwd: scene.checkout, input });
  scene.git('reset', '-q', '--hard');
  scene.git('repack', '-q', '-a', '-d');
  const packs = join(scene.checkout, '.git/objects/pack');
  const [pack = ''] = readdirSync(packs).filter((name) => name.endsWith('.pack'));
  const stem = join(packs, pack.slice(0, -'.pack'.length));
  for (let copy = 0; copy < 310; copy += 1)
    for (const ending of ['pack', 'idx'])
      linkSync(`${stem}.${ending}`, `${packs}/pack-${copy.toString(16).padStart(40, '0')}.${ending}`);
}

test('S5: of a history of more than a million objects agents see the newest commits, and they and doctor are told', async () => {
  const look = 'git rev-list --count HEAD > seen.txt; git fsck --full >> seen.txt && cat $TIDEGATE_BRIEF > brief.txt';
  const owns = ['seen.txt', 'brief.txt'];
  await using scene = await project({
    plan: {
      land: 'auto',
      checks: [{ name: 'seen', run: 'git log --oneline | wc -l' }],
      tasks: { look: scripted(`${look}; ${handoff}`, { owns }) },
    },
  });
  expect((await scene.cli('doctor')).stdout).not.toContain('newest');
  grow(scene);

  expect((await scene.cli('doctor')).stdout).toMatch(
    /^note +repository .*objects: agents see the newest 1000 commits only$/m,
  );
  expect(await scene.cli('run', 'plan.yaml', '--yes', '--json')).toMatchObject({ code: 0 });
  expect(scene.git('show', 'main:seen.txt')).toBe('1000');
  expect(scene.git('show', 'main:brief.txt')).toContain('- The workspace has only the newest 1000 commits.');
  expect(scene.git('rev-list', '--count', 'main')).toBe('1103');
});
