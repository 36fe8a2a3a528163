import { explain } from '../domain/explain/explain.ts';
import type { LandingState } from '../domain/landing/landing.ts';
import type { RoundState } from '../domain/run/round.ts';
import { currentWave, plannedStates, type RunState } from '../domain/run/run.ts';
import { isLive } from '../domain/run/schedule.ts';
import { uncheckedOnBase } from '../domain/run/waiting.ts';
import { pauseOf } from './pauses.ts';
import { offerText, type RunView } from './run-view.ts';
import { age, hasBeen, lasting } from './times.ts';

/** A sentence about a run that waits for nobody, without its full stop, and where to look. */
type Doing = { readonly sentence: string; readonly command: string };

export function doing(view: RunView): Doing {
  const { state, times, now } = view;
  const live = Object.values(state.tasks).filter(isLive);
  const [first] = live;
  if (first !== undefined) {
    const names = live.map(({ id }) => id).join(', ');
    const lasts = lasting(times.tasks[first.id] ?? null, now);
    return {
      sentence: `${state.run} ${hasBeen('running', lasts)} ${names}${lasts}`,
      command: `tidegate logs -f ${state.run}/${first.id}`,
    };
  }
  const watch = `tidegate watch ${state.run}`;
  const [paused] = plannedStates(state).flatMap((task) => pauseOf(state, task, now) ?? []);
  if (paused !== undefined)
    return { sentence: `${state.run} waits: ${paused.sentence}`, command: paused.command ?? watch };
  const lasts = lasting(times.last, now);
  if (currentWave(state) === undefined && state.landing.status === 'queued') {
    const turn = `for its turn to land on ${state.target.branch}`;
    return { sentence: `${state.run} ${hasBeen('waiting', lasts)} ${turn}${lasts}`, command: watch };
  }
  const elapsed = age(times.last, now);
  return { sentence: `${state.run}${elapsed === '' ? '' : ` (${elapsed})`}: ${atWork(state)}`, command: watch };
}

/** Nobody is at work for it but Tidegate itself. */
function atWork(state: RunState): string {
  const wave = currentWave(state);
  if (wave === undefined) return landingWords(state, state.landing);
  if (wave.thread === null || wave.preflight === null || wave.ownership === null) return 'its plan is judged';
  if (wave.approval === null) return 'what was decided of its start is recorded';
  if (state.branch === null) return 'its run branch is made';
  const round = wave.rounds.at(-1);
  const ended = plannedStates(state).find(({ progress }) => progress.status === 'ended');
  if (ended !== undefined) return `the snapshot of ${ended.id} is judged`;
  const check = uncheckedOnBase(state);
  if (check !== null && wave.rounds.length === 0)
    return `the check ${check} runs on ${state.target.branch}, before any task starts`;
  return round === undefined ? 'its next task is made ready' : roundWords(state, round);
}

function roundWords(state: RunState, round: RoundState): string {
  const tasks = round.tasks.map(({ task }) => task).join(', ');
  const are = round.tasks.length === 1 ? 'is' : 'are';
  switch (round.status) {
    case 'opened':
      return `${tasks} ${are} integrated`;
    case 'built':
    case 'completed':
      return checkWords(state, round.tip?.tree) ?? `the candidate of ${tasks} is completed`;
    case 'generated':
      return 'generated files are added to the candidate';
    case 'closing':
    case 'merging':
      return `${tasks} passed and ${are} merged now`;
    case 'merged':
      return `${tasks} ${are} merged, and the wave closes`;
    case 'abandoned':
      return `the integration is made anew: ${explain(round.because).detail}`;
  }
}

function landingWords(state: RunState, landing: LandingState): string {
  const { branch } = state.target;
  switch (landing.status) {
    case 'none':
      return state.taps.land?.status === 'rejected' ? 'it ends without landing' : `it is about to land on ${branch}`;
    case 'queued':
      return `it waits for its turn to land on ${branch}`;
    case 'observed': {
      if (landing.rebuilt === null) return `${branch} is looked at before it moves`;
      const { tree, before, asMerged } = landing.rebuilt;
      const check = checkWords(state, tree) ?? checkWords(state, before?.tree, `with ${branch}'s definitions`);
      if (asMerged === true) return check ?? `the check definitions are compared with those of ${branch}`;
      return `${branch} has moved; the run is built again on top of it${check === null ? '' : `, and ${check}`}`;
    }
    case 'intended':
      return `${branch} is being moved`;
    case 'offering':
      return landing.opener === null ? `${landing.branch} is being pushed` : 'the pull request is being opened';
    case 'offered':
      return offerText(state, landing);
    case 'landed':
      return `it has landed on ${landing.branch}`;
    case 'refused':
      return `landing on ${branch} was refused: ${explain(landing.because).detail}`;
    case 'undoing':
      return `it is taken back out of ${landing.branch}`;
    case 'undone':
      return `it was taken back out of ${landing.branch}`;
  }
}

function checkWords({ plan, checks }: RunState, tree: string | undefined, where = 'on the result'): string | null {
  const next = tree === undefined ? undefined : plan.checks.find(({ name }) => checks[`${tree} ${name}`] === undefined);
  return next === undefined ? null : `the check ${next.name} runs ${where}`;
}
