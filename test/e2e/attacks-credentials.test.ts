import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { giveAll } from '../support/give-all.ts';
import { isOpenToAll } from '../support/open-to-all.ts';
import { secretsOfTools } from '../support/secrets-of-tools.ts';

const program = resolve(import.meta.dirname, '../support/as-stranger.ts');
const isRoot = process.getuid?.() === 0;
const strangers = isOpenToAll(program) && isOpenToAll(process.execPath) ? [54_321, 54_322] : [];
const people = isRoot ? [0, ...strangers] : [process.getuid?.() ?? 0];

/** A home in which each of the tools has its secret, a program, and, where the layout asks for it, what marks a toolchain. */
function homeWithSecrets(uid: number, umask: number): { readonly home: string } & Disposable {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-secrets-'));
  const put = (path: string, text: string, mode: number): void => {
    mkdirSync(dirname(join(home, path)), { recursive: true, mode: 0o777 & ~umask });
    writeFileSync(join(home, path), text);
    chmodSync(join(home, path), mode & ~umask);
  };
  for (const { secret, programs } of secretsOfTools) {
    put(secret, `secret of ${secret}\n`, 0o666);
    put(join(programs, 'tool'), '#!/bin/sh\necho tool\n', 0o777);
  }
  put('.local/share/uv/tools/ruff/pyvenv.cfg', 'home = /usr/bin\n', 0o666);
  giveAll(home, uid);
  return { home, [Symbol.dispose]: () => rmSync(home, { recursive: true }) };
}

/** The secrets that an agent of this person can read, by whatever name. */
function readBy(uid: number, home: string, path: readonly string[]): readonly string[] {
  const script = `grep -rs "secret of" ~/ /home /root /opt 2>/dev/null; tidegate handoff done -m x`;
  const run = spawnSync(process.execPath, [program, script], {
    ...(isRoot ? { uid, gid: uid } : {}),
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: [...path.map((name) => join(home, name)), '/usr/bin', '/bin'].join(':'), HOME: home, TMPDIR: '/tmp' },
  });
  expect(run.stderr).toBe('');
  const { ending, output } = JSON.parse(run.stdout);
  expect(ending).toMatchObject({ reason: 'exited', code: 0 });
  return (output as string).split('\n').filter((line) => line.includes('secret of'));
}

const masks = [0o022, 0o077];
const cases = people.flatMap((uid) => masks.map((umask) => ({ uid, umask, as: `${uid}, umask ${umask.toString(8)}` })));

