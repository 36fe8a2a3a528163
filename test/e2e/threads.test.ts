import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { replayRun } from '../../src/engine/replay.ts';
import { honest } from '../support/crew.ts';
import { allEnded } from '../support/kill.ts';
import { ended, type Project, project } from '../support/project.ts';
import { answers, forum, nobody, receiver } from '../support/receiver.ts';
import { armed } from '../support/sweep.ts';

const token = 'forum-token-5d1e88c0';
const secret = 'whsec-90aa17f3';
const plan = { land: 'auto', tasks: { honest } };

/** What the person says for all their repositories. */
function says(scene: Project, config: object): void {
  mkdirSync(join(scene.root, 'home/.config/tidegate'), { recursive: true });
  writeFileSync(join(scene.root, 'home/.config/tidegate/config.yaml'), stringify(config));
}

const threadsOf = async (scene: Project) =>
  (await scene.events()).flatMap(({ event }) =>
    event.type === 'phase-judged' && event.phase === 'thread' ? [event] : [],
  );

/** Every file of the state directory that holds one of these texts. */
const filesWith = (directory: string, ...texts: readonly string[]): readonly string[] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((path) => texts.some((text) => readFileSync(path).includes(text)));

describe('the thread of a wave', () => {
  test('is opened where the person says, gets what happens, and leaves no secret behind', async () => {
    const there = forum();
    await using server = await receiver(there);
    await using scene = await project({ plan, env: { HOOK_SECRET: secret } });
    says(scene, {
      thread: { intake: `${server.url}/intake`, threads: `${server.url}/threads`, tokenFrom: 'FORUM_TOKEN' },
      notify: { webhook: `${server.url}/hook`, secretFrom: 'HOOK_SECRET' },
    });
    // as `tidegate auth secret FORUM_TOKEN` keeps it
    const kept = join(scene.root, 'home/.config/tidegate/tokens.json');
    writeFileSync(kept, JSON.stringify({ FORUM_TOKEN: token }), { mode: 0o600 });
    const ran = await scene.cli('run', 'plan.yaml', '--yes', '--json');
    expect(ran.code).toBe(0);
    expect(await threadsOf(scene)).toMatchObject([
      { evidence: { board: 'intake', id: 't-1', failed: [] }, verdicts: [{ gate: 'thread', outcome: 'pass' }] },
    ]);
    const types = (await scene.events()).map(({ event }) => event.type);
    expect(types.indexOf('thread-intended')).toBeLessThan(
      types.indexOf('phase-judged', types.indexOf('thread-intended')),
    );
    const posts = server.received.filter(({ path }) => path === '/threads/t-1/posts');
    const kinds = posts.map(({ body }) => (JSON.parse(body) as { kind: string }).kind);
    expect(kinds).toEqual(['started', 'closed', 'landed']);
    expect(new Set(posts.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${token}`]));
    const hooks = server.received.filter(({ path }) => path === '/hook').map(({ body }) => JSON.parse(body) as object);
    expect(hooks).toMatchObject([{ news: 'done', kind: 'ended', message: 'landed on main' }]);
    expect(filesWith(scene.state().root, token, secret)).toEqual([]);
    expect(ran.stdout + ran.stderr).not.toMatch(new RegExp(`${token}|${secret}`));
  });

  test('is one thread when the coordinator is killed after it was opened and before that is recorded', async () => {
    const there = forum();
    await using server = await receiver(there);
    await using scene = await project({ plan, env: { TIDEGATE_THREAD_THREADS: `${server.url}/threads` } });
    const { env, wasReached } = armed(scene.root, 'thread-asked', 1);
    await ended(scene.start(['run', 'plan.yaml', '--yes', '--json'], env));
    await allEnded(scene, ['cli', 'merger']);
    expect(wasReached()).toBe(true);
    expect(await threadsOf(scene)).toEqual([]);
    expect((await scene.cli('resume', '--yes', '--json')).code).toBe(0);
    expect(await threadsOf(scene)).toMatchObject([{ evidence: { board: 'threads', id: 't-1' } }]);
    expect(there.threads.size).toBe(1);
  });

  test('falls back to a log, which is recorded, shown, and judged the same again', async () => {
    const gone = await nobody();
    await using server = await receiver(answers(500));
    await using scene = await project({ plan });
    says(scene, { thread: { intake: `${gone}/intake`, threads: `${server.url}/threads` } });
    const { run } = JSON.parse((await scene.cli('run', 'plan.yaml', '--yes', '--json')).stdout) as { run: string };
    const log = `runs/${run}/wave-0.log`;
    expect((await threadsOf(scene)).map(({ evidence }) => evidence)).toEqual([
      {
        board: 'log',
        id: log,
        failed: [
          { way: 'intake', because: { rule: 'delivery-unreachable', code: 'ECONNREFUSED' } },
          { way: 'threads', because: { rule: 'delivery-refused', status: 500 } },
        ],
      },
    ]);
    const lines = readFileSync(join(scene.state().root, log), 'utf8').trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/^\S+ /, ''))).toEqual([
      `thread of wave 1 of ${run}`,
      'wave 1 started: honest',
      'wave 1 has closed',
      'landed on main',
    ]);
    const events = (await scene.events()).filter(({ stream }) => stream !== 'repo');
    expect(replayRun(events).differences).toEqual([]);
    const status = await scene.cli('status', run, '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ waves: [{ thread: { board: 'log', id: log } }] });
    const shown = await scene.cli('events', run);
    expect(shown.stdout).toContain(`thread: wave 1 uses ${log} (log); intake: cannot be reached (ECONNREFUSED)`);
  });
});

test('a repository cannot have news of a run sent anywhere that the person did not confirm', async () => {
  await using server = await receiver(forum());
  const thread = { threads: `${server.url}/threads` };
  await using scene = await project({
    plan: { ...plan, thread },
    files: { 'tidegate.yaml': stringify({ notify: { webhook: `${server.url}/hook` } }) },
  });
  const refused = await scene.cli('run', 'plan.yaml', '--yes', '--json');
  expect(refused.code).not.toBe(0);
  expect(refused.stdout).toContain('needs-confirmation');
  expect(server.received).toEqual([]);
  const shown = await scene.cli('config', '--origin', '--json');
  expect(shown.stdout).toContain('needs-confirmation');
});

test('a webhook is told once that a person is needed, also over restarts, and its place is shown', async () => {
  await using server = await receiver();
  await using scene = await project({ plan: { ...plan, land: 'ask' } });
  says(scene, { notify: { webhook: `${server.url}/hook`, on: ['needs-you', 'done'] } });
  const hooks = () => server.received.map(({ body }) => (JSON.parse(body) as { kind: string }).kind);
  const asked = await scene.cli('run', 'plan.yaml', '--json');
  const { run } = JSON.parse(asked.stdout) as { run: string };
  expect([asked.code, hooks()]).toEqual([43, ['approve']]);
  await scene.cli('resume', run, '--json');
  expect(hooks()).toEqual(['approve']);
  expect((await scene.cli('resume', run, '--yes', '--land', '--json')).code).toBe(0);
  expect(hooks()).toEqual(['approve', 'ended']);
  const origin = await scene.cli('config', '--origin');
  expect(origin.stdout).toMatch(new RegExp(`notify.*${server.url}/hook.*config\\.yaml`));
});
