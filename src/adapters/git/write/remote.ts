import { type CommitId, commitId } from '../../../domain/base/ids.ts';
import { err, ok, type Result } from '../../../domain/base/result.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import { repositoryAt } from '../../../domain/landing/pull-request.ts';
import { type GitCall, type GitOutput, objectId, refName, runGit } from '../process/index.ts';
import type { Person } from './working-tree.ts';

/** The remote that a branch is pushed to. Addresses stay in git's configuration: they may hold a token. */
export type Remote = {
  readonly name: string;
  readonly at: ReturnType<typeof repositoryAt>;
  /** The remote that the branch follows: the same, unless the person pushes to a fork. */
  readonly upstream: ReturnType<typeof repositoryAt>;
};

/** The remote that git itself would push this branch to; `origin`, or the only one, for a branch that names none. */
export async function findRemote(person: Person, branch: string): Promise<Result<Remote, Finding>> {
  const names = lines(await runGit({ ...person, args: ['remote'] }));
  const setting = async (key: string) => lines(await runGit({ ...person, args: ['config', '--get', key] }))[0];
  const followed = await setting(`branch.${branch}.remote`);
  const chosen =
    (await setting(`branch.${branch}.pushRemote`)) ??
    (await setting('remote.pushDefault')) ??
    followed ??
    (names.includes('origin') || names.length !== 1 ? 'origin' : names[0]);
  if (chosen === undefined || !names.includes(chosen)) return err({ rule: 'no-remote', branch, remotes: names });
  const at = await place(person, chosen);
  const upstream = followed !== undefined && names.includes(followed) ? await place(person, followed) : at;
  return ok({ name: chosen, at, upstream });
}

/** The address after its rewriting by `insteadOf` counts; the one before, where that leads to a directory. */
async function place(person: Person, remote: string): Promise<ReturnType<typeof repositoryAt>> {
  const [rewritten = ''] = lines(await runGit({ ...person, args: ['remote', 'get-url', '--push', '--', remote] }));
  const [written = ''] = lines(await runGit({ ...person, args: ['config', '--get', `remote.${remote}.url`] }));
  return repositoryAt(rewritten) ?? repositoryAt(written);
}

type Unpushed = { readonly fault: 'rejected' | 'unreachable' | 'timeout'; readonly output: string };

/** Returns the commit that the remote has for this branch. Null when it has none. */
export async function remoteTip(
  person: Person,
  remote: string,
  branch: string,
): Promise<Result<CommitId | null, Unpushed>> {
  const ref = refName(`refs/heads/${branch}`);
  const answer = await overNetwork(person, ['ls-remote', '--quiet', '--', remote, ref]);
  if (answer === 'timeout') return err({ fault: 'timeout', output: '' });
  if (answer.exitCode !== 0) return err({ fault: 'unreachable', output: answer.stderr });
  const line = lines(answer).find((line) => line.endsWith(`\t${ref}`));
  return ok(line === undefined ? null : commitId(line.slice(0, line.indexOf('\t'))));
}

/** Sets the branch of the remote to this commit. It never overwrites anything there, and runs no hook of the person. */
export async function pushCommit(
  person: Person,
  remote: string,
  move: { readonly branch: string; readonly commit: CommitId },
): Promise<Result<null, Unpushed>> {
  const options = ['--porcelain', '--no-verify', '--no-follow-tags', '--no-recurse-submodules'];
  const refspec = `${objectId(move.commit)}:${refName(`refs/heads/${move.branch}`)}`;
  const done = await overNetwork(person, ['push', ...options, '--', remote, refspec]);
  if (done === 'timeout') return err({ fault: 'timeout', output: '' });
  if (done.exitCode === 0) return ok(null);
  const isRejected = lines(done).some((line) => line.startsWith('!'));
  return err({ fault: isRejected ? 'rejected' : 'unreachable', output: done.stderr });
}

/** Gives the remote the LFS objects of a branch, as the hook of git-lfs would that no push of ours runs. */
export async function pushLfs(person: Person, remote: string, branch: string): Promise<Result<null, Unpushed>> {
  const done = await overNetwork(person, ['lfs', 'push', remote, refName(`refs/heads/${branch}`)]);
  if (done === 'timeout') return err({ fault: 'timeout', output: '' });
  return done.exitCode === 0 ? ok(null) : err({ fault: 'unreachable', output: done.stderr });
}

/**
 * One call in the person's name: their credential helpers, ssh and proxies count, prompts and hooks do not. Protocols that run a
 * command of the address stay off.
 */
async function overNetwork(person: Person, args: readonly string[]): Promise<GitOutput | 'timeout'> {
  const config = [...person.config, ...['https', 'http', 'ssh', 'git'].map((name) => `protocol.${name}.allow=always`)];
  const signal = AbortSignal.timeout(minutes * 60_000);
  const call: GitCall = { ...person, config, args, signal, tied: true };
  return await runGit(call).catch((error: unknown) => {
    if (signal.aborted) return 'timeout';
    throw error;
  });
}

/** So long a remote may take. */
const minutes = 5;

const lines = ({ exitCode, stdout }: GitOutput): readonly string[] =>
  exitCode !== 0 && stdout.length === 0
    ? []
    : stdout
        .toString('utf8')
        .split('\n')
        .filter((line) => line !== '');
