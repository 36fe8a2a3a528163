import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { changedOnMain, fateOf, honest, rogue } from '../support/crew.ts';
import { handoff, project } from '../support/project.ts';
import { openStage, person } from '../support/staged-run.ts';
import { filesWith, inSnapshot } from '../support/tries.ts';

const names = [
  ...['GH_TOKEN', 'GITHUB_TOKEN', 'GITLAB_TOKEN', 'NPM_TOKEN', 'NODE_AUTH_TOKEN', 'PYPI_TOKEN', 'CARGO_REGISTRY_TOKEN'],
  ...['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN', 'AZURE_CLIENT_SECRET', 'GOOGLE_API_KEY'],
  ...[
    'GOOGLE_APPLICATION_CREDENTIALS',
    'ANTHROPIC_API_KEY',
    'OPENAI_API_KEY',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CODEX_API_KEY',
  ],
  ...[
    'SSH_AUTH_SOCK',
    'SSH_AGENT_PID',
    'GPG_AGENT_INFO',
    'DATABASE_URL',
    'PGPASSWORD',
    'REDIS_URL',
    'SENTRY_AUTH_TOKEN',
  ],
  ...['SLACK_TOKEN', 'STRIPE_SECRET_KEY', 'DOCKER_AUTH_CONFIG', 'KUBECONFIG', 'VAULT_TOKEN', 'MY_OWN_PASSWORD'],
];
const canaries = (of: readonly string[]): Record<string, string> =>
  Object.fromEntries(of.map((name) => [name, `canary-${randomBytes(12).toString('hex')}`]));

test('of 30 secrets around the coordinator none reaches an agent, a check, or a file of ours', async () => {
  const secrets = canaries(names);
  await using scene = await project({
    plan: {
      land: 'auto',
      setup: 'env; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n"; true',
      checks: [{ name: 'env', run: 'env; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n"; true' }],
      tasks: {
        curious: rogue(`env; env > env.txt; cat /proc/*/environ /proc/*/cmdline >> env.txt 2>/dev/null; ${handoff}`, {
          owns: ['env.txt'],
        }),
        honest,
      },
    },
  });
  await using stage = await openStage(scene);
  const run = await stage.order();
  const { over, child } = await stage.coordinator(secrets);
  const state = await run.approve();
  child.kill('SIGTERM');
  const { stdout, stderr } = await over;

  expect(names.length).toBe(30);
  expect(state.ended).toBe('landed');
  expect(scene.git('show', 'main:env.txt')).toContain('TIDEGATE_TASK=curious');
  expect(filesWith(scene.root, Object.values(secrets))).toEqual([]);
  expect(Object.values(secrets).filter((value) => `${stdout}${stderr}`.includes(value))).toEqual([]);
});

