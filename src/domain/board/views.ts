import type { TaskId } from '../base/ids.ts';
import { safeLine } from '../base/safe-text.ts';
import { cutList, cutText, type TextList } from '../base/text-list.ts';
import type { RunState } from '../run/run.ts';
import { policy } from '../settings/policy.ts';
import { isOpenRecord } from './acts.ts';
import { waveFinder } from './blocking.ts';
import { type BoardRecord, isOfAgent, recordsOf } from './board.ts';
import { type Grade, gradeOf, kindRules, type RecordKind } from './kinds.ts';

/** Records for one reader, the most important first, and the number of those that are not among them. */
export type BoardView = { readonly records: readonly BoardRecord[]; readonly more: Omitted };
/** `critical` counts the open critical ones. */
export type Omitted = { readonly records: number; readonly critical: number };

/**
 * Records that an agent of this task may read: those for it or for all, and its own that wait for an answer. Those of people and
 * answers to its own come before those of other agents.
 */
export function inboxOf(state: Pick<RunState, 'board'>, task: TaskId): BoardView {
  const isOwn = ({ from }: BoardRecord): boolean => isOfAgent(from) && from.task === task;
  const isForAll = ({ target, tasks }: BoardRecord): boolean => target === 'all' && (tasks?.includes(task) ?? true);
  const concerns = (record: BoardRecord): boolean =>
    record.target === task || (isOwn(record) ? kindRules[record.kind].waits : isForAll(record));
  const rank = (record: BoardRecord): Rank =>
    isOwn(record) ? (isOpenRecord(record) ? 2 : 0) : isOfAgent(record.from) ? 1 : 0;
  return viewOf(recordsOf(state).filter(concerns), rank);
}

/** Kinds that stay worth knowing although they wait for nobody. */
const decisions: readonly RecordKind[] = ['decision', 'resolved-by-policy', 'integration-summary'];

/**
 * Everything that is open in a wave, and what was decided, for each of its agents alike. `known` are records that the reader has in its
 * inbox. Null when there is nothing else.
 */
export function summaryOf(state: RunState, wave: number, known: readonly BoardRecord[] = []): TextList | null {
  const waveOf = waveFinder(state);
  const concerns = (record: BoardRecord): boolean =>
    (isOpenRecord(record) || decisions.includes(record.kind)) && waveOf(record) === wave;
  const all = recordsOf(state).filter(concerns);
  const seen = new Set(known);
  const { records, more } = viewOf(
    all.filter((record) => !seen.has(record)),
    ({ from }) => (isOfAgent(from) ? 1 : 0),
  );
  if (records.length === 0) return null;
  const open = all.filter(isOpenRecord);
  return {
    head: `${open.length} open, ${open.filter(isUrgent).length} critical; ${all.length - open.length} decided`,
    items: records.map(summaryLine),
    foot: (left) => leftText(leftOut(records, records.length - left, more)),
  };
}

/** The summary as running agents get it, within its limit; '' when there is nothing. */
export function summaryText(state: RunState, wave: number, known: readonly BoardRecord[] = []): string {
  const summary = summaryOf(state, wave, known);
  return summary === null ? '' : cutList(summary, policy.summaryCharacters);
}

/** One line, whatever the text of the record is. */
function summaryLine(record: BoardRecord): string {
  const { id, kind, from, target, status, severity, setAside, text } = record;
  const facts = [
    id,
    kind,
    `${isOfAgent(from) ? from.task : 'person'} → ${target}`,
    ...(isOpenRecord(record) ? [status] : []),
    ...(setAside === undefined ? [] : [setAside]),
    ...(gradeOf(severity) === 'normal' ? [] : [gradeOf(severity)]),
  ];
  return `[${facts.join(', ')}] ${cutText(safeLine(text).replaceAll(/\s+/g, ' ').trim(), policy.summaryLine)}`;
}

/** Says how much of a view is not shown. */
export const leftText = ({ records, critical }: Omitted): string =>
  records === 0 ? '' : `(${records} more left out${critical === 0 ? '' : `, ${critical} of them critical`})`;

/** Everything of a view behind its first `shown` records. */
export function leftOut(records: readonly BoardRecord[], shown: number, more: Omitted): Omitted {
  const rest = records.slice(shown);
  return { records: rest.length + more.records, critical: rest.filter(isUrgent).length + more.critical };
}

function viewOf(records: readonly BoardRecord[], rank: (record: BoardRecord) => Rank): BoardView {
  const all = byImportance(records, rank);
  return {
    records: all.slice(0, policy.recordsShown),
    more: leftOut(all, policy.recordsShown, { records: 0, critical: 0 }),
  };
}

/** The place of a record among those of its severity. */
type Rank = 0 | 1 | 2;
const ranks = 3;
const grades: readonly Grade[] = ['critical', 'normal', 'advisory'];
const waiting = ranks * grades.length;

/**
 * Sorts records that wait before the rest, so that no number of notes hides them. Then by severity, by rank, and by age: of those that
 * wait the oldest first, so that nobody hides them by posting more; of the rest the newest.
 */
function byImportance(records: readonly BoardRecord[], rank: (record: BoardRecord) => Rank): readonly BoardRecord[] {
  const levels: BoardRecord[][] = Array.from({ length: 2 * waiting }, () => []);
  for (const record of records) {
    const level = ranks * grades.indexOf(standingGrade(record)) + rank(record);
    levels[isOpenRecord(record) ? level : waiting + level]?.push(record);
  }
  return levels.flatMap((level, at) => (at < waiting ? level : level.toReversed()));
}

/** A record that a person set aside counts as advisory. */
const standingGrade = ({ severity, setAside }: BoardRecord): Grade =>
  setAside === undefined ? gradeOf(severity) : 'advisory';

const isUrgent = (record: BoardRecord): boolean => isOpenRecord(record) && standingGrade(record) === 'critical';
