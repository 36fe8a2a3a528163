import type { LiveSessions } from '../dcm/sessions.ts';
import type { Result } from '../domain/base/result.ts';
import type { By } from '../domain/ledger/requests.ts';
import type { Content, Examined, RepositoryHandle } from '../ports/repository-handle.ts';
import type { Problem } from '../protocol/problem.ts';
import type { AccessRole, Answer, Given, Passage, Route } from '../protocol/route.ts';
import type { EventStream } from './feed/event-stream.ts';
import type { Feeds } from './feed/feed.ts';
import type { Links } from './http/links.ts';
import type { LiveRuns } from './live/live-runs.ts';

/** A repository that has state of ours, whether or not its checkout is still there. */
export type RepositoryEntry = {
  readonly id: string;
  readonly checkout: string;
  readonly present: boolean;
};
export type ServedRepository = {
  readonly id: string;
  readonly repo: RepositoryHandle;
  readonly runs: LiveRuns;
  readonly sessions: LiveSessions;
};

/** A repository that is known cannot be worked on now: its checkout is gone, or its state cannot be used. */
export class NotOpened extends Error {
  override readonly name = 'NotOpened';
}

/** The repositories of the person. One server shows them all. */
export interface Repositories extends AsyncDisposable {
  list(): Promise<readonly RepositoryEntry[]>;
  /** Opened at the first call and kept open. Null: none is called so. Rejects with `NotOpened` or what is wrong with its ledger. */
  open(id: string): Promise<ServedRepository | null>;
  /** The one that the server was started in: meant where a path names none. */
  readonly home: string | null;
}

/** What a handler sees beside the request itself. */
export type Site = {
  readonly repositories: Repositories;
  readonly caller: { readonly role: AccessRole; readonly by: By };
  /** `Idempotency-Key`: the same one again asks for nothing new. */
  readonly key: string | null;
  readonly feeds: Feeds;
  readonly links: Pick<Links, 'make'>;
  /** The tools of a person's assistant, for the repository of this checkout. */
  mcp(checkout: string): Passing;
  /** What a run needs from this machine. */
  examine(): Promise<readonly Examined[]>;
  readonly version: string;
  now(): Date;
};

export type Handler<R extends Route> = (given: Given<R>, site: Site) => Promise<Result<Handled<R>, Problem>>;
type Handled<R extends Route, A = R['answer']> = A extends { readonly schema: unknown }
  ? Answer<R>
  : A extends { readonly events: unknown }
    ? EventStream
    : Content;

/** Answers for a protocol of others; the body was read and is JSON. */
export type Passing = (request: Request, body: unknown) => Promise<Response>;
export type PassageHandlers<Passages extends Readonly<Record<string, Passage>>> = {
  readonly [Id in keyof Passages]: (given: Given<Passages[Id]>, site: Site) => Promise<Result<Passing, Problem>>;
};

export type Handlers<Routes extends Readonly<Record<string, Route>>> = {
  readonly [Id in keyof Routes]: Handler<Routes[Id]>;
};
