import type { Notice } from '../domain/board/notices.ts';
import type { ThreadPost } from '../domain/board/thread-posts.ts';
import type { ThreadEvidence } from '../domain/gates/evidence.ts';
import type { ThreadPlan } from '../domain/plan/plan.ts';

/** Sends updates to people and programs that do not look by themselves, and remembers which were sent. */
export interface Outbox<U> {
  /** Items that were sent, as last remembered; none when the journal cannot be read. */
  sent(): readonly string[];
  /**
   * Returns lasting updates from the time of an earlier coordinator that must still be sent. Called once, with all open updates. Absent:
   * only the coordinator that saw an update come sends it.
   */
  owed?(open: readonly U[]): readonly U[];
  /** Replaces the items that were sent. Durable when it returns. */
  remember(items: readonly string[]): void;
  /** Resolves in limited time and never rejects: an unreachable person does not fail a run. */
  send(update: U): Promise<void>;
  /** Resolves in limited time, when no delivery is in progress. Nothing is sent after it. */
  settle(): Promise<void>;
}

/** Reaches a person. */
export type Notices = Outbox<Notice>;

/** Describes a wave to the service that opens its thread. */
export type ThreadOrder = {
  readonly run: string;
  readonly wave: number;
  readonly name: string;
  readonly tasks: readonly string[];
  readonly key: string;
  readonly places: ThreadPlan;
};

/** Threads of waves outside of Tidegate. */
export interface Threads extends Outbox<ThreadPost> {
  /**
   * Opens a thread in the first place that works: intake, threads, a log in the state directory, the built-in board. Resolves in limited
   * time and never rejects. For the same key, the other side must return the same thread.
   */
  bind(order: ThreadOrder): Promise<ThreadEvidence>;
}
