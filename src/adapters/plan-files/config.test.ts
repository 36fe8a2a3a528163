import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { explain } from '../../domain/explain/explain.ts';
import { settingsTable } from '../../domain/settings/layers.ts';
import { letsAgentsDecide, loadConfig, userConfigFile } from './config.ts';
import { loadPlan, looseningHash } from './index.ts';

type Given = Partial<Omit<Parameters<typeof loadConfig>[0], 'root' | 'userFile'>> & {
  readonly user?: string;
  readonly shared?: string;
  readonly local?: string;
  readonly plan?: string;
};

/** Loads the configuration, and a plan on top of it. */
async function load({ user, shared, local, plan = 'agent: command\ncommand: [x]\ntasks: { a: x }\n', ...rest }: Given) {
  const path = await mkdtemp(join(tmpdir(), 'tidegate-config-'));
  await using _ = { [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
  const root = join(path, 'repo');
  await mkdir(root);
  const userFile = join(path, 'config.yaml');
  if (user !== undefined) await writeFile(userFile, user);
  if (shared !== undefined) await writeFile(join(root, 'tidegate.yaml'), shared);
  if (local !== undefined) await writeFile(join(root, 'tidegate.local.yaml'), local);
  await writeFile(join(root, 'plan.yaml'), plan);
  const loaded = await loadConfig({ root, userFile, environment: {}, ...rest });
  const planned = await loadPlan({ root, planFile: 'plan.yaml', currentBranch: 'main', config: loaded.config });
  const table = new Map(settingsTable(loaded.resolution).map((row) => [row.key, row]));
  const row = (key: string) => [table.get(key)?.value, table.get(key)?.origin.replace(`${path}/`, '')];
  return {
    ...loaded,
    agents: await letsAgentsDecide(userFile),
    planned,
    row,
    rules: loaded.findings.map((one) => `${one.rule} ${one.where?.replace(`${path}/`, '')}`),
  };
}

describe('layers of configuration', () => {
  test('leave out of the default chain what is not installed, and nothing of a chain that somebody wrote', async () => {
    const isInstalled = (agent: string) => agent !== 'claude';
    const tasks = 'tasks: { a: { do: x, owns: [a] } }\n';
    const byDefault = await load({ isInstalled, plan: tasks });
    expect(byDefault.row('agent')).toEqual([['codex', 'opencode'], 'default']);
    expect(byDefault.planned).toMatchObject({ plan: { waves: [{ tasks: [{ agent: ['codex', 'opencode'] }] }] } });

    const written = await load({ isInstalled, shared: 'agent: [claude, codex]\n', plan: tasks });
    expect(written.row('agent')).toEqual([['claude', 'codex'], 'tidegate.yaml:1:8']);
    const nobody = await load({ isInstalled: () => false, plan: tasks });
    expect(nobody.row('agent')).toEqual([['claude', 'codex', 'opencode'], 'default']);
  });

  test('win from user to flags, and each value knows its origin', async () => {
    const { row, rules, planned } = await load({
      user: 'limits: { minutes: 9, parallel: 9, attempts: 9, silence: 9, usd: 9 }\n',
      shared: 'limits: { parallel: 2, attempts: 8, silence: 8, usd: 8 }\n',
      local: 'limits:\n  attempts: 7\n  silence: 7\n  usd: 7\n',
      plan: 'limits: { silence: 4, usd: 4, attempts: 4 }\nagent: command\ncommand: [x]\ntasks: { a: x }\n',
      environment: { TIDEGATE_LIMITS_USD: '50', TIDEGATE_LIMITS_SILENCE: '50', TIDEGATE_STATE_DIR: '/x' },
      flags: { 'limits.usd': 60 },
    });
    expect(rules).toEqual([]);
    expect(row('limits.minutes')).toEqual([9, 'config.yaml:1:20']);
    expect(row('limits.parallel')).toEqual([2, 'tidegate.yaml:1:21']);
    expect(row('limits.attempts')).toEqual([7, 'tidegate.local.yaml:2:13']);
    expect(row('limits.silence')).toEqual([50, 'TIDEGATE_LIMITS_SILENCE']);
    expect(row('limits.usd')).toEqual([60, '--limits.usd']);
    expect(row('land')).toEqual(['ask', 'default']);
    expect(planned).toMatchObject({
      ok: true,
      plan: { limits: { minutes: 9, parallel: 2, attempts: 4, silence: 50, usd: 60 } },
    });
  });

  test('only add to what is protected, forbidden and blocked', async () => {
    const { row } = await load({
      user: 'forbid: [a]\nblock: [curl]\nprotect: [x/**]\n',
      shared: 'forbid: [b]\nblock: [npm publish]\nprotect: []\n',
    });
    expect(row('forbid')[0]).toEqual(['a', 'b']);
    expect(row('block')[0]).toEqual(['curl', 'npm publish']);
    expect(row('protect')[0]).toEqual(['.github/**', 'x/**']);
  });

  test('read variables as YAML, or as text where that does not fit', async () => {
    const { row, rules } = await load({
      environment: {
        TIDEGATE_AGENT: '[command, codex]',
        TIDEGATE_BASE: '2024',
        TIDEGATE_SETUP: 'echo: x',
        TIDEGATE_FENCE: 'none',
        TIDEGATE_STRICT: 'true',
      },
    });
    expect(rules).toEqual([]);
    expect(row('agent')).toEqual([['command', 'codex'], 'TIDEGATE_AGENT']);
    expect(row('base')).toEqual(['2024', 'TIDEGATE_BASE']);
    expect(row('setup')).toEqual(['echo: x', 'TIDEGATE_SETUP']);
    expect(row('fence.mode')).toEqual(['none', 'TIDEGATE_FENCE']);
    expect(row('strict')).toEqual([true, 'TIDEGATE_STRICT']);
  });

  test('report every mistake in all of them', async () => {
    const { rules, planned } = await load({
      user: 'lnad: ask\n',
      shared: 'tasks: { a: x }\nrepair: codex\n',
      local: 'a: [\n',
      environment: { TIDEGATE_LIMITS_PARALLEL: 'many', TIDEGATE_BASE: '-x' },
      flags: { 'limits.paralel': 3, land: 'no' },
    });
    expect(rules).toEqual([
      'unknown-key config.yaml:1:1',
      'unknown-key tidegate.yaml:1:1',
      'not-in-this-version tidegate.yaml:2:9',
      'yaml-syntax tidegate.local.yaml:2:1',
      'bad-branch TIDEGATE_BASE',
      'wrong-type TIDEGATE_LIMITS_PARALLEL',
      'unknown-key --limits.paralel',
      'wrong-value --land',
    ]);
    expect(planned.ok ? 0 : planned.findings.length).toBe(rules.length);
  });

  test('take addresses and names of variables, and never repeat what was written in their place', async () => {
    const good = await load({
      user: 'thread: { intake: "https://f.example/i", tokenFrom: FORUM_TOKEN }\nnotify: { webhook: "https://h.example/x" }\n',
      environment: { TIDEGATE_THREAD_THREADS: 'http://127.0.0.1:9/threads' },
    });
    expect(good.rules).toEqual([]);
    expect(good.row('thread.intake')).toEqual(['https://f.example/i', 'config.yaml:1:19']);
    expect(good.row('notify')).toEqual([{ webhook: 'https://h.example/x' }, 'config.yaml:2:1']);
    const thread = { intake: 'https://f.example/i', threads: 'http://127.0.0.1:9/threads', tokenFrom: 'FORUM_TOKEN' };
    expect(good.planned).toMatchObject({ plan: { thread } });
    const bad = await load({
      user: 'thread: { intake: "http://f.example/hunter2", threads: "https://f.example/?key=hunter2", tokenFrom: ghp_hunter2 }\n',
      shared: 'notify: { webhook: "https://u:hunter2@h.example/", secretFrom: hunter2 }\n',
    });
    expect(bad.rules.toSorted()).toEqual([
      'bad-address config.yaml:1:19',
      'bad-address config.yaml:1:56',
      'wrong-value config.yaml:1:101',
      'wrong-value tidegate.yaml:1:64',
    ]);
    expect(JSON.stringify(bad.findings)).not.toContain('hunter2');
  });

  test('have no webhook at all rather than one without its signature', async () => {
    const { row } = await load({ user: 'notify: { webhook: "https://h.example/x", secretFrom: whsec_1 }\n' });
    expect(row('notify')).toEqual([null, 'default']);
  });

  test('let agents decide only when the person wrote so, in a file without mistakes', async () => {
    const allowing = await load({ user: 'taps: { agents: allow, start: wave }\n' });
    expect(allowing).toMatchObject({ agents: true, rules: [] });
    expect(allowing.resolution.settings.taps).toEqual({ start: 'wave', expires: '24h' });
    for (const user of [
      'taps: { agents: refuse }\n',
      'taps: { agents: yes }\n',
      'taps: { agents: allow }\nlnad: ask\n',
      '',
    ])
      expect((await load({ user })).agents).toBe(false);
    const said = { environment: { TIDEGATE_TAPS_AGENTS: 'allow' }, flags: { 'taps.agents': 'allow' } };
    expect(await load(said)).toMatchObject({ agents: false, rules: ['unknown-key --taps.agents'] });
  });

  test('are looked for where XDG says', () => {
    expect(userConfigFile({ XDG_CONFIG_HOME: '/c' }, '/h')).toBe('/c/tidegate/config.yaml');
    expect(userConfigFile({ XDG_CONFIG_HOME: 'c' }, '/h')).toBe('/h/.config/tidegate/config.yaml');
  });
});

describe('a hostile repository', () => {
  const hostile = `fence: { mode: none, network: on, read: [/root], write: [/], env: [AWS_SECRET_ACCESS_KEY] }
taps: { start: run }
breaker: normal
land: wave
`;
  const careful = 'taps: { start: wave }\nland: ask\nbreaker: strict\n';

  test.each(['shared', 'local'] as const)('cannot loosen fence or approval by its %s file', async (file) => {
    const { resolution, unconfirmed, planned } = await load({ user: careful, [file]: hostile });
    expect(resolution.settings.fence).toEqual({ mode: 'auto', network: null, read: [], write: [], env: [] });
    expect(resolution.settings.taps.start).toBe('wave');
    expect(resolution.settings.land).toBe('ask');
    expect(resolution.settings.breaker).toBe('strict');
    expect(unconfirmed.map((one) => one.key).sort()).toEqual([
      'breaker',
      'fence.env',
      'fence.mode',
      'fence.network',
      'fence.read',
      'fence.write',
      'land',
      'taps.start',
    ]);
    expect(planned.ok).toBe(false);
    expect(planned.ok ? [] : planned.findings.map((one) => one.rule)).toEqual(Array(8).fill('needs-confirmation'));
  });

  test.each(['shared', 'local', 'plan'] as const)('cannot let agents decide by its %s file', async (file) => {
    const says = 'taps: { agents: allow }\n';
    const { agents, planned } = await load({
      [file]: file === 'plan' ? `${says}agent: command\ncommand: [x]\ntasks: { a: x }\n` : says,
    });
    expect(agents).toBe(false);
    expect(planned.ok ? [] : planned.findings.map(explain)).toMatchObject([
      { rule: 'unknown-key', fix: 'set it in your own configuration' },
    ]);
  });

  test('is obeyed in exactly what the person confirmed', async () => {
    const confirmed = [looseningHash({ key: 'fence.read', value: ['/root'] })];
    const { resolution, unconfirmed } = await load({ shared: hostile, confirmed });
    expect(resolution.settings.fence.read).toEqual(['/root']);
    expect(unconfirmed.map((one) => one.key)).not.toContain('fence.read');
    const other = await load({ shared: hostile.replace('/root', '/home'), confirmed });
    expect(other.resolution.settings.fence.read).toEqual([]);
  });

  test('may tighten', async () => {
    const user = 'fence: { mode: none, network: [a.example, b.example], read: [/opt, /srv] }\nland: auto\n';
    const shared = 'fence: { mode: auto, network: [a.example], read: [/opt] }\nland: ask\ntaps: { start: wave }\n';
    const { rules, resolution } = await load({ user, shared });
    expect(rules).toEqual([]);
    expect(resolution.settings.fence).toMatchObject({ mode: 'auto', network: ['a.example'], read: ['/opt'] });
  });

  test('cannot put the default back where the person said less', async () => {
    const { unconfirmed } = await load({ user: 'fence: { network: off }\n', shared: 'fence: { network: null }\n' });
    expect(unconfirmed.map((one) => one.key)).toEqual(['fence.network']);
  });

  test('does not widen what another of its files narrowed, nor narrow first to widen back beyond the person', async () => {
    const { unconfirmed } = await load({ shared: 'fence: { network: off }\n', local: 'fence: { network: on }\n' });
    expect(unconfirmed.map((one) => one.value)).toEqual(['on']);
  });

  test('may narrow a list of hosts, and widens it by any host or port that is not covered', async () => {
    const user = 'fence: { network: ["*.example.org", "a.net:8443"] }\n';
    const asks = async (list: string) =>
      (await load({ user, shared: `fence: { network: ${list} }\n` })).unconfirmed.length;
    const narrower = ['[]', '[API.example.org.]', '["*.sub.example.org", "a.net:8443"]', 'off'];
    const wider = ['[example.org]', '[a.net]', '["b.example.org:22"]', '[evil.net]', 'on'];
    expect(await Promise.all(narrower.map(asks))).toEqual(narrower.map(() => 0));
    expect(await Promise.all(wider.map(asks))).toEqual(wider.map(() => 1));
  });

  test('cannot have another file read by a link', async () => {
    const path = await mkdtemp(join(tmpdir(), 'tidegate-config-'));
    await using _ = { [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
    await symlink('/etc/passwd', join(path, 'tidegate.yaml'));
    const { findings } = await loadConfig({ root: path, userFile: null, environment: {} });
    expect(findings.map((one) => one.rule)).toEqual(['leaves-repository']);
  });
});
