import { type Need, needsOf } from '../domain/explain/needs.ts';
import type { Advice } from '../domain/explain/text.ts';
import { isPartlyLanded } from '../domain/landing/land-some.ts';
import { openUndo } from '../domain/landing/landing-queue.ts';
import { type Offer, pullRequestCommand } from '../domain/landing/pull-request.ts';
import { leftToLand } from '../domain/landing/undo.ts';
import { plannedStates, type RunState, selectedWaves, tasksOfWave } from '../domain/run/run.ts';
import type { Span, Text } from '../ports/terminal.ts';
import type { Activity } from './activity.ts';
import { keptLines } from './kept-lines.ts';
import { cautionLines } from './pauses.ts';
import { phaseLine } from './phases.ts';
import { taskLine } from './task-line.ts';
import { age, type Times } from './times.ts';

/** One run at one moment. Activity is there only where somebody looks at it. */
export type RunView = {
  readonly state: RunState;
  readonly times: Times;
  readonly now: string;
  readonly activity?: Activity;
};

/** The whole of a run on one screen: where it stands, its tasks, and what it waits for and since when. */
export function runView(view: RunView): readonly Text[] {
  const { state } = view;
  return [headLine(view), phaseLine(state), ...waveLines(view), ...standingLines(view)];
}

export function headLine({ state, times, now }: RunView): Text {
  const took = age(times.began, times.ended ?? now);
  return [
    { text: state.run, tone: 'strong' },
    ` onto ${state.target.branch}, ${fenceText(state)}`,
    took === '' ? '' : `, ${took}`,
  ];
}

/** Never left out: who runs unfenced must see it wherever they look. */
export const fenceText = (state: Pick<RunState, 'plan'>): string =>
  state.plan.fence.mode === 'none' ? 'fence: NONE' : 'fence: bubblewrap';

function waveLines(view: RunView): readonly Text[] {
  const { state } = view;
  const width = Math.min(28, Math.max(...Object.keys(state.tasks).map((id) => id.length)));
  return selectedWaves(state).flatMap((wave): readonly Text[] => {
    const name = state.plan.waves[wave.index]?.name ?? '';
    const title = `wave ${wave.index}${name === '' || name === `wave-${wave.index}` ? '' : ` ${name}`}`;
    const tasks = tasksOfWave(state, wave.index).map((task) => taskLine(view, task, width));
    return ['', [{ text: title, tone: 'strong' }, wave.closed ? ', closed' : ''], ...tasks];
  });
}

/** How it ended, or what it waits for. */
export function standingLines(view: RunView): readonly Text[] {
  const ended = endLine(view.state);
  const undo = undoText(view);
  const standing: readonly Text[] = [
    ...(ended === null ? [] : [[{ text: ended, tone: endTone(view.state) }]]),
    ...cautionLines(view.state, view.now),
    ...(undo === null ? [] : [[{ text: 'undo', tone: 'waiting' } as const, `: ${undo}`]]),
    ...needsOf(view.state)
      .filter(({ kind }) => ended === null || undo !== null || kind === 'question' || kind === 'landing')
      .flatMap((need) => needLines(view, need)),
    ...keptLines(view.state, 5),
  ];
  return standing.length === 0 ? [] : ['', ...standing];
}

export const endTone = ({ ended, landing }: Pick<RunState, 'ended' | 'landing'>): Span['tone'] =>
  ended === 'failed' || landing.status === 'refused' ? 'bad' : 'good';

/** What an undo that was asked for waits for. */
export function undoText({ state, times, now }: RunView): string | null {
  const undo = openUndo(state);
  if (undo === null) return null;
  const subject = undo.task === null ? state.run : `${state.run}/${undo.task}`;
  const since = age(times.undo, now);
  const how = since === '' ? '' : ` (${since})`;
  if (undo.onto === null || undo.check === null) return `${subject} is taken back${how}`;
  return `${subject} waits for the check ${undo.check} on commits that revert it${how}`;
}

