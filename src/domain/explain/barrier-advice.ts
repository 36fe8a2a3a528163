import type { TaskId } from '../base/ids.ts';
import type { Barrier } from '../closure/barriers.ts';
import { findingsIn } from '../gates/verdict.ts';
import { type RunState, tasksOfWave } from '../run/run.ts';
import type { Advice } from './advice.ts';
import { answerQuestion, reworkInstead, settleRecord } from './commands.ts';
import { describeFinding, sentenceOf } from './explain.ts';
import { brief } from './text.ts';

/** Explains what keeps a wave open, with the command that removes it. */
export function barrierAdvice(state: RunState, barrier: Barrier): Advice {
  const message = barrierText(state, barrier);
  const safe = 'nothing of this wave is merged until it closes';
  if (barrier.record !== undefined && (barrier.owner === 'person' || barrier.kind === 'question')) {
    const isContradiction = barrier.id.startsWith('contradiction-');
    const command = (isContradiction ? settleRecord : answerQuestion)(state.run, barrier.record);
    return { message, safe, command };
  }
  if (barrier.owner !== 'person') return { message, safe, command: `tidegate watch ${state.run}` };
  const resolve = `tidegate resolve ${state.run}/${barrier.id} -m "your reason"`;
  const decide = barrier.tree === undefined ? [] : [`to decide it yourself: ${resolve}`];
  if (barrier.kind !== 'report' || barrier.task === undefined) {
    const { fix, command } = sentenceOf(barrier.because);
    const own = command ?? (fix?.startsWith('tidegate ') === true ? fix : undefined);
    return own === undefined ? { message, safe, command: resolve } : { message, safe, lines: decide, command: own };
  }
  const { task } = barrier;
  const subject = `${state.run}/${task}`;
  const retry = `tidegate retry ${subject}`;
  const output = `its output:            tidegate logs ${subject}`;
  if (barrier.because.rule === 'role-report-missing')
    return { message, safe, lines: [output, ...decide], command: retry };
  const fix = `to fix the work:       ${fixCommand(state, task, barrier)}`;
  return { message, safe, lines: [output, fix, `to run the role again: ${retry}`], command: resolve };
}

/** A role without a report is explained by what its last attempt did wrong. */
function barrierText({ tasks }: RunState, { because, task, owner }: Barrier): string {
  const text = describeFinding(because);
  const progress = task === undefined ? undefined : tasks[task]?.progress;
  if (owner !== 'person' || (progress?.status !== 'failed' && progress?.status !== 'held')) return brief(text, 300);
  const { dispatched, monitored } = progress.attempt;
  const [first] = findingsIn([...(dispatched ?? []), ...(monitored ?? [])]);
  return brief(first === undefined || first.rule === because.rule ? text : `${text}: ${describeFinding(first)}`, 300);
}

/** Sends the finding to a task of the wave. With several tasks the person chooses one. */
function fixCommand(state: RunState, role: TaskId, { because }: Barrier): string {
  const tasks = tasksOfWave(state, state.tasks[role]?.wave ?? -1);
  const [only, ...more] = tasks.filter(({ progress }) => progress.status === 'ready');
  const subject = `${state.run}/${only === undefined || more.length > 0 ? '<task>' : only.id}`;
  return reworkInstead(subject, brief(describeFinding(because)));
}
