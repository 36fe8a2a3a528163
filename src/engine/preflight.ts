import type { Finding } from '../domain/findings/finding.ts';
import { allTasks } from '../domain/plan.ts';
import { agentFindings, checkoutFindings, ownedByName } from '../domain/preflight.ts';
import type { RunOrder } from '../domain/requests.ts';
import type { Desk } from '../ports/desk.ts';

export type Preflight = {
  /** Each of these keeps the run from being ordered. */
  readonly refused: readonly Finding[];
  /** Told to a person before they are asked. */
  readonly warnings: readonly Finding[];
};

/** What would go wrong after agents were paid, found before: in the checkout, in the agents of the plan, in signing. */
export async function preflight(desk: Desk, order: RunOrder): Promise<Preflight> {
  const { plan, continues } = order;
  const agents = await agentsOf(desk, order);
  const checkout = await desk.checkoutState(ownedByName(plan));
  const signing = await desk.trySigning();
  return {
    refused: [...agents.refused, ...(signing === null ? [] : [signing])],
    warnings: [
      ...(continues === undefined
        ? []
        : [{ rule: 'wave-continues', run: continues.run, branch: continues.branch } as const]),
      ...checkoutFindings(order, checkout, false),
      ...agents.warnings,
    ],
  };
}

async function agentsOf(desk: Pick<Desk, 'agentReady'>, { plan }: RunOrder) {
  const names = [...new Set(allTasks(plan).flatMap(({ agent }) => agent))];
  const readiness = new Map(await Promise.all(names.map(async (name) => [name, await desk.agentReady(name)] as const)));
  return agentFindings(plan, readiness);
}
