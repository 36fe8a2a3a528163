import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempDisposableSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  findRepository,
  knownRepositories,
  locateStateDirectory,
  makeRunDirectory,
  makeStateDirectory,
  olderState,
  recordRepository,
  repositoryHash,
  repositoryName,
  runDirectories,
  stateRoot,
  unversionedName,
} from './index.ts';

const uid = process.getuid?.() ?? 0;
const nobody = { flag: null, env: {}, uid: 1000, home: '/home/ann' };
const git = (cwd: string, ...args: string[]) => execFileSync('git', args, { cwd, stdio: 'pipe' });

function temporaryRepository() {
  const directory = mkdtempDisposableSync('/tmp/tidegate-test-');
  const path = join(directory.path, 'My Shop');
  mkdirSync(path);
  git(path, 'init', '-q', '-b', 'main');
  git(path, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '-q', '--allow-empty', '-m', 'first');
  return { path, parent: directory.path, [Symbol.dispose]: () => directory.remove() };
}

describe('the repository', () => {
  test('is found from a folder inside it', async () => {
    using repository = temporaryRepository();
    mkdirSync(join(repository.path, 'a/b'), { recursive: true });
    expect(await findRepository(join(repository.path, 'a/b'))).toEqual({
      ok: true,
      value: { toplevel: repository.path, commonDir: join(repository.path, '.git') },
    });
  });

  test('is not looked for around a file', async () => {
    using repository = temporaryRepository();
    writeFileSync(join(repository.path, 'a.txt'), '');
    expect(await findRepository(join(repository.path, 'a.txt'))).toEqual({
      ok: false,
      error: expect.stringMatching(/a\.txt is not a directory$/),
    });
  });

  test('is the same one in a linked worktree', async () => {
    using repository = temporaryRepository();
    const linked = join(repository.parent, 'linked');
    git(repository.path, 'worktree', 'add', '-q', linked);
    expect(await findRepository(linked)).toEqual({
      ok: true,
      value: { toplevel: linked, commonDir: join(repository.path, '.git') },
    });
  });

  test('is not found outside one, and a bare one is named', async () => {
    using repository = temporaryRepository();
    expect(await findRepository(repository.parent)).toMatchObject({ ok: false, error: expect.stringContaining('-C') });
    git(repository.parent, 'init', '-q', '--bare', 'bare.git');
    expect(await findRepository(join(repository.parent, 'bare.git'))).toMatchObject({
      ok: false,
      error: expect.stringContaining('bare'),
    });
  });

  test('is not claimed by a directory that is merely called .git', async () => {
    using repository = temporaryRepository();
    mkdirSync(join(repository.path, 'sub/.git'), { recursive: true });
    writeFileSync(join(repository.path, 'sub/.git/config'), '');
    expect(await findRepository(join(repository.path, 'sub'))).toMatchObject({ value: { toplevel: repository.path } });
  });
});

describe('the root of state', () => {
  test.each([
    [{ ...nobody, flag: '/a', env: { TIDEGATE_STATE_DIR: '/b' } }, '/a'],
    [{ ...nobody, env: { TIDEGATE_STATE_DIR: '/b', XDG_STATE_HOME: '/c' } }, '/b'],
    [{ ...nobody, env: { XDG_STATE_HOME: '/c' } }, '/c/tidegate'],
    [{ ...nobody, env: { XDG_STATE_HOME: 'relative' } }, '/home/ann/.local/state/tidegate'],
    [nobody, '/home/ann/.local/state/tidegate'],
    [{ ...nobody, uid: 0 }, '/var/lib/tidegate'],
  ])('%j is %s', (inputs, expected) => {
    expect(stateRoot(inputs).path).toBe(expected);
  });

  test('is followed by a readable name, the hash of the common git directory, and the format of the ledger', () => {
    const commonDir = '/home/ann/My Shop/.git';
    expect(repositoryName({ commonDir })).toBe(`my-shop-${repositoryHash(commonDir)}-v2`);
  });
});

