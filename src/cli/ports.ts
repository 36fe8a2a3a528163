import type { Result } from '../domain/result.ts';
import type { AuthPorts } from './auth.ts';
import type { Context, Outcome } from './command.ts';
import type { ConfigPorts } from './config.ts';
import type { DemoRepository } from './demo.ts';
import type { OpenDesk } from './desk.ts';
import type { DiffPrograms } from './diff.ts';
import type { Examine } from './doctor.ts';
import type { InitPorts } from './init.ts';
import type { PlanReader } from './lint.ts';
import type { OpenPrograms } from './open.ts';
import type { PlanFiles } from './plan.ts';
import type { DraftText } from './read-draft.ts';
import type { ServePorts } from './serve.ts';
import type { EnterShell } from './shell.ts';

/** What a person wrote in a file, or on standard input (`-`). */
export type ReadComments = (context: Context, file: string) => Promise<Result<string, string>>;

/** All that commands need from the world. Composed once, in `main/`; an adapter is loaded at its first use. */
export type Ports = {
  readonly openDesk: OpenDesk;
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
  serve(): Promise<ServePorts>;
};
