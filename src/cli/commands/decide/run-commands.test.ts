import { expect, test } from 'vitest';
import { commandScene as scene, stuck, working } from '../../../../test/support/command-scene.ts';
import { begun, by, hash, hello, run } from '../../../../test/support/run-events.ts';

test.each([
  ['status', 'nowhere'],
  ['status', '../../etc'],
  ['why', 'checkout-k3f9/nothing'],
  ['show', 'checkout/../../x'],
  ['logs', 'nowhere/hello'],
  ['logs', 'hello', '--attempt', '7'],
  ['logs', '--check', 'lint'],
  ['logs', '--generated'],
  ['attach', 'hello'],
  ['attach', 'hello', '--attempt', '7'],
  ['diff', 'x/y/z'],
  ['diff', 'hello', 'typo.md'],
  ['diff', 'hello', '../package.json'],
  ['approve', 'nowhere'],
  ['approve', 'checkout-k3f9/hello'],
  ['approve', '--plan', 'ffffffffff'],
  ['grant', 'hello'],
  ['grant', 'hello', '../outside'],
  ['grant', 'hello', '/etc/passwd'],
  ['drop'],
  ['retry', 'nothing'],
  ['rework', 'hello'],
  ['rework', 'hello', '-m', '  '],
  ['undo', '..'],
  ['run', '--wave', 'two'],
  ['run', '--wave', '0'],
  ['run', '--focus', ' '],
  ['show', 'checkout-k3f9', '--prompt'],
  ['run'],
  ['status', '--nonsense'],
])('tidegate %s %s %s %s: one clear line, exit 2, nothing asked for', async (...argv) => {
  await using here = await scene(stuck);
  const { exit, problems } = await here.tidegate(...argv);
  expect(exit).toBe(2);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toMatch(/^tidegate: [^\n]+$/);
  expect(await here.requests()).toEqual([]);
});

test('without any run status is calm and the rest says that there is none', async () => {
  await using here = await scene([]);
  expect(await here.tidegate('status')).toMatchObject({
    exit: 0,
    out: 'There are no runs yet. Start one: tidegate run',
  });
  expect(await here.tidegate('approve')).toMatchObject({
    exit: 2,
    problems: ['tidegate: approve: there is no run here yet; begin with tidegate run'],
  });
});

test('an approval is bound to the plan hash and recorded with who gave it', async () => {
  await using here = await scene(begun());
  const { exit, out } = await here.tidegate('approve', 'check', '--plan', '4f5517b720bb');
  expect({ exit, out }).toEqual({
    exit: 0,
    out: 'Approved checkout-k3f9 (plan 4f5517b720bb, fence: bubblewrap). Follow it: tidegate watch checkout-k3f9',
  });
  expect(await here.requests()).toEqual([
    { type: 'requested-approve', tap: 'start', hash, at: expect.any(String), by },
  ]);
  expect(await here.tidegate('approve')).toMatchObject({ exit: 1 });
});

test.each([['approve'], ['reject'], ['hold'], ['grant', 'hello', 'x.md'], ['drop', 'hello'], ['land'], ['undo']])(
  'an agent may not %s, and is told who may',
  async (...argv) => {
    await using here = await scene(stuck, { agent: 'claude-code' });
    const { exit, document } = await here.tidegate(...argv, '--json');
    expect(exit).toBe(43);
    expect(document).toMatchObject({ exit: 43, reason: 'caller-is-agent', needs: [{ kind: 'person' }] });
    expect(await here.requests()).toEqual([]);
  },
);

test.each([
  [['retry', 'hello'], { type: 'requested-retry', task: hello, by }],
  [['rework', 'he', '-m', 'mend it'], { type: 'requested-rework', task: hello, message: 'mend it', by }],
  [['drop', 'checkout-k3f9/hello'], { type: 'requested-drop', task: hello, paths: [], by }],
  [['drop', 'hello', 'x.md'], { type: 'requested-drop', task: hello, paths: ['x.md'], by }],
  [['pause'], { type: 'requested-pause', by }],
  [['stop'], { type: 'requested-stop', by }],
])('tidegate %j is one request', async (argv, request) => {
  await using here = await scene(stuck);
  expect(await here.tidegate(...argv)).toMatchObject({ exit: 0, problems: [] });
  expect(await here.requests()).toEqual([request]);
});

test('what would be refused is refused at once and leaves no request', async () => {
  await using here = await scene(working);
  expect(await here.tidegate('retry', 'hello')).toMatchObject({
    exit: 1,
    problems: [
      'tidegate: refused: only a held, failed or dropped task can be retried; it is running; see tidegate why checkout-k3f9',
    ],
  });
  expect(await here.requests()).toEqual([]);
});

test('a coordinator that cannot be started is exit 32 and one line; the request stays', async () => {
  await using here = await scene(stuck, { alone: true });
  const { exit, problems } = await here.tidegate('pause');
  expect({ exit, lines: problems.length }).toEqual({ exit: 32, lines: 1 });
  expect(await here.requests()).toHaveLength(1);
});

test('a coordinator that lives and keeps silent is exit 32 when patience ends', async () => {
  await using here = await scene(stuck, { deaf: true });
  expect((await here.tidegate('pause')).exit).toBe(32);
});

test('--json is one document with schema, exit, reason and needs', async () => {
  await using here = await scene(stuck);
  const { document, out } = await here.tidegate('status', '--json');
  expect(out).toBe('');
  expect(document).toMatchObject({
    schema: 'tidegate.status/1',
    exit: 0,
    reason: 'done',
    run,
    fence: 'bwrap',
    needs: [{ kind: 'held', task: 'hello' }],
  });
});

test('diff says of each file whose it is; events and clean only look', async () => {
  await using here = await scene(stuck);
  expect((await here.tidegate('diff', '--stat')).out).toContain('added    x.md');
  expect((await here.tidegate('diff', '--stat')).out).not.toContain('its own\n');
  expect((await here.tidegate('events')).out.split('\n')).toHaveLength(stuck.length);
  expect((await here.tidegate('clean')).out).toContain('keep      2.5 MB  checkout-k3f9.hello.1: held');
  expect((await here.tidegate('conflicts')).out).toBe('checkout-k3f9 has no conflicts.');
});
