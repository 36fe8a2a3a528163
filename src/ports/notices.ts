import type { Notice } from '../domain/notices.ts';

/** Ways to reach a person who does not look, and the memory of what they were told. */
export interface Notices {
  /** Items that were told, as last remembered; none when that cannot be read. */
  told(): readonly string[];
  /** Durable when it returns. */
  remember(items: readonly string[]): void;
  /** Resolves in limited time and never rejects: a person who cannot be reached is no failure of a run. */
  send(notice: Notice): Promise<void>;
}
