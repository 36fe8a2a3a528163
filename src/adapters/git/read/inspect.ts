import { statfsSync } from 'node:fs';
import type { CommitId } from '../../../domain/base/ids.ts';
import type { Finding, FindingOf } from '../../../domain/findings/finding.ts';
import { checkGit, GitUnusable, git, openObjects, runGit } from '../process/index.ts';
import { findCheckout, NotARepository, objectFormat } from './checkout.ts';
import { findSubmodules, missingSubmodules, moduleHolders } from './submodules.ts';
import { listTree, type TreeEntry, UnreadablePath } from './tree.ts';

type Inspection = {
  readonly gitVersion: string | null;
  readonly objectFormat: 'sha1' | 'sha256' | null;
  /** A run on this repository would go wrong half way: refuse it now. */
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Some `.gitattributes` at HEAD gives files to git LFS. */
  readonly usesLfs: boolean;
};

/** Looks for everything about a person's repository that we do not support, before a run starts. Writes nothing. */
export async function inspectRepository(checkout: string): Promise<Inspection> {
  const nothing = { gitVersion: null, objectFormat: null, warnings: [], usesLfs: false };
  try {
    const gitVersion = await checkGit();
    const { gitDir, commonDir, toplevel } = await findCheckout(checkout);
    const [incomplete, content, format] = await Promise.all([
      findIncompleteness(gitDir),
      contentFindings(gitDir, moduleHolders({ gitDir, commonDir })),
      objectFormat(gitDir),
    ]);
    return {
      gitVersion,
      objectFormat: format,
      errors: [...(incomplete === null ? [] : [incomplete]), ...content.findings],
      warnings: [
        ...(isNetworkFileSystem(toplevel) ? [{ rule: 'network-file-system' } as const] : []),
        ...content.warnings,
      ],
      usesLfs: content.usesLfs,
    };
  } catch (error) {
    if (error instanceof GitUnusable || error instanceof NotARepository) return { ...nothing, errors: [error.finding] };
    throw error;
  }
}

type Content = {
  readonly findings: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly usesLfs: boolean;
};

async function contentFindings(gitDir: string, holders: readonly string[]): Promise<Content> {
  const head = await runGit({ gitDir, args: ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'] });
  const only = (finding: Finding): Content => ({ findings: [finding], warnings: [], usesLfs: false });
  if (head.exitCode !== 0) return only({ rule: 'no-commit' });
  try {
    const tree = await listTree(gitDir, head.stdout.toString('latin1').trim() as CommitId);
    const used = await filters(gitDir, tree);
    const unknown = used.filter(({ name }) => name !== 'lfs');
    const missing = missingSubmodules(await findSubmodules(gitDir, tree, holders));
    return {
      findings: unknown.map(unsupported),
      warnings: missing.length === 0 ? [] : [{ rule: 'submodules-missing', files: missing }],
      usesLfs: unknown.length < used.length,
    };
  } catch (error) {
    if (!(error instanceof UnreadablePath)) throw error;
    return only(error.finding);
  }
}

type UsedFilter = { readonly name: string; readonly where: string };

/** Any filter but LFS would leave agents with content that is not the file. */
const unsupported = ({ name, where }: UsedFilter): Finding => ({ rule: 'git-filter', filter: name, where });

async function filters(gitDir: string, tree: readonly TreeEntry[]): Promise<readonly UsedFilter[]> {
  const files = tree.filter((entry) => /(?:^|\/)\.gitattributes$/.test(entry.path) && entry.mode.startsWith('100'));
  if (files.length === 0) return [];
  await using objects = openObjects(gitDir);
  const used = files.map(async ({ path, id }) => {
    const lines = ((await objects.read(id))?.toString('utf8') ?? '').split('\n');
    return lines.flatMap((line, index) => {
      const name = /^(?!\s*#).*\sfilter=(\S+)/.exec(line)?.[1];
      return name === undefined ? [] : [{ name, where: `${path}:${index + 1}:1` }];
    });
  });
  return (await Promise.all(used)).flat();
}

const networkTypes: ReadonlySet<number> = new Set([0x6969, 0xff534d42, 0x517b, 0xfe534d42]);
const isNetworkFileSystem = (path: string): boolean => networkTypes.has(statfsSync(path).type >>> 0);

/** Says why a repository does not hold all objects of its commits; null when it should. */
export async function findIncompleteness(
  gitDir: string,
): Promise<FindingOf<'repository-shallow' | 'repository-partial'> | null> {
  const shallow = await git({ gitDir, args: ['rev-parse', '--is-shallow-repository'] });
  if (shallow.toString('latin1').trim() === 'true') return { rule: 'repository-shallow' };
  const promisor = ['config', '--get-regexp', '^(extensions\\.partialclone|remote\\..*\\.promisor)$'];
  return (await runGit({ gitDir, args: promisor })).exitCode === 0 ? { rule: 'repository-partial' } : null;
}