function needLines(view: RunView, need: Need): readonly Text[] {
  const since = age(needSince(view, need), view.now);
  const subject = need.task === null ? '' : `${need.task}: `;
  return [
    [{ text: 'waits for you', tone: 'waiting' }, since === '' ? '' : ` (${since})`, `: ${subject}${need.message}`],
    ...toldLines(need),
  ];
}

/** All of it but the message: the lines that say why, what is safe, and what to type. */
export function toldLines({ lines = [], safe, first, command }: Omit<Advice, 'message'>): readonly Text[] {
  const before = first === undefined ? [] : first.split('\n');
  return [
    ...lines.map((line): Text => [{ text: `  | ${line}`, tone: 'dim' }]),
    ...(safe === '' ? [] : [`  ${safe}`]),
    ...before.map((line, at) => (at === 0 ? `  first: ${line}` : `         ${line}`)),
    ...(before.length === 0 ? [`  ${command}`] : [`  then:  ${command}`]),
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

/** With what to type for the rest, where something was left out of the landing. */
export function endLine(state: RunState): string | null {
  const ended = endText(state);
  return ended === null || !isPartlyLanded(state) ? ended : `${ended}: tidegate land ${state.run}`;
}

export function endText(state: RunState): string | null {
  const tasks = plannedStates(state);
  const left = tasks.filter(({ progress }) => progress.status === 'dropped').length;
  const without = left === 0 ? '' : `, without ${left} dropped task${left === 1 ? '' : 's'}`;
  const { landing } = state;
  if (landing.status === 'undone') {
    const at = landing.commit.slice(0, 8);
    return landing.exact
      ? `Undone: ${landing.branch} is at ${at} again`
      : `Undone: reverted on ${landing.branch} by ${at}`;
  }
  if (landing.status === 'offered' && state.ended !== null) return `${offerText(state, landing)}${without}`;
  const ended = state.ended === 'done' && landing.status === 'landed' ? 'landed' : state.ended;
  switch (ended) {
    case null:
      return null;
    case 'landed':
      return `Landed on ${'branch' in landing ? landing.branch : state.target.branch}${landing.status === 'landed' ? ` as ${landing.new.slice(0, 8)}` : ''}${without}${state.plan.checks.length === 0 ? ' (the plan has no checks)' : ''}${leftText(state)}${takenBackText(state)}`;
    case 'done':
      if (landing.status === 'refused') return `Not landed on ${state.target.branch}`;
      return `Done${without}${state.branch === null ? '' : '; nothing was landed'}`;
    case 'rejected':
      return `Not started: ${notApproved(state)}`;
    case 'abandoned':
      return `Abandoned by ${state.abandoned?.who ?? 'nobody'}${hasLanded(state) ? `; what landed stays on ${state.target.branch}` : ''}`;
    case 'failed':
      return 'Failed';
  }
}

const hasLanded = ({ undo }: RunState): boolean => undo.standing === 'landed';

/** Who said no, or that nobody said anything. */
function notApproved({ taps }: RunState): string {
  const decided = Object.values(taps).find((tap) => tap?.status === 'rejected' || tap?.status === 'expired');
  if (decided === undefined) return 'all its tasks were dropped';
  return 'by' in decided && decided.status === 'rejected' ? `${decided.by.who} said no` : 'nobody approved it in time';
}
/** Where the pull request is, or the command that opens it. */
export const offerText = ({ target }: Pick<RunState, 'target'>, offer: Offer): string =>
  offer.url === null
    ? `Pushed ${offer.branch} to ${offer.pushed.remote}; open the pull request: ${pullRequestCommand(offer, target.branch)}`
    : `Pull request onto ${target.branch}: ${offer.url}`;

/** What a person left out of the landing. */
function leftText(state: RunState): string {
  const left = leftToLand(state);
  return left.length === 0 ? '' : `; ${left.join(', ')} stayed on the run branch`;
}

const takenBackText = ({ undo }: RunState): string =>
  undo.tasks.length === 0 ? '' : `; ${undo.tasks.join(', ')} taken back since`;
