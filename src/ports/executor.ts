import type { AgentEvent, ToolCall, Usage } from '../domain/tool-calls/agent-event.ts';
import type { Decision } from '../domain/tool-calls/decision.ts';
import type { Job } from './supervisor.ts';

/** Drives one kind of agent: how its program is started, and what its own words mean in ours. */
export interface Executor {
  readonly name: Job['executor'];
  /** The program that is really started, when the one on the PATH only leads to it. */
  readonly resolve: ((found: string) => string) | null;
  prepare(seat: Seat): Launch;
  /** Reads one process of this agent. Nothing that the process says may throw. Null: its output is only kept. */
  readonly follow: ((talk: Talk, seat: Seat) => OutputReader) | null;
  /** For agents with a hook that asks before each tool call. */
  readonly hook: Hook | null;
}

/** What a launch may be made of. Paths are those inside the fence. */
export type Seat = {
  readonly job: Job;
  readonly program: string;
  /** The program that this one starts in turn, where it is not its own; null: its own, or none. */
  readonly drives: string | null;
  readonly prompt: string;
  /** Runs our in-fence client. */
  readonly client: string;
  readonly workspace: string;
  /** Values of the variables that steer this agent. */
  readonly variables: Readonly<Record<string, string>>;
  /** The agent's own directory: writable, of this task alone, kept for as long as its session may be continued. */
  readonly home: string;
  /** A session of the agent's own that is to be continued, and what it had used until then. */
  readonly session: { readonly id: string; readonly usage: Usage } | null;
};

export type Launch = {
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** By path below its home. The agent can read them and nothing else. */
  readonly files: Readonly<Record<string, string>>;
  /** First words on a stdin that stays open for more; null: stdin is the prompt and its end. */
  readonly opening: string | null;
};

export type Talk = {
  tell(event: AgentEvent): void;
  /** For agents that ask over their own protocol. What is denied is told by this too. */
  decide(call: ToolCall): Decision;
  /** Heard when the line is open, however early it is said. */
  say(text: string): void;
  hangUp(): void;
};

export type OutputReader = {
  /** One whole line of stdout, without its end. */
  line(text: string): void;
  /** The same of stderr. */
  errorLine(text: string): void;
  /** A person's message to the agent, heard when it next listens, if it comes to that; false when it takes none now. */
  send(text: string): boolean;
  /** Asks it to end its turn, a moment before its process is ended; false where it cannot be asked. */
  cancel(): boolean;
};

/** The agent runs our client before a tool call, with `payload` on stdin, and obeys what it prints. */
export type Hook = {
  /** Null: not understood, and so not allowed. */
  callIn(payload: unknown): ToolCall | null;
  /** `refusal` is told to the model; null: the call is allowed. */
  answer(refusal: string | null, advice: string | null): { readonly stdout: string; readonly exit: number };
};
