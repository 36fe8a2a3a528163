import type { TaskId } from '../../domain/base/ids.ts';
import { rolesOfWave } from '../../domain/closure/role-state.ts';
import { firstTap } from '../../domain/decide/answer-before-made.ts';
import { adviceFor } from '../../domain/explain/advice.ts';
import { directiveText, plural } from '../../domain/explain/text.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { By, TapName } from '../../domain/ledger/requests.ts';
import { agentsIn, everyTask } from '../../domain/plan/plan.ts';
import { selectedWaves, tasksOfWave } from '../../domain/run/run.ts';
import { isResolved, snapshotOf, type TaskState } from '../../domain/run/task.ts';
import type { RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { planView, uncheckedText } from '../../view/plan-view.ts';
import { landingNoteLines } from '../../view/role-text.ts';
import type { RunView } from '../../view/run-view.ts';
import { actOn, refuseAgentAction } from '../frame/act.ts';
import { type Context, exitCodes, type Outcome } from '../frame/command.ts';
import { isApprovedByFlag, openTap, settledOutcome, type TapFlags } from './follow.ts';
import { editPlan, type PlanProposal } from './replan.ts';

/** Returns how the command line approves the start. Null when it does not. */
const startVia = (context: Context, state: RunView['state'], tap: TapName, flags: TapFlags): By['via'] | null => {
  if (flags.yes) return 'yes-flag';
  const isTyped = flags.typed === true && context.terminal.interactive && !context.json;
  return isTyped && tap === firstTap(state) ? 'terminal' : null;
};

/**
 * Decides one tap, by a flag or by asking the person at the terminal. Null: decided, and the run continues or ends.
 * Anything else is an outcome that needs a person: silence, closed input and an agent mean neither yes nor no.
 */
export async function settleTap(
  repo: RepositoryHandle,
  context: Context,
  view: RunView,
  tap: TapName,
  flags: TapFlags & { readonly warnings: readonly Finding[] },
): Promise<Outcome | null> {
  const { run } = view.state;
  const landVia = isApprovedByFlag(tap, view, flags) ? 'land-flag' : null;
  const via = tap === 'land' ? landVia : startVia(context, view.state, tap, flags);
  const refusal = refuseAgentAction(repo, 'approve', tap === 'land' ? `land ${run}` : `approve ${run}`);
  if (refusal !== null) return refusal;
  if (via === 'terminal') showPlan(context, view, flags.warnings);
  if (via !== null) return await decide(repo, view, { action: 'approve', tap, via });
  if (!context.terminal.interactive || context.json) return settledOutcome(view, context);
  if (tap !== 'land') return await decideStart(repo, context, { view, warnings: flags.warnings }, tap);
  return await takeAnswer(repo, context, { view, tap, answer: await askLanding(repo, context, view.state) });
}

/** Silence leaves the question open. */
async function takeAnswer(
  repo: RepositoryHandle,
  context: Context,
  { view, tap, answer }: { readonly view: RunView; readonly tap: TapName; readonly answer: Exclude<Answer, 'edit'> },
): Promise<Outcome | null> {
  if (answer === 'nothing') return { ...settledOutcome(view, context), exit: exitCodes.personNeeded };
  return await decide(repo, view, { action: answer === 'yes' ? 'approve' : 'reject', tap, via: 'terminal' });
}

/** The person may edit the plan first. Then the same question is about the new version. */
async function decideStart(
  repo: RepositoryHandle,
  context: Context,
  first: PlanProposal,
  tap: TapName,
): Promise<Outcome | null> {
  for (let now: PlanProposal | null = first; now !== null; now = await editPlan(repo, context, now)) {
    const open = openTap(now.view) ?? tap;
    const answer = await askStart(context, now.view, open, now.warnings);
    if (answer !== 'edit') return await takeAnswer(repo, context, { view: now.view, tap: open, answer });
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

/** Empty for commands, which cost nothing that we know of. */
function budgetText({ plan }: RunView['state'], count: number): string {
  const paid = agentsIn(plan).some((agent) => agent !== 'command');
  const { orchestrator } = plan;
  const guided = orchestrator === undefined || orchestrator.agent === 'command' ? 0 : orchestrator.usd;
  return paid ? ` (at most $${Math.min(count * plan.limits.usd + guided, plan.limits.runUsd)})` : '';
}

/** Returns the question at a tap, for the terminal and the terminal UI. */
export function tapQuestion(state: RunView['state'], tap: TapName): string {
  if (tap === 'land') return landingQuestion(state, merged(state));
  const waves = tap === 'start' ? selectedWaves(state) : state.waves.filter(({ index }) => `start-${index}` === tap);
  const open = (tasks: readonly TaskState[]): number => tasks.filter((task) => !isResolved(task)).length;
  const count = open(waves.flatMap(({ index }) => tasksOfWave(state, index)));
  const roles = open(waves.flatMap(({ index }) => rolesOfWave(state, index)));
  const also = roles === 0 ? '' : ` and ${plural(roles, 'closure role')}`;
  return `Start ${counted(count)}${also}${budgetText(state, count + roles)}?`;
}

const landingQuestion = ({ target }: RunView['state'], tasks: readonly TaskState[]): string =>
  `Land ${counted(tasks.length)} on ${target.branch}?`;
const counted = (tasks: number): string => `${tasks} task${tasks === 1 ? '' : 's'}`;
const merged = (state: RunView['state']) =>
  Object.values(state.tasks).filter(({ progress, about }) => progress.status === 'merged' && about === undefined);

async function askStart(context: Context, view: RunView, tap: TapName, warnings: readonly Finding[]): Promise<Answer> {
  const { state } = view;
  showPlan(context, view, warnings);
  return await askYes(context, { question: tapQuestion(state, tap), answers: 'y/N/e/d' }, async () =>
    everyTask(state.plan).flatMap((task): readonly Text[] => [
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

/** Shows what would land, then asks. `tasks`: only these; null for all that are merged. */
export async function askLanding(
  repo: RepositoryHandle,
  context: Context,
  state: RunView['state'],
  tasks: readonly TaskId[] | null = null,
): Promise<Exclude<Answer, 'edit'>> {
  if (state.landing.status === 'refused') {
    const { message, first } = adviceFor(state, { kind: 'landing', because: state.landing.because });
    context.terminal.problem(`tidegate: the last landing was refused: ${message}`);
    if (first !== undefined) context.terminal.problem(`  first: ${first}`);
  }
  const landing = merged(state).filter(({ id }) => tasks?.includes(id) !== false);
  for (const task of landing)
    context.terminal.line(`  ${task.id}: ${plural(snapshotOf(task)?.diff.length ?? 0, 'file')}`);
  for (const line of landingNoteLines(state)) context.terminal.line(line);
  if (state.plan.checks.length === 0) context.terminal.line(`  checks: ${uncheckedText}`);
  return await askYes(context, { question: landingQuestion(state, landing), answers: 'y/N/d' }, async () =>
    state.branch === null
      ? []
      : (await repo.patches.text(state.uncommitted ?? state.target.commit, state.branch.commit, [])).split('\n'),
  );
}

type Answer = 'yes' | 'no' | 'edit' | 'nothing';

/** Only `y` and `yes` mean yes; only `n`, `no` and Enter mean no. `d` shows details; anything else asks again. */
async function askYes<Answers extends 'y/N/d' | 'y/N/e/d'>(
  context: Context,
  { question, answers }: { readonly question: string; readonly answers: Answers },
  details: () => Promise<readonly Text[]>,
): Promise<Answers extends 'y/N/d' ? Exclude<Answer, 'edit'> : Answer>;
async function askYes(
  context: Context,
  { question, answers }: { readonly question: string; readonly answers: string },
  details: () => Promise<readonly Text[]>,
): Promise<Answer> {
  for (;;) {
    const answer = (await context.terminal.ask(`${question} [${answers}]`))?.trim().toLowerCase();
    if (answer === undefined) return 'nothing';
    if (answer === 'e' && answers.includes('e')) return 'edit';
    if (answer === 'y' || answer === 'yes') return 'yes';
    if (answer === '' || answer === 'n' || answer === 'no') return 'no';
    if (answer === 'd') for (const line of await details()) context.terminal.line(line);
  }
}
