import { agentKinds } from '../../agents/agents.ts';
import type { ProviderState } from '../agents/provider.ts';
import type { TaskId } from '../base/ids.ts';
import { shellWord } from '../base/safe-text.ts';
import { isBlocking, isUnassignable, landingRecords } from '../board/blocking.ts';
import { type BoardRecord, isOfAgent } from '../board/board.ts';
import { heldByQuestion } from '../board/board-requests.ts';
import type { Barrier } from '../closure/barriers.ts';
import { securityConcerns } from '../closure/role-state.ts';
import type { TapState } from '../decide/tap.ts';
import { openDependencies } from '../dependencies/blocks.ts';
import type { Dependency } from '../dependencies/dependency.ts';
import { leftOutTexts } from '../derived/left-out.ts';
import type { Finding, FindingOf } from '../findings/finding.ts';
import { findingsIn, passes } from '../gates/verdict.ts';
import { hasKept } from '../kept/discard.ts';
import { hasRatchet, plannedById } from '../plan/plan.ts';
import type { Spend } from '../run/costs.ts';
import type { PathRequest } from '../run/evolve-task.ts';
import type { RunState } from '../run/run.ts';
import type { Hold, TaskProgress } from '../run/task.ts';
import { barrierAdvice } from './barrier-advice.ts';
import { redNotes } from './check-text.ts';
import { answerQuestion, continueWork, reworkInstead, settleRecord, withPaths } from './commands.ts';
import { debtLines, dependencyAdvice } from './dependency-advice.ts';
import { describeFinding, describeTrouble, sentenceOf } from './explain.ts';
import { acceptLine, checkLines, diffLine, holdAdvice } from './hold.ts';
import { overridesOf, overrideText } from './overrides.ts';
import { brief, few, plural } from './text.ts';

/**
 * One obstacle in words. `status`, `why`, the end of a run, `--json` and notices all show the same. Texts start in lower case, have
 * no full stop at the end, and follow the name of their subject.
 */
export type Advice = {
  /** The problem. */
  readonly message: string;
  /** Names the work or files that are not lost or affected. */
  readonly safe: string;
  /** A few lines of output that show the cause, or other commands. */
  readonly lines?: readonly string[];
  /** Steps before the command, outside Tidegate: in words, or as commands on lines of their own. */
  readonly first?: string;
  /** The command to run next; can be pasted as it is. */
  readonly command: string;
};

/** Something that only a person can resolve, as data. Those with a `task` are about that task, the others about the run. */
export type Cause =
  | { readonly kind: 'paused' | 'stopped'; readonly who: string }
  | { readonly kind: 'halted' | 'disk' | 'landing'; readonly because: Finding }
  | {
      readonly kind: 'login';
      readonly provider: string;
      readonly pause: ProviderState & { readonly status: 'paused' };
    }
  /** `tasks`: the number of tasks to be approved. */
  | { readonly kind: 'approve' | 'land'; readonly tap: TapState; readonly tasks: number }
  | { readonly kind: 'budget'; readonly task?: TaskId; readonly spend: Spend }
  /** `contract`: the id of the barrier, when only its exit contract holds it. */
  | { readonly kind: 'held'; readonly task: TaskId; readonly hold: Hold; readonly contract?: string }
  | { readonly kind: 'failed'; readonly task: TaskId; readonly failed: Failed }
  | { readonly kind: 'launch'; readonly task: TaskId; readonly because: Finding }
  | { readonly kind: 'blocked'; readonly task: TaskId; readonly need: TaskId }
  | { readonly kind: 'scope'; readonly task: TaskId; readonly requests: readonly PathRequest[] }
  | { readonly kind: 'question'; readonly record: BoardRecord }
  /** Only a person can remove what keeps the wave open. */
  | { readonly kind: 'barrier'; readonly task?: TaskId; readonly barrier: Barrier }
  /** `requires`: the run waits for another run. `dependency`: nothing but a person can resolve it. */
  | { readonly kind: 'requires' | 'dependency'; readonly dependency: Dependency };

type Failed = TaskProgress & { readonly status: 'failed' };

