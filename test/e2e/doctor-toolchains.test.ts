import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { project } from '../support/project.ts';

type Examined = {
  readonly name: string;
  readonly state: string;
  readonly found: string;
  readonly fix: string | null;
  readonly shows?: readonly { readonly path: string; readonly rule: string; readonly because: string }[];
  readonly lines?: readonly string[];
};

test('S1: doctor lists what a fence shows and by which rule, and the line that shows a program that it does not', async () => {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-person-'));
  const put = (path: string, text: string, mode = 0o755): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text, { mode });
  };
  try {
    put('.nvm/versions/node/v24/bin/node-of-nvm', '#!/bin/sh\n');
    put('.pulumi/bin/pulumi', '#!/bin/sh\n');
    put('.pulumi/lib/a.so', '');
    put('dev/cli/package.json', '{}', 0o644);
    put('dev/cli/main.sh', '#!/bin/sh\n');
    put('dev/cli/.env', 'TOKEN=x', 0o644);
    put('.docker/docker-x', '#!/bin/sh\n');
    mkdirSync(join(home, 'bin'));
    symlinkSync('../dev/cli/main.sh', join(home, 'bin/cli'));
    put('.agent/engine/run', '#!/bin/sh\necho 1.2.3\n');
    put('.agent/bin/opencode', '#!/bin/sh\nexec ~/.agent/engine/run\n');
    put('sdk/data/words', 'fine');
    put('sdk/bin/judge', `#!/bin/sh\ncat ${home}/sdk/data/words && echo judge 2.0\n`);
    const names = ['.nvm/versions/node/v24/bin', '.pulumi/bin', 'bin', '.docker', '.agent/bin', 'sdk/bin'];
    const path = [...names.map((name) => join(home, name)), '/usr/bin', '/bin'].join(':');
    const files = {
      'tidegate.yaml': 'checks:\n  - { name: judge, run: judge --all }\n  - { name: list, run: cd . && ls }\n',
    };
    const plan = { tasks: { one: { do: 'x', agent: 'command', command: ['true'] } } };
    await using p = await project({ plan, files, env: { HOME: home, PATH: path, XDG_CONFIG_HOME: '' } });
    const examine = async (): Promise<(name: string) => Examined | undefined> => {
      const { examined } = JSON.parse((await p.cli('doctor', '--json')).stdout) as { examined: readonly Examined[] };
      return (name) => examined.find((one) => one.name === name);
    };

    const before = await examine();
    expect(before('toolchains')).toMatchObject({
      state: 'good',
      found: '8 paths from your PATH can be read in the fence',
      shows: [
        { path: '~/.pulumi/bin', rule: 'directory', because: 'on your PATH' },
        { path: '~/.pulumi/lib', rule: 'beside', because: 'libraries beside a bin on your PATH' },
        { path: '~/bin', rule: 'directory', because: 'on your PATH' },
        { path: '~/.docker/docker-x', rule: 'programs' },
        { path: '~/.agent/bin', rule: 'directory' },
        { path: '~/sdk/bin', rule: 'directory' },
        { path: '~/dev/cli', rule: 'package', because: 'the package that ~/bin/cli leads to' },
        { path: '~/.nvm/versions/node/v24/bin', rule: 'row', because: 'nvm' },
      ],
      lines: ['1 private file in them is hidden'],
    });
    expect(before('opencode')).toMatchObject({
      state: 'warning',
      fix: 'fence: { read: [~/.agent/engine] }   # add this to ~/.config/tidegate/config.yaml',
    });
    expect(before('check programs')).toMatchObject({
      state: 'warning',
      fix: 'fence: { read: [~/sdk] }   # add this to ~/.config/tidegate/config.yaml',
      lines: [expect.stringContaining('No such file')],
    });
    const { stdout } = await p.cli('doctor');
    expect(stdout).toContain('| ~/.nvm/versions/node/v24/bin   nvm\n');

    put('.config/tidegate/config.yaml', 'fence: { read: [~/sdk, ~/.agent/engine] }\n', 0o644);
    const after = await examine();
    expect(after('check programs')).toMatchObject({ state: 'good', found: '1 of your own, visible in the fence' });
    expect(after('opencode')?.found).toMatch(/^1\.2\.3, .*starts in the fence$/);

    p.write('tidegate.yaml', 'checks:\n  - { name: judge, run: no-such-judge --all && nor-this }\n');
    const missing = await examine();
    expect(missing('check programs')).toMatchObject({ state: 'warning', found: 'not on your PATH: no-such-judge' });
  } finally {
    rmSync(home, { recursive: true });
  }
});
