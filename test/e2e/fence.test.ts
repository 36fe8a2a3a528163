import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { probeFence } from '../../src/adapters/fence/index.ts';
import { puppet } from '../support/puppet.ts';
import { follow, supervisedScene, whyOf } from '../support/supervised.ts';
import { socketsOfHost } from '../support/tries.ts';

/** Each line of the script says `name=code`; 0 would be a way out. */
const outcomes = (output: string): Record<string, string> =>
  Object.fromEntries(
    output
      .split('\n')
      .filter((line) => /^[a-z-]+=\d+$/.test(line))
      .map((line) => line.split('=') as [string, string]),
  );

const tries = (attacks: Record<string, string>): string =>
  Object.entries(attacks)
    .map(([name, command]) => `(${command}) >/dev/null 2>&1; echo ${name}=$?`)
    .join('\n');

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

describe('an agent in the fence', () => {
  test('cannot get out by any way that is known', async () => {
    await using scene = await supervisedScene();
    const sibling = join(scene.jobs, 'sibling/workspace');
    mkdirSync(sibling, { recursive: true });
    writeFileSync(join(sibling, 'victim'), 'mine');
    const pattern = readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
    const stranger = spawn('/bin/sleep', ['600'], { env: { SECRET_OF_STRANGER: 'hidden' } });
    const socketDirectory = socketsOfHost();
    const server = createServer().listen(join(socketDirectory, 's'));
    const web = createServer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n')).listen(0, '127.0.0.1');
    await Promise.all([once(server, 'listening'), once(web, 'listening')]);
    const port = (web.address() as { port: number }).port;
    const dial = (target: string) =>
      `/run/tidegate/node -e "require('net').connect(${target}).on('connect',()=>process.exit(0)).on('error',()=>process.exit(7))"`;
    const attacks = {
      'remount-root': 'mount -o remount,rw /',
      'remount-usr': 'mount -o remount,bind,rw /usr',
      'mount-proc': 'mkdir -p /tmp/p && mount -t proc proc /tmp/p',
      'core-pattern': 'echo "|/workspace/x" > /proc/sys/kernel/core_pattern',
      sysrq: 'echo h > /proc/sysrq-trigger',
      'run-socket': dial(`'${socketDirectory}/s'`),
      loopback: dial(`${port},'127.0.0.1'`),
      'stranger-environ': `grep -a SECRET_OF_STRANGER /proc/${stranger.pid}/environ`,
      'any-environ': 'grep -a SECRET_OF_STRANGER /proc/*/environ',
      'kill-stranger': `kill -9 ${stranger.pid}`,
      'write-checkout': `echo x > ${scene.repo.path}/pwned`,
      // These may succeed in the fence's own /tmp, so only the host can tell.
      'make-checkout': `mkdir -p ${scene.repo.path} && echo x > ${scene.repo.path}/pwned; false`,
      'write-state': `echo x > ${scene.jobs}/pwned; false`,
      'write-sibling': `echo x > ${sibling}/victim`,
      'read-sibling': `cat ${sibling}/victim`,
      'write-objects': `echo x > ${scene.repo.home}/repo.git/objects/pwned`,
      'write-refs': `mkdir -p ${scene.repo.home}/repo.git/refs/heads && echo x > ${scene.repo.home}/repo.git/refs/heads/x; false`,
      'write-etc': 'echo x > /etc/pwned',
      'write-run': 'echo x > /run/tidegate/pwned',
      'replace-client': 'rm -f /run/tidegate/bin/tidegate',
      shadow: 'cat /etc/shadow',
      'person-home': 'test -e ~/.bashrc || test -e ~/.ssh || test -e ~/.profile',
      'write-node': 'echo x >> /run/tidegate/node',
      chroot: 'chroot / /bin/true',
      'nested-root': `unshare -Urm sh -c 'mount -o remount,rw / && echo x > /pwned'`,
      'control-socket': `ls ${scene.repo.home}/run/*/c.sock`,
      'raw-device': 'dd if=/dev/vda of=/dev/null count=1 || dd if=/dev/sda of=/dev/null count=1',
      'inherited-descriptor': 'ls /proc/self/fd | grep -qvxE "[0-3]"',
    };
    try {
      const exit = await scene.run({ argv: ['/bin/sh', '-c', `${tries(attacks)}\ntidegate handoff done -m tried`] });
      const breached = Object.entries(outcomes(exit.output)).filter(([, code]) => code === '0');
      expect(breached).toEqual([]);
      expect(Object.keys(outcomes(exit.output)).sort()).toEqual(Object.keys(attacks).sort());
      expect(stranger.exitCode).toBeNull();
      expect(readFileSync('/proc/sys/kernel/core_pattern', 'utf8')).toBe(pattern);
      expect(readdirSync(scene.repo.path).sort()).toEqual(['.git', 'readme.md']);
      expect(existsSync(join(scene.repo.home, 'repo.git/refs/heads/x'))).toBe(false);
      expect(existsSync(join(scene.jobs, 'pwned'))).toBe(false);
      expect(exit.snapshot?.diff).toEqual([]);
    } finally {
      stranger.kill('SIGKILL');
      server.close();
      web.close();
      rmSync(socketDirectory, { recursive: true });
    }
  });

  test('can do its work: git, its own sandbox, loopback, /dev/stdout, home and tmp', async () => {
    await using scene = await supervisedScene();
    const work = {
      log: 'git log --oneline',
      commit: 'echo a > a && git add a && git commit -qm a',
      stdout: 'echo x > /dev/stdout && echo x > /dev/stderr && cat /dev/stdin',
      home: 'echo x > ~/x && echo x > /tmp/x',
      own: 'bwrap --ro-bind / / --unshare-pid true || unshare -Ur true',
      loopback: `/run/tidegate/node -e "const s=require('net').createServer(c=>c.end()).listen(0,'127.0.0.1',()=>require('net').connect(s.address().port,'127.0.0.1').on('close',()=>process.exit(0)))"`,
      uid: 'test "$(id -u)" != 0',
      limits: 'test "$(ulimit -c)" = 0 && test "$(ulimit -f)" != unlimited',
    };
    const exit = await scene.run({ argv: ['/bin/sh', '-c', `${tries(work)}\ntidegate handoff done -m worked`] });
    expect(outcomes(exit.output)).toEqual(Object.fromEntries(Object.keys(work).map((name) => [name, '0'])));
  });

  test('gets an allow-list of variables, and secrets are in no argv of any process', async () => {
    await using scene = await supervisedScene();
    await using agent = await puppet(join(scene.repo.home, 'p'));
    const secret = 'tok-12345678';
    const supervisors = scene.coordinator({ AGENT_TOKEN: secret, OTHER_TOKEN: 'never', LD_PRELOAD: '' });
    const job = scene.job({
      ...agent.job,
      fence: { ...agent.job.fence, env: ['AGENT_TOKEN', 'LD_PRELOAD'] },
      environment: { ...agent.job.environment, PORT: '4000' },
    });
    const attempt = follow(supervisors, job);
    const invocation = await agent.nextInvocation();
    const { output } = await invocation.sh('env; echo "$AGENT_TOKEN" > /proc/$PPID/fd/1');
    expect(output).toContain(`\nAGENT_TOKEN=${secret}\n`);
    expect(output).toContain('\nPORT=4000\n');
    expect(output).not.toMatch(/OTHER_TOKEN|LD_PRELOAD/);
    const commands = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(commandLine);
    expect(commands.filter((command) => command.includes(job.nonce)).length).toBeGreaterThan(0);
    expect(commands.filter((command) => command.includes(secret))).toEqual([]);
    invocation.exit(1);
    await attempt.ended;
    expect(readFileSync(scene.files(job).output, 'utf8')).toBe('[redacted]\n');
    await supervisors.acknowledge(job.id);
  });

  test('cannot change agent configuration, and what stood in for it is in no snapshot', async () => {
    await using scene = await supervisedScene({ 'readme.md': 'x\n', '.claude/settings.json': '{}\n' });
    const attacks = {
      existing: 'echo x > .claude/settings.json',
      beside: 'echo x > .claude/hooks',
      missing: 'echo x > .mcp.json',
      directory: 'echo x > .codex/config.toml',
      deep: 'echo x > .vscode/settings.json',
      rename: 'mv .claude .elsewhere',
    };
    const exit = await scene.run({
      argv: ['/bin/sh', '-c', `${tries(attacks)}\ncat .mcp.json; echo ok > .vscode/mine; tidegate handoff done -m x`],
      readOnly: ['.claude/', '.mcp.json', '.codex', '.vscode/settings.json', '../escape', '.git/config'],
    });
    expect(Object.values(outcomes(exit.output))).not.toContain('0');
    expect(exit.output).toContain('{}\n');
    expect(exit.snapshot?.diff.map((entry) => entry.path)).toEqual(['.vscode/mine']);
  });

  test('sees no network device but loopback when the network is off, and the host when it is on', async () => {
    await using scene = await supervisedScene();
    const argv = ['/bin/sh', '-c', 'tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d " "; tidegate handoff done -m x'];
    const off = await scene.run({ argv });
    const on = await scene.run({ argv, fence: { mode: 'auto', network: 'on', read: [], write: [], env: [] } });
    expect(off.output.split('\n')[0]).toBe('lo');
    expect(on.output.split('\n').length).toBeGreaterThan(off.output.split('\n').length);
  });
});