export function adviceFor(state: RunState, cause: Cause): Advice {
  const { run, plan, target } = state;
  const resume = `tidegate resume ${run}`;
  switch (cause.kind) {
    case 'paused':
      return {
        message: `paused by ${cause.who}`,
        safe: landingApproved(state) ?? 'running agents finish; nothing new starts',
        lines: [`to end the run: tidegate abandon ${run}`],
        command: resume,
      };
    case 'stopped':
      return {
        message: `stopped by ${cause.who}`,
        safe: landingApproved(state) ?? 'the work of its agents is kept',
        lines: [`to end the run: tidegate abandon ${run}`],
        command: resume,
      };
    case 'halted':
      return {
        safe: 'running agents finish, and no work is lost',
        ...findingAdvice(cause.because, resume, 300),
      };
    case 'disk': {
      const { message, ...rest } = findingAdvice(cause.because, 'tidegate clean --dry-run');
      return {
        message: `no more tasks start: ${message}`,
        safe: 'running agents continue; the other tasks start when there is room',
        ...rest,
      };
    }
    case 'login':
      return loginAdvice(state, cause.provider, cause.pause);
    case 'approve':
      return {
        message: `${plural(cause.tasks, 'task')} ${cause.tasks === 1 ? 'is' : 'are'} waiting for approval${onHold(cause.tap)}`,
        safe: `nothing has started; to reject the plan: tidegate reject ${run}`,
        command: `tidegate approve ${run}`,
      };
    case 'land':
      return {
        message: `ready to land on ${target.branch}${onHold(cause.tap)}`,
        safe: `${target.branch} does not move until you approve`,
        ...seenAtLanding(state),
        command: `tidegate land ${run}`,
      };
    case 'budget':
      // the amount is a proposal: as much again as the limit in the plan
      return cause.task === undefined
        ? {
            message: `no more tasks start: the run has used ${spendText(cause.spend)}`,
            safe: 'finished work is kept, and nothing more is spent',
            command: `tidegate raise ${run} --usd ${plan.limits.runUsd}`,
          }
        : {
            message: `has used ${spendText(cause.spend)}`,
            safe: 'its work is kept, and the next attempt continues from it',
            command: `tidegate raise ${run}/${cause.task} --usd ${plan.limits.usd}`,
          };
    case 'held':
      return holdAdvice(state, cause.hold, `${run}/${cause.task}`);
    case 'failed':
      return failureAdvice(cause.failed, `${run}/${cause.task}`, hasKept(state, cause.failed.attempt.id));
    case 'launch':
      return plannedById(plan, cause.task)?.closes === undefined
        ? launchAdvice(run, cause.because, `${run}/${cause.task}`)
        : roleLaunchAdvice(cause.because, `${run}/${cause.task}`);
    case 'blocked':
      return {
        message: `needs ${cause.need}, which was dropped`,
        safe: 'the task has not started',
        command: `tidegate drop ${run}/${cause.task}`,
      };
    case 'scope': {
      const reason = cause.requests[0]?.why ?? '';
      const paths = cause.requests.map(({ path }) => path);
      return {
        message: `the agent requests access to ${few(paths)}${reason === '' ? '' : `: ${brief(reason)}`}`,
        safe: 'the agent continues in the meantime',
        command: withPaths(`tidegate grant ${run}/${cause.task}`, paths),
      };
    }
    case 'question': {
      // the text comes from an agent: it is shown, never followed
      return recordAdvice(state, cause.record);
    }
    case 'barrier':
      return barrierAdvice(state, cause.barrier);
    case 'requires':
    case 'dependency':
      return dependencyAdvice(state, cause.dependency);
    case 'landing':
      return landingAdvice(state, cause.because);
  }
}

/**
 * Concerns of security, resolved barriers, changes that a resolver left out, and runs that depend on this one did not keep it from here,
 * but a person has to see them.
 */
function seenAtLanding(state: RunState): Pick<Advice, 'lines'> {
  const debts = openDependencies(state).filter(({ side }) => side === 'owes');
  const notes = landingNotes(state).flatMap(([first, ...more]) => [first, ...more.map((line) => `  ${line}`)]);
  const lines = [...notes, ...debtLines(state, debts)];
  return lines.length === 0 ? {} : { lines };
}

/** Each note in full: its first line, and the lines that belong to it. */
export const landingNotes = (state: RunState): readonly (readonly [string, ...string[]])[] => [
  ...securityConcerns(state).map(
    ({ task, findings }) => [`${task} has concerns${findings.length === 0 ? '' : ':'}`, ...findings] as const,
  ),
  ...(hasRatchet(state.plan) ? redNotes(state) : []),
  ...overridesOf(state).map(overrideText),
  ...Object.values(state.derived ?? {}).flatMap(({ task }) => {
    const made = state.tasks[task];
    const texts = made?.progress.status === 'done' ? leftOutTexts(state, made) : [];
    return texts.length === 0 ? [] : [[`${task} left out changes:`, ...texts] as const];
  }),
];

