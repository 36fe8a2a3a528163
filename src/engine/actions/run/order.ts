import type { RunOrder } from '../../../domain/ledger/requests.ts';
import type { RepositoryHandle } from '../../../ports/repository-handle.ts';
import { type PreparedOrder, placeOrder } from '../../orders/order-run.ts';
import type { ActionTerms } from '../action.ts';
import { type ActingCaller, mayPerform } from '../perform.ts';
import { approveAction } from './approve.ts';

/** Orders a run of a plan. There is no run yet that could refuse it: what stands against it was found by `prepareOrder`. */
export const orderAction: ActionTerms = { name: 'order', who: 'anyone', rest: true, mcp: false };

/** Places a prepared order, with what the caller approves by it as far as they may; false if they may not order. From here on a coordinator makes a run of it. */
export async function performOrder(
  repo: Pick<RepositoryHandle, 'openRunDirectory' | 'ledger'>,
  { order: asked, text }: PreparedOrder,
  caller: ActingCaller,
  { approves = [], key }: { readonly approves?: RunOrder['approves']; readonly key?: string | undefined } = {},
): Promise<boolean> {
  if (!mayPerform(orderAction, caller)) return false;
  const approved = mayPerform(approveAction, caller) ? approves : [];
  await placeOrder(repo, { ...asked, approves: approved }, text, caller.by, key);
  return true;
}
