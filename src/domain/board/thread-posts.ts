import { brief } from '../explain/text.ts';
import type { BoundThread } from '../gates/evidence.ts';
import { currentWave, type RunState, selectedWaves, tasksOfWave, type WaveState } from '../run/run.ts';
import type { ThreadPlan } from '../settings/thread.ts';
import type { News } from './news.ts';
import { noticesOf } from './notices.ts';

/** One line for the thread of a wave. */
export type ThreadPost = News & {
  readonly run: string;
  readonly wave: number;
  readonly kind: 'started' | 'closed' | 'needs-you' | 'landed';
  readonly text: string;
  readonly thread: BoundThread;
  readonly places: ThreadPlan;
};

/** All that the threads of a run are to hold by now; nothing where there is only the built-in board. */
export function postsOf(state: RunState): readonly ThreadPost[] {
  if (state.plan.thread === undefined) return [];
  const waves = selectedWaves(state);
  const last = waves.at(-1);
  return [
    ...waves.flatMap((wave) => ofWave(state, wave)),
    ...needed(state, currentWave(state) ?? last),
    ...(state.landing.status === 'landed' ? post(state, last, 'landed', `landed on ${state.target.branch}`) : []),
  ];
}

function ofWave(state: RunState, wave: WaveState): readonly ThreadPost[] {
  const tasks = tasksOfWave(state, wave.index);
  const name = `wave ${wave.index} (${state.plan.waves[wave.index]?.name ?? ''})`;
  const started = tasks.some(({ launches }) => launches > 0);
  return [
    ...(started ? post(state, wave, 'started', `${name} started: ${tasks.map(({ id }) => id).join(', ')}`) : []),
    ...(wave.closed ? post(state, wave, 'closed', `${name} is closed`) : []),
  ];
}

/** What a task waits for is told in the thread of its wave, the rest where the run is. */
function needed(state: RunState, current: WaveState | undefined): readonly ThreadPost[] {
  const needs = noticesOf(state).filter(({ kind }) => kind !== 'ended');
  return needs.flatMap(({ task, message, command, item }) => {
    const of = Object.values(state.tasks).find(({ id }) => id === task);
    const wave = of === undefined ? current : state.waves[of.wave];
    const text = `needs you: ${task === null ? '' : `${task}: `}${brief(message)} · ${command}`;
    return post(state, wave, 'needs-you', text).map((one) => ({ ...one, item: `post ${item}`, lasting: false }));
  });
}

function post(
  { run, plan }: RunState,
  wave: WaveState | undefined,
  kind: ThreadPost['kind'],
  text: string,
): readonly ThreadPost[] {
  if (wave?.bound === undefined || plan.thread === undefined) return [];
  const { index, bound } = wave;
  return [
    {
      item: ['post', run, kind, index].join(' '),
      lasting: true,
      run,
      wave: index,
      kind,
      text,
      thread: bound,
      places: plan.thread,
    },
  ];
}
