import { chmodSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Notice } from '../../domain/board/notices.ts';
import type { NotifySetting } from '../../domain/settings/settings.ts';
import { personsNotices } from './person.ts';

const notice: Notice = {
  item: 'demo-ab12 held docs',
  lasting: false,
  news: 'needs-you',
  run: 'demo-ab12',
  kind: 'held',
  task: 'docs',
  message: 'out of scope: <b>x</b>\x1b[31m',
  command: 'tidegate grant demo-ab12/docs x',
  safe: 'nothing of it was merged',
};

/** A desktop that writes down what it is given. */
function scene(setting: NotifySetting, { desktop = false } = {}) {
  const directory = mkdtempDisposableSync('/tmp/tidegate-notices-');
  const { path } = directory;
  const program = (name: string, text: string): string => {
    writeFileSync(join(path, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(path, name), 0o755);
    return join(path, name);
  };
  program('notify-send', `for a; do echo "$a"; done > ${path}/shown`);
  let bells = 0;
  const notices = personsNotices({
    stateDirectory: path,
    repository: '/some/where',
    env: { PATH: `${path}:/usr/bin:/bin`, ...(desktop ? { DISPLAY: ':0' } : {}) },
    setting: async () => setting,
    bell: () => {
      bells += 1;
    },
  });
  const read = (name: string): string => readFileSync(join(path, name), 'utf8');
  return { notices, path, program, read, bells: () => bells, [Symbol.dispose]: () => directory.remove() };
}

describe('a notice', () => {
  test('rings, and gives the person’s command one JSON document', async () => {
    using at = scene(null);
    const keep = at.program('keep', `cat > ${at.path}/given`);
    using person = scene([keep]);
    await person.notices.send(notice);
    await person.notices.settle();
    expect(person.bells()).toBe(1);
    const { item: _, lasting: __, news: ___, ...rest } = notice;
    expect(JSON.parse(at.read('given'))).toEqual({ schema: 'tidegate.notice/1', repository: '/some/where', ...rest });
  });

  test('is shown on a desktop as plain text, where there is one', async () => {
    using at = scene(null, { desktop: true });
    await at.notices.send(notice);
    await at.notices.settle();
    const [, , title, body] = at.read('shown').split('\n');
    expect(title).toBe('Tidegate: demo-ab12/docs');
    expect(body).toBe('out of scope: &lt;b&gt;x&lt;/b&gt; · tidegate grant demo-ab12/docs x');
    using without = scene(null);
    await without.notices.send(notice);
    await without.notices.settle();
    expect(() => without.read('shown')).toThrow();
  });

  test('is not given at all when the person wants none', async () => {
    using at = scene('off', { desktop: true });
    await at.notices.send(notice);
    await at.notices.settle();
    expect(at.bells()).toBe(0);
    expect(() => at.read('shown')).toThrow();
  });

  test.each([[['/nonexistent/program']], [['false']], [['sh', '-c', 'exec 0<&-; exit 3']]])(
    'whose command fails disturbs nobody, and leaves a word about it: %j',
    async (command) => {
      using at = scene(command);
      await at.notices.send(notice);
      await at.notices.settle();
      await at.notices.settle();
      expect(at.read('notices.log')).toMatch(new RegExp(`^${command[0]}: `));
    },
  );

  test('is remembered, and a broken memory is an empty one', () => {
    using at = scene(null);
    expect(at.notices.sent()).toEqual([]);
    at.notices.remember(['a', 'b']);
    expect(at.notices.sent()).toEqual(['a', 'b']);
    writeFileSync(join(at.path, 'notices.json'), '{');
    expect(at.notices.sent()).toEqual([]);
  });
});

test('the end of a run rings no bell and calls no command', async () => {
  using at = scene(['false'], { desktop: true });
  await at.notices.send({ ...notice, kind: 'ended', news: 'done', task: null });
  await at.notices.settle();
  expect(at.bells()).toBe(0);
  expect(() => at.read('shown')).toThrow();
  expect(() => at.read('notices.log')).toThrow();
});
