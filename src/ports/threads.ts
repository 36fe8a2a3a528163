import type { ThreadPost } from '../domain/board/thread-posts.ts';
import type { ThreadEvidence } from '../domain/gates/evidence.ts';
import type { ThreadPlan } from '../domain/settings/thread.ts';
import type { Ways } from './notices.ts';

/** What is said of a wave to whoever opens its thread. */
export type ThreadOrder = {
  readonly run: string;
  readonly wave: number;
  readonly name: string;
  readonly tasks: readonly string[];
  readonly key: string;
  readonly places: ThreadPlan;
};

/** Threads of waves that are kept elsewhere. */
export interface Threads extends Ways<ThreadPost> {
  /**
   * The first way that works: intake, threads, a log in the state directory, the built-in board. Resolves in limited time and
   * never rejects. Asked again with the same key, the other side is to give the same thread.
   */
  bind(order: ThreadOrder): Promise<ThreadEvidence>;
}
