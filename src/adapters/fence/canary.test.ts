import { chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeBreaches } from '../../domain/explain/sentences/attempt-sentences.ts';
import { fenceCommand, fencedEnvironment, findHost, launch, type Readiness, startCommand } from './index.ts';

const host = findHost(process.env);

/** Launches `argv` in a fence that `damage` may have weakened, and says what the canary found. */
async function canary(
  damage: (args: readonly string[]) => readonly string[] = (args) => args,
  network: 'off' | 'relay' = 'off',
) {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-canary-'));
  try {
    const workspace = join(home, 'workspace');
    mkdirSync(workspace);
    if (host.uid === 0) chownSync(workspace, host.agent.uid, host.agent.gid);
    const start = {
      token: 't',
      network,
      fenced: true,
      outside: [home, '/tmp'],
      stdin: '/dev/null',
      argv: ['/bin/sh', '-c', 'echo ran > ran'],
    } as const;
    const whole = fenceCommand({ workspace, binds: [], network }, host, startCommand(start, host));
    const [file = '', ...args] = damage([whole.file, ...whole.args]);
    const output = openSync(join(home, 'output'), 'w');
    const fenced = launch({
      command: { file, args, filter: whole.filter },
      environment: fencedEnvironment(process.env, host, { network: 'off', pass: [], set: {}, client: null }),
      output,
      errors: output,
      stdin: null,
      cwd: '/',
      canary: { token: 't', workspace, outside: start.outside },
    });
    const ready = await fenced.ready;
    const ranBeforeGo = existsSync(join(workspace, 'ran'));
    if (ready.outcome === 'held') fenced.go();
    else fenced.kill();
    const { code } = await fenced.ended;
    closeSync(output);
    return {
      ready,
      code,
      ranBeforeGo,
      ran: existsSync(join(workspace, 'ran')),
      said: readFileSync(join(home, 'output'), 'utf8'),
    };
  } finally {
    rmSync(home, { recursive: true });
  }
}

const without =
  (...flags: readonly string[]) =>
  (args: readonly string[]): readonly string[] =>
    args.filter((arg) => !flags.includes(arg));
/** Just before the command that runs inside. */
const adding =
  (...flags: readonly string[]) =>
  (args: readonly string[]): readonly string[] =>
    args.toSpliced(args.indexOf('--chdir'), 0, ...flags);

const breachesOf = (ready: Readiness): string =>
  ready.outcome === 'breached' ? describeBreaches(ready.breaches) : ready.outcome;

describe('the canary', () => {
  test('holds in a whole fence, and the agent waits for the go', async () => {
    expect(await canary()).toMatchObject({
      ready: { outcome: 'held', missing: null },
      ranBeforeGo: false,
      ran: true,
      code: 0,
      said: '',
    });
  });
  test.each([
    ['the network is open', without('--unshare-net'), /network device/],
    ['the /run of the host is there', adding('--ro-bind', '/run', '/run'), /\/run of the host/],
    [
      '/usr can be written',
      adding('--tmpfs', '/usr/bin', '--ro-bind', '/usr/bin', '/usr/bin', '--tmpfs', '/etc'),
      /wrote in \/etc/,
    ],
    [
      'the root can be written',
      (args: readonly string[]) => args.with(args.lastIndexOf('--remount-ro') + 1, '/run'),
      /wrote in \//,
    ],
    ['/tmp of the host can be written', adding('--bind', '/tmp', '/tmp'), /wrote \/tmp/],
    [
      'there is no filter of system calls',
      (args: readonly string[]) => args.toSpliced(args.indexOf('--seccomp'), 2),
      /every system call/,
    ],
    ['processes of the host can be seen', adding('--ro-bind', '/proc', '/proc'), /processes of the host/],
  ])('does not hold when %s', async (_name, damage, reason) => {
    const { ready, ran } = await canary(damage);
    expect(breachesOf(ready)).toMatch(reason);
    expect(ran).toBe(false);
  });
  test('does not hold when the network is open although a relay was to be the only way out', async () => {
    const { ready, ran } = await canary(without('--unshare-net'), 'relay');
    expect(breachesOf(ready)).toMatch(/network device/);
    expect(ran).toBe(false);
  });
  test('lets nothing start when the relay does not', async () => {
    const { ready, ran } = await canary((args) => args, 'relay');
    expect(ready).toEqual({ outcome: 'failed', code: 125, signal: null, failure: null });
    expect(ran).toBe(false);
  });
  test.runIf(host.uid === 0)('does not hold for root, who could remount or write core_pattern', async () => {
    const asRoot = (args: readonly string[]): readonly string[] =>
      args.flatMap((arg, index) => (args[index - 1] === '--reuid' || args[index - 1] === '--regid' ? ['0'] : [arg]));
    const { ready, ran } = await canary(asRoot);
    expect(ready.outcome).toBe('breached');
    expect(ran).toBe(false);
  });
  test('tells a fence that cannot be made from an agent that failed', async () => {
    const { ready, ran } = await canary(adding('--ro-bind', '/nonexistent', '/x'));
    expect(ready).toEqual({ outcome: 'failed', code: 1, signal: null, failure: null });
    expect(ran).toBe(false);
  });
});
