import { describeWithFix } from '../domain/explain/explain.ts';
import type { Ending } from '../domain/gates/evidence.ts';
import { orchestratorId } from '../domain/orchestrator/orchestrator.ts';
import { orchestratorSpend } from '../domain/run/costs.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Text } from '../ports/terminal.ts';
import { money } from './agent-lines.ts';

/** The resident orchestrator for programs. Null when the plan has none. */
export function orchestratorDocument(state: RunState) {
  const { plan, orchestrator } = state;
  const spend = orchestratorSpend(state);
  if (plan.orchestrator === undefined || spend === null) return null;
  const { agent, minutes } = plan.orchestrator;
  const last = orchestrator?.last ?? null;
  return {
    agent,
    status: statusOf(state),
    launches: orchestrator?.launches ?? 0,
    attempt: orchestrator?.live?.id ?? last?.attempt ?? null,
    detail: detailOf(state),
    spend,
    minutes: { used: Math.ceil((orchestrator?.seconds ?? 0) / 60), limit: minutes },
  };
}

function statusOf({ orchestrator }: RunState): 'waiting' | 'launching' | 'running' | 'ended' {
  if (orchestrator === undefined) return 'waiting';
  if (orchestrator.live !== null) return orchestrator.live.isStarted ? 'running' : 'launching';
  return 'ended';
}

/** Says what became of it, in words. */
function detailOf(state: RunState): string {
  const status = statusOf(state);
  const ending = state.orchestrator?.last?.ending;
  if (status === 'waiting') return 'has not started';
  if (status !== 'ended' || ending === undefined) return status === 'launching' ? 'starts' : 'is running';
  return `has ended: ${orchestratorEndText(ending)}`;
}

/** The end of an orchestrator, in words. */
export function orchestratorEndText({ reason, code, signal, because }: Ending): string {
  if (reason === 'stopped') return 'the run had nothing more to do';
  const how = reason === 'exited' ? `exit ${code ?? signal}` : reason;
  return because === undefined ? how : `${how}: ${describeWithFix(because)}`;
}

/** One line of `status`. Empty when the plan has no orchestrator. */
export function orchestratorLines(state: RunState): readonly Text[] {
  const document = orchestratorDocument(state);
  if (document === null) return [];
  const { detail, agent, spend } = document;
  const isGone = document.status === 'ended' && state.orchestrator?.last?.ending.reason !== 'stopped';
  const cost = spend.used > 0 ? `, ${money(spend.used)} of ${money(spend.limit)}` : '';
  const effect = isGone && state.ended === null ? '; the run continues without it' : '';
  return ['', [`${orchestratorId}: ${agent} `, detail, cost, { text: effect, tone: 'dim' }]];
}
