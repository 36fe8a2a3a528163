import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ended, handoff, type Project, program, project, scripted } from '../support/project.ts';
import { atTerminal } from '../support/terminal.ts';

const one = scripted(`cat readme.md > one.txt; ${handoff}`, { owns: ['one.txt'] });
const plan = { tasks: { one } };
type Told = { readonly rule: string; readonly detail: string; readonly fix?: string };
type Document = {
  readonly exit: number;
  readonly reason: string;
  readonly findings?: Told[];
  readonly warnings?: Told[];
};
const documentOf = (stdout: string) => JSON.parse(stdout) as Document;
const madeNothing = (p: Project) => expect(existsSync(`${p.root}/state`)).toBe(false);

test('F13: a dirty checkout is said before the question, with what it means', async () => {
  await using p = await project({ plan });
  p.write('readme.md', 'mine\n');
  p.write('notes.txt', 'new\n');
  p.write('one.txt', 'in the way\n');
  const changed =
    'your checkout has 3 uncommitted changes: readme.md, notes.txt, one.txt. Agents start from the last commit of main and do not see them; commit first, or add --with-uncommitted';
  const untracked =
    'one may write where you have 1 untracked file: one.txt. Landing never overwrites untracked files; commit, move or remove them before the run lands';

  const dry = await p.cli('run', 'plan.yaml', '--dry-run');
  expect(dry.stdout).toContain(`note    ${changed}`);
  expect(dry.stdout).toContain(`note    ${untracked}`);
  const { warnings = [] } = documentOf((await p.cli('run', 'plan.yaml', '--dry-run', '--json')).stdout);
  expect(warnings.map(({ rule }) => rule)).toEqual(['checkout-changed', 'untracked-in-the-way']);
  madeNothing(p);

  const env = p.environment;
  const asked = await atTerminal(
    [process.execPath, program, 'run', 'plan.yaml'],
    { cwd: p.checkout, env },
    { '[y/N/e/d]': 'n\r' },
  );
  const [before = '', after] = asked.screen.split('Start 1 task');
  expect(after).toBeDefined();
  expect(before).toContain('3 uncommitted changes');
  expect(before).toContain('one may write where you have 1 untracked file');
}, 60_000);

test('F14: signing that fails is found before anything is made, by signing', async () => {
  await using p = await project({ plan });
  p.git('config', 'commit.gpgsign', 'true');
  p.git('config', 'gpg.program', '/bin/false');
  const refused = await p.cli('run', 'plan.yaml', '--yes', '--json');
  const { exit, findings = [] } = documentOf(refused.stdout);
  expect([exit, findings.map(({ rule }) => rule)]).toEqual([2, ['signing-fails']]);
  expect(findings[0]?.fix).toContain('git commit --allow-empty -S');
  madeNothing(p);
  const doctor = JSON.parse((await p.cli('doctor', '--json')).stdout);
  expect(doctor.examined).toContainEqual(expect.objectContaining({ name: 'signing', state: 'bad' }));

  p.write('sign.sh', '#!/bin/sh\ncat > /dev/null\nprintf "\\n[GNUPG:] SIG_CREATED D\\n" >&2\necho signature\n', 0o755);
  p.git('config', 'gpg.program', `${p.checkout}/sign.sh`);
  p.git('config', 'user.signingKey', 'ada');
  expect(documentOf((await p.cli('run', 'plan.yaml', '--dry-run', '--json')).stdout).exit).toBe(0);
}, 60_000);

test('F14: an agent of the plan that cannot be started is found before anything is made', async () => {
  const task = (agent: readonly string[]) => {
    const { command, ...rest } = one;
    return agent.includes('command') ? { ...rest, agent, command } : { ...rest, agent };
  };
  await using p = await project({
    plan: { tasks: { one: task(['codex', 'claude']) } },
    env: { PATH: '/usr/bin:/bin' },
  });
  const { exit, reason, findings = [] } = documentOf((await p.cli('run', 'plan.yaml', '--yes', '--json')).stdout);
  expect([exit, reason, findings]).toEqual([
    2,
    'no-agent',
    [
      expect.objectContaining({
        rule: 'no-agent-ready',
        detail:
          'no agent can start for one: the program codex is not on the PATH; the program claude is not on the PATH',
        fix: 'npm install -g @openai/codex\nor: npm install -g @anthropic-ai/claude-code',
      }),
    ],
  ]);
  madeNothing(p);

  p.write('some.yaml', JSON.stringify({ tasks: { one: task(['codex', 'command']) } }));
  const { warnings = [] } = documentOf((await p.cli('run', 'some.yaml', '--dry-run', '--json')).stdout);
  expect(warnings).toContainEqual({
    rule: 'agent-unready',
    detail: 'one will run without codex: the program codex is not on the PATH',
    fix: 'npm install -g @openai/codex',
  });

  mkdirSync(`${p.root}/bin`);
  writeFileSync(`${p.root}/bin/claude`, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const env = { PATH: `${p.root}/bin:/usr/bin:/bin` };
  const login = documentOf((await ended(p.start(['run', 'plan.yaml', '--yes', '--json'], env))).stdout);
  expect([login.exit, login.reason]).toEqual([43, 'needs-login']);
  madeNothing(p);
}, 60_000);

test('F14: what doctor says of the checkout is what a run says', async () => {
  await using p = await project({ plan });
  p.write('readme.md', 'mine\n');
  const told = async () => {
    const { examined } = JSON.parse((await p.cli('doctor', '--json')).stdout) as {
      readonly examined: readonly { readonly name: string; readonly state: string; readonly found: string }[];
    };
    return Object.fromEntries(examined.map(({ name, state, found }) => [name, `${state}: ${found}`]));
  };
  expect(await told()).toMatchObject({
    identity: 'good: git knows your name and email',
    signing: 'good: works, or is off',
    checkout: expect.stringContaining('warning: your checkout has 1 uncommitted change: readme.md'),
  });
  p.git('checkout', '-q', '--detach');
  expect((await told())['checkout']).toBe('warning: no branch is checked out, and the plan does not name one');
  p.git('checkout', '-q', '--orphan', 'fresh');
  expect((await told())['checkout']).toBe('bad: the branch `fresh` does not exist or has no commit yet');
}, 60_000);

test.skipIf(process.getuid?.() !== 0)(
  'F14: a user without a name in the system gets no raw error',
  async () => {
    await using p = await project({ plan });
    for (const path of [p.root, p.checkout]) chmodSync(path, 0o777);
    mkdirSync(`${p.root}/state`, { mode: 0o777 });
    chmodSync(`${p.root}/state`, 0o777);
    const { HOME: home, ...homeless } = p.environment;
    for (const env of [{ ...homeless, HOME: home }, homeless]) {
      const child = spawn(process.execPath, [program, 'run', 'plan.yaml', '--dry-run'], {
        ...{ cwd: p.checkout, env, uid: 54_321, gid: 54_321 },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      const { code, stderr } = await ended(child);
      expect(stderr).not.toMatch(/uv_os_|ENOENT|ERR_SYSTEM_ERROR/);
      expect(code).toBe(0);
    }
  },
  60_000,
);
