import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { git, runGit } from '../../src/adapters/git/process/index.ts';
import { readDiff } from '../../src/adapters/git/read/index.ts';
import { takeSnapshot } from '../../src/adapters/snapshot/index.ts';
import { makeWorkspace } from '../../src/adapters/workspace/index.ts';
import type { CommitId } from '../../src/domain/base/ids.ts';
import { readBlob } from '../support/read-blob.ts';
import { type TempRepo, tempRepo } from '../support/temp-repo.ts';

/** An agent's workspace with a program in it that leaves a mark when anyone runs it. */
async function trapped(repo: TempRepo, name = 'workspace') {
  const commit = repo.commit('base', { 'a.txt': 'line\n', 'b.txt': 'b\n' });
  const repository = await repo.bare(commit);
  const mark = join(repo.home, 'PWN');
  const program = join(repo.home, 'pwn.sh');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${mark}\ncat\n`);
  chmodSync(program, 0o755);
  const made = await makeWorkspace({ repository, directory: join(repo.home, name, 'workspace'), commit });
  const at = (path: string) => join(made.directory, path);
  return {
    commit,
    repository,
    program,
    at,
    write(path: string, content: string) {
      mkdirSync(dirname(at(path)), { recursive: true });
      writeFileSync(at(path), content);
    },
    agentGit: (...args: string[]) =>
      execFileSync('git', args, { cwd: made.directory, stdio: 'pipe', env: { PATH: process.env['PATH'] ?? '' } }),
    snapshot: () =>
      takeSnapshot({
        repository,
        workspace: made.directory,
        base: commit,
        from: commit,
        statCache: made.record,
        ref: `refs/tidegate/attempts/${name}`,
        message: 'snapshot',
      }),
    ran: () => existsSync(mark),
  };
}

const configuration = (program: string) => `[core]
	fsmonitor = ${program}
	hooksPath = ${dirname(program)}/hooks
	sshCommand = ${program}
	pager = ${program}
	editor = ${program}
	attributesFile = ${dirname(program)}/attributes
	alternateRefsCommand = ${program}
[filter "evil"]
	clean = ${program}
	smudge = ${program}
	process = ${program}
	required = true
[diff "evil"]
	textconv = ${program}
	command = ${program}
[diff]
	external = ${program}
[merge "evil"]
	driver = ${program} %A %O %B
[uploadpack]
	packObjectsHook = ${program}
[alias]
	diff-tree = !${program}
	ls-tree = !${program}
[include]
	path = ${dirname(program)}/included
[extensions]
	worktreeConfig = true
`;

function plantHooks(program: string): void {
  const hooks = join(dirname(program), 'hooks');
  mkdirSync(hooks);
  const names = ['reference-transaction', 'post-checkout', 'pre-commit', 'post-index-change', 'fsmonitor-watchman'];
  for (const name of names) {
    writeFileSync(join(hooks, name), `#!/bin/sh\nexec ${program} ${name}\n`);
    chmodSync(join(hooks, name), 0o755);
  }
  writeFileSync(join(dirname(program), 'included'), `[core]\n\tfsmonitor = ${program}\n`);
}

describe('what an agent plants in its workspace', () => {
  test('configuration, hooks, filters, drivers and aliases run nothing of ours', async () => {
    await using repo = await tempRepo();
    const trap = await trapped(repo);
    plantHooks(trap.program);
    writeFileSync(trap.at('.git/config'), configuration(trap.program), { flag: 'a' });
    trap.write('.git/info/attributes', '* filter=evil diff=evil merge=evil\n');
    trap.write('.gitattributes', '* filter=evil diff=evil merge=evil\n');
    trap.write('a.txt', 'changed\n');
    const taken = await trap.snapshot();
    expect(taken.diff.map((entry) => entry.path)).toEqual(['.gitattributes', 'a.txt']);
    expect(String(await readBlob(trap.repository, taken.commit, 'a.txt'))).toBe('changed\n');
    expect(trap.ran()).toBe(false);
    // The trap is live: a plain git in that directory does run it.
    expect(() => trap.agentGit('status')).toThrow();
    expect(trap.ran()).toBe(true);
  });

  test('the next workspace, made from its snapshot, runs no filter of its attributes', async () => {
    await using repo = await tempRepo();
    const trap = await trapped(repo);
    trap.write('.gitattributes', '* filter=evil ident text eol=crlf\n');
    const { commit } = await trap.snapshot();
    const next = await makeWorkspace({
      repository: trap.repository,
      directory: join(repo.home, 'next/workspace'),
      commit,
    });
    const request = { repository: trap.repository, workspace: next.directory, base: commit, from: commit };
    const again = await takeSnapshot({ ...request, ref: 'refs/tidegate/attempts/next', message: 'm' });
    expect(again).toMatchObject({ diff: [], refused: [] });
    expect(trap.ran()).toBe(false);
  });

  test('a nested repository with filters is refused and runs nothing; its files are kept', async () => {
    await using repo = await tempRepo();
    const trap = await trapped(repo);
    trap.write('nested/file', 'work');
    trap.agentGit('init', '--quiet', 'nested');
    trap.write('nested/.gitattributes', '* filter=evil\n');
    writeFileSync(trap.at('nested/.git/config'), configuration(trap.program), { flag: 'a' });
    const taken = await trap.snapshot();
    expect(taken.refused).toMatchObject([{ rule: 'nested-git', where: 'nested/.git' }]);
    expect(taken.diff.map((entry) => entry.path)).toEqual(['nested/.gitattributes', 'nested/file']);
    expect(trap.ran()).toBe(false);
  });

  test('replaced, grafted and rewritten history changes nothing: one commit on the recorded base', async () => {
    await using repo = await tempRepo();
    const trap = await trapped(repo);
    trap.write('a.txt', 'fake\n');
    trap.agentGit('commit', '--quiet', '-am', 'fake');
    trap.agentGit('replace', trap.commit, 'HEAD');
    trap.agentGit('checkout', '--quiet', '--orphan', 'other');
    trap.agentGit('commit', '--quiet', '--allow-empty', '-m', 'orphan');
    const taken = await trap.snapshot();
    expect(taken.diff.map((entry) => entry.path)).toEqual(['a.txt']);
    const parents = await git({ gitDir: trap.repository, args: ['rev-list', '--parents', '-1', taken.commit] });
    expect(String(parents).trim()).toBe(`${taken.commit} ${trap.commit}`);
  });

  test('a replacement in our own repository is not believed', async () => {
    await using repo = await tempRepo();
    const trap = await trapped(repo);
    trap.write('a.txt', 'fake\n');
    const taken = await trap.snapshot();
    execFileSync('git', ['--git-dir', trap.repository, 'replace', trap.commit, taken.commit], { stdio: 'pipe' });
    expect((await readDiff(trap.repository, trap.commit, taken.commit)).map((entry) => entry.path)).toEqual(['a.txt']);
  });
});

