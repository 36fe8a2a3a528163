import type { SetupToken } from '../../agents/facts.ts';
import type { CommitId } from '../../domain/base/ids.ts';
import type { Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { Ending } from '../../domain/gates/evidence.ts';
import type { PlannedTask } from '../../domain/plan/plan.ts';
import type { RepositoryFiles } from '../../domain/project/project.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { Examined, PlanFlags, PlanSource, ReadPlan, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import type { Context, Outcome } from './command.ts';
import type { OpenRepository } from './with-repository.ts';

/** All that commands need from the world. Composed once, in `main/`; an adapter is loaded at its first use. */
export type Ports = {
  readonly openRepository: OpenRepository;
  readonly readPlan: PlanReader;
  readonly readComments: ReadComments;
  readonly draftText: DraftText;
  readonly enterShell: EnterShell;
  makeDemo(): Promise<DemoRepository>;
  /** Null for a caller who may decide, in a repository or outside; the outcome tells an agent why not. */
  refuseAgent(context: Context, command: string): Promise<Outcome | null>;
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

export type AuthPorts = {
  /** As far as can be told without a call. */
  logins(context: Context): Promise<readonly Login[]>;
  /** Runs the agent's own command for a token on this terminal: its exit code, null when there is no such program. */
  setupToken(token: SetupToken): Promise<number | null>;
  /** Keeps a value for this person alone, by the variable that agents get it as; returns where. */
  store(context: Context, variable: string, value: string): Promise<string>;
};

export type Login = {
  readonly name: string;
  readonly isLoggedIn: boolean;
  readonly found: string;
  readonly fix: string;
  /** Variables that log it in. */
  readonly variables: readonly string[];
  /** Agents could read the file of its own login command. */
  readonly takesFile: boolean;
  /** Its own login command and that command's file, as shown to people. */
  readonly ownLogin: { readonly command: string; readonly file: string } | null;
  readonly setupToken: SetupToken | null;
};

export type InitPorts = {
  find(directory: string): Promise<Result<{ readonly toplevel: string }, string>>;
  look(toplevel: string): Promise<RepositoryFiles>;
  read(toplevel: string, name: string): Promise<string | null>;
  /** The keys at the top of a YAML file; null when it is no mapping. */
  keysOf(text: string): readonly string[] | null;
  write(path: string, text: string, how: { replace: boolean }): Promise<'written' | 'replaced' | 'exists'>;
  /** Puts another text in the place of one that is as it was read. */
  rewrite(path: string, text: string): Promise<void>;
  readonly rehearse: Rehearse;
};

/** Tries setup, checks and agents as a run would, and leaves nothing behind. Resolves early after `stop`. */
export type Rehearse = (context: Context, rehearsal: Rehearsal) => Promise<void>;

export type Rehearsal = {
  readonly stop: AbortSignal;
  /** What is being tried now. */
  doing(what: string): void;
  examined(row: Rehearsed): void;
};

/** `isAgent`: one that tasks here could be given to, or word that there is none. */
export type Rehearsed = Examined & { readonly isAgent?: true };

export type Configuration = {
  readonly table: readonly { readonly key: string; readonly value: unknown; readonly origin: string }[];
  readonly findings: readonly Finding[];
  /** What the repository's files ask for and only a person may allow, plans included. */
  readonly unconfirmed: readonly { readonly key: string; readonly value: unknown; readonly hash: string }[];
};

export type ConfigPorts = {
  /** With what a plan says, if one is named. */
  read(context: Context, planFile: string | null): Promise<Result<Configuration, string>>;
  /** Keeps that a person said yes, for this repository only. */
  confirm(context: Context, hashes: readonly string[]): Promise<Result<void, string>>;
  /** The agent that calls, if it is one. */
  agent(context: Context): string | null;
};

export type DemoRepository = {
  readonly path: string;
  readonly plan: string;
  readonly state: string;
  /** The task that misbehaves, and that a person drops by name. */
  readonly rogue: string;
};

/** Programs of the person that show what changed. */
export type DiffPrograms = {
  /** Shows lines in their pager, on a terminal. False: there is none, and they are printed. */
  page(repo: RepositoryHandle, context: Context, lines: readonly Text[]): Promise<boolean>;
  /** Their difftool on two commits; its exit code, null when there is no git. */
  difftool(
    repo: RepositoryHandle,
    context: Context,
    base: CommitId,
    commit: CommitId,
    tool: string | null,
  ): Promise<number | null>;
};

export type Examine = (context: Context) => Promise<Examined>;

/** Finds the plan and reads it with all of its layers; an error is what kept us from even looking. */
export type PlanReader = (
  context: Context,
  source: PlanSource,
  flags?: Pick<PlanFlags, 'uncommitted'>,
) => Promise<Result<ReadPlan, string>>;

export type OpenPrograms = {
  /** The workspace of an attempt while it is there. */
  workspace(repo: RepositoryHandle, attempt: string): string | null;
  /** The files of a snapshot in a new directory, without any repository. */
  copy(repo: RepositoryHandle, commit: CommitId, name: string): Promise<string>;
  /** Null: no editor is known. */
  editor(context: Context, path: string): Promise<'closed' | 'in-window' | null>;
};

/** The files that a person edits. `name` is what the coordinator knows them by. */
export type EditCopy = { readonly name: string; readonly path: string };

export type EditPrograms = {
  /** The files of a commit, byte for byte, in a new directory that is a repository of its own. */
  copy(
    repo: RepositoryHandle,
    context: Context,
    of: { readonly commit: CommitId; readonly base: CommitId },
  ): Promise<EditCopy>;
  /** `failed`: it ended with another code than 0. Null: no editor is known. */
  editor(context: Context, path: string): Promise<'closed' | 'failed' | 'in-window' | null>;
  remove(copy: EditCopy): void;
};

export type PlanFiles = {
  /** The plan that was kept with a run; null when there is none. */
  read(path: string): Promise<string | null>;
  /** What is there already is left alone. */
  write(path: string, text: string): Promise<'written' | 'exists' | 'no-folder'>;
  isThere(path: string): Promise<boolean>;
  /** As the person wrote it, from where they are. */
  resolve(cwd: string, path: string): string;
};

/** The text of a file in a snapshot, or why it is none. */
export type DraftText = (repository: string, commit: CommitId, file: string) => Promise<Result<string, Finding>>;

type ShellOrder = {
  readonly state: RunState;
  readonly task: PlannedTask;
  readonly agent: string;
  readonly commit: CommitId;
  readonly base: CommitId;
  /** Empty: an interactive shell. */
  readonly argv: readonly string[];
  /** On the terminal of the person. Without: nothing to read, and what it prints is passed on. */
  readonly onTerminal: boolean;
  /** The copy is there, and nothing has run in it. */
  onMade(path: string, isSetUp: boolean): void;
};

/** Runs it to its end; the copy is gone then, and so is all that was started in it. */
export type EnterShell = (
  repo: RepositoryHandle,
  context: Context,
  order: ShellOrder,
) => Promise<Result<Ending, { readonly problem: string; readonly fix: string }>>;

/** Where a server listens: on one address, or on a socket of the file system. */
export type Listen = {
  readonly host: string;
  readonly port: number;
  readonly socket: string | null;
  /** Names beside the loopback's own that callers may use for it. */
  readonly names: readonly string[];
  readonly tls: { readonly cert: string; readonly key: string } | null;
};

export type RunningServer = {
  readonly url: string;
  /** Rejects when it cannot go on; never resolves. */
  readonly failed: Promise<never>;
  /** For a browser, once; null where the caller is not one who may decide. */
  readonly link: (() => string) | null;
  /** Lets go. Agents go on, driven from the background. */
  stop(): Promise<void>;
};

export type ServePorts = {
  start(context: Context, listen: Listen): Promise<Result<RunningServer, string>>;
  state(context: Context): Promise<{
    /** Or why it cannot be trusted. */
    secret(): Result<Buffer, string>;
    renewSecret(): void;
    serving(): { readonly url: string; readonly pid: number } | null;
  }>;
};

/** Returns the text that a person wrote in a file, or on standard input (`-`). */
export type ReadComments = (context: Context, file: string) => Promise<Result<string, string>>;
