import type { SetupToken } from '../../agents/facts.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import type { Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import type { RepositoryFiles } from '../../domain/project/project.ts';
import type { RunState } from '../../domain/run/run.ts';
import type {
  Examined,
  PlanFlags,
  PlanSource,
  ReadPlan,
  Rehearsal,
  RepositoryHandle,
} from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import type { Listen } from '../../server/http/listen.ts';
import type { RunningServer } from '../../server/start.ts';
import type { Context } from './command.ts';

/** Everything that commands need from the world. `main/` composes it; an adapter is loaded at its first use. */
export type Ports = {
  readonly openRepository: OpenRepository;
  readonly readPlan: PlanReader;
  readonly readComments: ReadComments;
  readonly draftText: DraftText;
  readonly enterShell: EnterShell;
  makeDemo(): Promise<DemoRepository>;
  /** Returns the person or agent that runs the command, inside a repository or not. */
  caller(context: Context): Promise<RepositoryHandle['caller']>;
  examinations(): Promise<readonly Examine[]>;
  init(): Promise<InitPorts>;
  auth(): Promise<AuthPorts>;
  config(): Promise<ConfigPorts>;
  planFiles(): Promise<PlanFiles>;
  diffPrograms(): Promise<DiffPrograms>;
  openPrograms(): Promise<OpenPrograms>;
  editPrograms(): Promise<EditPrograms>;
  serve(): Promise<ServePorts>;
};

/**
 * `look` and `ask` create nothing: without state, the ledger is an empty one in memory, and there is no run to ask
 * anything of. `act` creates the state directory.
 */
export type RepositoryAccess = 'look' | 'ask' | 'act';
export type OpenRepository = (context: Context, access: RepositoryAccess) => Promise<Result<RepositoryHandle, string>>;

export type AuthPorts = {
  /** Lists logins as far as they can be known without calling an agent. */
  logins(context: Context): Promise<readonly Login[]>;
  /** Runs the agent's own command for a token on this terminal and returns its exit code. Null when there is no such program. */
  setupToken(token: SetupToken): Promise<number | null>;
  /** Stores the value of a variable for this person only, and returns the file. */
  store(context: Context, variable: string, value: string): Promise<string>;
};

export type Login = {
  readonly name: string;
  readonly isLoggedIn: boolean;
  readonly found: string;
  readonly fix: string;
  /** Environment variables that can hold its login. */
  readonly variables: readonly string[];
  /** Agents can read the file that its own login command writes. */
  readonly takesFile: boolean;
  /** The agent's own login command and the file that it writes, as shown to people. */
  readonly ownLogin: { readonly command: string; readonly file: string } | null;
  readonly setupToken: SetupToken | null;
};

export type InitPorts = {
  find(directory: string): Promise<Result<{ readonly toplevel: string }, string>>;
  look(toplevel: string): Promise<RepositoryFiles>;
  read(toplevel: string, name: string): Promise<string | null>;
  /** Returns the keys at the top of a YAML text. Null when it is no mapping. */
  keysOf(text: string): readonly string[] | null;
  write(path: string, text: string, how: { replace: boolean }): Promise<'written' | 'replaced' | 'exists'>;
  /** Replaces the text of a file that exists. */
  rewrite(path: string, text: string): Promise<void>;
  readonly rehearse: Rehearse;
};

/** Tries setup, checks and agents like a run, and leaves nothing behind. Resolves early after `stop`. */
type Rehearse = (context: Context, rehearsal: Rehearsal) => Promise<void>;

export type Configuration = {
  readonly table: readonly { readonly key: string; readonly value: unknown; readonly origin: string }[];
  readonly findings: readonly Finding[];
  /** Settings in files of the repository, plans included, that only a person may allow. */
  readonly unconfirmed: readonly { readonly key: string; readonly value: unknown; readonly hash: string }[];
};

export type ConfigPorts = {
  /** Includes the settings of a plan, if one is named. */
  read(context: Context, planFile: string | null): Promise<Result<Configuration, string>>;
  /** Records the confirmation of a person, for this repository only. */
  confirm(context: Context, hashes: readonly string[]): Promise<Result<void, string>>;
  /** Returns the calling agent. Null for a person. */
  agent(context: Context): string | null;
};

