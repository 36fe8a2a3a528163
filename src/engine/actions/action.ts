import type { RunId, TaskId } from '../../domain/base/ids.ts';
import type { Result } from '../../domain/base/result.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { By, RequestEvent } from '../../domain/ledger/requests.ts';
import type { RepositoryState } from '../../domain/repository/repository.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';

type OnRun = { readonly run: RunId; readonly state: RunState };

/** The repository itself. `run` is the name of its board where a run is named. */
type OnRepository = { readonly run: RunId; readonly repository: RepositoryState };

/** The subjects of actions. A `part` is a run or one of its tasks. */
export type Subjects = {
  readonly run: OnRun;
  readonly task: OnRun & { readonly task: TaskId };
  readonly part: OnRun & { readonly task: TaskId | null };
  readonly repository: OnRepository;
};
export type SubjectKind = keyof Subjects;

/** Says who may call an action and which interfaces offer it. Every interface reads it here. */
export type ActionTerms = {
  readonly name: string;
  /** `person`: refused to agents. */
  readonly who: 'person' | 'anyone';
  /** True when `tidegate serve` has a route for it. */
  readonly rest: boolean;
  /** True when it is a tool of `tidegate mcp`. */
  readonly mcp: boolean;
};

/** Terms of most actions: REST offers them, and no assistant has them as tools. */
export const forPeople = { who: 'person', rest: true, mcp: false } as const;
export const forAnyone = { who: 'anyone', rest: true, mcp: false } as const;

/** Something that the coordinator can be asked for. */
export type Action<Kind extends SubjectKind, Input> = ActionTerms & {
  readonly on: Kind;
  /** Builds the request, or returns the problem with the input. `at` is the time of the call. */
  request(subject: Subjects[Kind], input: Input, by: By, at: string): Result<RequestEvent, Misuse>;
  /** Returns why the request would change nothing in this state; null when it would. */
  moot?(subject: Subjects[Kind], input: Input, repo: Pick<RepositoryHandle, 'ledger'>): Promise<Moot | null>;
  /** Runs once the coordinator has accepted. */
  accepted?(input: Input, repo: Pick<RepositoryHandle, 'openRunDirectory'>): Promise<void>;
};

/** An input that no state of the run allows. `field` is the wrong member of the input. */
export type Misuse = { readonly reason: string; readonly because: Finding; readonly field?: string };

/** A request that would change nothing. `isDone`: the run is already as requested. */
export type Moot = { readonly reason: string; readonly because: Finding; readonly isDone: boolean };
