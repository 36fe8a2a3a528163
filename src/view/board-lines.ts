import { safeLine } from '../domain/base/safe-text.ts';
import { type BoardRecord, isOfAgent } from '../domain/board/board.ts';
import type { Text } from '../ports/terminal.ts';

/** `3 question  docs → person  open  May I …?`, and its answer below. Each text stays on one line. */
export function recordLines(record: BoardRecord): readonly Text[] {
  const { id, kind, target, text, severity, answer } = record;
  const head: Text = [
    { text: id, tone: 'strong' },
    ` ${kind}  ${authorOf(record)} → ${target}  `,
    ...(record.status === 'open' ? [{ text: 'open  ', tone: 'waiting' as const }] : []),
    ...(severity === 'critical' ? [{ text: 'critical  ', tone: 'bad' as const }] : []),
    safeLine(text),
  ];
  return answer === undefined ? [head] : [head, `  ${answer.by.who} answers: ${safeLine(answer.text)}`];
}

/** A record for programs. `from` is a task or a person. */
export function recordDocument(record: BoardRecord) {
  const { id, kind, status, target, text, severity, from, answer } = record;
  return {
    id,
    kind,
    status,
    target,
    text,
    ...(severity === undefined ? {} : { severity }),
    from: isOfAgent(from) ? { task: from.task, attempt: from.attempt } : { person: from.who },
    ...(answer === undefined ? {} : { answer: { text: answer.text, person: answer.by.who } }),
  };
}

const authorOf = ({ from }: BoardRecord): string => (isOfAgent(from) ? from.task : from.who);
