import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { forge } from '../../../test/support/forge.ts';
import { land, picture, readyToLand, runTip } from '../../../test/support/landing.ts';
import { run } from '../../../test/support/merger-scene.ts';
import { runOnly } from '../../../test/support/run-only.ts';
import { perform } from '../serve.ts';

const branch = `tidegate/${run}`;

/** A merged run with `land: pr`, its remote, and a stand-in for `gh`. */
async function scene() {
  const tools = mkdtempSync(join(tmpdir(), 'tg-forge-'));
  const hub = forge(tools);
  hub.install();
  const PATH = `${hub.bin}:${process.env['PATH'] ?? ''}`;
  const s = await readyToLand(
    { 'new.txt': 'n\n' },
    {
      plan: { land: 'pr' },
      merger: (context) => ({
        ask: (request, epoch) => perform({ ...context, env: { ...context.env, PATH } }, request, epoch),
        [Symbol.asyncDispose]: async () => undefined,
      }),
    },
  );
  hub.connect((...args) => s.git(...args));
  return {
    ...s,
    hub,
    before: picture(s),
    async [Symbol.asyncDispose]() {
      await s[Symbol.asyncDispose]();
      rmSync(tools, { recursive: true, force: true });
    },
  };
}

describe('a branch that is offered', () => {
  test('never overwrites another one of that name at the remote', async () => {
    await using s = await scene();
    s.git('push', '-q', 'origin', `main:refs/heads/${branch}`);
    s.git('commit', '-q', '--allow-empty', '-m', 'theirs');
    s.git('push', '-q', 'origin', `main:refs/heads/${branch}`);
    s.git('reset', '-q', '--hard', 'HEAD~1');
    const theirs = s.hub.tip(branch);
    const answer = await land(s);
    expect(answer).toMatchObject({ outcome: 'refused', because: { rule: 'push-failed', fault: 'rejected' } });
    expect(s.hub.tip(branch)).toBe(theirs);
    expect(s.hub.opened()).toBe(0);
  });

  test('goes on from an earlier push of its own', async () => {
    await using s = await scene();
    s.git('push', '-q', 'origin', `main:refs/heads/${branch}`);
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(s.hub.tip(branch)).toBe(runTip(s));
  });

  test('is made again when somebody deleted it, and a pull request that is open is found', async () => {
    await using s = await scene();
    s.hub.fail({ code: 1, said: 'no' });
    expect(await land(s)).toMatchObject({ outcome: 'refused', because: { rule: 'pull-request-failed' } });
    s.git('branch', '-D', branch);
    s.hub.fail(null);
    await s.approveLanding();
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(s.git('rev-parse', branch)).toBe(runTip(s));
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(s.hub.opened()).toBe(1);
    expect(picture(s)).toEqual(s.before);
  });

  test('is pushed where git would push it: to a fork, with the pull request at the repository that the branch follows', async () => {
    await using s = await scene();
    const fork = join(s.root, 'fork.git');
    runOnly('git', ['init', '-q', '--bare', fork], s.root);
    s.git('remote', 'add', 'mine', 'git@github.com:bob/shop.git');
    s.git('config', `url.${fork}.insteadOf`, 'git@github.com:bob/shop.git');
    s.git('config', 'remote.pushDefault', 'mine');
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(s.hub.tip(branch)).toBe('');
    expect(runOnly('git', ['--git-dir', fork, 'rev-parse', branch], s.root)).toBe(runTip(s));
    const args = s.hub.calls().at(-1)?.args.join(' ');
    expect(args).toContain(`--repo github.com/ada/shop --base main --head bob:${branch}`);
    expect((await s.events()).find(({ type }) => type === 'pushed')).toMatchObject({
      repository: 'bob/shop',
      upstream: 'ada/shop',
    });
  });
});
