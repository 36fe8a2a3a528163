import { present } from '../domain/base/result.ts';
import { safeLine } from '../domain/base/safe-text.ts';
import { openStatuses } from '../domain/board/acts.ts';
import { type BoardRecord, isOfAgent, type RecordActor } from '../domain/board/board.ts';
import type { Span, Text } from '../ports/terminal.ts';

/** `3 question  docs → person  open  May I …?`, and its answer below. Each text stays on one line. */
export function recordLines(record: BoardRecord): readonly Text[] {
  const { id, kind, target, text, severity, answer, reason, references } = record;
  const head: Text = [
    { text: id, tone: 'strong' },
    ` ${kind}  ${authorOf(record)} → ${target}  `,
    ...statusSpans(record),
    ...(severity === 'critical' ? [{ text: 'critical  ', tone: 'bad' as const }] : []),
    ...(severity === 'advisory' ? ['advisory  '] : []),
    safeLine(text),
    ...(references === undefined ? [] : [`  (${references.map(safeLine).join(', ')})`]),
  ];
  return [
    head,
    ...(answer === undefined ? [] : [`  ${actorOf(answer.by)} answers: ${safeLine(answer.text)}`]),
    ...(reason === undefined ? [] : [`  ${actorOf(reason.by)}: ${safeLine(reason.text)}`]),
  ];
}

/** A record for programs. `from` is a task or a person. */
export function recordDocument(record: BoardRecord) {
  const { id, kind, status, target, text, severity, from, answer, reason } = record;
  const { references, dependsOn, closureCondition, priority, confidence, at, of, route, setAside, helped } = record;
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
    ...present({ references, dependsOn, closureCondition, priority, confidence, at, of, route, setAside, helped }),
  };
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
