import { present } from '../domain/base/result.ts';
import { safeLine } from '../domain/base/safe-text.ts';
import { openStatuses } from '../domain/board/acts.ts';
import { type BoardRecord, isOfAgent, type RecordActor, recordById } from '../domain/board/board.ts';
import { overdueOf } from '../domain/board/clocks.ts';
import { boardCounters } from '../domain/board/counters.ts';
import type { RecordClock } from '../domain/board/kinds.ts';
import { duration } from '../domain/explain/text.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Span, Text } from '../ports/terminal.ts';

/** `3 question  docs → person  open  May I …?`, and its answer below. Each text stays on one line. `prefix`: of the id. */
export function recordLines(record: BoardRecord, prefix = ''): readonly Text[] {
  const { id, kind, target, text, severity, answer, reason, references, repository, tasks } = record;
  const head: Text = [
    { text: `${prefix}${id}`, tone: 'strong' },
    ` ${kind}  ${authorOf(record)} → ${tasks?.join(', ') ?? target}  `,
    ...statusSpans(record),
    ...(severity === 'critical' ? [{ text: 'critical  ', tone: 'bad' as const }] : []),
    ...(severity === 'advisory' ? ['advisory  '] : []),
    ...(repository === undefined ? [] : [`(repository/${repository})  `]),
    safeLine(text),
    ...(references === undefined ? [] : [`  (${references.map(safeLine).join(', ')})`]),
  ];
  return [
    head,
    ...(answer === undefined ? [] : [`  ${actorOf(answer.by)} answers: ${safeLine(answer.text)}`]),
    ...(reason === undefined ? [] : [`  ${actorOf(reason.by)}: ${safeLine(reason.text)}`]),
  ];
}

/** The board in numbers, on one line. */
export function counterLine(state: RunState, now: string): Text {
  const { open, overdue, oldest, next, ...counters } = boardCounters(state, now);
  const { clarifications, requests, escalations, helpers, dependencies } = counters;
  const parts = [
    ...(oldest === null ? [] : [`oldest: record ${oldest.record}, ${duration(oldest.seconds * 1000)}`]),
    ...counted(clarifications, 'question between tasks', 'questions between tasks'),
    ...counted(requests, 'request to a task', 'requests to tasks'),
    ...counted(escalations, 'escalation', 'escalations'),
    ...counted(helpers, 'task started again for a record', 'tasks started again for records'),
    ...counted(dependencies, 'open dependency', 'open dependencies'),
    ...(next === null ? [] : [`next timer: ${next.clock}, record ${next.record}, in ${until(next.at, now)}`]),
  ];
  return [...openSpans(open, overdue), parts.length === 0 ? '' : ` · ${parts.join(' · ')}`];
}

/** One line about records that wait for somebody; none when all are settled. */
export function openRecordLines(state: RunState, now: string): readonly Text[] {
  const { open, overdue } = boardCounters(state, now);
  return open === 0 ? [] : [['board: ', ...openSpans(open, overdue), `: tidegate board ${state.run}`]];
}

const openSpans = (open: number, overdue: number): readonly (string | Span)[] => [
  `${open} open`,
  ...(overdue === 0 ? [] : [', ', { text: `${overdue} overdue`, tone: 'waiting' as const }]),
];

const counted = (count: number, one: string, more: string): readonly string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : more}`];

const until = (at: string, now: string): string => duration(Date.parse(at) - Date.parse(now));

/** A record for programs. `from` is a task or a person. */
export function recordDocument(record: BoardRecord) {
  const { id, kind, status, target, text, severity, from, answer, reason } = record;
  const { references, dependsOn, closureCondition, priority, confidence, at, of, route, repository } = record;
  const { setAside, helped, tasks } = record;
  return {
    id,
    kind,
    status,
    target,
    text,
    ...(severity === undefined ? {} : { severity }),
    from: isOfAgent(from) ? { task: from.task, attempt: from.attempt } : { person: from.who },
    ...(answer === undefined ? {} : { answer: saidBy(answer) }),
    ...(reason === undefined ? {} : { reason: saidBy(reason) }),
    ...present({ references, dependsOn, closureCondition, priority, confidence, at, of, route, repository }),
    ...present({ setAside, helped, tasks }),
  };
}

/** The clock of a record that has run out, and when it did. Absent when it is not overdue. */
export function overdueIn(
  state: RunState,
  record: string | undefined,
  now: string,
): { readonly overdue?: { readonly clock: RecordClock; readonly since: string } } {
  const known = record === undefined ? undefined : recordById(state, record);
  const due = known === undefined ? null : overdueOf(state, known, now);
  return due === null ? {} : { overdue: { clock: due.clock, since: due.at } };
}

const saidBy = ({ text, by }: { readonly text: string; readonly by: RecordActor }) =>
  isOfAgent(by) ? { text, task: by.task } : { text, person: by.who };

/** Statuses of records that wait, and those that say more than that the record is over. */
function statusSpans({ status, setAside }: BoardRecord): readonly (string | Span)[] {
  if (status === 'answered' || status === 'closed') return [];
  const text = `${status}${setAside === undefined ? '' : `, ${setAside}`}  `;
  return [openStatuses.includes(status) ? { text, tone: 'waiting' } : text];
}

const actorOf = (by: RecordActor): string => (isOfAgent(by) ? by.task : by.who);

const authorOf = ({ from }: BoardRecord): string => actorOf(from);
