import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSqliteLedger } from '../../src/adapters/ledger/sqlite/index.ts';
import { checkHistory } from '../support/checker.ts';
import { failpointsIn } from '../support/failpoints.ts';
import { forge } from '../support/forge.ts';
import { gitFacts } from '../support/kill.ts';
import { land, picture, readyToLand, runTip } from '../support/landing.ts';
import { run as sceneRun } from '../support/merger-scene.ts';
import { mergerUnderFire } from '../support/merger-under-fire.ts';
import { type Ended, handoff, project, scripted } from '../support/project.ts';

const writes = (name: string) =>
  scripted(`echo ${name} > ${name}.txt; ${handoff}`, { owns: [`${name}.txt`], do: `Write ${name}.` });
const plan = {
  land: 'pr',
  checks: [{ name: 'test', run: 'test -f readme.md' }],
  tasks: { one: writes('one'), two: writes('two') },
};

/** A project with a remote, and room for a stand-in of `gh` on its PATH. */
async function offered(
  more: { readonly plan?: object; readonly program?: 'gh' | 'glab'; readonly host?: string } = {},
) {
  const tools = mkdtempSync(join(tmpdir(), 'tg-forge-'));
  const hub = forge(tools, more);
  const p = await project({
    plan: { ...plan, ...more.plan },
    env: { PATH: `${hub.bin}:${process.env['PATH'] ?? ''}` },
  });
  hub.connect(p.git);
  return {
    ...p,
    hub,
    main: p.git('rev-parse', 'main'),
    async [Symbol.asyncDispose]() {
      await p[Symbol.asyncDispose]();
      rmSync(tools, { recursive: true, force: true });
    },
  };
}

type Document = {
  readonly exit: number;
  readonly reason: string;
  readonly needs: readonly { readonly command: string; readonly message: string }[];
  readonly run: string;
  readonly ended: string | null;
  readonly landing: {
    readonly status: string;
    readonly branch?: string;
    readonly url?: string | null;
    readonly command?: string | null;
    readonly why?: string;
    readonly fix?: string;
  };
};
const documentOf = ({ stdout }: Ended): Document => JSON.parse(stdout) as Document;

test('F25: `land: pr` pushes the branch of the run, opens a pull request, and never moves the target', async () => {
  await using p = await offered();
  p.hub.install();
  const ended = await p.cli('run', 'plan.yaml', '--yes', '--json');

  const document = documentOf(ended);
  const branch = `tidegate/${document.run}`;
  expect({ code: ended.code, reason: document.reason, landing: document.landing }).toMatchObject({
    code: 0,
    landing: { status: 'offered', branch, url: p.hub.url, command: null },
  });
  expect(p.git('rev-parse', 'main')).toBe(p.main);
  expect(p.hub.tip('main')).toBe(p.main);
  expect(p.hub.tip(branch)).toBe(p.git('rev-parse', branch));
  expect(p.git('log', '--format=%s', '--reverse', `main..${branch}`).split('\n')).toEqual(['Write one.', 'Write two.']);
  const created = p.hub.calls().find(({ args }) => args[1] === 'create');
  expect(created?.args).toEqual([
    ...['pr', 'create', '--repo', 'github.com/ada/shop', '--base', 'main', '--head', branch],
    ...['--title', 'plan: 2 tasks', '--body-file', '-'],
  ]);
  expect(created?.stdin).toContain('- **one**: Write one.');
  expect(created?.stdin).toContain('Checks that passed on this tree: test.');
  expect(created?.stdin).toContain(`Tidegate-Run: ${document.run}`);
  expect(
    (await p.events()).map(({ event }) => event.type).filter((type) => /push|pull|branch-made/.test(type)),
  ).toEqual([
    'run-branch-made',
    'branch-made',
    'push-intended',
    'pushed',
    'pull-request-intended',
    'pull-request-opened',
  ]);
  expect((await p.cli('status')).stdout).toContain(`Pull request onto main: ${p.hub.url}`);
  expect(JSON.stringify(await p.events()) + ended.stdout + ended.stderr).not.toContain(p.hub.token);
}, 120_000);