describe('a broken repository in the workspace is not consulted:', () => {
  const damage: Record<string, (at: (path: string) => string) => void> = {
    'HEAD is garbage': (at) => writeFileSync(at('.git/HEAD'), 'garbage\0\xff'),
    'the index is truncated': (at) => truncateSync(at('.git/index'), 10),
    'objects and alternates are gone': (at) => rmSync(at('.git/objects'), { recursive: true }),
    'there is no .git': (at) => rmSync(at('.git'), { recursive: true }),
    '.git is a file that points elsewhere': (at) => {
      rmSync(at('.git'), { recursive: true });
      writeFileSync(at('.git'), 'gitdir: /somewhere/else\n');
    },
    '.git is a FIFO': (at) => {
      rmSync(at('.git'), { recursive: true });
      execFileSync('mkfifo', [at('.git')]);
    },
  };
  for (const [name, harm] of Object.entries(damage)) {
    test(name, async () => {
      await using repo = await tempRepo();
      const trap = await trapped(repo);
      trap.write('a.txt', 'changed\n');
      harm(trap.at);
      const taken = await trap.snapshot();
      expect(taken).toMatchObject({ diff: [{ path: 'a.txt' }], refused: [], secrets: [] });
    });
  }
});

test('merge=union that an agent committed does not hide a conflict in our repository', async () => {
  await using repo = await tempRepo();
  const first = await trapped(repo, 'first');
  first.write('.gitattributes', '* merge=union\n');
  first.write('a.txt', 'ours\n');
  const ours = await first.snapshot();
  const second = await makeWorkspace({
    repository: first.repository,
    directory: join(repo.home, 'second/workspace'),
    commit: first.commit,
  });
  writeFileSync(join(second.directory, 'a.txt'), 'theirs\n');
  const theirs = await takeSnapshot({
    repository: first.repository,
    workspace: second.directory,
    base: first.commit,
    from: first.commit,
    ref: 'refs/tidegate/attempts/second',
    message: 'm',
  });
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', ours.commit, theirs.commit];
  // Git takes attributes from a working tree if it sees one; ours must win even then.
  for (const sight of [{}, { workTree: first.at(''), cwd: first.at('') }]) {
    const merged = await runGit({ gitDir: first.repository, ...sight, args });
    expect(merged.exitCode).toBe(1);
    expect(String(merged.stdout)).toContain('\na.txt\n');
  }
});

test('sixteen workspaces made at once are all right', async () => {
  await using repo = await tempRepo();
  const commit = repo.commit('base', { a: '1', 'd/b': '2' });
  const repository = await repo.bare(commit);
  const one = async (index: number): Promise<CommitId> => {
    const directory = join(repo.home, `job${index}/workspace`);
    const { record } = await makeWorkspace({ repository, directory, commit });
    writeFileSync(join(directory, 'own'), String(index));
    const request = { repository, workspace: directory, base: commit, from: commit, statCache: record };
    const taken = await takeSnapshot({ ...request, ref: `refs/tidegate/attempts/a.${index}`, message: 'm' });
    expect(taken.diff.map((entry) => entry.path)).toEqual(['own']);
    return taken.commit;
  };
  const commits = await Promise.all(Array.from({ length: 16 }, (_, index) => one(index)));
  expect(new Set(commits).size).toBe(16);
  expect(readdirSync(join(repository, 'refs/tidegate/attempts'))).toHaveLength(16);
});
