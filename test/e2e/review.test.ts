import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ended, handoff, program, project, scripted } from '../support/project.ts';
import { atTerminal } from '../support/terminal.ts';

const hostile = `printf 'a\\033]0;owned\\007b\\n' > one.txt; printf x > "$(printf 'e\\033[31mvil')"; echo t > other.txt; ${handoff}`;

test('a review: whose each file is, pager and difftool of the person, a copy in the editor, comments by file', async () => {
  const plan = {
    land: 'auto',
    tasks: {
      one: scripted(`if test -f again; then :; fi; ${hostile}`, { owns: ['one.txt'] }),
      two: scripted(`echo two > two.txt; echo k > keep.txt; ${handoff}`, { owns: ['two.txt'], shares: ['keep.txt'] }),
    },
  };
  await using p = await project({ plan });
  const tool = (name: string, script: string): string => {
    const path = join(p.root, name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
    return path;
  };
  const seen = join(p.root, 'seen');
  const asked = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const { run } = JSON.parse(asked.stdout) as { run: string };

  const plain = await p.cli('diff', `${run}/two`);
  expect(plain.stdout).toMatch(/added {4}keep\.txt {2}\+1 −0 {2}shared\n {2}added {4}two\.txt {3}\+1 −0 {2}owned/);
  const raw = await p.cli('diff', `${run}/one`);
  expect(raw.stdout).toContain('out of scope: ');
  expect(raw.stdout).not.toContain('\u001b');
  expect((await p.cli('diff', `${run}/two`, '--name-only')).stdout).toBe('keep.txt\ntwo.txt\n');
  expect(JSON.parse((await p.cli('diff', `${run}/two`, '--stat', '--json')).stdout)).toMatchObject({
    tasks: [
      {
        files: [
          { path: 'keep.txt', whose: 'shared' },
          { path: 'two.txt', whose: 'owned' },
        ],
        patch: null,
      },
    ],
  });

  const here = { cwd: p.checkout, env: p.environment };
  const command = [process.execPath, program, 'diff', `${run}/two`];
  const paged = await atTerminal(command, { ...here, env: { ...p.environment, GIT_PAGER: `cat > ${seen}` } }, {});
  expect([paged.code, paged.screen.includes('two.txt')]).toEqual([0, false]);
  expect(readFileSync(seen, 'utf8')).toContain('+two');
  expect((await atTerminal([...command, '--no-pager'], here, {})).screen).toContain('+two');

  const configured = `[diff]\n\ttool = mine\n[difftool "mine"]\n\tcmd = ${tool('mine', `cat "$1" "$2" >> ${seen}.tool`)} "$LOCAL" "$REMOTE"\n`;
  writeFileSync(join(p.root, 'home/.gitconfig'), configured);
  expect(await p.cli('diff', `${run}/two`, '--tool')).toMatchObject({ code: 0 });
  expect(readFileSync(`${seen}.tool`, 'utf8')).toBe('k\ntwo\n');

  const printed = (await p.cli('open', `${run}/two`, '--print')).stdout.trim();
  expect([existsSync(join(printed, '.git')), readFileSync(join(printed, 'two.txt'), 'utf8')]).toEqual([false, 'two\n']);
  const editor = tool('ed', `ls "$1" > ${seen}.editor`);
  const opened = await ended(p.start(['open', `${run}/two`], { VISUAL: editor }));
  expect(opened).toMatchObject({ code: 0, stderr: expect.stringContaining('edits in it have no effect') });
  expect(readFileSync(`${seen}.editor`, 'utf8')).toContain('two.txt');
  expect((await p.cli('clean')).stdout).toMatch(/removed .* copies\/\S+: not in use/);
  expect(existsSync(printed)).toBe(false);
  expect((await ended(p.start(['open', `${run}/two`], { CLAUDECODE: '1' }))).code).toBe(43);

  p.write('comments.md', '- the second finding\n');
  const sent = await p.cli('rework', `${run}/one`, '-m', 'the first', '-f', 'comments.md');
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('the first - the second finding') });
  writeFileSync(join(p.checkout, 'bytes'), Buffer.from([0xff, 0xfe]));
  expect(await p.cli('rework', `${run}/one`, '-f', 'bytes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('bytes is not valid UTF-8'),
  });
  expect(await p.cli('rework', `${run}/one`)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('with -m or -f'),
  });
}, 120_000);

test('an undo shows what it will do: by --dry-run, and on a terminal before it asks', async () => {
  const write = (name: string) => scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`] });
  const plan = {
    land: 'auto',
    checks: [{ name: 'there', run: 'test -f readme.md' }],
    tasks: { one: write('one'), two: write('two') },
  };
  await using p = await project({ plan });
  const before = p.git('rev-parse', 'main');
  const { run } = JSON.parse((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout) as { run: string };
  const landed = p.git('rev-parse', 'main');

  const shown = await p.cli('undo', '--dry-run');
  expect(shown).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`main goes back to exactly ${before.slice(0, 8)}`),
  });
  expect(shown.stdout).toMatch(/ {2}\w{8} two {2}.*\n {2}\w{8} one {2}/);
  const part = await p.cli('undo', `${run}/one`, '--dry-run', '--json');
  expect(JSON.parse(part.stdout)).toMatchObject({ exact: false, commits: [{ task: 'one' }], checks: ['there'] });

  const command = [process.execPath, program, 'undo', `${run}/one`];
  const place = { cwd: p.checkout, env: p.environment };
  const no = await atTerminal(command, place, { '[y/N]': 'n\n' });
  expect([no.code, p.git('rev-parse', 'main')]).toEqual([43, landed]);
  expect(no.screen).toContain('only after these checks have passed on the result: there');
  expect((await atTerminal(command, place, { '[y/N]': 'y\n' })).code).toBe(0);
  expect(p.git('ls-tree', '--name-only', 'main').split('\n')).toEqual(['plan.yaml', 'readme.md', 'two.txt']);
}, 120_000);
