import type { Stored } from '../../src/ports/ledger.ts';
import { all, type Found } from './events-found.ts';

type Taken = Found<'task-accepted'> | Found<'task-edited'>;

/**
 * What people took of one attempt by hand, from the events alone: the snapshots that they accepted or left by an edit, the paths that
 * they changed against what the agent left, and what is wrong with how that came about.
 */
export function takenByHand(
  history: readonly Stored[],
  since: readonly Stored[],
  of: { readonly task: string; readonly attempt: string },
): { readonly accepts: readonly string[]; readonly edits: readonly string[]; readonly forged: readonly string[] } {
  const isOfIt = ({ event }: Taken): boolean => event.task === of.task;
  const accepted = all(since, 'task-accepted').filter(isOfIt);
  const edited = all(since, 'task-edited').filter(isOfIt);
  const forged = [...accepted, ...edited].flatMap((taken) => [
    ...(taken.event.attempt === of.attempt ? [] : ['what a person took is of another attempt']),
    ...(isAsked(history, taken) ? [] : ['nobody asked for what a person took']),
  ]);
  return {
    accepts: [...accepted.map(({ event }) => event.snapshot), ...edited.map(({ event }) => event.snapshot.commit)],
    edits: edited.at(-1)?.event.paths ?? [],
    forged,
  };
}

/** The request names the snapshot that they were shown. Flags, markers and policies take nothing. */
function isAsked(history: readonly Stored[], { seq, event }: Taken): boolean {
  if (!['terminal', 'command', 'api'].includes(event.by.via)) return false;
  const before = history.filter((one) => one.seq < seq);
  return event.type === 'task-accepted'
    ? all(before, 'requested-accept').some(
        (asked) =>
          asked.event.task === event.task &&
          asked.event.snapshot === event.snapshot &&
          asked.event.by.who === event.by.who,
      )
    : all(before, 'requested-edit').some(
        (asked) =>
          asked.event.task === event.task &&
          asked.event.from === event.from &&
          asked.event.copy === event.copy &&
          asked.event.by.who === event.by.who,
      );
}
