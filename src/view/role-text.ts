import { openBarriers } from '../domain/closure/barriers.ts';
import { type RoleProgress, type RoleView, securityConcerns } from '../domain/closure/role-state.ts';
import { describeFinding } from '../domain/explain/explain.ts';
import { few } from '../domain/explain/text.ts';
import { plannedById } from '../domain/plan/plan.ts';
import type { RunState, WaveState } from '../domain/run/run.ts';
import type { Span, Text } from '../ports/terminal.ts';
import type { TaskText } from './task-view.ts';

/** A closure role that is not running, in the columns of a task. */
export function roleColumns({ ended }: RunState, { state, word, findings, closes }: RoleView): TaskText {
  const look = ended !== null && state === 'waiting' ? { ...looks.waiting, word: 'not started' } : looks[state];
  if (state !== 'reported') return { ...look, detail: '' };
  const detail = [word ?? '', few(findings)].filter((part) => part !== '').join(': ');
  return { ...(closes ? look : { ...look, sign: '!', tone: 'bad' }), detail };
}

type Look = Omit<TaskText, 'detail'>;
const looks: Readonly<Record<RoleProgress, Look>> = {
  waiting: { sign: '·', tone: 'dim', word: 'waiting' },
  running: { sign: '●', tone: 'waiting', word: 'judging' },
  reported: { sign: '✓', tone: 'good', word: 'reported' },
  absent: { sign: '!', tone: 'bad', word: 'absent' },
  failed: { sign: '✗', tone: 'bad', word: 'failed' },
  resolved: { sign: '✓', tone: 'good', word: 'resolved' },
};

/** `, open: security reports blocked`. Empty for a closed wave, and for one without barriers. */
export function openReason(state: RunState, wave: WaveState): string {
  const [first] = openBarriers(state, wave);
  return first === undefined || wave.closed ? '' : `, open: ${describeFinding(first.because)}`;
}

/** The concerns of security, which let the waves close, for the person who lands the run. */
export const concernLines = (state: RunState): readonly Text[] =>
  securityConcerns(state).flatMap(({ task, findings }): readonly Text[] => [
    [{ text: `  ${task} has concerns`, tone: 'waiting' }, findings.length === 0 ? '' : ':'],
    ...findings.map((finding) => `    ${finding}`),
  ]);

/** Returns the scope of a closure role, and its agent or command. */
export function roleScope(state: Pick<RunState, 'plan'>, id: RoleView['task']): readonly (string | Span)[] {
  const role = plannedById(state.plan, id);
  if (role === undefined) return [];
  const owns = role.owns === null || role.owns.length === 0 ? 'reports only' : `owns ${role.owns.join(' ')}`;
  const by =
    role.agent[0] === 'command' ? `  by ${role.command?.join(' ') ?? 'command'}` : `  by ${role.agent.join(', else ')}`;
  return [owns, { text: by, tone: 'dim' }];
}
