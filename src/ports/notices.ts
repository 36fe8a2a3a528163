import type { Notice } from '../domain/board/notices.ts';

/** Ways to tell somebody who does not look, and the memory of what they were told. */
export interface Ways<N> {
  /** Items that were told, as last remembered; none when that cannot be read. */
  told(): readonly string[];
  /**
   * What lasts, was seen to come by an earlier coordinator, and has to be told all the same. Asked once, with all that there is to
   * tell; absent: whoever saw it come has told it, or nobody does.
   */
  owed?(open: readonly N[]): readonly N[];
  /** Durable when it returns. */
  remember(items: readonly string[]): void;
  /** Resolves in limited time and never rejects: a person who cannot be reached is no failure of a run. */
  send(news: N): Promise<void>;
  /** Resolves in limited time, when nothing that was sent is under way any more. Nothing is sent after it. */
  settle(): Promise<void>;
}

/** Ways to reach a person. */
export type Notices = Ways<Notice>;