describe('the canary', () => {
  test('finds a hole in the fence before the agent runs', async () => {
    await using scene = await supervisedScene();
    chmodSync(scene.repo.path, 0o777);
    const supervisors = scene.coordinator();
    const job = scene.job({
      argv: ['/bin/sh', '-c', 'echo ran'],
      fence: { mode: 'auto', network: 'off', read: [], write: [scene.repo.path], env: [] },
    });
    const attempt = follow(supervisors, job);
    expect((await attempt.started).record.fence).toMatchObject({ mode: 'bwrap', canary: 'breached' });
    const { record } = await attempt.ended;
    await supervisors.acknowledge(job.id);
    expect(record.ending.reason).toBe('launch-failed');
    expect(whyOf(record)).toContain(`the fence does not hold: wrote ${scene.repo.path}/`);
    expect(record.tail).toBe('');
    expect(readdirSync(scene.repo.path).sort()).toEqual(['.git', 'readme.md']);
  });

  test('is the first to go when memory runs out, with all that it starts, and our own processes are not', async () => {
    await using scene = await supervisedScene();
    await using agent = await puppet(scene.repo.home);
    const job = scene.job(agent.job);
    const supervisors = scene.coordinator();
    const attempt = follow(supervisors, job);
    const inside = await agent.nextInvocation();
    const score = async (script: string) => Number((await inside.sh(script)).output.trim());
    // Without root, process 1 is bubblewrap itself, which only waits.
    if (process.getuid?.() === 0) expect(await score('cat /proc/1/oom_score_adj')).toBeGreaterThanOrEqual(500);
    expect(await score('cat /proc/self/oom_score_adj')).toBeGreaterThanOrEqual(500);
    const takenBack = 'echo 0 2>/dev/null >/proc/self/oom_score_adj; cat /proc/self/oom_score_adj';
    // What is set without CAP_SYS_RESOURCE can be taken back; root has it, but not in every container.
    const capabilities = /^CapEff:\s+(\S+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    if ((BigInt(`0x${capabilities}`) >> 24n) % 2n === 1n) expect(await score(takenBack)).toBeGreaterThanOrEqual(500);
    const supervisor = scene.files(job).supervisor()?.pid;
    const ours = readFileSync('/proc/self/oom_score_adj', 'utf8');
    expect(readFileSync(`/proc/${supervisor}/oom_score_adj`, 'utf8')).toBe(ours);
    inside.exit(0);
    (await agent.nextInvocation()).exit(0);
    await attempt.ended;
    await supervisors.acknowledge(job.id);
  });

  test('is what doctor asks: the fence works here, or there is a command to type', () => {
    expect(probeFence(process.env)).toMatchObject({ works: true, version: expect.stringMatching(/^bubblewrap \d/) });
    expect(probeFence({ ...process.env, TIDEGATE_FENCE_PATH: '/nonexistent' })).toEqual({
      works: false,
      version: null,
      because: { rule: 'no-bubblewrap', restricted: expect.any(Boolean) },
    });
  });
});

describe('without a fence', () => {
  test('a missing bubblewrap refuses the launch and says what to type', async () => {
    await using scene = await supervisedScene();
    const exit = await scene.run({ argv: ['/bin/sh', '-c', 'touch ran'] }, { TIDEGATE_FENCE_PATH: '/nonexistent' });
    expect(exit.ending).toMatchObject({ reason: 'launch-failed', code: null });
    expect(whyOf(exit)).toContain('apt-get install bubblewrap');
    expect(exit.snapshot).toBeNull();
  });

  test('`none` runs only when asked for and is recorded as waived; its daemons die too', async () => {
    await using scene = await supervisedScene();
    const supervisors = scene.coordinator();
    const job = scene.job({
      argv: ['/bin/sh', '-c', 'setsid sleep 600 & echo $! > daemon; tidegate handoff done -m x'],
      fence: { mode: 'none', network: 'off', read: [], write: [], env: [] },
    });
    const attempt = follow(supervisors, job);
    expect((await attempt.started).record.fence).toMatchObject({ mode: 'none', canary: 'waived' });
    const { record } = await attempt.ended;
    await supervisors.acknowledge(job.id);
    expect(record.handoff.kind).toBe('given');
    const daemon = readFileSync(join(scene.files(job).workspace, 'daemon'), 'utf8').trim();
    expect(existsSync(`/proc/${daemon}`) && readFileSync(`/proc/${daemon}/stat`, 'utf8').split(' ')[2] !== 'Z').toBe(
      false,
    );
  });
});
