import { rolesOfWave } from '../domain/closure/role-state.ts';
import { derivedToShow } from '../domain/derived/derived-tasks.ts';
import { type Advice, spendText } from '../domain/explain/advice.ts';
import { endLine } from '../domain/explain/ending.ts';
import { explain } from '../domain/explain/explain.ts';
import { type Need, needsOf } from '../domain/explain/needs.ts';
import { sleepText, waveName } from '../domain/explain/text.ts';
import { discardCommand } from '../domain/kept/discard.ts';
import { openUndo } from '../domain/landing/landing-queue.ts';
import { isNear, runSpend, taskSpend } from '../domain/run/costs.ts';
import { plannedStates, type RunState, selectedWaves, tasksOfWave } from '../domain/run/run.ts';
import { endedAttempt } from '../domain/run/task.ts';
import type { Span, Text } from '../ports/terminal.ts';
import { openRecordLines } from './board-lines.ts';
import { dependencyLines } from './dependency-lines.ts';
import { orchestratorLines } from './orchestrator-view.ts';
import { phaseLine } from './phases.ts';
import { overrideLines, waveStanding } from './role-text.ts';
import { type Activity, age, isTaskOpen, type Times, taskLine } from './task-view.ts';
import { pauseLines } from './waiting.ts';

/** One run at one moment. `activity` is present only where somebody looks at it. */
export type RunView = {
  readonly state: RunState;
  readonly times: Times;
  readonly now: string;
  readonly activity?: Activity;
};

/** The whole run on one screen: its phases, its tasks, and what it needs from a person. */
export function runView(view: RunView): readonly Text[] {
  const { state } = view;
  return [headLine(view), phaseLine(state), ...waveLines(view), ...orchestratorLines(state), ...standingLines(view)];
}

export function headLine({ state, times, now }: RunView): Text {
  const elapsed = age(times.began, times.ended ?? now);
  return [
    { text: state.run, tone: 'strong' },
    ` onto ${state.target.branch}, ${fenceText(state)}`,
    elapsed === '' ? '' : `, ${elapsed}`,
  ];
}

/** Shown everywhere, so that nobody overlooks a run without a fence. */
export const fenceText = (state: Pick<RunState, 'plan'>): string =>
  state.plan.fence.mode === 'none' ? 'fence: NONE' : 'fence: bubblewrap';

function waveLines(view: RunView): readonly Text[] {
  const { state } = view;
  const width = Math.min(28, Math.max(...Object.keys(state.tasks).map((id) => id.length)));
  const isAsked = needsOf(state).some(({ kind }) => kind === 'land');
  return selectedWaves(state).flatMap((wave): readonly Text[] => {
    const title = waveName(wave.index, state.plan.waves[wave.index]?.name);
    const tasks = [
      ...tasksOfWave(state, wave.index),
      ...derivedToShow(state, wave.index),
      ...rolesOfWave(state, wave.index),
    ];
    return [
      '',
      [{ text: title, tone: 'strong' }, waveStanding(state, wave)],
      ...tasks.map((task) => taskLine(view, task, width)),
      // before a landing they are listed with the question
      ...(isAsked ? [] : overrideLines(state, wave)),
    ];
  });
}

/** Tells how the run ended, or what it is waiting for. */
export function standingLines(view: RunView): readonly Text[] {
  const { state } = view;
  const ended = endLine(state);
  const undo = undoText(view);
  const lines: readonly Text[] = [
    ...(ended === null ? [] : [[{ text: ended, tone: endTone(state) }]]),
    ...cautionLines(state, view.now),
    ...(undo === null ? [] : [[{ text: 'undo', tone: 'waiting' } as const, `: ${undo}`]]),
    ...needsOf(state)
      .filter(({ kind }) => ended === null || undo !== null || kind === 'question' || kind === 'landing')
      .flatMap((need) => needLines(view, need)),
    ...openRecordLines(state, view.now),
    ...dependencyLines(state),
    ...keptLines(state, 5),
  ];
  return lines.length === 0 ? [] : ['', ...lines];
}

export const endTone = ({ ended, landing }: Pick<RunState, 'ended' | 'landing'>): Span['tone'] =>
  ended === 'failed' || landing.status === 'refused' ? 'bad' : 'good';