export type DemoRepository = {
  readonly path: string;
  readonly plan: string;
  readonly state: string;
  /** The task that breaks the rules, and that a person drops. */
  readonly rogue: string;
};

/** Programs of the person that show changes. */
export type DiffPrograms = {
  /** Shows lines in the pager. False when there is none, so that they must be printed. */
  page(repo: RepositoryHandle, context: Context, lines: readonly Text[]): Promise<boolean>;
  /** Runs the difftool on two commits and returns its exit code. Null when there is no git. */
  difftool(
    repo: RepositoryHandle,
    context: Context,
    base: CommitId,
    commit: CommitId,
    tool: string | null,
  ): Promise<number | null>;
};

type Examine = (context: Context) => Promise<Examined>;

/** Finds the plan and reads it with all layers of settings. An error means that it could not be read at all. */
export type PlanReader = (
  context: Context,
  source: PlanSource,
  flags?: Pick<PlanFlags, 'uncommitted'>,
) => Promise<Result<ReadPlan, string>>;

export type OpenPrograms = {
  /** Returns the workspace of an attempt. Null when it is gone. */
  workspace(repo: RepositoryHandle, attempt: string): string | null;
  /** Copies the files of a snapshot into a new directory, without a repository. */
  copy(repo: RepositoryHandle, commit: CommitId, name: string): Promise<string>;
  /** Null when no editor is set. */
  editor(context: Context, path: string): Promise<'closed' | 'in-window' | null>;
};

/** The files that a person edits. The coordinator knows them by `name`. */
export type EditCopy = { readonly name: string; readonly path: string };

export type EditPrograms = {
  /** Copies the files of a commit, byte for byte, into a new directory with its own repository. */
  copy(
    repo: RepositoryHandle,
    context: Context,
    of: { readonly commit: CommitId; readonly base: CommitId },
  ): Promise<EditCopy>;
  /** `failed`: the exit code is not 0. Null when no editor is set. */
  editor(context: Context, path: string): Promise<'closed' | 'failed' | 'in-window' | null>;
  remove(copy: EditCopy): void;
};

export type PlanFiles = {
  /** Null when there is no such file. */
  read(path: string): Promise<string | null>;
  /** Never overwrites a file. */
  write(path: string, text: string): Promise<'written' | 'exists' | 'no-folder'>;
  isThere(path: string): Promise<boolean>;
  /** Resolves a path as the person typed it. */
  resolve(cwd: string, path: string): string;
};

/** Returns the text of a file in a snapshot, or why there is none. */
type DraftText = (repository: string, commit: CommitId, file: string) => Promise<Result<string, Finding>>;

type ShellOrder = {
  readonly state: RunState;
  readonly task: PlannedTask;
  readonly agent: string;
  readonly commit: CommitId;
  readonly base: CommitId;
  /** Empty for an interactive shell. */
  readonly argv: readonly string[];
  /** Uses the terminal of the person. Otherwise there is no input, and the output is passed on. */
  readonly onTerminal: boolean;
  /** Called when the copy exists and nothing has run in it. */
  onMade(path: string, isSetUp: boolean): void;
};

/** Runs the shell until it ends. Then the copy is removed, with everything that was started in it. */
export type EnterShell = (
  repo: RepositoryHandle,
  context: Context,
  order: ShellOrder,
) => Promise<Result<Ending, { readonly problem: string; readonly fix: string }>>;

export type ServePorts = {
  start(context: Context, listen: Listen): Promise<Result<RunningServer, string>>;
  state(context: Context): Promise<{
    /** An error says why the key file cannot be trusted. */
    secret(): Result<Buffer, string>;
    renewSecret(): void;
    serving(): { readonly url: string; readonly pid: number } | null;
  }>;
};

/** Reads the text of a file, or of standard input (`-`). */
export type ReadComments = (context: Context, file: string) => Promise<Result<string, string>>;
