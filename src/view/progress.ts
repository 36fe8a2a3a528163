import { offerText } from '../domain/explain/ending.ts';
import { explain } from '../domain/explain/explain.ts';
import type { LandingState } from '../domain/landing/landing.ts';
import type { RoundState } from '../domain/run/round.ts';
import { currentWave, plannedStates, type RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import { uncheckedOnBase } from '../domain/run/waiting.ts';
import type { RunView } from './run-view.ts';
import { hasBeen, lasting } from './task-view.ts';
import { pauseOf } from './waiting.ts';

/** A sentence without its full stop about a run that needs nobody, and the command that shows more. */
type Progress = { readonly sentence: string; readonly command: string };

export function progressOf(view: RunView): Progress {
  const { state, times, now } = view;
  const running = Object.values(state.tasks).filter(isLive);
  const [first] = running;
  if (first !== undefined) {
    const being = describer(lasting(times.tasks[first.id] ?? null, now));
    return {
      sentence: `${state.run} ${being(`running ${running.map(({ id }) => id).join(', ')}`)}`,
      command: `tidegate logs -f ${state.run}/${first.id}`,
    };
  }
  const watch = `tidegate watch ${state.run}`;
  const [pause] = plannedStates(state).flatMap((task) => pauseOf(state, task, now) ?? []);
  if (pause !== undefined)
    return { sentence: `${state.run} is waiting: ${pause.sentence}`, command: pause.command ?? watch };
  const being = describer(lasting(times.last, now));
  return { sentence: `${state.run} ${ownWork(state, being)}`, command: watch };
}

/** Turns `integrating a` into `has been integrating a for 3s`, or `is integrating a` when the time is not known. */
type Being = (doing: string, because?: string) => string;
const describer =
  (lasts: string): Being =>
  (doing, because = '') =>
    `${hasBeen(doing, lasts)}${lasts}${because}`;

/** The work of Tidegate itself, while no agent runs. */
function ownWork(state: RunState, being: Being): string {
  const wave = currentWave(state);
  if (wave === undefined) return landingWork(state, state.landing, being);
  if (wave.thread === null || wave.preflight === null || wave.ownership === null) return being('judging the plan');
  if (wave.approval === null) return being('recording the decision about its start');
  if (state.branch === null) return being('creating the run branch');
  const round = wave.rounds.at(-1);
  const ended = plannedStates(state).find(({ progress }) => progress.status === 'ended');
  if (ended !== undefined) return being(`judging the snapshot of ${ended.id}`);
  const check = uncheckedOnBase(state);
  if (check !== null && wave.rounds.length === 0)
    return being(`running the check ${check} on ${state.target.branch}`, ', before any task starts');
  return round === undefined ? being('preparing the next task') : roundWork(state, round, being);
}

function roundWork(state: RunState, round: RoundState, being: Being): string {
  const tasks = round.tasks.map(({ task }) => task).join(', ');
  switch (round.status) {
    case 'opened':
      return being(`integrating ${tasks}`);
    case 'built':
    case 'completed':
      return being(checkWork(state, round.tip?.tree) ?? `completing the candidate of ${tasks}`);
    case 'generated':
      return being('adding generated files to the candidate');
    case 'closing':
    case 'merging':
      return being(`merging ${tasks}`);
    case 'merged':
      return being(`closing the wave after merging ${tasks}`);
    case 'abandoned':
      return being('integrating again', `, because ${explain(round.because).detail}`);
  }
}

function landingWork(state: RunState, landing: LandingState, being: Being): string {
  const { branch } = state.target;
  switch (landing.status) {
    case 'none':
      return state.taps.land?.status === 'rejected' ? 'ends without landing' : being(`preparing to land on ${branch}`);
    case 'queued':
      return being(`waiting for its turn to land on ${branch}`);
    case 'observed': {
      if (landing.rebuilt === null) return being(`preparing to land on ${branch}`);
      const { tree, before, asMerged } = landing.rebuilt;
      const check = checkWork(state, tree) ?? checkWork(state, before?.tree, `with the definitions on ${branch}`);
      if (asMerged === true) return being(check ?? `comparing the check definitions with those on ${branch}`);
      return being(check ?? 'rebuilding its commits', `, because ${branch} has moved`);
    }
    case 'intended':
      return being(`moving ${branch}`);
    case 'offering':
      return being(landing.opener === null ? `pushing ${landing.branch}` : 'opening the pull request');
    case 'offered':
      return `has finished: ${offerText(state, landing)}`;
    case 'landed':
      return `has landed on ${landing.branch}`;
    case 'refused':
      return `could not land on ${branch}: ${explain(landing.because).detail}`;
    case 'undoing':
      return being(`reverting its commits on ${landing.branch}`);
    case 'undone':
      return `was undone on ${landing.branch}`;
  }
}

function checkWork({ plan, checks }: RunState, tree: string | undefined, where = 'on the result'): string | null {
  const next = tree === undefined ? undefined : plan.checks.find(({ name }) => checks[`${tree} ${name}`] === undefined);
  return next === undefined ? null : `running the check ${next.name} ${where}`;
}
