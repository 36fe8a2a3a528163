import type { CommitId, RunId } from '../base/ids.ts';
import { plainLine, shellWord } from '../base/safe-text.ts';
import { titleOf } from '../plan/commit-subject.ts';
import type { PlannedTask } from '../plan/plan.ts';

/**
 * `land: pr`: the run branch becomes a branch in the person's repository, is pushed, and a pull request asks for the rest.
 *
 *   landing-intended ─▶ branch-made ─▶ push-intended ─▶ pushed ─▶ pull-request-intended ─▶ pull-request-opened
 *   Without a program that opens pull requests it ends at `pushed`, and a person gets the command to type.
 *   pull-request-landed: the target branch contains the commits, whoever merged them. Tidegate never moves the target.
 */
export type Pushed = {
  /** The name of the remote, never its address. */
  readonly remote: string;
  /** Null for a remote that is a directory. */
  readonly host: string | null;
  /** `owner/name` at the host. */
  readonly repository: string | null;
  /** The repository there that gets the pull request, where the other one is a fork of it. */
  readonly upstream?: string;
};

/** The programs that open pull requests. */
export type Opener = 'gh' | 'glab';

/** A branch that is offered to others, and where the pull request is; null: nobody has opened one by us. */
export type Offer = {
  readonly branch: string;
  readonly new: CommitId;
  readonly pushed: Pushed;
  readonly url: string | null;
};

/** The program for a host, by its name; null: none is known for it. */
export function openerFor(host: string | null): Opener | null {
  if (host === null) return null;
  if (/(^|[.-])gitlab([.-]|$)/.test(host)) return 'glab';
  return /(^|[.-])github([.-]|$)/.test(host) ? 'gh' : null;
}

/** Reads what an address of git names. User names, passwords and tokens in it are left out; null for a directory. */
export function repositoryAt(address: string): { readonly host: string; readonly repository: string } | null {
  const scp = /^(?:[^/@:]+@)?([A-Za-z0-9.-]+):(?!\/\/)(.+)$/.exec(address);
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? URL.parse(address) : null;
  const [host, path] = url === null ? [scp?.[1], scp?.[2]] : [url.hostname, url.pathname];
  if (host === undefined || host === '' || path === undefined) return null;
  const repository = path
    .replace(/^\/+|\/+$/g, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter((part) => part !== '')
    .join('/');
  return repository === '' ? null : { host: host.toLowerCase(), repository };
}

/** Removes tokens from addresses. The address of a remote often holds one and programs print it, but nothing that we record or show may (I8). */
export const withoutCredentials = (text: string): string => text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/'"]*@/gi, '$1');

/** The source of a pull request, and the branch and repository that it is for. */
export type RequestTerms = {
  readonly opener: Opener;
  readonly branch: string;
  readonly base: string;
  /** The repository that the branch was pushed to. */
  readonly head: { readonly host: string; readonly repository: string };
  /** The repository that gets the pull request; another than `head` when the person pushes to a fork. */
  readonly target: { readonly host: string; readonly repository: string };
};

/** Arguments that list open pull requests of this branch as JSON. */
export const listArguments = (terms: RequestTerms): readonly string[] =>
  terms.opener === 'gh'
    ? ['pr', 'list', '--repo', place(terms), '--head', terms.branch, '--base', terms.base, '--json', 'url']
    : ['mr', 'list', '--repo', place(terms), '--source-branch', terms.branch, '--output', 'json'];

/** Arguments that open one. `gh` reads the body from its standard input. */
export function openArguments(terms: RequestTerms, title: string, body: string): readonly string[] {
  const { opener, branch, base, head, target } = terms;
  const isFork = head.repository !== target.repository;
  if (opener === 'gh') {
    const from = isFork ? `${head.repository.split('/')[0]}:${branch}` : branch;
    return [
      ...['pr', 'create', '--repo', place(terms), '--base', base, '--head', from],
      ...['--title', title, '--body-file', '-'],
    ];
  }
  return [
    ...['mr', 'create', '--repo', place(terms), '--target-branch', base, '--source-branch', branch],
    ...(isFork ? ['--head', head.repository] : []),
    ...['--title', title, '--description', body, '--yes'],
  ];
}

const place = ({ opener, target }: RequestTerms): string =>
  opener === 'gh' ? `${target.host}/${target.repository}` : `https://${target.host}/${target.repository}`;

/** The command that a person types to open the pull request. */
export function pullRequestCommand({ branch, pushed }: Pick<Offer, 'branch' | 'pushed'>, base: string): string {
  const { host, remote, repository, upstream = repository } = pushed;
  const opener = openerFor(host);
  const owner = upstream === repository ? '' : `${repository?.split('/')[0]}:`;
  const [own, from, onto] = [branch, `${owner}${branch}`, base].map(shellWord);
  if (opener === null) return `git request-pull ${onto} ${shellWord(remote)} ${own}`;
  return opener === 'gh'
    ? `gh pr create --repo ${shellWord(`${host}/${upstream}`)} --base ${onto} --head ${from} --fill`
    : `glab mr create --repo ${shellWord(`https://${host}/${upstream}`)} --target-branch ${onto} --source-branch ${own} --fill --yes`;
}

type Proposed = {
  readonly run: RunId;
  readonly plan: string;
  readonly tasks: readonly { readonly task: PlannedTask; readonly subject: string }[];
  readonly checks: readonly string[];
};

/** Title and body of a pull request: its tasks, the checks that passed on its tree, and the run that it is of. */
export function pullRequestText({ run, plan, tasks, checks }: Proposed): {
  readonly title: string;
  readonly body: string;
} {
  const [only, ...others] = tasks;
  const title = only !== undefined && others.length === 0 ? only.subject : `${plan}: ${tasks.length} tasks`;
  const list = tasks.map(({ task }) => `- **${task.id}**: ${titleOf(task)}`);
  const proven =
    checks.length === 0 ? 'The plan has no checks.' : `Checks that passed on this tree: ${checks.join(', ')}.`;
  return { title: plainLine(title), body: [...list, '', proven, '', `Tidegate-Run: ${run}`, ''].join('\n') };
}
