import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { objectPath } from '../../src/adapters/git/lfs/index.ts';
import { pointed, pointerTo, stored } from '../support/lfs.ts';
import { handoff, project, scripted } from '../support/project.ts';

test('a run on a repository with LFS: content in every workspace, pointers in git, objects where they landed', {
  timeout: 120_000,
}, async () => {
  const plan = {
    checks: [{ name: 'content', run: 'test ! -e one.bin || head -n 1 one.bin | grep -qx one' }],
    waves: [
      {
        tasks: {
          first: scripted(`test "$(cat have.bin)" = have && echo one > one.bin && ${handoff}`, { owns: ['one.bin'] }),
        },
      },
      {
        tasks: {
          second: scripted(`test "$(cat one.bin)" = one && echo two >> one.bin && ${handoff}`, { owns: ['*.bin'] }),
        },
      },
    ],
  };
  await using p = await project({
    plan,
    files: {
      '.gitattributes': '*.bin filter=lfs -text\n',
      'have.bin': pointed('have\n'),
      'miss.bin': pointed('nowhere\n'),
    },
  });
  const persons = join(p.checkout, '.git/lfs');
  stored(persons, 'have\n');
  // Whatever the system has set up, pointers are checked out as they are.
  for (const [key, value] of Object.entries({ process: '', clean: 'cat', smudge: 'cat', required: 'false' }))
    p.git('config', `filter.lfs.${key}`, value);

  const lint = await p.cli('lint', 'plan.yaml');
  expect(lint.stdout + lint.stderr).toMatch(/1 of 2 LFS objects are missing.*git lfs fetch/s);
  expect(await p.cli('run', 'plan.yaml', '--yes', '--land', '--json')).toMatchObject({ code: 0 });
  const run = JSON.parse((await p.cli('status', '--json')).stdout).run as string;

  expect(p.git('show', 'main:one.bin')).toBe(pointed('one\ntwo\n').trim());
  const landed = (content: string) => readFileSync(objectPath(persons, pointerTo(content).oid), 'utf8');
  expect([landed('one\n'), landed('one\ntwo\n')]).toEqual(['one\n', 'one\ntwo\n']);
  expect((await p.cli('logs', `${run}/first`)).stdout).toContain('1 of 2 LFS objects');
  expect((await p.cli('diff', `${run}/second`)).stdout).toContain(`+oid sha256:${pointerTo('one\ntwo\n').oid}`);

  expect((await p.cli('clean', '--dry-run')).stdout).toMatch(/LFS objects: all work is landed or dropped/);
  expect(existsSync(p.state().lfs)).toBe(true);
  expect(await p.cli('clean')).toMatchObject({ code: 0 });
  expect(existsSync(p.state().lfs)).toBe(false);
  expect(await p.cli('undo', '--yes', run)).toMatchObject({ code: 0 });
  expect(p.git('ls-tree', '--name-only', 'main', 'one.bin')).toBe('');
});