/** The progress of a requested undo; null when there is none. */
export function undoText({ state, times, now }: RunView): string | null {
  const undo = openUndo(state);
  if (undo === null) return null;
  const subject = undo.task === null ? state.run : `${state.run}/${undo.task}`;
  const elapsed = age(times.undo, now);
  const since = elapsed === '' ? '' : ` (${elapsed})`;
  return undo.onto === null || undo.check === null
    ? `reverting ${subject}${since}`
    : `running the check ${undo.check} on the commits that revert ${subject}${since}`;
}

function needLines(view: RunView, need: Need): readonly Text[] {
  const since = age(needSince(view, need), view.now);
  const subject = need.task === null ? '' : `${need.task}: `;
  const waiting = need.kind === 'requires' ? 'waiting' : 'waiting for you';
  return [
    [{ text: waiting, tone: 'waiting' }, since === '' ? '' : ` (${since})`, `: ${subject}${need.message}`],
    ...adviceLines(need),
  ];
}

/** The advice without its message: lines that show the cause, what is safe, and the commands. */
export function adviceLines({ lines = [], safe, first, command }: Omit<Advice, 'message'>): readonly Text[] {
  const steps = first === undefined ? [] : first.split('\n');
  return [
    ...lines.map((line): Text => [{ text: `  | ${line}`, tone: 'dim' }]),
    ...(safe === '' ? [] : [`  ${safe}`]),
    ...steps.map((line, at) => (at === 0 ? `  first: ${line}` : `         ${line}`)),
    steps.length === 0 ? `  ${command}` : `  then:  ${command}`,
  ];
}

export function needSince({ state, times }: RunView, need: Need): string | null {
  if (need.task !== null) return Object.entries(times.tasks).find(([task]) => task === need.task)?.[1] ?? null;
  if (need.kind === 'land') return times.taps.land ?? null;
  if (need.kind === 'approve') {
    const [open] = Object.entries(state.taps).filter(([name, tap]) => name !== 'land' && isOpenTap(tap?.status));
    return open === undefined ? null : (Object.entries(times.taps).find(([name]) => name === open[0])?.[1] ?? null);
  }
  return need.kind === 'budget' ? null : times.stood;
}

const isOpenTap = (status: string | undefined): boolean => status === 'pending' || status === 'held';

/** Paused providers, budgets that are nearly used up, and tasks that took long because the machine slept. */
export function cautionLines(state: RunState, now: string): readonly Text[] {
  if (state.ended !== null) return [];
  const open = plannedStates(state).filter(isTaskOpen);
  const spends = [
    ...open.map((task) => ({ name: task.id as string, spend: taskSpend(state, task) })),
    { name: 'the run', spend: runSpend(state) },
  ];
  return [
    ...pauseLines(state, now),
    ...spends
      .filter(({ spend }) => isNear(spend))
      .map(({ name, spend }): Text => [{ text: `${name} has used ${spendText(spend)}`, tone: 'waiting' }]),
    ...open.flatMap((task) => {
      const slept = sleepText(endedAttempt(task)?.slept ?? 0);
      return slept === null ? [] : [`${task.id}: ${slept}`];
    }),
  ];
}

/** Files that no snapshot holds, for programs. */
export const keptDocument = (state: RunState) =>
  state.kept.map(({ task, attempt, path, why }) => ({
    task,
    attempt,
    path,
    why: explain(why).detail,
    command: discardCommand(state.run, { task, path }),
  }));

/** The first few files that no snapshot holds, and the command that lists the others. */
export function keptLines(state: RunState, most: number, task: string | null = null): readonly Text[] {
  const kept = keptDocument(state).filter((one) => task === null || one.task === task);
  const more = kept.length - most;
  return [
    ...kept
      .slice(0, most)
      .flatMap(({ attempt, path, why, command }): readonly Text[] => [
        [{ text: 'in no snapshot', tone: 'waiting' }, `: ${path} of ${attempt}: ${why}`],
        `  it stays in its workspace; to discard it: ${command}`,
      ]),
    ...(more > 0 ? [`and ${more} more files in no snapshot: tidegate rescue ${state.run}`] : []),
  ];
}
