import { boundedFinding } from '../domain/findings/bounded.ts';
import type { Finding } from '../domain/findings/finding.ts';
import { type CommitId, commitId } from '../domain/ids.ts';
import type { Result } from '../domain/result.ts';
import { prepareOrder } from '../engine/order-run.ts';
import { done, exitCodes, misused, type Outcome, type Register } from './command.ts';
import { atDesk, type OpenDesk } from './desk.ts';

/** The text of a file in a snapshot, or why it is none. */
export type DraftText = (repository: string, commit: CommitId, file: string) => Promise<Result<string, Finding>>;

/**
 * `tidegate read-draft <commit> <file> <branch>`: what `run --dry-run` would say of a plan that only a snapshot has. Called by the
 * coordinator, which must outlive whatever an agent wrote into it.
 */
export const readDraft =
  (open: OpenDesk, textOf: DraftText): Register =>
  (command, does, context) => {
    command
      .argument('<commit>')
      .argument('<file>')
      .argument('<branch>')
      .action(
        does((commit: string, file: string, branch: string) =>
          atDesk(open, context, 'look', async (desk) => {
            const text = await textOf(desk.state.repository, commitId(commit), file);
            if (!text.ok) return mistaken([text.error]);
            const prepared = await prepareOrder(desk, {
              source: { text: text.value, as: file, branch },
              flags: { land: null, focus: null },
              wave: null,
              tidegate: context.version,
            });
            if (prepared.ok) return done([], { findings: [] });
            const { error } = prepared;
            return 'findings' in error ? mistaken(error.findings) : misused(error.because, error.message);
          }),
        ),
      );
  };

/** All of them may be as many as there are words in it, and they go into the ledger: as data, not explained. */
function mistaken(all: readonly Finding[]): Outcome {
  const shown = all.slice(0, most).map(boundedFinding);
  const count = all.length - shown.length;
  const findings: readonly Finding[] = count === 0 ? shown : [...shown, { rule: 'more', count }];
  return { exit: exitCodes.usage, reason: 'plan-invalid', data: { findings } };
}
const most = 20;
