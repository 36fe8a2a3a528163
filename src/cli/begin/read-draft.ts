import { commitId } from '../../domain/base/ids.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedFinding } from '../../domain/findings/words.ts';
import { prepareOrder } from '../../engine/orders/order-run.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import { withRepository } from '../frame/with-repository.ts';

/**
 * `tidegate read-draft <commit> <file> <branch>`: what `run --dry-run` would say of a plan that only a snapshot has. Called by the
 * coordinator, which must outlive whatever an agent wrote into it.
 */
export const judgeDraft = (
  { commit, file, branch }: { readonly commit: string; readonly file: string; readonly branch: string },
  context: Context,
  { ports }: Program,
): Promise<Outcome> =>
  withRepository(ports.openRepository, context, 'look', async (repo) => {
    const text = await ports.draftText(repo.state.repository, commitId(commit), file);
    if (!text.ok) return mistaken([text.error]);
    const prepared = await prepareOrder(repo, {
      source: { text: text.value, as: file, branch },
      flags: { land: null, focus: null },
      wave: null,
      planOnly: true,
      tidegate: context.version,
    });
    if (prepared.ok) return done([], { findings: [] });
    const { error } = prepared;
    return 'findings' in error ? mistaken(error.findings) : misused(error.because, error.message);
  });

/** All of them may be as many as there are words in it, and they go into the ledger: as data, not explained. */
function mistaken(all: readonly Finding[]): Outcome {
  const shown = all.slice(0, most).map(boundedFinding);
  const count = all.length - shown.length;
  const findings: readonly Finding[] = count === 0 ? shown : [...shown, { rule: 'more', count }];
  return { exit: exitCodes.usage, reason: 'plan-invalid', data: { findings } };
}
const most = 20;
