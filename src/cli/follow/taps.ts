import { firstTap } from '../../domain/decide/answer-before-made.ts';
import { toldOfLanding } from '../../domain/explain/advice.ts';
import { directiveText } from '../../domain/explain/clauses.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { By, TapName } from '../../domain/ledger/requests.ts';
import { allTasks } from '../../domain/plan/plan.ts';
import { selectedWaves, tasksOfWave } from '../../domain/run/run.ts';
import { isResolved, snapshotOf } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { planView, uncheckedText } from '../../view/plan-view.ts';
import type { RunView } from '../../view/run-view.ts';
import { files } from '../../view/task-line.ts';
import { type Edited, editPlan } from '../begin/edit-plan.ts';
import { actOn, refusedToAgent } from '../frame/act.ts';
import { type Context, exitCodes, type Outcome } from '../frame/command.ts';
import { isAnswered, openTap, type TapFlags } from './open-tap.ts';
import { settledOutcome } from './settled.ts';

/** Whether the start of a run was approved by how it was called. */
export const startVia = (
  context: Context,
  state: RunView['state'],
  tap: TapName,
  flags: TapFlags,
): By['via'] | null => {
  if (flags.yes) return 'yes-flag';
  const isTyped = flags.typed === true && context.terminal.interactive && !context.json;
  return isTyped && tap === firstTap(state) ? 'terminal' : null;
};

/**
 * Brings one tap to a decision by flag or by a person at the terminal. Null: decided, and the run goes on or ends.
 * Whatever else happens, an outcome that needs a person: silence, a closed input and an agent mean neither yes nor no.
 */
export async function settleTap(
  repo: RepositoryHandle,
  context: Context,
  view: RunView,
  tap: TapName,
  flags: TapFlags & { readonly warnings: readonly Finding[] },
): Promise<Outcome | null> {
  const { run } = view.state;
  const landVia = isAnswered(tap, view, flags) ? 'land-flag' : null;
  const via = tap === 'land' ? landVia : startVia(context, view.state, tap, flags);
  const refused = refusedToAgent(repo, 'approve', tap === 'land' ? `land ${run}` : `approve ${run}`);
  if (refused !== null) return refused;
  if (via === 'terminal') showPlan(context, view, flags.warnings);
  if (via !== null) return await decide(repo, view, { action: 'approve', tap, via });
  if (!context.terminal.interactive || context.json) return settledOutcome(view, context);
  if (tap !== 'land') return await decideStart(repo, context, { view, warnings: flags.warnings }, tap);
  return await answered(repo, context, { view, tap, said: await askLanding(repo, context, view) });
}

/** What a person said. No answer leaves the question open. */
async function answered(
  repo: RepositoryHandle,
  context: Context,
  { view, tap, said }: { readonly view: RunView; readonly tap: TapName; readonly said: Exclude<Said, 'edit'> },
): Promise<Outcome | null> {
  if (said === 'nothing') return unanswered(view, context);
  return await decide(repo, view, { action: said === 'yes' ? 'approve' : 'reject', tap, via: 'terminal' });
}

/** The plan may be edited before it is decided on: then the same is asked of the new one. */
async function decideStart(
  repo: RepositoryHandle,
  context: Context,
  first: Edited,
  tap: TapName,
): Promise<Outcome | null> {
  for (let now: Edited | null = first; now !== null; now = await editPlan(repo, context, now)) {
    const asked = openTap(now.view) ?? tap;
    const said = await askStart(context, now.view, asked, now.warnings);
    if (said !== 'edit') return await answered(repo, context, { view: now.view, tap: asked, said });
  }
  return null;
}

async function decide(
  repo: RepositoryHandle,
  view: RunView,
  { action, tap, via }: { readonly action: 'approve' | 'reject'; readonly tap: TapName; readonly via: By['via'] },
): Promise<Outcome | null> {
  const { mayDecide, by } = repo.caller;
  const outcome = await actOn(repo, {
    action,
    subject: { run: view.state.run, state: view.state },
    input: { hash: view.state.hash, tap },
    caller: { mayDecide, by: { ...by, via } },
  });
  return outcome.exit === exitCodes.done ? null : outcome;
}

