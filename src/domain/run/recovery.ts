import type { Finding } from '../findings/finding.ts';
import type { Ending, MonitorEvidence } from '../gates/evidence.ts';
import { findingsIn } from '../gates/verdict.ts';
import type { AgentFailure, AgentFailureKind } from '../tool-calls/agent-event.ts';
import type { AttemptOutcome, TaskProgress, TaskState } from './task.ts';

/** The consequence of an attempt that did not end well. */
type Recovery = {
  /** `free` costs the task none of its attempts; bounded all the same, so that nothing spins for free. */
  readonly cost: 'charged' | 'free' | 'waited-for';
  /** The start of the next attempt: in the agent's own session, with the work alone, or with nothing. */
  readonly start: 'session' | 'snapshot' | 'clean';
  /** The provider's, for all tasks that use it. */
  readonly trouble: AgentFailure | null;
  /** Another agent of the chain may do better. */
  readonly blames: 'agent' | 'nobody';
};

export function aftermathOf(evidence: Pick<MonitorEvidence, 'ending' | 'agent'>): AttemptOutcome {
  const { ending, agent } = evidence;
  if (ending.reason === 'spiral') return 'spiral';
  if (ending.reason === 'timed-out' || ending.reason === 'silent' || agent?.trouble?.kind === 'turn-limit')
    return 'ran-out';
  if (ending.reason === 'lost') return 'interrupted';
  return recoveryFrom(evidence).cost === 'charged' ? 'rejected' : 'interrupted';
}

export function recoveryFrom({ ending, agent }: Pick<MonitorEvidence, 'ending' | 'agent'>): Recovery {
  switch (ending.reason) {
    case 'lost':
      return { ...plain, cost: mayHaveWorked(ending) ? 'charged' : 'free', start: 'session' };
    case 'stopped':
    case 'abandoned':
      return { ...plain, cost: 'free', start: 'session' };
    case 'over-budget':
      // that it may not start again before a person raises the limit follows from what it has used
      return overBudget;
    case 'launch-failed':
      if (agent?.trouble != null) return { ...byTrouble[agent.trouble.kind], trouble: agent.trouble };
      return { ...plain, cost: 'free', blames: 'agent' };
    case 'spiral':
      return { ...plain, start: 'clean' };
    case 'timed-out':
    case 'silent':
    case 'setup-failed':
      return plain;
    case 'exited':
      // Agents with a protocol exit with 0, however their turn ended.
      if (ending.code === 0 && agent?.outcome !== 'failed') return { ...plain, start: 'session' };
      return agent?.trouble == null ? plain : { ...byTrouble[agent.trouble.kind], trouble: agent.trouble };
  }
}

/** An agent that can make its supervisor die must not get attempts for it. */
const mayHaveWorked = ({ because }: Ending): boolean =>
  because?.rule === 'supervisor-unable' || (because?.rule === 'supervisor-died' && because.began);

const plain: Recovery = { cost: 'charged', start: 'snapshot', trouble: null, blames: 'nobody' };
const overBudget: Recovery = { ...plain, cost: 'free', start: 'session' };
const providers: Recovery = { cost: 'free', start: 'session', trouble: null, blames: 'agent' };

const byTrouble: Readonly<Record<AgentFailureKind, Recovery>> = {
  'rate-limited': { ...providers, cost: 'waited-for' },
  'needs-login': { ...providers, cost: 'waited-for' },
  overloaded: providers,
  dropped: providers,
  'unknown-session': { ...plain, cost: 'free' },
  'prompt-too-long': plain,
  'turn-limit': plain,
  budget: overBudget,
  other: plain,
};

/** These stop the whole provider: no task of it would fare better. */
export const pausesProvider = (trouble: AgentFailure): boolean =>
  trouble.kind === 'rate-limited' || trouble.kind === 'needs-login';

/** Tells an agent that left its scope which paths it must not change. */
export function strayed({ progress }: Pick<TaskState, 'progress'>): {
  readonly findings?: readonly Finding[];
  readonly after?: AttemptOutcome;
} {
  const findings = strayedFindings(progress);
  return findings.length === 0 ? {} : { findings, after: 'strayed' };
}

/** An agent that left its scope and starts clean is shown where it must not go. */
export function strayedFindings(progress: TaskProgress): readonly Finding[] {
  if (progress.status !== 'held' || progress.hold.because !== 'gate') return [];
  return findingsIn(progress.hold.verdicts.filter((verdict) => verdict.gate === 'scope'));
}
