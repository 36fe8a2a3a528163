import { commitId } from '../../../domain/base/ids.ts';
import type { Finding } from '../../../domain/findings/finding.ts';
import { boundedFinding } from '../../../domain/findings/words.ts';
import { prepareOrder } from '../../../engine/orders/order-run.ts';
import { command, done, exitCodes, type Outcome, usageError } from '../../frame/command.ts';
import { withRepository } from '../../frame/subject.ts';

/** Judges a plan in a snapshot like `run --dry-run`. A process of its own, so that no agent-written plan can bring the coordinator down. */
export const readDraftCommand = command({
  name: 'read-draft',
  group: 'keep',
  summary: 'list the mistakes of a plan in a snapshot; coordinators call it',
  arguments: {
    commit: { about: '', required: true },
    file: { about: '', required: true },
    branch: { about: '', required: true },
  },
  hidden: true,
  run: ({ commit, file, branch }, context, { ports }) =>
    withRepository(ports.openRepository, context, 'look', async (repo) => {
      const text = await ports.draftText(repo.state.repository, commitId(commit), file);
      if (!text.ok) return mistakes([text.error]);
      const prepared = await prepareOrder(repo, {
        source: { text: text.value, as: file, branch },
        flags: { land: null, focus: null },
        wave: null,
        planOnly: true,
        tidegate: context.version,
      });
      if (prepared.ok) return done([], { findings: [] });
      const { error } = prepared;
      return 'findings' in error ? mistakes(error.findings) : usageError(error.because, error.message);
    }),
});

/** Bounded, because there can be one per word. As data, because the ledger stores them. */
function mistakes(all: readonly Finding[]): Outcome {
  const shown = all.slice(0, most).map(boundedFinding);
  const count = all.length - shown.length;
  const findings: readonly Finding[] = count === 0 ? shown : [...shown, { rule: 'more', count }];
  return { exit: exitCodes.usage, reason: 'plan-invalid', data: { findings } };
}
const most = 20;
