import type { AgentReport } from '../../domain/agents/agent-note.ts';
import { explain } from '../../domain/explain/explain.ts';
import { type AgentEvent, addUsage, type ToolCall } from '../../domain/tool-calls/agent-event.ts';
import { type Decision, type ToolPlace, toolDecider } from '../../domain/tool-calls/tool-scope.ts';
import type { Executor, Launch, LaunchContext } from '../../ports/executor.ts';
import type { AgentJob, Terms } from '../../ports/supervisor.ts';
import type { HookAnswer } from '../channel/client-channel.ts';
import { type Listening, listen } from '../channel/listen.ts';
import type { JobContext } from '../job/context.ts';
import type { Notes } from '../job/control.ts';
import type { JobCallbacks } from '../job/run-fenced.ts';
import type { KnownSecrets } from '../output/redact.ts';
import { watchAllowance } from './allowance-watch.ts';
import { watchBreaker } from './breaker-watch.ts';
import { openTranscript } from './transcript.ts';

/** Follows an agent over all launches of one attempt. */
export type AgentWatch = {
  listen(context: LaunchContext, launch: Launch): JobCallbacks;
  hook(payload: unknown): HookAnswer;
  /** Takes an event that we saw by other means than the agent's output. */
  tell(event: AgentEvent): void;
  /** A person's message; false when it takes none now. */
  say(text: string): boolean;
  terms(terms: Terms): void;
  /** The session that the next launch continues. */
  session(): LaunchContext['session'];
  /** The agent's own last word so far. */
  outcome(): AgentReport['outcome'];
  close(): AgentReport;
};

export function watchAgent(
  agent: AgentJob,
  executor: Executor,
  context: Pick<JobContext, 'files' | 'clock' | 'end'> & {
    readonly place: ToolPlace;
    readonly notes: Notes;
    readonly secrets: KnownSecrets;
    /** Gets the agent's own words, one turn at a time. */
    readonly hear?: (text: string) => void;
  },
): AgentWatch {
  const { files, place, notes } = context;
  const transcript = openTranscript(files.path, context.secrets, {
    now: () => new Date(context.clock.wall()).toISOString(),
    note: notes.add,
    usd: agent.usd,
  });
  const allowance = watchAllowance(agent, { note: notes.add, end: context.end });
  const breaker = watchBreaker(agent, context);
  const take = (event: AgentEvent): void => {
    transcript.tell(event);
    if (event.type === 'turn') context.hear?.(`${event.text}\n`);
    allowance.take(event);
    for (const trip of breaker.take(event)) transcript.trip(trip);
  };
  let judge = toolDecider(agent.scope, place);
  let current: Listening | null = null;
  const decide = (call: ToolCall): Decision => {
    const decision = judge(call);
    if (decision.decision === 'deny') take({ type: 'denied', call, because: decision.because });
    return decision;
  };
  return {
    listen(launchContext, launch) {
      const { follow } = executor;
      if (follow === null) throw new Error(`${executor.name} is not listened to`);
      // Each process counts from zero, and the attempt sums them up.
      const before = transcript.report().usage;
      const emit = (event: AgentEvent): void =>
        take(event.type === 'usage' ? { ...event, usage: addUsage(before, event.usage) } : event);
      const listening = listen(follow, launchContext, launch, { emit, decide });
      // Without a hook that carries advice before each call, a message does, if the agent takes one.
      if (executor.hook === null) breaker.advise((text) => void listening.send(text));
      current = listening;
      const over = (): void => {
        listening.callbacks.over();
        current = null;
      };
      return { ...listening.callbacks, over };
    },
    tell: transcript.tell,
    hook(payload) {
      const call = executor.hook?.callIn(payload) ?? null;
      // a call that is not understood is not allowed: exit 2 blocks it
      if (executor.hook === null || call === null) return { stdout: 'this call cannot be judged', exit: 2 };
      const decision = decide(call);
      const refusal = decision.decision === 'deny' ? explain(decision.because) : null;
      const ask = refusal?.fix === undefined ? null : `To ask for it: ${refusal.fix}`;
      const advice = [ask, breaker.advice()].filter((text) => text !== null).join('\n');
      return executor.hook.answer(refusal?.detail ?? null, advice === '' ? null : advice);
    },
    say(text) {
      if (current === null || !current.send(text)) return false;
      take({ type: 'told', text });
      return true;
    },
    terms({ scope, usd }) {
      judge = toolDecider(scope, place);
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
