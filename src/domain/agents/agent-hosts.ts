import { agentKinds } from '../../agents/agents.ts';
import type { Finding } from '../findings/finding.ts';
import { allTasks, type FrozenPlan } from '../plan/plan.ts';
import { hostOfUrl, listCovers } from '../settings/network-hosts.ts';

/** Agents that a list of hosts would cut off from their own models. `ours` may name another address for those. */
export function unlistedModels(
  plan: FrozenPlan,
  ours: Readonly<Record<string, string | undefined>>,
): readonly Finding[] {
  const { network } = plan.fence;
  if (network === null || typeof network === 'string') return [];
  const used = new Set(allTasks(plan).flatMap(({ agent }) => agent));
  return [...used].flatMap((name): Finding[] => {
    const login = agentKinds[name]?.login;
    const named = login?.baseUrl == null ? undefined : ours[login.baseUrl];
    const host = (named === undefined ? null : hostOfUrl(named)) ?? login?.host ?? null;
    return host === null || listCovers(network, [host]) ? [] : [{ rule: 'model-unlisted', agent: name, host }];
  });
}