const unanswered = (view: RunView, context: Context): Outcome => ({
  ...settledOutcome(view, context),
  exit: exitCodes.personNeeded,
});

/** Commands cost nothing that we know of. */
function mostText({ plan }: RunView['state'], count: number): string {
  const paid = allTasks(plan).some((task) => task.agent.some((agent) => agent !== 'command'));
  return paid ? ` (at most $${Math.min(count * plan.limits.usd, plan.limits.runUsd)})` : '';
}

/** What a person is asked at a tap, inline and on the screen. */
export function tapQuestion(state: RunView['state'], tap: TapName): string {
  if (tap === 'land') return `Land ${counted(merged(state).length)} on ${state.target.branch}?`;
  const waves = tap === 'start' ? selectedWaves(state) : state.waves.filter(({ index }) => `start-${index}` === tap);
  const tasks = waves.flatMap(({ index }) => tasksOfWave(state, index));
  const count = tasks.filter((task) => !isResolved(task)).length;
  return `Start ${counted(count)}${mostText(state, count)}?`;
}

const counted = (tasks: number): string => `${tasks} task${tasks === 1 ? '' : 's'}`;
const merged = (state: RunView['state']) =>
  Object.values(state.tasks).filter(({ progress }) => progress.status === 'merged');

async function askStart(context: Context, view: RunView, tap: TapName, warnings: readonly Finding[]): Promise<Said> {
  const { state } = view;
  showPlan(context, view, warnings);
  return await askYes(context, { question: tapQuestion(state, tap), answers: 'y/N/e/d' }, async () =>
    allTasks(state.plan).flatMap((task): readonly Text[] => [
      [{ text: task.id, tone: 'strong' }, task.command === null ? '' : `: ${task.command.join(' ')}`],
      ...directiveText(task.directive, state.plan.forbid)
        .trimEnd()
        .split('\n')
        .map((line) => `  ${line}`),
      '',
    ]),
  );
}

function showPlan(context: Context, { state }: RunView, warnings: readonly Finding[]): void {
  for (const line of planView(state, warnings)) context.terminal.line(line);
  context.terminal.line();
}

async function askLanding(repo: RepositoryHandle, context: Context, view: RunView): Promise<Exclude<Said, 'edit'>> {
  const { state } = view;
  if (state.landing.status === 'refused') {
    const { message, first } = toldOfLanding(state, state.landing);
    context.terminal.problem(`tidegate: the last try was refused: ${message}`);
    if (first !== undefined) context.terminal.problem(`  first: ${first}`);
  }
  for (const task of merged(state)) context.terminal.line(`  ${task.id}: ${files(snapshotOf(task)?.diff.length ?? 0)}`);
  if (state.plan.checks.length === 0) context.terminal.line(`  checks: ${uncheckedText}`);
  return await askYes(context, { question: tapQuestion(state, 'land'), answers: 'y/N/d' }, async () =>
    state.branch === null
      ? []
      : (await repo.patches.text(state.uncommitted ?? state.target.commit, state.branch.commit, [])).split('\n'),
  );
}

type Said = 'yes' | 'no' | 'edit' | 'nothing';

/** Only `y` and `yes` mean yes, only `n`, `no` and Enter mean no. `d` shows more; anything else is asked again. */
async function askYes<Answers extends 'y/N/d' | 'y/N/e/d'>(
  context: Context,
  { question, answers }: { readonly question: string; readonly answers: Answers },
  details: () => Promise<readonly Text[]>,
): Promise<Answers extends 'y/N/d' ? Exclude<Said, 'edit'> : Said>;
async function askYes(
  context: Context,
  { question, answers }: { readonly question: string; readonly answers: string },
  details: () => Promise<readonly Text[]>,
): Promise<Said> {
  for (;;) {
    const said = (await context.terminal.ask(`${question} [${answers}]`))?.trim().toLowerCase();
    if (said === undefined) return 'nothing';
    if (said === 'e' && answers.includes('e')) return 'edit';
    if (said === 'y' || said === 'yes') return 'yes';
    if (said === '' || said === 'n' || said === 'no') return 'no';
    if (said === 'd') for (const line of await details()) context.terminal.line(line);
  }
}
