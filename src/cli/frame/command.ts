import type { Terminal, Text } from '../../ports/terminal.ts';

/** What the caller's shell, and programs around us, can rely on. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  noAnswer: 32,
  personNeeded: 43,
  interrupted: 130,
} as const;
/** One line each, for the reference. */
export const exitMeanings: Readonly<Record<keyof typeof exitCodes, string>> = {
  done: 'done',
  failed: 'failed, or what was asked for was refused',
  usage: 'a mistake in the command, the plan or the configuration; nothing was changed',
  partial: 'done, but without tasks that were dropped',
  noAnswer: 'the coordinator of this repository does not answer',
  personNeeded: 'a person is needed: the message says what for, and the command that does it',
  interrupted: 'interrupted; what was under way goes on in the background, or was not begun',
};

/** Codes of the starter in `bin`, before there is a command: it could not be run at all. */
export const startCodes = {
  78: 'Tidegate cannot run here: Node is too old, or a checkout was not built; nothing was changed',
} as const;
/** Codes that no command ends with yet. */
export const reservedCodes = { 42: 'only the QA role did not pass' } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Something only a person can do, and the command that does it. */
type Need = {
  readonly kind: string;
  readonly task: string | null;
  readonly message: string;
  readonly command: string;
};

/** How a command ended. With `--json` all of it but `lines` and `problems` is the one document that is printed. */
export type Outcome = {
  readonly exit: ExitCode;
  /** Of a program that was run for the caller: they get it instead of ours. */
  readonly code?: number;
  /** Short and stable, for programs: `done`, `plan-invalid`. */
  readonly reason: string;
  readonly needs?: readonly Need[];
  /** Further members of the document. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The result for people, on standard output. */
  readonly lines?: readonly Text[];
  /** What went wrong, on standard error, with `--json` too. */
  readonly problems?: readonly Text[];
};

export type Signal = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

/** All that a command sees of the process it runs in. */
export type Context = {
  readonly terminal: Terminal;
  readonly json: boolean;
  /** Where the command was called, or `-C`. */
  readonly cwd: string;
  /** `--state-dir`: the root below which repositories keep their state. */
  readonly stateRoot: string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  /** Aborted when nobody reads our output any more. */
  readonly readerGone: AbortSignal;
  /** Takes signals over from the default, which is to exit 130 at once. Until disposed. */
  onSignal(listener: (signal: Signal) => void): Disposable;
};

export const groups = {
  begin: 'Begin',
  run: 'Run',
  look: 'Look',
  decide: 'Decide',
  serve: 'For other programs',
  keep: 'Keep house',
  agent: 'For agents, inside the fence',
} as const;

export const done = (lines: readonly Text[] = [], data: Readonly<Record<string, unknown>> = {}): Outcome => ({
  exit: exitCodes.done,
  reason: 'done',
  lines,
  data,
});

/** The caller asked for something that cannot be: one line, and if there is one, the way out. */
export const misused = (reason: string, message: string): Outcome => ({
  exit: exitCodes.usage,
  reason,
  problems: [`tidegate: ${message}`],
  data: { message },
});
