import { loginFile, secretsIn } from '../adapters/agents/common/login.ts';
import { personsStore } from '../adapters/git/lfs/index.ts';
import { SnapshotRefused, takeSnapshot } from '../adapters/snapshot/index.ts';
import { recordOf } from '../adapters/workspace/index.ts';
import { agentKinds } from '../domain/agents/agents.ts';
import type { CommitId } from '../domain/base/ids.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import type { Finding } from '../domain/findings/finding.ts';
import type { SnapshotEvidence } from '../domain/gates/evidence.ts';
import type { MergerOrder } from './context.ts';
import { type History, planInForce } from './proof/history.ts';

type Walk = {
  readonly base: CommitId;
  /** The commit that the copy was made of. */
  readonly from: CommitId;
  readonly ref: string;
  readonly message: string;
};

/** Takes what a person left in a directory, by the walk that takes every snapshot. */
export async function walkEdited(
  order: MergerOrder,
  files: string,
  { base, from, ref, message }: Walk,
): Promise<Result<SnapshotEvidence, Finding>> {
  const { repository, lfs: store } = order.state;
  try {
    const snapshot = await takeSnapshot({
      repository,
      workspace: files,
      base,
      from,
      statCache: recordOf(files),
      ref,
      message,
      secrets: knownValues(order, await order.ledger.read(order.run)),
      lfs: { store, stores: async () => [store, await personsStore(order.checkout, order.env)] },
    });
    return ok(snapshot);
  } catch (error) {
    if (error instanceof SnapshotRefused) return err(error.finding);
    throw error;
  }
}

/** Values that agents of this run may have been given. Short ones (`on`, a port) would be found everywhere. */
function knownValues({ env }: MergerOrder, history: History): readonly string[] {
  const kinds = Object.values(agentKinds);
  const names = [...planInForce(history).plan.fence.env, ...kinds.flatMap(({ credentials }) => credentials)];
  return [
    ...names.map((name) => env[name] ?? ''),
    ...kinds.flatMap(({ login }) => (login === undefined ? [] : secretsIn(loginFile(login, env)))),
  ].filter((value) => value.length >= 8);
}
