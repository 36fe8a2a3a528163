import type { DcmSessions } from '../dcm/sessions.ts';
import type { Result } from '../domain/base/result.ts';
import type { By } from '../domain/ledger/requests.ts';
import type { Content, Examined, RepositoryHandle } from '../ports/repository-handle.ts';
import type { Problem } from '../protocol/problem.ts';
import type { AccessRole, Answer, Route, RouteInput, UpgradeRoute } from '../protocol/route.ts';
import type { EventStream } from './feed/event-stream.ts';
import type { Feeds } from './feed/feed.ts';
import type { Links } from './http/keys.ts';
import type { LiveRuns } from './live/live-runs.ts';

/** A repository that has state of ours, whether or not its checkout still exists. */
export type RepositoryEntry = {
  readonly id: string;
  readonly checkout: string;
  readonly present: boolean;
};
export type ServedRepository = {
  readonly id: string;
  readonly repo: RepositoryHandle;
  readonly runs: LiveRuns;
  readonly sessions: DcmSessions;
};

/** A repository cannot be used now: its checkout is gone, or its state cannot be read. */
export class NotOpened extends Error {
  override readonly name = 'NotOpened';
}

/** The repositories of the person. One server shows them all. */
export interface Repositories extends AsyncDisposable {
  list(): Promise<readonly RepositoryEntry[]>;
  /** Opens it at the first call and keeps it open. Null when there is none. Rejects with `NotOpened` or the fault of its ledger. */
  open(id: string): Promise<ServedRepository | null>;
  /** The one that the server was started in, for paths that name none. */
  readonly home: string | null;
}

/** The server as a handler of one request sees it. */
export type Site = {
  readonly repositories: Repositories;
  readonly caller: { readonly role: AccessRole; readonly by: By };
  /** `Idempotency-Key`: a repeated one makes no second request. */
  readonly key: string | null;
  readonly feeds: Feeds;
  readonly links: Pick<Links, 'make'>;
  /** The tools of a person's assistant, for the repository of this checkout. */
  mcp(checkout: string): ProtocolHandler;
  /** Checks this machine for all that a run needs. */
  examine(): Promise<readonly Examined[]>;
  readonly version: string;
  now(): Date;
};

export type Handler<R extends Route> = (input: RouteInput<R>, site: Site) => Promise<Result<Handled<R>, Problem>>;
type Handled<R extends Route, A = R['answer']> = A extends { readonly schema: unknown }
  ? Answer<R>
  : A extends { readonly events: unknown }
    ? EventStream
    : Content;

export type Handlers<Routes extends Readonly<Record<string, Route>>> = {
  readonly [Id in keyof Routes]: Handler<Routes[Id]>;
};

/** Answers a request of another protocol. The body was read and is JSON. */
export type ProtocolHandler = (request: Request, body: unknown) => Promise<Response>;

export type UpgradeHandlers<Routes extends Readonly<Record<string, UpgradeRoute>>> = {
  readonly [Id in keyof Routes]: (
    input: RouteInput<Routes[Id]>,
    site: Site,
  ) => Promise<Result<ProtocolHandler, Problem>>;
};