test('a pull request counts as landed once the target contains its commits, and only then its workspaces go', async () => {
  await using p = await offered();
  p.hub.install();
  const { run } = documentOf(await p.cli('run', 'plan.yaml', '--yes', '--json'));

  expect((await p.cli('clean', '--dry-run')).stdout).toContain('its pull request is not in main yet');
  const again = await p.cli('land', run);
  expect(again.stdout + again.stderr).toContain(`the pull request is already open: ${p.hub.url}`);
  const undo = await p.cli('undo', run, '--yes');
  expect(undo.stdout + undo.stderr).toContain(`close or revert it at ${p.hub.url}`);
  p.git('merge', '-q', '--no-ff', '-m', 'merge the pull request', `tidegate/${run}`);

  expect(documentOf(await p.cli('status', '--json'))).toMatchObject({ ended: 'landed', landing: { status: 'landed' } });
  for (const command of ['why', 'runs', 'watch'])
    expect((await p.cli(command)).stdout).toMatch(/Landed on main|has ended: landed/);
  expect((await p.cli('clean', '--dry-run')).stdout).toContain(`${run}.one.1: landed`);
  expect((await p.events()).some(({ event }) => event.type === 'pull-request-landed')).toBe(false);
  p.write('plan.yaml', JSON.stringify({ tasks: { three: writes('three') } }));
  p.git('commit', '-q', '-a', '-m', 'another plan');
  await p.cli('run', 'plan.yaml', '--yes', '--json');
  const seen = (await p.events()).filter(({ stream }) => stream === run).map(({ event }) => event);
  expect(seen.slice(-2)).toMatchObject([
    { type: 'pull-request-landed', branch: 'main', tasks: ['one', 'two'] },
    { type: 'run-ended', outcome: 'landed' },
  ]);
}, 120_000);

test.each(['before', 'after'])(
  'with `land: pr` a wave goes on %s the request of the one before is merged',
  async (when) => {
    const b = scripted(`cp one.txt b.txt; ${handoff}`, { owns: ['b.txt'], needs: ['one'], do: 'Copy one.' });
    await using p = await offered({
      plan: { tasks: undefined, waves: [{ tasks: { one: writes('one') } }, { tasks: { b } }] },
    });
    p.hub.install();
    const wave = (number: number, ...more: string[]) => p.cli('run', 'plan.yaml', '--wave', String(number), ...more);
    const first = documentOf(await wave(1, '--yes', '--json'));
    if (when === 'after') p.git('merge', '-q', '--no-ff', '-m', 'merge the pull request', `tidegate/${first.run}`);

    const dry = await wave(2, '--dry-run');
    const goesOn = `continues from tidegate/${first.run}`;
    expect([dry.code, dry.stdout.includes(goesOn)]).toEqual([0, when === 'before']);
    const second = documentOf(await wave(2, '--yes', '--json'));
    expect(second).toMatchObject({ exit: 0, landing: { status: 'offered' } });
    const base = when === 'before' ? `tidegate/${first.run}` : 'main';
    expect(p.git('rev-parse', `tidegate/${second.run}~1`)).toBe(p.git('rev-parse', base));
    expect(p.git('show', `tidegate/${second.run}:b.txt`)).toBe('one');
    const landed = (await p.events()).flatMap(({ event }) => (event.type === 'pull-request-landed' ? [event] : []));
    const one = { task: 'one', commit: p.git('rev-parse', `tidegate/${first.run}`) };
    expect(landed).toMatchObject(when === 'before' ? [] : [{ branch: 'main', tasks: ['one'], commits: [one] }]);
    // it counts by what is recorded now, too
    if (when === 'after') expect(await wave(2, '--dry-run')).toMatchObject({ code: 0 });
    expect(checkHistory(await p.events(), { git: gitFacts(p) })).toEqual([]);
  },
  120_000,
);

test('without a program for pull requests the command to type is shown, and `land` opens it later', async () => {
  await using p = await offered();
  const first = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const { run, reason, needs, landing } = documentOf(first);
  const command = `gh pr create --repo github.com/ada/shop --base main --head tidegate/${run} --fill`;
  expect({ code: first.code, reason, url: landing.url, command: landing.command }).toEqual({
    code: 43,
    reason: 'pull-request',
    url: null,
    command,
  });
  expect(needs.map((need) => need.command)).toEqual([command]);
  expect(p.hub.tip(`tidegate/${run}`)).toBe(p.git('rev-parse', `tidegate/${run}`));

  p.hub.install();
  const second = await p.cli('land', run, '--json');
  expect({ code: second.code, landing: documentOf(second).landing }).toMatchObject({
    code: 0,
    landing: { status: 'offered', url: p.hub.url },
  });
  expect(p.git('rev-parse', 'main')).toBe(p.main);
}, 120_000);

