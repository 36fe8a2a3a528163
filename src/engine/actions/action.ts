import type { RunId, TaskId } from '../../domain/base/ids.ts';
import type { Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { By, RequestEvent } from '../../domain/ledger/requests.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';

type OnRun = { readonly run: RunId; readonly state: RunState };

/** The subjects that actions have. A `part` is a run, or one task of it. */
export type Subjects = {
  readonly run: OnRun;
  readonly task: OnRun & { readonly task: TaskId };
  readonly part: OnRun & { readonly task: TaskId | null };
};
export type SubjectKind = keyof Subjects;

/** Says who may call an action, and which interfaces offer it. Every surface reads it here. */
export type ActionTerms = {
  readonly name: string;
  /** `person`: refused to agents. */
  readonly who: 'person' | 'anyone';
  /** Whether `tidegate serve` has a route for it. */
  readonly rest: boolean;
  /** Whether it is a tool of `tidegate mcp`. */
  readonly mcp: boolean;
};

/** Something that the coordinator of a run can be asked for. */
export type Action<Kind extends SubjectKind, Input> = ActionTerms & {
  readonly on: Kind;
  /** Makes the request, or says what is wrong with the input. `at` is the time of asking. */
  request(subject: Subjects[Kind], input: Input, by: By, at: string): Result<RequestEvent, Misuse>;
  /** Returns why there is nothing to ask for as the run stands; null if there is. */
  moot?(subject: Subjects[Kind], input: Input, repo: Pick<RepositoryHandle, 'ledger'>): Promise<Moot | null>;
  /** Runs once the coordinator has accepted. */
  accepted?(input: Input, repo: Pick<RepositoryHandle, 'openRunDirectory'>): Promise<void>;
};

/** An input that no state of the run would allow. `field` is the member of the input it is in. */
export type Misuse = { readonly reason: string; readonly because: Finding; readonly field?: string };

/** `isDone`: what is asked for is the case already. */
export type Moot = { readonly reason: string; readonly because: Finding; readonly isDone: boolean };
