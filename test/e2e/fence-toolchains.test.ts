import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findProgram } from '../../src/adapters/process/program.ts';
import { inSystem } from '../../src/domain/toolchains/rows.ts';
import { toolchainTable } from '../../src/domain/toolchains/table.ts';
import { giveAll } from '../support/give-all.ts';
import { isOpenToAll } from '../support/open-to-all.ts';
import { toolchainLayouts } from '../support/toolchain-layouts.ts';

const program = resolve(import.meta.dirname, '../support/as-stranger.ts');
const isRoot = process.getuid?.() === 0;
const strangers = isOpenToAll(program) && isOpenToAll(process.execPath) ? [54_321] : [];
const people = isRoot ? [0, ...strangers] : [process.getuid?.() ?? 0];

function homeWithToolchains(uid: number, umask: number): { readonly home: string } & Disposable {
  const home = mkdtempSync(join(tmpdir(), 'tidegate-toolchains-'));
  const named = (text: string): string => text.replaceAll('~', home);
  for (const [name, text] of toolchainLayouts.flatMap(({ files }) => Object.entries(files))) {
    const path = named(name);
    mkdirSync(dirname(path), { recursive: true, mode: 0o777 & ~umask });
    const to = /^-> (.*)$/.exec(text)?.[1];
    if (to !== undefined) symlinkSync(named(to), path);
    else {
      writeFileSync(path, named(text));
      chmodSync(path, (text.startsWith('#!') ? 0o777 : 0o666) & ~umask);
    }
  }
  mkdirSync(join(home, '.local/state/fnm_multishells'), { recursive: true, mode: 0o777 & ~umask });
  const version = join(home, '.local/share/fnm/node-versions/v24.1.0/installation');
  symlinkSync(version, join(home, '.local/state/fnm_multishells/1_2'));
  giveAll(home, uid);
  return { home, [Symbol.dispose]: () => rmSync(home, { recursive: true }) };
}

test('every row of the table has a layout that is tried', () => {
  const tried = toolchainLayouts.map(({ row }) => row);
  expect(toolchainTable.map(({ name }) => name).filter((name) => !tried.includes(name))).toEqual([]);
});

/** Root's agents are another user: what root keeps for itself alone is of no use to them, which docs/security.md says. */
const cases = people.flatMap((uid) =>
  (uid === 0 ? [0o022] : [0o022, 0o077]).map((umask) => ({ uid, umask, as: `${uid}, umask ${umask.toString(8)}` })),
);

/** What a script prints in the fence of a person with this home and PATH. */
function printed(uid: number, home: string, path: readonly string[], script: string): readonly string[] {
  const run = spawnSync(process.execPath, [program, `${script}\ntidegate handoff done -m x`], {
    ...(isRoot ? { uid, gid: uid } : {}),
    cwd: '/',
    encoding: 'utf8',
    env: { PATH: [...path, '/usr/bin', '/bin'].join(':'), HOME: home, TMPDIR: '/tmp' },
  });
  expect(run.stderr).toBe('');
  const { ending, output } = JSON.parse(run.stdout);
  expect(ending).toMatchObject({ reason: 'exited', code: 0 });
  return (output as string).split('\n');
}

const script = toolchainLayouts.map((one) => `printf '%s: ' ${one.program}; ${one.program} 2>&1 | tail -1`).join('\n');
const wanted = toolchainLayouts.map((one) => `${one.program}: ${one.row}`);
const pathIn = (home: string): readonly string[] => [
  ...new Set(toolchainLayouts.map(({ path }) => path.replace('~', home))),
];

describe.each(cases)('S1: in the fence of a person (uid $as)', ({ uid, umask }) => {
  test('the programs of every toolchain find what they need', () => {
    using person = homeWithToolchains(uid, umask);
    expect(printed(uid, person.home, pathIn(person.home), script).slice(0, wanted.length)).toEqual(wanted);
  });
  test('whose home is reached by a link they do, too', () => {
    using person = homeWithToolchains(uid, umask);
    const linked = `${person.home}-link`;
    symlinkSync(person.home, linked);
    try {
      expect(printed(uid, linked, pathIn(linked), script).slice(0, wanted.length)).toEqual(wanted);
    } finally {
      rmSync(linked);
    }
  });
});

/** Programs of managers that this machine really has, outside the system. */
const installed = [
  'node',
  'npm',
  'pnpm',
  'bun',
  'deno',
  'mise',
  'cargo',
  'rustc',
  'python3',
  'ruby',
  'go',
  'uv',
  'pipx',
]
  .map((name) => findProgram(name, process.env, (path) => path)?.path ?? '/usr')
  .filter((path) => !inSystem(path) && !path.startsWith(resolve(import.meta.dirname, '../..')));

test.skipIf(installed.length === 0)('toolchains of this machine start in the fence as they do outside', () => {
  const ask = (path: string): string => `${path} --version 2>&1 | head -1`;
  const outside = installed.map((path) => spawnSync('/bin/sh', ['-c', ask(path)], { encoding: 'utf8' }).stdout.trim());
  const path = (process.env['PATH'] ?? '').split(':');
  const inside = printed(process.getuid?.() ?? 0, homedir(), path, installed.map(ask).join('\n'));
  expect(inside.slice(0, installed.length)).toEqual(outside);
});
