import { realpath } from 'node:fs/promises';
import { explain } from '../../../domain/explain/explain.ts';
import type { FindingOf } from '../../../domain/findings/finding.ts';
import { git, runGit } from '../process/index.ts';

/** Where the parts of a person's checkout are. In a linked worktree `commonDir` is the main repository's. */
type Checkout = { readonly toplevel: string; readonly gitDir: string; readonly commonDir: string };

/** There is no git working tree at this place. */
export class NotARepository extends Error {
  override readonly name = 'NotARepository';
  readonly finding: FindingOf<'not-a-repository'>;
  constructor(directory: string) {
    const finding = { rule: 'not-a-repository', directory } as const;
    super(explain(finding).detail);
    this.finding = finding;
  }
}

export async function findCheckout(directory: string): Promise<Checkout> {
  const ask = ['rev-parse', '--path-format=absolute', '--show-toplevel', '--git-dir', '--git-common-dir'];
  const found = await runGit({ cwd: directory, args: ask });
  if (found.exitCode !== 0) throw new NotARepository(directory);
  const [toplevel = '', gitDir = '', commonDir = ''] = found.stdout.toString('utf8').split('\n');
  return { toplevel: await realpath(toplevel), gitDir, commonDir: await realpath(commonDir) };
}

export async function objectFormat(gitDir: string): Promise<'sha1' | 'sha256'> {
  const format = (await git({ gitDir, args: ['rev-parse', '--show-object-format'] })).toString('utf8').trim();
  return format === 'sha256' ? 'sha256' : 'sha1';
}
