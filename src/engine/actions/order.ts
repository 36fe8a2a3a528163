import type { Desk } from '../../ports/desk.ts';
import { type PreparedOrder, placeOrder } from '../order-run.ts';
import type { ActionTerms } from './action.ts';
import { type ActingCaller, mayPerform } from './perform.ts';

/** Orders a run of a plan. There is no run yet that could refuse it: what stands against it was found by `prepareOrder`. */
export const orderAction: ActionTerms = { name: 'order', who: 'anyone', rest: true, mcp: false };

/** Places a prepared order; false if the caller may not. From here on a coordinator makes a run of it. */
export async function performOrder(
  desk: Pick<Desk, 'openRunDirectory' | 'ledger'>,
  { order: asked, text }: PreparedOrder,
  caller: ActingCaller,
  key?: string,
): Promise<boolean> {
  if (!mayPerform(orderAction, caller)) return false;
  await placeOrder(desk, asked, text, caller.by, key);
  return true;
}
