import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';

type Examined = { readonly name: string; readonly state: string; readonly found: string; readonly fix: string | null };

/** A home with toolchains as version managers lay them out, and agents that were installed by them. */
function personsHome(): { readonly home: string; readonly path: string } & Disposable {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-person-'));
  const put = (path: string, text: string): void => {
    mkdirSync(join(home, path, '..'), { recursive: true });
    writeFileSync(join(home, path), text, { mode: 0o755 });
  };
  // nvm: a program that finds its library beside its bin. pyenv, asdf: shims that look for the version. volta, cargo: one directory.
  put('.nvm/versions/node/v24/lib/node_modules/cli/main.sh', '#!/bin/sh\necho "9.8.7 (by nvm)"\n');
  mkdirSync(join(home, '.nvm/versions/node/v24/bin'), { recursive: true });
  symlinkSync('../lib/node_modules/cli/main.sh', join(home, '.nvm/versions/node/v24/bin/claude'));
  put('.pyenv/versions/3/bin/py', '#!/bin/sh\necho "codex-cli 1.2.3"\n');
  put('.pyenv/shims/codex', `#!/bin/sh\nexec ${home}/.pyenv/versions/3/bin/py "$@"\n`);
  put('.volta/bin/opencode', '#!/bin/sh\necho broken >&2; exit 3\n');
  put('.asdf/shims/tool-a', '#!/bin/sh\necho a\n');
  put('.cargo/bin/tool-b', '#!/bin/sh\necho b\n');
  const directories = ['.nvm/versions/node/v24/bin', '.pyenv/shims', '.volta/bin', '.asdf/shims', '.cargo/bin'];
  const path = [...directories.map((name) => join(home, name)), '/usr/bin', '/bin'].join(':');
  return { home, path, [Symbol.dispose]: () => rmSync(home, { recursive: true }) };
}

test('doctor says of each agent whether it is there, starts in the fence and is logged in, and what to type', async () => {
  using person = personsHome();
  const none = Object.fromEntries(
    ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN', 'XDG_CONFIG_HOME'].map((name) => [
      name,
      '',
    ]),
  );
  const env = { ...none, HOME: person.home, PATH: person.path, CODEX_API_KEY: 'sk-planted-for-doctor-1234' };
  await using p = await project({ plan: { tasks: { one: { do: 'x', agent: 'command', command: ['true'] } } }, env });
  const { stdout } = await p.cli('doctor', '--json');
  const { examined } = JSON.parse(stdout) as { readonly examined: readonly Examined[] };
  const told = (name: string) => examined.find((one) => one.name === name);

  expect(told('claude')).toMatchObject({ state: 'warning', fix: 'tidegate auth claude' });
  expect(told('claude')?.found).toMatch(
    /^9\.8\.7 \(by nvm\), .*; not logged in; judged by its hook; starts in the fence$/,
  );
  expect(told('codex')).toMatchObject({ state: 'good', fix: null });
  expect(told('codex')?.found).toMatch(/^codex-cli 1\.2\.3, .*; logged in by CODEX_API_KEY; judged by its hook/);
  expect(told('opencode')).toMatchObject({
    state: 'warning',
    found: expect.stringContaining('does not start in the fence: it ended with 3'),
    fix: expect.stringMatching(/\.volta\/bin\/opencode --version {3}# does it start outside/),
    lines: ['broken'],
  });
  expect(told('gemini')).toMatchObject({ state: 'warning', found: 'gemini is not on the PATH' });
  expect(stdout).not.toContain('sk-planted');

  const auth = await p.cli('auth', '--check', '--json');
  expect(JSON.parse(auth.stdout)).toMatchObject({
    exit: 0,
    logins: [
      { name: 'claude', isLoggedIn: false },
      { name: 'codex', isLoggedIn: true },
      { name: 'opencode' },
      { name: 'gemini' },
    ],
  });
  expect(auth.stdout).not.toContain('sk-planted');
});

test('toolchains below the home work in the fence', async () => {
  using person = personsHome();
  const env = { HOME: person.home, PATH: person.path };
  const command = [
    '/bin/sh',
    '-c',
    'claude > out.txt && codex >> out.txt && tool-a >> out.txt && tool-b >> out.txt && tidegate handoff done -m done',
  ];
  const plan = {
    land: 'auto',
    tasks: { one: { do: 'Run them. Acceptance: done.', agent: 'command', command, owns: ['out.txt'] } },
  };
  await using p = await project({ plan, env });
  const ran = await p.cli('run', 'plan.yaml', '--yes', '--land', '--json');
  expect(ran.code, ran.stderr).toBe(0);
  expect(p.git('show', 'main:out.txt').split('\n')).toEqual(['9.8.7 (by nvm)', 'codex-cli 1.2.3', 'a', 'b']);
});
