import { personsStore } from '../adapters/git/lfs/index.ts';
import { findCheckout, readCheckoutState } from '../adapters/git/read/index.ts';
import { takeSnapshot } from '../adapters/snapshot/index.ts';
import type { CommitId } from '../domain/base/ids.ts';
import { err, ok, type Result } from '../domain/base/result.ts';
import type { Finding } from '../domain/findings/finding.ts';
import { uncommittedPaths } from '../domain/gates/preflight.ts';
import { refs } from '../domain/ledger/state-dir.ts';
import type { MergerOrder } from './order.ts';

/**
 * A commit in our own repository of what the checkout holds and no commit does, on top of the branch that is checked out there. Their git
 * names the paths; the bytes are read by our own walk, so that no hook or filter takes part. A secret in them refuses the run. Null: all is
 * committed.
 */
export async function takeUncommitted(
  order: Pick<MergerOrder, 'state' | 'checkout' | 'env' | 'run'>,
  target: { readonly branch: string; readonly commit: CommitId },
): Promise<Result<CommitId | null, Finding>> {
  const { toplevel } = await findCheckout(order.checkout);
  const state = await readCheckoutState(toplevel, order.env, []);
  const { branch } = state;
  if (branch !== target.branch)
    return err({ rule: 'uncommitted-unfit', fault: 'other-branch', base: target.branch, branch });
  const paths = new Set(uncommittedPaths(state));
  if (paths.size === 0) return ok(null);
  const { commit, secrets, refused } = await takeSnapshot({
    repository: order.state.repository,
    workspace: toplevel,
    base: target.commit,
    from: target.commit,
    paths,
    ref: refs.uncommitted(order.run),
    message: `Uncommitted changes, for ${order.run}\n\nNever lands.\n`,
    lfs: {
      store: order.state.lfs,
      stores: async () => [order.state.lfs, await personsStore(order.checkout, order.env)],
    },
  });
  const findings = [...secrets, ...refused];
  if (findings.length > 0) return err({ rule: 'uncommitted-refused', findings });
  return ok(commit === target.commit ? null : commit);
}
