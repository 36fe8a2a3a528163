import { safeLine } from '../domain/base/safe-text.ts';
import { openBarriers } from '../domain/closure/barriers.ts';
import type { RoleProgress, RoleView } from '../domain/closure/role-state.ts';
import { landingNotes } from '../domain/explain/advice.ts';
import { describeFinding } from '../domain/explain/explain.ts';
import { overridesIn, overrideText } from '../domain/explain/overrides.ts';
import { few } from '../domain/explain/text.ts';
import { plannedById } from '../domain/plan/plan.ts';
import type { RunState, WaveState } from '../domain/run/run.ts';
import type { Span, Text } from '../ports/terminal.ts';
import type { TaskText } from './task-view.ts';

/** A closure role that is not running, in the columns of a task. */
export function roleColumns({ ended }: RunState, { state, word, findings, closes }: RoleView): TaskText {
  const look = ended === null ? looks[state] : (left[state] ?? looks[state]);
  if (state !== 'reported') return { ...look, detail: '' };
  const detail = [word ?? '', few(findings)].filter((part) => part !== '').join(': ');
  return { ...(closes ? look : { ...look, sign: '!', tone: 'bad' }), detail };
}

type Look = Omit<TaskText, 'detail'>;
/** In a run that has ended. */
const left: Readonly<Partial<Record<RoleProgress, Look>>> = {
  waiting: { sign: '·', tone: 'dim', word: 'not started' },
  running: { sign: '·', tone: 'dim', word: 'not done' },
};
const looks: Readonly<Record<RoleProgress, Look>> = {
  waiting: { sign: '·', tone: 'dim', word: 'waiting' },
  running: { sign: '●', tone: 'waiting', word: 'judging' },
  reported: { sign: '✓', tone: 'good', word: 'reported' },
  absent: { sign: '!', tone: 'bad', word: 'absent' },
  failed: { sign: '✗', tone: 'bad', word: 'failed' },
  resolved: { sign: '✓', tone: 'good', word: 'resolved' },
};

/** `, open: security reports blocked`, or `, closed`. Empty for an open wave without barriers. */
export function waveStanding(state: RunState, wave: WaveState): string {
  const [first] = openBarriers(state, wave);
  const why = first === undefined ? '' : describeFinding(first.because);
  if (wave.closed) return first === undefined ? ', closed' : `, closed, but does not land: ${why}`;
  return first === undefined ? '' : `, open: ${why}`;
}

/** Concerns of security, barriers that people resolved, and changes that a resolver left out, for the person who lands the run. */
export const landingNoteLines = (state: RunState): readonly Text[] => landingNotes(state).flatMap(noteLines);

/** Barriers of a wave that people resolved. */
export const overrideLines = (state: RunState, wave: WaveState): readonly Text[] =>
  overridesIn(state, wave).map(overrideText).flatMap(noteLines);

const noteLines = ([first, ...more]: readonly [string, ...string[]]): readonly Text[] => [
  [{ text: `  ${first}`, tone: 'waiting' }],
  ...more.map((line) => `    ${safeLine(line)}`),
];

/** Returns the scope of a closure role, and its agent or command. */
export function roleScope(state: Pick<RunState, 'plan'>, id: RoleView['task']): readonly (string | Span)[] {
  const role = plannedById(state.plan, id);
  if (role === undefined) return [];
  const owns = role.owns === null || role.owns.length === 0 ? 'reports only' : `owns ${role.owns.join(' ')}`;
  const by =
    role.agent[0] === 'command' ? `  by ${role.command?.join(' ') ?? 'command'}` : `  by ${role.agent.join(', else ')}`;
  return [owns, { text: by, tone: 'dim' }];
}
