import { join } from 'node:path';
import type { Finding } from '../../../domain/findings/finding.ts';
import { boundedWords } from '../../../domain/findings/words.ts';
import { git, gitLine, runGit } from '../process/index.ts';
import { readAuthor } from './author.ts';
import { findCheckout, objectFormat } from './checkout.ts';
import { asPerson } from './persons-environment.ts';

/** Signing programs may ask for a passphrase or a touch. */
const patienceMs = 60_000;

/** Signs a commit as the merger will, in a repository that is removed at once. Null: it works, or the person signs nothing. */
export async function trySigning(
  checkout: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Finding | null> {
  return await asPerson(env, async (environment, directory) => {
    const author = await readAuthor(checkout, environment);
    if (!author.ok || author.value.signing === undefined) return null;
    const { by, signing } = author.value;
    const gitDir = join(directory, 'try.git');
    const format = await objectFormat((await findCheckout(checkout)).gitDir);
    await git({ args: ['init', '--quiet', '--bare', `--object-format=${format}`, gitDir] });
    const tree = await gitLine({ gitDir, args: ['hash-object', '-t', 'tree', '-w', '--stdin'], stdin: '' });
    const named = (who: string) => ({ [`GIT_${who}_NAME`]: by.name, [`GIT_${who}_EMAIL`]: by.email });
    const stop = AbortSignal.timeout(patienceMs);
    const ended = await runGit({
      gitDir,
      args: ['commit-tree', '--gpg-sign', '-m', 'Try to sign', tree],
      config: [...signing.config],
      env: { ...signing.env, ...named('AUTHOR'), ...named('COMMITTER') },
      signal: stop,
    }).catch((error: unknown) => {
      if (stop.aborted) return null;
      throw error;
    });
    if (ended?.exitCode === 0) return null;
    const words = ended === null ? `no answer within ${patienceMs / 1000} seconds` : ended.stderr.trim();
    return { rule: 'signing-fails', words: boundedWords(words.replaceAll(/\s*\n\s*/g, '; '), 300) };
  });
}
