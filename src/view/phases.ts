import { type Phase, phases } from '../domain/gates/phase.ts';
import { passes, type Verdict } from '../domain/gates/verdict.ts';
import { currentWave, type RunState, selectedWaves, tasksOfWave } from '../domain/run/run.ts';
import { isSettled, type TaskState } from '../domain/run/task.ts';
import type { Span, Text } from '../ports/terminal.ts';

type Mark = 'passed' | 'active' | 'waiting' | 'failed';
type PhaseMark = {
  readonly phase: Phase | 'landing';
  readonly id: string;
  readonly word: string;
  readonly mark: Mark;
};

/** The state of the ten phases of the current wave, and of the landing after them. */
export function phaseMarks(state: RunState): readonly PhaseMark[] {
  const done = progressOf(state);
  const first = phases.findIndex(({ phase }) => !done[phase].passed);
  const marks = phases.map(({ phase, id, word }, at): PhaseMark => {
    const { passed, failed } = done[phase];
    const mark = failed ? 'failed' : passed ? 'passed' : at === first && state.ended === null ? 'active' : 'waiting';
    return { phase, id, word, mark };
  });
  return [...marks, { phase: 'landing', id: '6', word: 'Land', mark: landingMark(state) }];
}

type Progress = { readonly passed: boolean; readonly failed: boolean };

function progressOf(state: RunState): Readonly<Record<Phase, Progress>> {
  const wave = currentWave(state) ?? selectedWaves(state).at(-1);
  const tasks = wave === undefined ? [] : tasksOfWave(state, wave.index);
  const round = wave?.rounds.at(-1);
  const closed = round !== undefined && 'closed' in round ? round.closed : null;
  const launched = (task: TaskState): boolean => task.launches > 0 || isSettled(task);
  return {
    contract: judged(state.contract),
    load: judged(state.load),
    thread: judged(wave?.thread ?? null),
    preflight: judged(wave?.preflight ?? null),
    ownership: judged(wave?.ownership ?? null),
    approval: judged(wave?.approval ?? null),
    dispatch: { passed: tasks.length > 0 && tasks.every(launched), failed: tasks.some(isHalted) },
    monitor: { passed: tasks.length > 0 && tasks.every(hasFinished), failed: tasks.some(needsPerson) },
    closure: wave?.closed === true ? done : judged(closed),
    merge: { passed: wave?.closed === true, failed: false },
  };
}

const done: Progress = { passed: true, failed: false };
const judged = (verdicts: readonly Verdict[] | null): Progress => ({
  passed: verdicts !== null && passes(verdicts),
  failed: verdicts !== null && !passes(verdicts),
});
const isHalted = (task: TaskState): boolean => task.progress.status === 'waiting' && task.progress.next.halt !== null;
const needsPerson = (task: TaskState): boolean => ['held', 'failed'].includes(task.progress.status);
const hasFinished = (task: TaskState): boolean => ['ready', 'merged', 'done', 'dropped'].includes(task.progress.status);

/** A landing may be approved long before it can happen. */
const allClosed = (state: RunState): boolean => selectedWaves(state).every((wave) => wave.closed);

function landingMark(state: RunState): Mark {
  switch (state.landing.status) {
    case 'landed':
    case 'offered':
    case 'undone':
      return 'passed';
    case 'refused':
      return 'failed';
    case 'none':
      return state.taps.land !== undefined && state.ended === null && allClosed(state) ? 'active' : 'waiting';
    default:
      return 'active';
  }
}

const signs: Record<Mark, { readonly sign: string; readonly tone: Span['tone'] }> = {
  passed: { sign: '✓', tone: 'good' },
  active: { sign: '●', tone: 'waiting' },
  waiting: { sign: '·', tone: 'dim' },
  failed: { sign: '✗', tone: 'bad' },
};

/** The five words on one line. An active or failed word is followed by its phases. */
export const phaseLine = (state: RunState): Text =>
  wordsOf(state).flatMap(({ shown, members, whole }, at): (string | Span)[] => {
    const unfolds = members.length > 1 && (whole === 'active' || whole === 'failed');
    const inner: Span[] = unfolds ? [{ text: ` (${members.map(phaseText).join(' ')})`, tone: 'dim' }] : [];
    return [...(at === 0 ? [] : ['  ']), shown, ...inner];
  });

/** The five words without phases. */
export const wordLine = (state: RunState): Text =>
  wordsOf(state).flatMap(({ shown }, at) => (at === 0 ? [shown] : ['  ', shown]));

/** One line per word, with all its phases. */
export const unfoldedLines = (state: RunState): readonly Text[] =>
  wordsOf(state).map(({ shown, members }) => [
    { ...shown, text: shown.text.padEnd(11) },
    ...members.flatMap(({ phase, id, mark }): (string | Span)[] => [
      { text: signs[mark].sign, tone: signs[mark].tone },
      ` ${id} ${phase} `,
    ]),
  ]);

function wordsOf(state: RunState) {
  const marks = phaseMarks(state);
  const words = [...new Set(marks.map(({ word }) => word))];
  return words.map((word) => {
    const members = marks.filter((mark) => mark.word === word);
    const whole = wholeMark(members, state);
    const { sign, tone } = signs[whole];
    const shown: Span = { text: `${sign} ${word}`, tone };
    return { shown, members, whole };
  });
}

function wholeMark(members: readonly PhaseMark[], state: RunState): Mark {
  const marks = members.map(({ mark }) => mark);
  if (marks.includes('failed')) return 'failed';
  if (marks.every((mark) => mark === 'passed')) return 'passed';
  // a landing that a person rejected did not happen
  const isRejected =
    state.taps.land?.status === 'rejected' &&
    members.some(({ phase, mark }) => phase === 'landing' && mark === 'waiting');
  if (isRejected) return 'waiting';
  if (state.ended !== null) return marks.includes('passed') && state.ended === 'done' ? 'passed' : 'waiting';
  return marks.includes('active') ? 'active' : 'waiting';
}

const phaseText = ({ phase, mark }: PhaseMark): string => `${signs[mark].sign} ${phase}`;

/** One line per phase, for `show`. */
export const phaseTable = (state: RunState): readonly Text[] =>
  phaseMarks(state).map(({ phase, id, word, mark }) => [
    { text: `  ${signs[mark].sign} `, tone: signs[mark].tone },
    `${id.padEnd(4)} ${phase.padEnd(10)} ${word}`,
  ]);
