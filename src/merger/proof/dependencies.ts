import type { RunId, TaskId } from '../../domain/base/ids.ts';
import { present } from '../../domain/base/result.ts';
import { endName } from '../../domain/dependencies/dependency.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import { boundedWords } from '../../domain/findings/words.ts';
import type { MeetingLanding } from '../../domain/ledger/dependency-events.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import { everyTaskOf } from '../../domain/plan/plan.ts';
import { creation, eventsOf, type History, isStartedOver, planInForce } from './history.ts';

/**
 * Returns the required dependency that keeps this intent from being recorded; null when none was open. A dependency of a task counts
 * from the wave of that task on. One that a landing resolved is open when the stream of the other run has undone that landing since,
 * whether or not this run knows.
 */
export async function openDependency(
  history: History,
  intent: RunEvent,
  historyOf: (run: RunId) => Promise<History>,
): Promise<Finding | null> {
  if (intent.type !== 'merge-intended' && intent.type !== 'landing-intended') return null;
  const { plan } = planInForce(history);
  const closed = new Set(eventsOf(history, 'wave-closed').map(({ event }) => event.wave));
  for (const { event } of eventsOf(history, 'dependency-added')) {
    const { dependency, task, branch, required } = event;
    if (!required || (task !== undefined && isDropped(history, task))) continue;
    const wave = plan.waves.findIndex((one) => everyTaskOf(one).some(({ id }) => id === task));
    const isHeld = intent.type === 'merge-intended' ? wave <= intent.wave : wave < 0 || closed.has(wave);
    const isHere = intent.type === 'landing-intended' && intent.branch === branch;
    const counts = branch === undefined ? isHeld : isHere;
    if (counts && !(await isSettled(history, dependency, historyOf))) return openFinding(creation(history).run, event);
  }
  return null;
}

/**
 * Returns the required dependency of the branch that keeps this landing from being intended, by the stream of the repository. The run
 * that the branch waits for may land.
 */
export async function openOnBranch(
  above: History,
  intent: RunEvent,
  run: RunId,
  historyOf: (run: RunId) => Promise<History>,
): Promise<Finding | null> {
  if (intent.type !== 'landing-intended') return null;
  for (const { event } of eventsOf(above, 'dependency-added')) {
    const { dependency, branch, required, on } = event;
    const counts = required && branch === intent.branch && !('run' in on && on.run === run);
    if (counts && !(await isSettled(above, dependency, historyOf))) return openFinding(run, event);
  }
  return null;
}

type Added = Extract<RunEvent, { readonly type: 'dependency-added' }>;

const openFinding = (run: RunId, { dependency, branch, on, text }: Added): Finding => ({
  rule: 'dependency-open',
  run,
  dependency,
  named: endName(on),
  words: boundedWords(text, 300),
  ...present({ branch }),
});

/** The last record about a dependency counts. */
async function isSettled(
  history: History,
  dependency: string,
  historyOf: (run: RunId) => Promise<History>,
): Promise<boolean> {
  const last = history.findLast(
    ({ event }) => 'dependency' in event && isAbout(event.type) && event.dependency === dependency,
  );
  if (last?.event.type === 'dependency-cancelled') return true;
  if (last?.event.type !== 'dependency-resolved') return false;
  const { landed } = last.event;
  return landed === undefined || isOnBranch(await historyOf(landed.run), landed);
}

/** A task that was dropped, and neither started over nor begun anew by another version of the plan since. */
const isDropped = (history: History, task: TaskId): boolean =>
  history.findLast(
    ({ event }) =>
      (event.type === 'task-dropped' && event.task === task) ||
      isStartedOver(task, event) ||
      (event.type === 'plan-replaced' && !event.keeps.includes(task)),
  )?.event.type === 'task-dropped';

const isAbout = (type: string): boolean =>
  type === 'dependency-resolved' || type === 'dependency-cancelled' || type === 'dependency-unmet';

/** The last move of the work of a run or task was a landing, not an undo. */
function isOnBranch(history: History, { task, branch }: MeetingLanding): boolean {
  const last = history.findLast(({ event }) => {
    if (event.type === 'undone') return event.task === null || task === undefined || event.task === task;
    if (event.type !== 'landed' && event.type !== 'pull-request-landed') return false;
    return event.branch === branch && (task === undefined || event.tasks.includes(task));
  });
  return last !== undefined && last.event.type !== 'undone';
}
