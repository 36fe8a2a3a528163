import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { adoptCommit, ensureBareRepository } from '../../src/adapters/git/bare/index.ts';
import { type CommitId, commitId } from '../../src/domain/base/ids.ts';

/** A person's repository with one branch `main`, in a temporary directory that goes with the scope. */
export interface TempRepo extends AsyncDisposable {
  /** The temporary directory; the checkout is `path`, everything else may be put beside it. */
  readonly home: string;
  readonly path: string;
  git(...args: string[]): string;
  /** Writes files, stages everything and commits. */
  commit(message: string, files?: Readonly<Record<string, string | Buffer>>): CommitId;
  write(path: string, content: string | Buffer): void;
  /** A bare repository of ours beside the checkout that holds `commit`. */
  bare(commit: CommitId): Promise<string>;
}

const env = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  LC_ALL: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
};

export async function tempRepo(options: { readonly objectFormat?: 'sha1' | 'sha256' } = {}): Promise<TempRepo> {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-test-')));
  const path = join(home, 'checkout');
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: path, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trimEnd();
  const write = (file: string, content: string | Buffer) => {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
  };
  mkdirSync(path);
  git('init', '--quiet', '--initial-branch=main', `--object-format=${options.objectFormat ?? 'sha1'}`);
  return {
    home,
    path,
    git,
    write,
    commit(message, files = {}) {
      for (const [file, content] of Object.entries(files)) write(file, content);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return commitId(git('rev-parse', 'HEAD'));
    },
    async bare(commit) {
      const repository = join(home, 'repo.git');
      await ensureBareRepository(repository, join(path, '.git'));
      await adoptCommit(repository, join(path, '.git'), commit);
      return repository;
    },
    async [Symbol.asyncDispose]() {
      rmSync(home, { recursive: true, force: true });
    },
  };
}
