import type { JobDirectory } from '../../adapters/supervisors/job-directory.ts';
import type { AgentReport } from '../../domain/agents/agent-note.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import { type AgentEvent, addUsage, type ToolCall } from '../../domain/tool-calls/agent-event.ts';
import type { Decision } from '../../domain/tool-calls/decision.ts';
import { type ToolPlace, toolDecider } from '../../domain/tool-calls/tool-scope.ts';
import type { Executor, Launch, LaunchContext } from '../../ports/executor.ts';
import type { AgentJob, Terms } from '../../ports/supervisor.ts';
import type { HookAnswer } from '../channel/client-channel.ts';
import { type Listening, listen } from '../channel/listen.ts';
import type { Notes } from '../job/notes.ts';
import type { Ears } from '../job/run-fenced.ts';
import type { SupervisorHost } from '../job/supervise.ts';
import type { KnownSecrets } from '../output/known-secrets.ts';
import { watchAllowance } from './allowance-watch.ts';
import { watchBreaker } from './breaker-watch.ts';
import { openTranscript } from './transcript.ts';

/** Follows an agent over all launches of one attempt. */
export type AgentWatch = {
  listen(seat: LaunchContext, launch: Launch): Ears;
  hook(payload: unknown): HookAnswer;
  /** What we saw of it by other means than its own words. */
  tell(event: AgentEvent): void;
  /** A person's message; false when it takes none now. */
  say(text: string): boolean;
  terms(terms: Terms): void;
  /** What the next launch goes on with. */
  session(): LaunchContext['session'];
  /** The agent's own last word so far. */
  outcome(): AgentReport['outcome'];
  close(): AgentReport;
};

export function watchAgent(
  agent: AgentJob,
  executor: Executor,
  order: {
    readonly files: JobDirectory;
    readonly around: SupervisorHost;
    readonly place: ToolPlace;
    readonly notes: Notes;
    /** Ends the attempt, cleanly. */
    end(reason: Ending['reason'], because: Finding): void;
  },
  secrets: KnownSecrets,
): AgentWatch {
  const transcript = openTranscript(order.files.path, secrets, {
    now: () => new Date(order.around.clock.wall()).toISOString(),
    note: order.notes.add,
    usd: agent.usd,
  });
  const allowance = watchAllowance(agent, { note: order.notes.add, end: order.end });
  const breaker = watchBreaker(agent, order);
  const told = (event: AgentEvent): void => {
    transcript.tell(event);
    allowance.take(event);
    for (const trip of breaker.take(event)) transcript.trip(trip);
  };
  let judge = toolDecider(agent.scope, order.place);
  let current: Listening | null = null;
  const decide = (call: ToolCall): Decision => {
    const decision = judge(call);
    if (decision.decision === 'deny') told({ type: 'denied', call, because: decision.because });
    return decision;
  };
  return {
    listen(seat, launch) {
      const { follow } = executor;
      if (follow === null) throw new Error(`${executor.name} is not listened to`);
      // Each process counts from nothing; the attempt has them all.
      const before = transcript.report().usage;
      const tell = (event: AgentEvent): void =>
        told(event.type === 'usage' ? { ...event, usage: addUsage(before, event.usage) } : event);
      const listening = listen(follow, seat, launch, { emit: tell, decide });
      // Where no hook gives us a word before each call, a message does, if the agent takes one.
      if (executor.hook === null) breaker.advise((text) => void listening.send(text));
      current = listening;
      const over = (): void => {
        listening.ears.over();
        current = null;
      };
      return { ...listening.ears, over };
    },
    tell: transcript.tell,
    hook(payload) {
      const call = executor.hook?.callIn(payload) ?? null;
      // what is not understood is not allowed: exit 2 blocks the call
      if (executor.hook === null || call === null) return { stdout: 'this call cannot be judged', exit: 2 };
      const decision = decide(call);
      const refusal = decision.decision === 'deny' ? explain(decision.because) : null;
      const ask = refusal?.fix === undefined ? null : `To ask for it: ${refusal.fix}`;
      const advice = [ask, breaker.advice()].filter((text) => text !== null).join('\n');
      return executor.hook.answer(refusal?.detail ?? null, advice === '' ? null : advice);
    },
    say(text) {
      if (current === null || !current.send(text)) return false;
      told({ type: 'told', text });
      return true;
    },
    terms({ scope, usd }) {
      judge = toolDecider(scope, order.place);
      allowance.raise(usd);
    },
    session() {
      const { session: id, usage } = transcript.report();
      if (id === null) return agent.session;
      return { id, usage: id === agent.session?.id ? addUsage(agent.session.usage, usage) : usage };
    },
    outcome: () => transcript.report().outcome,
    close() {
      transcript.close();
      return transcript.report();
    },
  };
}
