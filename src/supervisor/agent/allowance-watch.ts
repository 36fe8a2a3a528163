import type { AgentNote } from '../../domain/agents/agent-note.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { AgentEvent } from '../../domain/tool-calls/agent-event.ts';
import type { AgentJob } from '../../ports/supervisor.ts';

type AllowanceWatch = {
  take(event: AgentEvent): void;
  /** A person raised it. */
  raise(usd: number): void;
};

/** Ends an agent that continues after its money or its turns are used up. One that has just finished is left alone. */
export function watchAllowance(
  { turns, usd }: Pick<AgentJob, 'turns' | 'usd'>,
  on: { note(note: AgentNote): void; end(reason: Ending['reason'], because: Finding): void },
): AllowanceWatch {
  let limit = usd;
  let used = 0;
  let answers = 0;
  let isAnswering = false;
  const answer = (): void => {
    if (used >= limit) on.end('over-budget', { rule: 'money-used', used, limit });
    if (isAnswering) return;
    isAnswering = true;
    answers += 1;
    if (turns === null) return;
    if (answers === Math.ceil(turns * 0.8)) on.note({ note: 'turns-near', turns: answers, limit: turns });
    if (answers > turns) on.end('timed-out', { rule: 'turns-used', turns });
  };
  return {
    take(event) {
      if (event.type === 'turn' || event.type === 'tool-call') answer();
      if (event.type === 'tool-result' || event.type === 'started' || event.type === 'told') isAnswering = false;
      if (event.type === 'usage') used = event.usage.usd ?? used;
    },
    raise(next) {
      limit = next;
    },
  };
}