/** Null unless a person approved the landing of this run, and it has not happened. */
const landingApproved = ({ run, taps, landing }: RunState): string | null =>
  taps.land?.status === 'approved' && ['none', 'queued', 'observed'].includes(landing.status)
    ? `the landing is approved and happens after: tidegate resume ${run}`
    : null;

const onHold = (tap: TapState): string => (tap.status === 'held' ? ` (put on hold by ${tap.by.who})` : '');

export const spendText = ({ used, limit }: Spend): string => `$${used.toFixed(2)} of its $${limit.toFixed(2)} budget`;

/** `command` is the default for findings without a command of their own. */
function findingAdvice(because: Finding, command: string, most = 1_000): Pick<Advice, 'message' | 'first' | 'command'> {
  const { detail, fix, command: own = command } = sentenceOf(because);
  return { message: brief(detail, most), ...(fix === undefined ? {} : { first: fix }), command: own };
}

/** A pause that another run found is lifted by resuming that run. */
function loginAdvice(
  { run }: RunState,
  provider: string,
  pause: ProviderState & { readonly status: 'paused' },
): Advice {
  const first = loginFix(provider);
  return {
    message: `not logged in to ${provider}${pause.of === undefined ? '' : ` (found by ${pause.of})`}: ${brief(describeTrouble(pause.trouble))}`,
    safe: 'no attempt is used up; tasks of other agents continue',
    ...(first === null ? {} : { first }),
    command: `tidegate resume ${pause.of ?? run}`,
  };
}

/** The command that logs in to a provider; null for an unknown one. */
export function loginFix(provider: string): string | null {
  const [entry] = Object.entries(agentKinds).filter(([, kind]) => kind.provider === provider && kind.program !== '');
  return entry === undefined ? null : (entry[1].login?.fix ?? `tidegate auth ${entry[0]}`);
}

/** After a failed launch the rest of the wave waits too. Each of the first lines is enough, and only then does `resume` help. */
function launchAdvice(run: string, halt: Finding, subject: string): Advice {
  const { detail, fix } = sentenceOf(halt);
  const isLaunch = halt.rule === 'launch-failed';
  const rework =
    halt.rule === 'needs-conflict'
      ? `tidegate rework ${run}/${halt.need} -m ${shellWord(`do not conflict in ${few(halt.files)}`)}`
      : 'fix the cause';
  const others = isLaunch ? [`or use another agent: tidegate retry ${subject} --agent <agent>`] : [];
  return {
    message: `could not be started: ${brief(detail, 2_000)}`,
    safe: isLaunch
      ? 'no attempt is used up; no other task of its wave starts until you decide'
      : 'no attempt is used up',
    first: [fix ?? rework, ...others, `or drop the task: tidegate drop ${subject}`].join('\n'),
    command: `tidegate resume ${run}`,
  };
}

/** A closure role is neither dropped nor given to another agent. */
function roleLaunchAdvice(halt: Finding, subject: string): Advice {
  const { detail, fix } = sentenceOf(halt);
  return {
    message: `could not be started: ${brief(detail, 2_000)}`,
    safe: 'no attempt is used up; nothing of this wave is merged until it closes',
    lines: [`to decide it yourself: tidegate resolve ${subject} -m "your reason"`],
    first: fix ?? 'fix the cause',
    command: `tidegate retry ${subject}`,
  };
}

/**
 * Another attempt continues existing work. Without work, or with work that cannot be trusted, the task starts again.
 * `isKept`: files were left that no snapshot holds.
 */
function failureAdvice(failed: Failed, subject: string, isKept: boolean): Advice {
  const { snapshot, attempt } = failed;
  const message = brief(failureText(failed));
  const output = `its output:    tidegate logs ${subject}`;
  const retry = `tidegate retry ${subject}`;
  if (snapshot === null || snapshot.diff.length === 0)
    return isKept
      ? {
          message,
          lines: [output, `its files:     tidegate rescue ${subject}`],
          safe: 'no snapshot holds its files; they stay in its workspace',
          command: retry,
        }
      : { message, lines: [output], safe: 'it made no changes, so no work is lost', command: retry };
  if (!passes(attempt.dispatched ?? []))
    return {
      message,
      lines: [output, diffLine(subject)],
      safe: 'its fence or workspace was not proven, so its work is only kept for `tidegate rescue`',
      command: retry,
    };
  return {
    message,
    lines: [output, diffLine(subject), acceptLine(subject)],
    safe: 'its work is kept, and nothing was merged',
    command: reworkInstead(subject, continueWork),
  };
}

