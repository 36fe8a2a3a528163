import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { listenTo } from '../support/gate.ts';
import { answerEverything } from '../support/person.ts';
import { type Ended, ended, handoff, type Project, project, scripted } from '../support/project.ts';

const one = scripted(`echo one > one.txt; ${handoff}`, { owns: ['one.txt'] });
const documentOf = ({ stdout }: Ended) => JSON.parse(stdout) as { exit: number; reason: string; run: string };

describe('lock files that were left behind (G1):', () => {
  test('ours are removed, and the run goes on', { timeout: 60_000 }, async () => {
    await using p = await project({ plan: { tasks: { one } } });
    const ran = await p.cli('run', 'plan.yaml', '--yes', '--json');
    expect(documentOf(ran)).toMatchObject({ exit: 43, reason: 'land' });
    const { run } = documentOf(ran);
    const { repository } = p.state();
    const locks = ['packed-refs.lock', 'config.lock', `refs/tidegate/runs/${run}.lock`].map((name) =>
      join(repository, name),
    );
    for (const lock of locks) {
      mkdirSync(dirname(lock), { recursive: true });
      writeFileSync(lock, '');
    }
    expect(await p.cli('land', run, '--json')).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:one.txt')).toBe('one');
    expect(locks.filter((lock) => existsSync(lock))).toEqual([]);
  });

  test.each(['index.lock', 'HEAD.lock', 'refs/heads/main.lock'])(
    "a person's %s is named, nothing moves, and it is never removed",
    { timeout: 60_000 },
    async (name) => {
      await using p = await project({ plan: { tasks: { one } } });
      const { run } = documentOf(await p.cli('run', 'plan.yaml', '--yes', '--json'));
      const before = p.git('rev-parse', 'main');
      const lock = join(p.checkout, '.git', name);
      writeFileSync(lock, '');
      const refused = await p.cli('land', run);
      expect([refused.code === 0, `${refused.stdout}${refused.stderr}`]).toEqual([
        false,
        expect.stringContaining(name),
      ]);
      expect([p.git('rev-parse', 'main'), existsSync(lock), existsSync(join(p.checkout, 'one.txt'))]).toEqual([
        before,
        true,
        false,
      ]);
      rmSync(lock);
      expect(await p.cli('land', run, '--json')).toMatchObject({ code: 0 });
      expect(p.git('show', 'main:one.txt')).toBe('one');
      expect(p.git('status', '--porcelain')).toBe('');
    },
  );

  test('a lock of a git that is at work is waited for', { timeout: 60_000 }, async () => {
    await using p = await project({ plan: { tasks: { one } } });
    const { run } = documentOf(await p.cli('run', 'plan.yaml', '--yes', '--json'));
    const lock = join(p.checkout, '.git/index.lock');
    writeFileSync(lock, '');
    await using listener = await listenTo(p);
    const observed = listener.next('target-observed');
    const landing = p.cli('land', run, '--json');
    await observed;
    // as long as a slow commit takes
    await sleep(1_000);
    rmSync(lock);
    expect(await landing).toMatchObject({ code: 0 });
    expect(p.git('show', 'main:one.txt')).toBe('one');
  });
});

test("objects that are missing or damaged in an agent's clone do not matter (G3): the snapshot has its files", {
  timeout: 60_000,
}, async () => {
  const vandal = (name: string, act: string) =>
    scripted(`echo ${name} > ${name}.txt; git add -A; git commit -qm x; ${act}; ${handoff}`, { owns: [`${name}.txt`] });
  await using p = await project({
    plan: {
      land: 'auto',
      tasks: {
        gone: vandal('gone', 'rm -rf .git/objects'),
        noise: vandal('noise', 'find .git/objects -type f -exec sh -c \'chmod u+w "$1"; echo noise > "$1"\' _ {} \\;'),
        astray: vandal('astray', 'echo /nowhere > .git/objects/info/alternates'),
      },
    },
  });
  expect(documentOf(await p.cli('run', 'plan.yaml', '--yes', '--json'))).toMatchObject({ exit: 0 });
  for (const name of ['gone', 'noise', 'astray']) expect(p.git('show', `main:${name}.txt`)).toBe(name);
  expect(p.git('fsck', '--strict', '--no-dangling')).toBe('');
  expect(p.git('--git-dir', p.state().repository, 'fsck', '--strict', '--no-dangling')).toBe('');
});

describe('a repository that is not supported (G6)', () => {
  const kinds: Readonly<Record<string, { readonly make: (p: Project) => void; readonly says: RegExp }>> = {
    'shallow clone': {
      make: (p) => {
        p.git('clone', '-q', '--depth', '1', `file://${p.checkout}`, join(p.root, 'other'));
      },
      says: /shallow clone[\s\S]*git fetch --unshallow/,
    },
    'partial clone': {
      make: (p) => {
        p.git('config', 'uploadpack.allowFilter', 'true');
        p.git('clone', '-q', '--filter=blob:none', `file://${p.checkout}`, join(p.root, 'other'));
      },
      says: /partial clone[\s\S]*full clone/,
    },
    'content filter': {
      make: (p) => {
        p.git('clone', '-q', p.checkout, join(p.root, 'other'));
        writeFileSync(join(p.root, 'other/.gitattributes'), '*.key filter=git-crypt diff=git-crypt\n');
        p.git('-C', join(p.root, 'other'), 'add', '.gitattributes');
        p.git(
          '-C',
          join(p.root, 'other'),
          '-c',
          'user.name=Ada',
          '-c',
          'user.email=a@example.com',
          'commit',
          '-qm',
          'a filter',
        );
      },
      says: /filter "git-crypt" is not supported|\.gitattributes:1/,
    },
  };

  test.each(Object.entries(kinds))(
    'as %s: lint and run refuse it with exit 2, and leave nothing behind',
    { timeout: 60_000 },
    async (_, { make, says }) => {
      await using p = await project({ plan: { tasks: { one } } });
      make(p);
      for (const words of [
        ['lint', 'plan.yaml'],
        ['run', 'plan.yaml', '--yes'],
      ]) {
        const said = await ended(p.start(['-C', join(p.root, 'other'), ...words]));
        expect([words, said.code, said.stdout + said.stderr]).toEqual([words, 2, expect.stringMatching(says)]);
      }
      expect(existsSync(join(p.root, 'state'))).toBe(false);
      expect(p.git('-C', join(p.root, 'other'), 'status', '--porcelain')).toBe('');
    },
  );

  test('is worked on when it is SHA-256', { timeout: 60_000 }, async () => {
    await using p = await project({ plan: { land: 'auto', tasks: { one } } });
    const other = join(p.root, 'other');
    p.git('init', '-q', '--object-format=sha256', '-b', 'main', other);
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'ada@example.com'],
    ] as const)
      p.git('-C', other, 'config', key, value);
    writeFileSync(join(other, 'plan.yaml'), p.git('show', 'main:plan.yaml'));
    p.git('-C', other, 'add', '-A');
    p.git('-C', other, 'commit', '-qm', 'first');
    const repo = { cli: (...args: string[]) => ended(p.start(['-C', other, ...args])) };
    const { run } = documentOf(await repo.cli('run', 'plan.yaml', '--yes', '--json'));
    expect(documentOf(await answerEverything(repo, run))).toMatchObject({ exit: 0 });
    expect(p.git('-C', other, 'show', 'main:one.txt')).toBe('one');
  });
});