test('a secret that is passed on by name is used, but is in no log, handoff, ledger or merged file', async () => {
  const { AGENT_TOKEN: token = '' } = canaries(['AGENT_TOKEN']);
  await using scene = await project({
    plan: {
      land: 'auto',
      limits: { attempts: 1 },
      fence: { env: ['AGENT_TOKEN'] },
      tasks: {
        prints: rogue(`echo "$AGENT_TOKEN"; printf %s "$AGENT_TOKEN" | wc -c > prints.txt; ${handoff}`, {
          owns: ['prints.txt'],
        }),
        keeps: rogue(`echo "token=$AGENT_TOKEN" > keeps.txt; ${handoff}`, { owns: ['keeps.txt'] }),
        tells: rogue('echo x > tells.txt; tidegate handoff done -m "used $AGENT_TOKEN" --proof "$AGENT_TOKEN"', {
          owns: ['tells.txt'],
        }),
        writes: rogue(
          `echo x > writes.txt; mkdir .tidegate; printf '{"status":"done","summary":"%s","nonce":"%s"}' "$AGENT_TOKEN" $TIDEGATE_NONCE > .tidegate/handoff.json`,
          { owns: ['writes.txt'] },
        ),
        refused: rogue(`echo x > refused.txt; tidegate approve "$AGENT_TOKEN"; ${handoff}`, { owns: ['refused.txt'] }),
        names: rogue(`echo x > "names-$AGENT_TOKEN"; ${handoff}`, { owns: ['names-*'] }),
        links: rogue(`ln -s "x-$AGENT_TOKEN" links; ${handoff}`, { owns: ['links'] }),
        honest,
      },
    },
  });
  await using stage = await openStage(scene);
  await stage.confirm();
  const base = scene.git('rev-parse', 'main');
  const run = await stage.order();
  await stage.coordinator({ AGENT_TOKEN: token });
  const state = await run.approve();

  expect(inSnapshot(stage.state, 'attack-abcd.prints.1', 'prints.txt').trim()).toBe(String(token.length));
  expect(fateOf(state, 'keeps')).toEqual(['held', 'known-value keeps.txt']);
  const log = readFileSync(`${stage.state.job('attack-abcd.prints.1')}/output.log`, 'utf8');
  expect(log).toBe('[redacted]\nhandoff taken; you may end now\n');
  expect(fateOf(state, 'names')).toEqual(['held', 'known-value names-[redacted]', 'changes inconclusive']);
  expect(fateOf(state, 'links')).toEqual(['held', 'known-value links']);
  const told = (await run.events()).flatMap(({ event }) =>
    event.type === 'attempt-ended' && ['tells', 'writes'].includes(event.task) ? [event.handoff] : [],
  );
  expect(told.map((one) => (one.kind === 'given' ? one.handoff.summary : one.kind)).toSorted()).toEqual([
    '[redacted]',
    'used [redacted]',
  ]);
  for (const task of ['keeps', 'names', 'links'])
    await run.request({ type: 'requested-drop', task: task as never, paths: [], by: person });
  expect((await run.settled()).ended).toBe('landed');
  const landed = ['honest', 'prints', 'refused', 'tells', 'writes'].map((name) => `A ${name}.txt`);
  expect(changedOnMain(scene, base)).toEqual(landed);
  expect(filesWith(scene.checkout, [token])).toEqual([]);
  // The agent's own workspace is where it may write it; everything that we keep is not.
  const kept = filesWith(stage.state.root, [token]).filter((path) => !path.includes('/workspace/'));
  expect(kept).toEqual([]);
  expect(JSON.stringify(await stage.ledger.readAll()).includes(token)).toBe(false);
});

