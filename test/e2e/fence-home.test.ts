import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { handoff, project, scripted } from '../support/project.ts';

test("`~/` in the person's own configuration is their home inside the fence: what it names can be read or written, the rest is not there", async () => {
  const script = `cat ~/given/word > word.txt; echo made > ~/made/it; test ! -e ~/other && ! touch ~/given/no || exit 1; ${handoff}`;
  await using p = await project({ plan: { land: 'auto', tasks: { one: scripted(script, { owns: ['word.txt'] }) } } });
  const home = join(p.root, 'home');
  for (const name of ['given', 'made', 'other', '.config/tidegate']) mkdirSync(join(home, name), { recursive: true });
  writeFileSync(join(home, 'given/word'), 'tide\n');
  chmodSync(join(home, 'made'), 0o777);
  writeFileSync(join(home, '.config/tidegate/config.yaml'), 'fence: { read: [~/given], write: [~/made] }\n');

  expect(await p.cli('run', 'plan.yaml', '--yes', '--json')).toMatchObject({ code: 0 });
  expect(p.git('show', 'main:word.txt')).toBe('tide');
  expect(readFileSync(join(home, 'made/it'), 'utf8')).toBe('made\n');
  const looked = await p.cli('shell', 'one', '--', '/bin/sh', '-c', 'cat ~/given/word');
  expect(looked).toMatchObject({ code: 0, stdout: 'tide\n' });
}, 60_000);
