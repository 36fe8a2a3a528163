import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { agentKinds } from '../../src/agents/agents.ts';
import type { TaskId } from '../../src/domain/base/ids.ts';
import type { AgentJob, Job } from '../../src/ports/supervisor.ts';
import { type Scene, supervisedScene, whyOf } from '../support/supervised.ts';
import { filesWith } from '../support/tries.ts';

const isRoot = process.getuid?.() === 0;
const token = 'sk-ant-oat01-planted-for-this-test-0001';
const renewed = 'sk-ant-oat01-renewed-for-this-test-0002';
const credentials = (accessToken: string): string =>
  `${JSON.stringify({ claudeAiOauth: { accessToken, expiresAt: 1 } })}\n`;

/** A home with a program `claude` that runs `script`, and an environment without any login. */
function machine(scene: Scene, script: string, options: { file?: string; mode?: number } = {}) {
  const home = join(scene.repo.home, 'person');
  const program = join(home, 'tools/bin/claude');
  mkdirSync(join(home, '.claude'), { recursive: true, mode: 0o700 });
  mkdirSync(join(home, 'tools/bin'), { recursive: true });
  writeFileSync(
    program,
    `#!/bin/sh\n[ "$1" != --version ] || exit 1\n${script}\ntidegate handoff done -m done >/dev/null\n`,
    { mode: 0o755 },
  );
  const file = join(home, '.claude/.credentials.json');
  if (options.file !== undefined) {
    writeFileSync(file, options.file);
    chmodSync(file, options.mode ?? (isRoot ? 0o666 : 0o600));
  }
  const nothing = Object.fromEntries(
    [...(agentKinds['claude']?.credentials ?? []), 'XDG_CONFIG_HOME', 'CLAUDE_CONFIG_DIR'].map((name) => [name, '']),
  );
  const environment = { ...nothing, HOME: home, PATH: `${join(home, 'tools/bin')}:/usr/bin:/bin` };
  return { home, file, environment };
}

const kind = agentKinds['claude'];
const agent: AgentJob = {
  program: 'claude',
  arguments: [],
  credentials: kind?.credentials ?? [],
  variables: [],
  ...(kind?.login ? { login: kind.login } : {}),
  model: null,
  turns: null,
  usd: 10,
  session: null,
  scope: {
    task: 'task' as TaskId,
    kind: 'unclaimed',
    own: [],
    granted: [],
    siblings: [],
    granting: [],
    locks: [],
    protect: [],
    generated: [],
    forbid: [],
    block: [],
  },
  breaker: 'normal',
};
const claude: Partial<Job> = { executor: 'claude', agent };

describe('an agent that is not logged in', () => {
  test('is not launched, and the person is told what to type', async () => {
    await using scene = await supervisedScene();
    const { environment, file } = machine(scene, 'touch ran');
    const job = scene.job(claude);
    const exit = await scene.run(job, environment);
    expect(exit.ending.reason).toBe('launch-failed');
    expect(exit.agent?.trouble).toEqual({ kind: 'needs-login', until: null, words: '', because: exit.ending.because });
    expect(whyOf(exit)).toContain(`no ${file}`);
    expect(whyOf(exit)).toContain('fix: tidegate auth claude');
    expect(existsSync(scene.files(job).workspace)).toBe(false);
  });

  test.runIf(isRoot)('is what root finds whose file is for root alone: it is not opened to others', async () => {
    await using scene = await supervisedScene();
    const { environment } = machine(scene, 'touch ran', { file: credentials(token), mode: 0o600 });
    const exit = await scene.run(claude, environment);
    expect(exit.agent?.trouble?.kind).toBe('needs-login');
    expect(whyOf(exit)).toMatch(/agents run as another user \(uid \d+\); fix: tidegate auth claude$/);
  });
});