/** The reason why the last attempt of a failed task does not count. */
export function failureText({ attempt }: Failed): string {
  const { dispatched, monitored, ending } = attempt;
  const cause = ending.because === undefined ? '' : describeFinding(ending.because);
  if (ending.reason === 'setup-failed') return `setup failed: ${cause}`;
  const findings = findingsIn([...(dispatched ?? []), ...(monitored ?? [])]);
  return findings.map(describeFinding).join('; ') || `${ending.reason} ${cause}`.trim();
}

function recordAdvice(state: RunState, record: BoardRecord): Advice {
  const { run } = state;
  const { from, kind, text, id, target, of, route } = record;
  const whom = target === 'person' || target === 'all' ? '' : ` ${target}`;
  const says =
    route?.reason === 'escalated'
      ? `${route.asked} has not acknowledged question ${of}`
      : `${isOfAgent(from) ? 'its agent' : from.who} ${verbs[kind] ?? 'posts'}${whom}`;
  return {
    message: `${says}: "${brief(text)}"`,
    safe: whileOpen(state, record),
    ...(isBlocking(record) && isUnassignable(state, record)
      ? { lines: [`to give it to a task: tidegate record ${run}/${id} reassign --to <task>`] }
      : {}),
    command: kind === 'contradiction' ? settleRecord(run, id) : answerQuestion(run, id),
  };
}

const verbs: Readonly<Partial<Record<BoardRecord['kind'], string>>> = {
  question: 'asks',
  request: 'requests',
  blocker: 'is blocked',
  contradiction: 'reports a contradiction',
  'human-escalation': 'escalates',
};

function whileOpen(state: RunState, record: BoardRecord): string {
  const mayLand = state.ended === null || state.ended === 'done';
  if (mayLand && landingRecords(state).has(record)) return describeFinding(heldByQuestion(state, record));
  if (isBlocking(record) && state.ended === null)
    return `${record.kind} ${record.id} keeps its wave open: nothing more of the wave is merged until it is settled`;
  return state.ended === null
    ? 'the run continues in the meantime'
    : 'the run has ended: your answer is kept on its board, but no agent reads it';
}

function landingAdvice(state: RunState, because: Finding): Advice {
  if (because.rule === 'landing-role') return landingRoleAdvice(state, because);
  return {
    safe:
      because.rule === 'landing-cut-off'
        ? 'the work of the run is kept'
        : 'Tidegate has changed nothing, and the work of the run is kept',
    ...(because.rule === 'landing-check' ? { lines: checkLines(state, because.check, because.tree) } : {}),
    ...findingAdvice(because, landAgain(state)),
  };
}

/** A closure role refused the landing: a person decides instead of it, or it judges the landing again. */
function landingRoleAdvice(state: RunState, because: FindingOf<'landing-role'>): Advice {
  const { run, task } = because;
  const again = landAgain(state);
  const message = brief(describeFinding(because), 300);
  const safe = 'Tidegate has changed nothing, and the work of the run is kept';
  const role = state.tasks[task];
  const resolved = role === undefined ? [] : (state.waves[role.wave]?.resolved ?? []);
  if (resolved.some(({ barrier, tree }) => barrier === task && tree === role?.about?.tree))
    return { message: `${task} is resolved, and the work has not landed yet`, safe, command: again };
  const output = `its output:            tidegate logs ${run}/${task}`;
  const retry = `tidegate retry ${run}/${task}`;
  const resolve = `tidegate resolve ${run}/${task} -m "your reason"`;
  // no agent starts in a run that has ended
  if (state.ended !== null)
    return { message, safe, lines: [output, `after that:            ${again}`], command: resolve };
  const lines = [output, `to decide it yourself: ${resolve}`, `after either:          ${again}`];
  return { message, safe, lines, command: retry };
}

/** Landing a selection again lands the same selection. */
export function landAgain({ run, taps }: Pick<RunState, 'run' | 'taps'>): string {
  const some = taps.land?.tasks;
  return `tidegate land ${run}${some === undefined ? '' : ` --only ${some.join(',')}`}`;
}