test('the file that logs an agent in is used, and no value of it is in a log, ledger, event, output or merged file', async () => {
  const { ACCESS: access = '', REFRESH: refresh = '' } = canaries(['ACCESS', 'REFRESH']);
  const home = mkdtempSync(join(tmpdir(), 'tidegate-person-'));
  const file = join(home, '.claude/.credentials.json');
  const script = `[ "$1" != --version ] || { echo 1.0; exit; }
cd /workspace; file=$CLAUDE_CONFIG_DIR/.credentials.json
cat $file; cat $file >&2; cp $file $CLAUDE_CONFIG_DIR/copy; cat $file | wc -l > used.txt
case $TIDEGATE_TASK in keeps) rm used.txt; cp $file keeps.txt ;; esac
tidegate handoff done -m "$(cat $file)"`;
  try {
    mkdirSync(join(home, 'tools/bin'), { recursive: true });
    mkdirSync(join(home, '.claude'), { mode: 0o700 });
    writeFileSync(join(home, 'tools/bin/claude'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    writeFileSync(file, `${JSON.stringify({ claudeAiOauth: { accessToken: access, refreshToken: refresh } })}\n`);
    // Root's agents are not root: only a file that is open to them can be used.
    chmodSync(file, process.getuid?.() === 0 ? 0o666 : 0o600);
    const task = (name: string) => ({ do: 'Use it. Acceptance: used.', agent: 'claude', owns: [`${name}.txt`] });
    await using scene = await project({
      plan: { land: 'auto', limits: { attempts: 1 }, tasks: { used: task('used'), keeps: task('keeps') } },
    });
    await using stage = await openStage(scene);
    const run = await stage.order();
    const none = Object.fromEntries(names.map((name) => [name, '']));
    const path = `${home}/tools/bin:/usr/bin:/bin`;
    const { over, child } = await stage.coordinator({ ...none, HOME: home, PATH: path });
    const state = await run.approve();
    child.kill('SIGTERM');
    const { stdout, stderr } = await over;

    expect(inSnapshot(stage.state, 'attack-abcd.used.1', 'used.txt').trim()).toBe('1');
    expect(fateOf(state, 'keeps')[0]).toBe('held');
    const kept = filesWith(stage.state.root, [access, refresh]).filter((path) => !path.includes('/workspace/'));
    expect(kept).toEqual([]);
    expect(filesWith(scene.checkout, [access, refresh])).toEqual([]);
    expect(readFileSync(file, 'utf8')).toContain(refresh);
    expect([access, refresh].filter((value) => `${stdout}${stderr}`.includes(value))).toEqual([]);
    expect(JSON.stringify(await stage.ledger.readAll())).not.toContain(access);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('S6: what looks like a credential is in no log, record, handoff, ledger, answer or output; in a file it holds the task', async () => {
  // in two parts, so that neither plan nor argument list has it
  const half = 'aB3dE6gH9jK2mN5pQ8';
  const token = `ghp_${half}${half}`;
  const print = `B=${half}; A=ghp_; T=$A$B$B; echo "$T"; printf %s "$A$B"; printf '%s\\n' "$B"`;
  await using scene = await project({
    plan: {
      land: 'branch',
      limits: { attempts: 1 },
      setup: `${print}`,
      checks: [{ name: 'prints', run: print }],
      tasks: {
        tells: rogue(
          `${print}; echo x > tells.txt; tidegate post -m "is $T"; tidegate ask -m "use $T?"; tidegate handoff done -m "used $T" --proof "$T"`,
          {
            owns: ['tells.txt'],
          },
        ),
        keeps: rogue(`${print}; echo "token=$T" > keeps.txt; ${handoff}`, { owns: ['keeps.txt'] }),
        names: rogue(`${print}; echo x > "names-$T"; ${handoff}`, { owns: ['names-*'] }),
      },
    },
  });
  const ran = await scene.cli('run', 'plan.yaml', '--yes', '--json');
  const posted = await scene.cli('post', '-m', `from a person: ${token}`);
  const said = [ran, posted];
  for (const args of [
    ['status'],
    ['show'],
    ['board'],
    ['inbox'],
    ['logs', 'tells'],
    ['diff', 'keeps'],
    ['why', 'keeps'],
  ])
    said.push(await scene.cli(...args), await scene.cli(...args, '--json'));
  const printed = said.map(({ stdout, stderr }) => `${stdout}${stderr}`).join('\n');
  expect(printed).toContain('[redacted github-pat]');
  expect(printed).not.toContain(token);
  const events = await scene.events();
  const fates = events.flatMap(({ event }) =>
    event.type === 'attempt-ended'
      ? [{ task: event.task, found: [...(event.snapshot?.secrets ?? []), ...(event.snapshot?.refused ?? [])] }]
      : [],
  );
  const shape = { rule: 'secret-shape', shape: 'github-pat' };
  expect(fates.toSorted((a, b) => a.task.localeCompare(b.task))).toEqual([
    { task: 'keeps', found: [{ ...shape, where: 'keeps.txt', in: 'content' }] },
    { task: 'names', found: [{ ...shape, where: 'names-[redacted github-pat]', in: 'name' }] },
    { task: 'tells', found: [] },
  ]);
  expect(JSON.stringify(events)).toContain('used [redacted github-pat]');
  expect(JSON.stringify(events)).toContain('from a person: [redacted github-pat]');
  expect(JSON.stringify(events)).not.toContain(token);
  const log = readFileSync(
    `${scene.state().root}/jobs/${events.flatMap(({ event }) => (event.type === 'attempt-ended' && event.task === 'tells' ? [event.log.file] : []))[0]}`,
    'utf8',
  );
  expect(log).toContain('[redacted github-pat]\n[redacted github-pat]\n');
  const kept = filesWith(scene.state().root, [token]).filter((path) => !path.includes('/workspace/'));
  expect(kept).toEqual([]);
  // the file itself is as the agent left it
  const { run } = JSON.parse(ran.stdout) as { readonly run: string };
  expect(inSnapshot(scene.state(), `${run}.keeps.1`, 'keeps.txt').trim()).toBe(`token=${token}`);
});
