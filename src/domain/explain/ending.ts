import { shellPath } from '../base/safe-text.ts';
import { isPartlyLanded } from '../landing/land-some.ts';
import { type Offer, pullRequestCommand } from '../landing/pull-request.ts';
import { leftToLand } from '../landing/undo.ts';
import { isRatchet, plannedById } from '../plan/plan.ts';
import { plannedStates, type RunState } from '../run/run.ts';
import type { Advice } from './advice.ts';
import { describeVerdict } from './explain.ts';
import { checkLines } from './hold.ts';
import { checkOutcomes, few, plural } from './text.ts';

/** Tells how a run ended, with the command that lands the rest if only a part has landed. Null while it has not ended. */
export function endLine(state: RunState): string | null {
  const text = endText(state);
  return text === null || !isPartlyLanded(state) ? text : `${text}: tidegate land ${state.run}`;
}

export function endText(state: RunState): string | null {
  const { landing, target, plan } = state;
  const dropped = plannedStates(state).filter(
    ({ id, progress }) => progress.status === 'dropped' && plannedById(plan, id)?.closes === undefined,
  ).length;
  const without = dropped === 0 ? '' : ` without ${plural(dropped, 'dropped task')}`;
  if (landing.status === 'undone') {
    const at = landing.commit.slice(0, 8);
    return landing.exact
      ? `Undone: ${landing.branch} is at ${at} again`
      : `Undone: ${landing.branch} has the reverting commit ${at}`;
  }
  if (landing.status === 'offered' && state.ended !== null) return `${offerText(state, landing)}${without}`;
  const ended = state.ended === 'done' && landing.status === 'landed' ? 'landed' : state.ended;
  switch (ended) {
    case null:
      return null;
    case 'landed': {
      const at = landing.status === 'landed' ? ` as ${landing.new.slice(0, 8)}` : '';
      const checks = plan.checks.length === 0 ? ' (the plan has no checks)' : '';
      return `Landed on ${'branch' in landing ? landing.branch : target.branch}${at}${without}${checks}${leftText(state)}${revertedText(state)}`;
    }
    case 'done':
      if (landing.status === 'refused') return `Not landed on ${target.branch}`;
      if (state.taps.land?.status === 'rejected')
        return `Not landed on ${target.branch}: rejected by ${state.taps.land.by.who}${without}`;
      return `Done${without}${state.branch === null ? '' : '; nothing has landed'}`;
    case 'rejected':
      return `Not ${hasStarted(state) ? 'continued' : 'started'}: ${rejection(state)}`;
    case 'abandoned':
      return `Abandoned by ${state.abandoned?.who ?? 'nobody'}${state.undo.status === 'landed' ? `; ${target.branch} keeps what has landed` : ''}`;
    case 'failed':
      return 'Failed';
  }
}

/** A plan that replaces another one, or a later wave, may be rejected after agents have run. */
export const hasStarted = ({ tasks }: Pick<RunState, 'tasks'>): boolean =>
  Object.values(tasks).some(({ launches }) => launches > 0);

/** The address of the pull request, or the command that opens it. */
export const offerText = ({ target }: Pick<RunState, 'target'>, offer: Offer): string =>
  offer.url === null
    ? `Pushed ${offer.branch} to ${offer.pushed.remote}; open the pull request: ${pullRequestCommand(offer, target.branch)}`
    : `Pull request onto ${target.branch}: ${offer.url}`;

function rejection({ taps }: RunState): string {
  const tap = Object.values(taps).find((one) => one?.status === 'rejected' || one?.status === 'expired');
  if (tap === undefined) return 'all its tasks were dropped';
  return tap.status === 'rejected' ? `rejected by ${tap.by.who}` : 'nobody approved it in time';
}

function leftText(state: RunState): string {
  const left = leftToLand(state);
  return left.length === 0 ? '' : `; ${left.join(', ')} stayed on the run branch`;
}

const revertedText = ({ undo }: RunState): string =>
  undo.tasks.length === 0 ? '' : `; ${undo.tasks.join(', ')} ${undo.tasks.length === 1 ? 'was' : 'were'} undone later`;

/** Explains why a run failed: a check fails on the person's own branch, or a phase before approval did not pass. */
export function failedRunAdvice(state: RunState): Advice {
  const common = {
    safe: 'no agent was started, and nothing was spent',
    command: `tidegate run ${shellPath(state.planFile)}`,
  };
  const { target, checks, branch } = state;
  const mayFail = new Set(state.plan.checks.filter(isRatchet).map(({ name }) => name));
  const red = Object.values(checks).find(
    ({ tree, outcome, name }) => tree === branch?.tree && outcome !== 'passed' && !mayFail.has(name),
  );
  if (red !== undefined)
    return {
      ...common,
      message: `the check ${red.name} ${checkOutcomes[red.outcome]} on ${target.branch} before any task started`,
      lines: checkLines(state, red.name, red.tree),
      first: `fix ${target.branch} and commit, or let the run start from it: \`policy: ratchet\` in that check`,
    };
  const phases = [
    state.contract,
    state.load,
    ...state.waves.flatMap((wave) => [wave.thread, wave.preflight, wave.ownership]),
  ];
  const findings = phases.flatMap((verdicts) => (verdicts ?? []).flatMap(describeVerdict));
  return {
    ...common,
    message: few(findings, 5, '; ') || 'a phase before approval did not pass',
    first: 'fix the plan',
  };
}
