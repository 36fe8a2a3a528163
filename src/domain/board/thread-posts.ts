import { brief, waveName } from '../explain/text.ts';
import type { BoundThread } from '../gates/evidence.ts';
import type { ThreadPlan } from '../plan/plan.ts';
import { currentWave, type RunState, selectedWaves, tasksOfWave, type WaveState } from '../run/run.ts';
import { noticesOf, type Update } from './notices.ts';

/** One line for the thread of a wave. */
export type ThreadPost = Update & {
  readonly run: string;
  readonly wave: number;
  readonly kind: 'started' | 'closed' | 'needs-you' | 'landed';
  readonly text: string;
  readonly thread: BoundThread;
  readonly places: ThreadPlan;
};

/** Returns all posts that the threads of a run should hold by now; none where there is only the built-in board. */
export function postsOf(state: RunState): readonly ThreadPost[] {
  if (state.plan.thread === undefined) return [];
  const waves = selectedWaves(state);
  const last = waves.at(-1);
  return [
    ...waves.flatMap((wave) => wavePosts(state, wave)),
    ...needPosts(state, currentWave(state) ?? last),
    ...(state.landing.status === 'landed' ? post(state, last, 'landed', `landed on ${state.target.branch}`) : []),
  ];
}

function wavePosts(state: RunState, wave: WaveState): readonly ThreadPost[] {
  const tasks = tasksOfWave(state, wave.index);
  const name = waveName(wave.index, state.plan.waves[wave.index]?.name);
  const started = tasks.some(({ launches }) => launches > 0);
  return [
    ...(started ? post(state, wave, 'started', `${name} started: ${tasks.map(({ id }) => id).join(', ')}`) : []),
    ...(wave.closed ? post(state, wave, 'closed', `${name} has closed`) : []),
  ];
}

/** A need of a task goes to the thread of its wave; any other need to the thread of the current wave. */
function needPosts(state: RunState, current: WaveState | undefined): readonly ThreadPost[] {
  const needs = noticesOf(state).filter(({ kind }) => kind !== 'ended');
  return needs.flatMap(({ task, message, command, item }) => {
    const owner = Object.values(state.tasks).find(({ id }) => id === task);
    const wave = owner === undefined ? current : state.waves[owner.wave];
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