describe('the state directory', () => {
  test('by default is refused in a temporary directory, with the way out', async () => {
    using repository = temporaryRepository();
    const inputs = { ...nobody, env: { XDG_STATE_HOME: join(repository.parent, 'state') } };
    const found = await findRepository(repository.path);
    if (!found.ok) throw new Error(found.error);
    expect(await locateStateDirectory(found.value, inputs)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/temporary.*TIDEGATE_STATE_DIR/),
    });
  });

  test('when asked for inside the checkout is used with a warning, also through a link', async () => {
    using repository = temporaryRepository();
    symlinkSync(repository.path, join(repository.parent, 'link'));
    const inputs = { ...nobody, env: { TIDEGATE_STATE_DIR: join(repository.parent, 'link', 'state') } };
    const found = await findRepository(repository.path);
    if (!found.ok) throw new Error(found.error);
    const located = await locateStateDirectory(found.value, inputs);
    expect(located).toMatchObject({ ok: true, value: { path: expect.stringContaining('/My Shop/state/my-shop-') } });
    expect(located.ok && located.value.warnings.join()).toMatch(/inside the checkout/);
  });

  test('tells of state of an older format beside it, if there is a ledger in it', async () => {
    using repository = temporaryRepository();
    const found = await findRepository(repository.path);
    if (!found.ok) throw new Error(found.error);
    const root = join(repository.parent, 'state');
    const older = join(root, unversionedName(found.value));
    const locate = async () => {
      const located = await locateStateDirectory(found.value, { ...nobody, flag: root });
      return located.ok ? [located.value.path, located.value.older] : located.error;
    };
    const path = join(root, repositoryName(found.value));
    mkdirSync(older, { recursive: true });
    expect(await locate()).toEqual([path, null]);
    writeFileSync(join(older, 'ledger.db'), '');
    expect(await locate()).toEqual([path, older]);
    expect(olderState(older, path).split('\n')).toEqual([expect.stringMatching(`${older} .* ${path}$`)]);
  });

  test('is made for its owner only, and an open one is closed', async () => {
    using repository = temporaryRepository();
    const path = join(repository.parent, 'state/x');
    const place = { path, from: '--state-dir', filesystem: 'local', warnings: [], older: null } as const;
    expect(await makeStateDirectory(place, uid)).toMatchObject({ ok: true });
    chmodSync(path, 0o755);
    expect(await makeStateDirectory(place, uid)).toMatchObject({ ok: true });
    expect(statSync(path).mode & 0o777).toBe(0o700);
  });

  test('of another user is refused', async () => {
    using repository = temporaryRepository();
    const path = join(repository.parent, 'theirs');
    mkdirSync(path);
    const place = { path, from: '--state-dir', filesystem: 'local', warnings: [], older: null } as const;
    expect(await makeStateDirectory(place, uid + 1)).toMatchObject({
      ok: false,
      error: expect.stringContaining('uid'),
    });
  });

  test('that the system refuses is told with what to do', async () => {
    const place = {
      path: '/proc/1/tidegate',
      from: '--state-dir',
      filesystem: 'local',
      warnings: [],
      older: null,
    } as const;
    expect(await makeStateDirectory(place, uid)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/cannot be made: \/proc\/1\/tidegate \(E\w+\); choose another with --state-dir/),
    });
  });
});

describe('a repository that is known by its state', () => {
  test('is found at its own checkout when the linked worktree that it was last used from is gone', async () => {
    using repository = temporaryRepository();
    const linked = join(repository.parent, 'linked');
    git(repository.path, 'worktree', 'add', '-q', linked);
    const found = await findRepository(linked);
    if (!found.ok) throw new Error(found.error);
    const root = join(repository.parent, 'state');
    const id = repositoryName(found.value);
    mkdirSync(join(root, id), { recursive: true });
    await recordRepository(join(root, id), found.value);
    expect(await knownRepositories(root)).toEqual([{ id, checkout: linked, present: true }]);
    git(repository.path, 'worktree', 'remove', '--force', linked);
    expect(await knownRepositories(root)).toEqual([{ id, checkout: repository.path, present: true }]);
    rmSync(repository.path, { recursive: true });
    expect(await knownRepositories(root)).toEqual([{ id, checkout: linked, present: false }]);
  });
});

test('state of an older format is no repository that is known', async () => {
  using repository = temporaryRepository();
  const found = await findRepository(repository.path);
  if (!found.ok) throw new Error(found.error);
  const root = join(repository.parent, 'state');
  for (const id of [unversionedName(found.value), repositoryName(found.value)]) {
    mkdirSync(join(root, id), { recursive: true });
    await recordRepository(join(root, id), found.value);
  }
  expect((await knownRepositories(root)).map(({ id }) => id)).toEqual([repositoryName(found.value)]);
});

describe('the directory for sockets', () => {
  test('leaves room for a name within 107 bytes, wherever the runtime directory is', () => {
    const runtime = `/run/user/${'x'.repeat(80)}`;
    const places = runDirectories('/r/.git', { env: { XDG_RUNTIME_DIR: runtime }, uid: 1000 });
    expect(places).toEqual([`/tmp/tidegate-1000/${repositoryHash('/r/.git')}-v2`]);
  });

  test('is private', async () => {
    using repository = temporaryRepository();
    const found = await findRepository(repository.path);
    if (!found.ok) throw new Error(found.error);
    const made = await makeRunDirectory(found.value, { env: { XDG_RUNTIME_DIR: repository.parent }, uid });
    if (!made.ok) throw new Error(made.error);
    expect(statSync(made.value).mode & 0o777).toBe(0o700);
    rmdirSync(made.value);
  });
});