describe.each(cases)('S1: an agent of a person (uid $as)', ({ uid, umask }) => {
  test('reads no secret of a tool whose programs are on the PATH', () => {
    using person = homeWithSecrets(uid, umask);
    const path = [...new Set(secretsOfTools.map(({ programs }) => programs))];
    expect(readBy(uid, person.home, path)).toEqual([]);
  });

  test('reads no secret of a tool whose own directory is on the PATH', () => {
    using person = homeWithSecrets(uid, umask);
    const path = [...new Set(secretsOfTools.map(({ secret }) => secret.split('/').slice(0, -1).join('/')))];
    expect(readBy(uid, person.home, path)).toEqual([]);
  });

  test('reads no secret of a manager whose directory is a link', () => {
    using person = homeWithSecrets(uid, umask);
    const versions = join(person.home, 'data/volta-tools/image/node/22.0.0');
    mkdirSync(join(versions, 'etc'), { recursive: true });
    mkdirSync(join(versions, 'bin'));
    mkdirSync(join(person.home, '.volta/bin'), { recursive: true });
    writeFileSync(join(versions, 'etc/npmrc'), 'secret of volta\n');
    writeFileSync(join(versions, 'bin/node'), '#!/bin/sh\n# not the secret of anybody\n', { mode: 0o755 });
    writeFileSync(join(person.home, '.volta/bin/node'), '#!/bin/sh\n', { mode: 0o755 });
    rmSync(join(person.home, '.volta/tools'), { recursive: true, force: true });
    symlinkSync('../data/volta-tools', join(person.home, '.volta/tools'));
    giveAll(person.home, uid);
    const read = readBy(uid, person.home, ['.volta/bin']);
    expect(read.filter((line) => !line.includes('not the secret'))).toEqual([]);
    // the rest of it can be read, so that its programs run
    if (uid !== 0) expect(read).not.toEqual([]);
  });

  test('reads no password that was written into the configuration of a Java tool', () => {
    using person = homeWithSecrets(uid, umask);
    const written = {
      '.sdkman/candidates/maven/3.9.9/conf/settings.xml': '<password>secret of maven</password>',
      '.sdkman/candidates/tomcat/11.0.0/conf/tomcat-users.xml': '<user password="secret of tomcat"/>',
      '.asdf/installs/maven/3.9.9/conf/settings.xml': '<password>secret of maven</password>',
      '.local/share/mise/installs/maven/3.9.9/apache-maven-3.9.9/conf/settings.xml':
        '<password>secret of maven</password>',
      '.linuxbrew/Cellar/maven/3.9.9/libexec/conf/settings.xml': '<password>secret of maven</password>',
      '.sdkman/candidates/maven/3.9.8/conf/settings.xml': '<!-- <password>not the secret of anybody</password> -->',
    };
    for (const [name, text] of Object.entries(written)) {
      mkdirSync(dirname(join(person.home, name)), { recursive: true });
      writeFileSync(join(person.home, name), text);
    }
    giveAll(person.home, uid);
    const bins = ['.sdkman/candidates/maven/3.9.9/bin', '.linuxbrew/bin', '.asdf/shims', '.local/share/mise/shims'];
    for (const name of bins) mkdirSync(join(person.home, name), { recursive: true });
    const read = readBy(uid, person.home, bins);
    expect(read.filter((line) => !line.includes('not the secret'))).toEqual([]);
    // as it came with the tool, which does not take it empty
    if (uid !== 0) expect(read).toHaveLength(1);
  });

  test('reads no file in a directory of the PATH that is for the own group', () => {
    using person = homeWithSecrets(uid, umask);
    const token = join(person.home, '.tool1/bin/token.json');
    mkdirSync(dirname(token), { recursive: true });
    writeFileSync(join(dirname(token), 'tool'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(token, 'secret of tool1\n');
    chmodSync(token, 0o660);
    giveAll(person.home, uid);
    expect(readBy(uid, person.home, ['.tool1/bin'])).toEqual([]);
  });

  test('reads no private file, no hidden one and no project in a directory that is on the PATH', () => {
    using person = homeWithSecrets(uid, umask);
    const tools = join(person.home, 'dev/tools');
    for (const name of ['.git', 'keys', '../project', '../../bin']) mkdirSync(join(tools, name), { recursive: true });
    const secrets = { token: 0o600, '.env': 0o644, '.git/config': 0o644, 'keys/a': 0o600, '../project/.env': 0o644 };
    for (const [name, mode] of Object.entries(secrets))
      writeFileSync(join(tools, name), `secret of ${name}\n`, { mode });
    writeFileSync(join(tools, '../project/package.json'), '{}');
    writeFileSync(join(tools, '../project/cli'), '#!/bin/sh\n', { mode: 0o755 });
    writeFileSync(join(tools, 'run'), '#!/bin/sh\n# not the secret of anybody\n', { mode: 0o755 });
    symlinkSync('../dev/project/cli', join(person.home, 'bin/cli'));
    giveAll(person.home, uid);
    const read = readBy(uid, person.home, ['dev/tools', 'bin']);
    expect(read.filter((line) => !line.includes('not the secret'))).toEqual([]);
    // root's agents are somebody else, and see nothing of what umask 077 made
    if (uid !== 0) expect(read).toEqual([`${tools}/run:# not the secret of anybody`]);
  });
});
