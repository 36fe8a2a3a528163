import type { CommitId } from '../../domain/base/ids.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { By } from '../../domain/ledger/requests.ts';
import { eventsOf, type History, type JudgedPhase, type RecordedEvent } from '../proof/history.ts';

/** Lines of a commit message that say who took this work by hand, and which commits they were shown and left. */
export function takenTrailers(
  history: History,
  { position, event }: RecordedEvent<JudgedPhase<'monitor'>>,
): readonly string[] {
  const { task, evidence } = event;
  if (evidence.acceptance === undefined) return [];
  const isOfIt = (one: RecordedEvent<Taking>): boolean =>
    one.position < position && one.event.task === task && one.event.attempt === evidence.attempt;
  const edits = eventsOf(history, 'task-edited').filter(isOfIt);
  const accepted = eventsOf(history, 'task-accepted').findLast(
    (one) => isOfIt(one) && one.event.snapshot === evidence.snapshot?.commit,
  );
  return [
    ...edits.map(({ event: { by, from, snapshot } }) => editTrailer(by, from, snapshot.commit)),
    ...(accepted === undefined
      ? []
      : [`Tidegate-Accepted-by: ${nameOf(accepted.event.by)} ${accepted.event.snapshot}`]),
  ];
}

export const editTrailer = (by: By, from: CommitId, left: CommitId): string =>
  `Tidegate-Edited-by: ${nameOf(by)} ${from}..${left}`;

type Taking = Extract<RunEvent, { type: 'task-accepted' | 'task-edited' }>;

/** On one line, whatever a person is called. */
const nameOf = ({ who }: By): string => safeLine(who).trim().slice(0, 100);
