import type { CommitId, RunId } from '../domain/base/ids.ts';
import { safeLine } from '../domain/base/safe-text.ts';
import { leftOutOf, leftOutText } from '../domain/derived/left-out.ts';
import type { RoundEntry } from '../domain/gates/evidence.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import type { By } from '../domain/ledger/requests.ts';
import { commitSubject, generatedSubject } from '../domain/plan/commit-subject.ts';
import type { FrozenPlan, PlannedTask } from '../domain/plan/plan.ts';
import { eventsOf, type History, type JudgedPhase, type RecordedEvent } from './proof/history.ts';

type Trailers = {
  readonly run: RunId;
  readonly task: string;
  readonly proof: string;
  /** Trailers of people who took the work by hand, as whole lines. */
  readonly taken?: readonly string[];
};

/** One line that says what the task was about, as the plan's `commit` words it, then who vouches for it. */
export function commitMessage(plan: FrozenPlan, task: PlannedTask, trailers: Trailers): string {
  return `${commitSubject(plan, trailers.run, task)}\n\n${trailerLines(trailers)}`;
}

function trailerLines({ run, task, proof, taken = [] }: Trailers): string {
  const lines = [`Tidegate-Run: ${run}`, `Tidegate-Task: ${task}`, ...taken, `Tidegate-Proof: ${proof}`];
  return `${lines.join('\n')}\n`;
}

/** Returns the message with one more trailer at its end. */
export const withTrailer = (message: string, line: string): string => `${message.trimEnd()}\n${line}\n`;

/** The message of the commit of generated files; `proof` is the record of the commands that made them. */
export const generatedMessage = (
  plan: FrozenPlan,
  wave: number,
  { run, proof }: Pick<Trailers, 'run' | 'proof'>,
): string => `${generatedSubject(plan, run, wave)}\n\nTidegate-Run: ${run}\nTidegate-Proof: ${proof}\n`;

export function readTrailer(message: string, name: string): string | undefined {
  const paragraph = message.trimEnd().split('\n\n').at(-1) ?? '';
  return paragraph
    .split('\n')
    .findLast((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}

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

/** Lines of a commit message that name the derived task whose work it holds, and what that task left out of either side. */
export const resolvedTrailers = (
  { task, by }: RoundEntry,
  { event: { evidence } }: RecordedEvent<JudgedPhase<'monitor'>>,
): readonly string[] =>
  by === undefined
    ? []
    : [
        `Tidegate-Resolved-by: ${by}`,
        ...leftOutOf(evidence.sides ?? { gone: [] }, evidence.handoff).map(
          (one) => `Tidegate-Left-out: ${leftOutText(one, task)}`,
        ),
      ];

export const editTrailer = (by: By, from: CommitId, left: CommitId): string =>
  `Tidegate-Edited-by: ${nameOf(by)} ${from}..${left}`;

type Taking = Extract<RunEvent, { type: 'task-accepted' | 'task-edited' }>;

/** Returns a name on one line, whatever characters it has. */
const nameOf = ({ who }: By): string => safeLine(who).trim().slice(0, 100);
