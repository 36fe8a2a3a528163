/**
 * Limits that are Tidegate's own: no plan sets them. Decisions read them here, and what they decide is recorded with the limits that
 * it used. No fold may import this file, so that a new limit never changes what was decided before (`test/fold.test.ts`).
 */
export const policy = {
  /** Launches in a row that may cost a task nothing. */
  freeLaunches: 3,
  /** The same while a provider is waited for. Rate limits may last a night; an agent that only feigns them must not last for ever. */
  waitedLaunches: 50,
  /** Attempts of a task that may end in a spiral before a person looks. */
  spirals: 2,
  /** Agents cost most while they start: a few at a time are sooner all there than all at once. */
  launching: 4,
  /** The number of times that a landing or an undo is made anew for a branch that moves while its checks run. */
  landingTries: 3,
  /** The number of times that a candidate may be checked while looking for the task that breaks it. */
  bisectRuns: 8,
  /** Milliseconds: the first pause of a provider that does not say how long, and the longest. */
  shortestPause: 30_000,
  longestPause: 60 * 60_000,
  /** The part of a budget from which on people are warned. */
  budgetNear: 0.8,
  /** Bytes of memory: with less, the next agent is what the kernel ends first. */
  leastMemory: 300e6,
  /** Idempotency keys of a session that are remembered. */
  sessionKeys: 1_000,
  /** Characters of a record, records of one attempt and its acts on records. */
  recordCharacters: 4_000,
  recordsOfAttempt: 50,
  actsOfAttempt: 200,
  /** Records that an agent gets to know of the board, characters of an inbox, and of one record in it. */
  recordsShown: 100,
  inboxCharacters: 8_000,
  inboxRecord: 2_000,
  /** Characters of the summary of a wave, and of the text of one record in it. */
  summaryCharacters: 4_000,
  summaryLine: 160,
  /** Times that a ready task is started again for records that wait for it. */
  helps: 2,
  /** Times that a question is given to a task whose agent does not acknowledge it. After that a person is asked. */
  clarificationCycles: 2,
  /** Times that the resident orchestrator may start in one run. */
  orchestratorStarts: 10,
  /** Artifacts of one proof, and bytes of each file among them. */
  proofArtifacts: 50,
  proofFileBytes: 50e6,
  /** Objects of a repository from which on what runs in a fence sees the newest commits only, and how many. */
  historyObjects: 1_000_000,
  historyCommits: 1_000,
} as const;