test('what keeps a pull request from being opened is a finding with a fix, and `land` tries again', async () => {
  await using p = await offered({ plan: { tasks: { one: writes('one') } } });
  p.hub.install();
  p.git('remote', 'rename', 'origin', 'elsewhere');
  p.git('config', '--unset', 'branch.main.remote');
  p.git('remote', 'add', 'backup', join(p.root, 'nowhere.git'));
  const first = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect(first.code).toBe(43);
  const { run, landing } = documentOf(first);
  expect(landing).toMatchObject({ status: 'refused', why: 'main has no remote to push to' });
  const again = async () => documentOf(await p.cli('land', run, '--json')).landing;

  p.git('config', 'branch.main.remote', 'backup');
  expect(await again()).toMatchObject({
    why: expect.stringContaining(`pushing tidegate/${run} to backup failed: `),
    fix: expect.stringContaining(`git push backup tidegate/${run}`),
  });

  p.git('config', 'branch.main.remote', 'elsewhere');
  writeFileSync(join(p.hub.bare, 'hooks/pre-receive'), '#!/bin/sh\necho "no, by policy" >&2\nexit 1\n');
  chmodSync(join(p.hub.bare, 'hooks/pre-receive'), 0o755);
  expect(await again()).toMatchObject({ why: expect.stringContaining('no, by policy') });
  rmSync(join(p.hub.bare, 'hooks/pre-receive'));

  p.hub.fail({ code: 4, said: `run gh auth login; not https://x:${p.hub.token}@github.com/` });
  expect(await again()).toMatchObject({
    why: expect.stringContaining('gh is not logged in'),
    fix: expect.stringContaining('gh auth login'),
  });
  p.hub.fail({ code: 1, said: 'GraphQL: No commits between main and it' });
  expect(await again()).toMatchObject({ why: expect.stringContaining('No commits between') });

  p.hub.fail(null);
  expect(await again()).toMatchObject({ status: 'offered', url: p.hub.url });
  expect(p.hub.opened()).toBe(1);
  expect(p.git('rev-parse', 'main')).toBe(p.main);
  expect(JSON.stringify(await p.events())).not.toContain(p.hub.token);
}, 180_000);

test('`--ci` opens the pull request that the plan asks for, and no hook of the person runs', async () => {
  await using p = await offered({ program: 'glab', host: 'gitlab.example.com' });
  p.hub.install();
  for (const hook of ['pre-commit', 'commit-msg', 'pre-push'])
    p.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch '${p.root}/hooked'\nexit 1\n`, 0o755);
  const ended = await p.cli('run', 'plan.yaml', '--yes', '--ci', '--json');
  expect({ code: ended.code, landing: documentOf(ended).landing }).toMatchObject({
    code: 0,
    landing: { status: 'offered', url: p.hub.url },
  });
  expect(p.hub.calls().at(-1)?.args.slice(0, 4)).toEqual([
    ...['mr', 'create', '--repo', 'https://gitlab.example.com/ada/shop'],
  ]);
  expect(existsSync(join(p.root, 'hooked'))).toBe(false);
}, 120_000);

test('objects that git LFS keeps are pushed with the branch, although no hook runs', async () => {
  await using p = await offered({
    plan: { tasks: { one: scripted(`echo large > one.bin; ${handoff}`, { owns: ['one.bin'] }) } },
  });
  p.hub.install();
  p.git('remote', 'set-url', 'origin', p.hub.bare);
  p.write('.gitattributes', '*.bin filter=lfs -text\n');
  p.git('add', '-A');
  p.git('commit', '-q', '-m', 'LFS');
  const ended = await p.cli('run', 'plan.yaml', '--yes', '--json');
  expect(documentOf(ended).landing).toMatchObject({ status: 'offered' });
  const oid = p.git('show', `tidegate/${documentOf(ended).run}:one.bin`).match(/sha256:(\w+)/)?.[1] ?? 'none';
  expect(existsSync(join(p.hub.bare, 'lfs/objects', oid.slice(0, 2), oid.slice(2, 4), oid))).toBe(true);
}, 120_000);

test.each([...failpointsIn('land/offer'), 'merger-landed'])(
  'killed at %s and asked again, there is one branch and one pull request',
  async (point) => {
    const tools = mkdtempSync(join(tmpdir(), 'tg-forge-'));
    const hub = forge(tools);
    hub.install();
    const fire = mergerUnderFire(point);
    const env = { PATH: `${hub.bin}:${process.env['PATH'] ?? ''}` };
    await using s = await readyToLand(
      { 'new.txt': 'n\n' },
      {
        plan: { land: 'pr' },
        openLedger: (file) => openSqliteLedger(file),
        merger: (context) => fire.merger({ ...context, env: { ...context.env, ...env } }),
      },
    );
    hub.connect((...args) => s.git(...args));
    const before = picture(s);
    expect(await land(s)).toEqual({ outcome: 'done' });
    expect(fire.deaths).toEqual(['the merger ended (SIGKILL)']);
    expect(hub.tip(`tidegate/${sceneRun}`)).toBe(runTip(s));
    expect(hub.opened()).toBe(1);
    expect(picture(s)).toEqual(before);
    const types = (await s.events()).map(({ type }) => type);
    for (const type of ['landing-intended', 'branch-made', 'pushed', 'pull-request-opened'])
      expect(types.filter((one) => one === type)).toEqual([type]);
    rmSync(tools, { recursive: true, force: true });
  },
  60_000,
);