describe('an agent that is logged in by its own file', () => {
  test('uses that very file, may renew what is in it, and no value of it is shown or kept', async () => {
    await using scene = await supervisedScene();
    const use = [
      'file=$CLAUDE_CONFIG_DIR/.credentials.json',
      'cat $file; cat $file >&2; cp $file leaked.txt',
      `tidegate handoff done -m "it is ${token}"`,
      `printf '%s\\n' '${credentials(renewed).trim()}' > $file`,
      `echo ${renewed} > renewed.txt`,
    ].join('\n');
    const { environment, file, home } = machine(scene, use, { file: credentials(token) });
    const job = scene.job(claude);
    const exit = await scene.run(job, environment);

    expect(exit.ending).toMatchObject({ reason: 'exited', code: 0 });
    expect(exit.output).toContain('"accessToken":"[redacted]"');
    expect(readFileSync(file, 'utf8')).toBe(credentials(renewed));
    const found = exit.snapshot?.secrets.map(({ where }) => where).toSorted();
    expect(found).toEqual(['leaked.txt', 'renewed.txt']);
    const kept = filesWith(scene.repo.home, [token, renewed]).filter(
      (path) => !path.includes('/workspace/') && !path.startsWith(home),
    );
    expect(kept).toEqual([]);
  });

  test('renews it and prints it at once: the new value is in no log, transcript, note or handoff', async () => {
    await using scene = await supervisedScene();
    const use = [
      'file=$CLAUDE_CONFIG_DIR/.credentials.json',
      `printf '%s\\n' '${credentials(renewed).trim()}' > $file; echo "raw ${renewed}"; echo "raw ${renewed}" >&2`,
      `echo '{"type":"system","subtype":"init","session_id":"${renewed}","model":"m"}'`,
      `echo '{"type":"assistant","message":{"content":[{"type":"text","text":"it is ${renewed}"}]}}'`,
      `tidegate handoff done -m "it is ${renewed}"`,
    ].join('\n');
    const { environment, home } = machine(scene, use, { file: credentials(token) });
    const job = scene.job(claude);
    const exit = await scene.run(job, environment);
    expect(exit.output.match(/raw \[redacted\]/g)).toHaveLength(2);
    const kept = (name: string) => readFileSync(join(scene.files(job).path, name), 'utf8');
    expect(kept('transcript.jsonl')).toContain('it is [redacted]');
    expect(kept('notes.jsonl')).toContain('"session":"[redacted]"');
    expect(filesWith(scene.repo.home, [renewed]).filter((path) => !path.startsWith(home))).toEqual([]);
  });

  test('gets it also where an earlier agent left a link in its place', async () => {
    await using scene = await supervisedScene();
    const { environment } = machine(scene, 'wc -l < $CLAUDE_CONFIG_DIR/.credentials.json', {
      file: credentials(token),
    });
    const job = scene.job(claude);
    const victim = join(scene.repo.home, 'victim');
    mkdirSync(victim);
    const planted = join(scene.files(job).path, 'home');
    mkdirSync(planted, { recursive: true });
    symlinkSync(victim, join(planted, 'claude'));
    const exit = await scene.run(job, environment);
    expect(exit.output.trim()).toBe('1');
    expect(readdirSync(victim)).toEqual([]);
  });
});

describe('a token that was given to tidegate auth', () => {
  const give = (home: string, mode: number): void => {
    const file = join(home, '.config/tidegate/tokens.json');
    mkdirSync(join(home, '.config/tidegate'), { recursive: true });
    writeFileSync(file, JSON.stringify({ CLAUDE_CODE_OAUTH_TOKEN: token, OTHER: 'not for claude' }));
    chmodSync(file, mode);
  };

  test('is in the environment of its agent alone, and shown nowhere', async () => {
    await using scene = await supervisedScene();
    const { environment, home } = machine(
      scene,
      'echo "$CLAUDE_CODE_OAUTH_TOKEN $OTHER."; printf %s "$CLAUDE_CODE_OAUTH_TOKEN" | wc -c',
    );
    give(home, 0o600);
    const exit = await scene.run(claude, environment);
    expect(exit.output.trim().split('\n')).toEqual(['[redacted] .', String(token.length)]);
    const command = await scene.run({ argv: ['/bin/sh', '-c', 'env'] }, environment);
    expect(command.output).not.toContain(token);
  });

  test('is not used when others can read it', async () => {
    await using scene = await supervisedScene();
    const { environment, home } = machine(scene, 'touch ran');
    give(home, 0o644);
    expect((await scene.run(claude, environment)).agent?.trouble?.kind).toBe('needs-login');
  });
});
