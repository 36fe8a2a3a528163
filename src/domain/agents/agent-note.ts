import type { RecordAct } from '../board/acts.ts';
import type { Post } from '../board/board.ts';
import type { Trip } from '../breaker/spirals.ts';
import type { Finding } from '../findings/finding.ts';
import type { AgentFailure, Usage } from '../tool-calls/agent-event.ts';

/** Something that the ledger records of an agent while it works. Its supervisor numbers notes from 1. */
export type AgentNote =
  | { readonly note: 'started'; readonly session: string | null; readonly model: string | null }
  | { readonly note: 'denied'; readonly tool: string; readonly because: Finding }
  /** The breaker found that the agent loops. */
  | { readonly note: 'tripped'; readonly trip: Trip }
  | { readonly note: 'trouble'; readonly trouble: AgentFailure }
  | { readonly note: 'usage'; readonly usage: Usage }
  /** It asks for paths that it does not own. A person may grant them while it works. */
  | { readonly note: 'asked'; readonly paths: readonly string[]; readonly why: string }
  /** For the run's board; `post` counts those of this attempt. */
  | ({ readonly note: 'posted'; readonly post: number } & Post)
  /** It acts on a record of the board. */
  | { readonly note: 'acted'; readonly record: string; readonly act: RecordAct; readonly text?: string }
  /** The message of this request, by its number in the ledger, has reached it. */
  | { readonly note: 'heard'; readonly request: number }
  /** Most of the turns that it may take are taken. */
  | { readonly note: 'turns-near'; readonly turns: number; readonly limit: number };

/** Facts about an agent when its attempt has ended. */
export type AgentReport = {
  readonly session: string | null;
  readonly model: string | null;
  readonly usage: Usage;
  /** The agent's own last word; null when it ended without one. */
  readonly outcome: 'completed' | 'failed' | null;
  readonly trouble: AgentFailure | null;
  readonly denials: number;
  readonly trips: readonly Trip[];
  /** Lines of its stream that this version does not know. */
  readonly unknownLines: number;
};

export const noReport: AgentReport = {
  session: null,
  model: null,
  usage: { turns: 0, inputTokens: 0, outputTokens: 0, cachedTokens: 0, usd: null },
  outcome: null,
  trouble: null,
  denials: 0,
  trips: [],
  unknownLines: 0,
};
