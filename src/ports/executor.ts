import type { AgentEvent, ToolCall, Usage } from '../domain/tool-calls/agent-event.ts';
import type { Decision } from '../domain/tool-calls/tool-scope.ts';
import type { Job } from './supervisor.ts';

/** Drives one kind of agent: starts its program, and translates its output into our events. */
export interface Executor {
  readonly name: string;
  /** Finds the program that really runs, when the one on the PATH only starts it. */
  readonly resolve: ((path: string) => string) | null;
  prepare(context: LaunchContext): Launch;
  /** Reads one process of this agent. No output of the process may make it throw. Null: the output is only kept. */
  readonly follow: ((callbacks: ExecutorCallbacks, context: LaunchContext) => OutputReader) | null;
  /** For agents with a hook that asks before each tool call. */
  readonly hook: Hook | null;
}

/** Everything that one launch depends on. Paths are those inside the fence. */
export type LaunchContext = {
  readonly job: Job;
  readonly program: string;
  /** The person's own program that this one starts; null where there is none, or it brings its own. */
  readonly drives: string | null;
  readonly prompt: string;
  /** Runs our in-fence client. */
  readonly client: string;
  readonly workspace: string;
  /** Values of the variables that configure this agent. */
  readonly variables: Readonly<Record<string, string>>;
  /** The agent's own directory: writable, of this task alone, kept for as long as its session may be continued. */
  readonly home: string;
  /** A session of the agent to continue, and its usage so far. */
  readonly session: { readonly id: string; readonly usage: Usage } | null;
};

export type Launch = {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Files that the agent can read and not write, by path below its home. */
  readonly files: Readonly<Record<string, string>>;
  /** First text on a stdin that stays open for more; null: stdin is the prompt and its end. */
  readonly opening: string | null;
};

export type ExecutorCallbacks = {
  emit(event: AgentEvent): void;
  /** Judges a call, for agents that ask over their own protocol. A denial is emitted too. */
  decide(call: ToolCall): Decision;
  /** Writes to the agent's stdin; text that comes before it is open is kept until then. */
  write(text: string): void;
  endInput(): void;
};

export type OutputReader = {
  /** Takes one whole line of stdout, without its end. */
  line(text: string): void;
  /** Takes one whole line of stderr. */
  errorLine(text: string): void;
  /** Passes on a person's message, as soon as the agent reads one; false when it takes none now. */
  send(text: string): boolean;
  /** Asks the agent to end its turn, a moment before its process is ended. False when it takes no such request. */
  cancel(): boolean;
};

/** The agent runs our client before a tool call, with `payload` on stdin, and obeys the client's answer. */
export type Hook = {
  /** Null: the payload is not understood, and so the call is not allowed. */
  callIn(payload: unknown): ToolCall | null;
  /** The model reads `refusal`; null: the call is allowed. */
  answer(refusal: string | null, advice: string | null): { readonly stdout: string; readonly exit: number };
};
