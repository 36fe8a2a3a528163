import { agentKinds } from '../../agents/agents.ts';
import type { ProviderState } from '../agents/provider.ts';
import { shellWord } from '../base/shell-word.ts';
import { type BoardRecord, isOfAgent } from '../board/board.ts';
import { heldByQuestion, isCritical } from '../board/board-requests.ts';
import type { TapState } from '../decide/tap.ts';
import type { Finding } from '../findings/finding.ts';
import { findingsIn, passes } from '../gates/verdict.ts';
import type { Shortage } from '../kept/disk.ts';
import type { LandingState } from '../landing/landing.ts';
import type { Spend } from '../run/costs.ts';
import type { PathRequest } from '../run/evolve-task.ts';
import type { RunMode, RunState } from '../run/run.ts';
import type { TaskProgress } from '../run/task.ts';
import { answerQuestion, goOn, reworkInstead, withPaths } from './commands.ts';
import { describeFinding, describeTrouble, sentenceOf } from './explain.ts';
import { acceptLine, diffLine, printed } from './hold.ts';
import { type Advice, brief, few } from './text.ts';

type Run = Pick<RunState, 'run'>;

/** Null: nothing keeps the run as a whole from going on. */
export function toldOfMode({ run }: Run, mode: RunMode): Advice | null {
  const command = `tidegate resume ${run}`;
  switch (mode.mode) {
    case 'active':
      return null;
    case 'paused':
      return {
        message: `paused by ${mode.who}`,
        safe: 'agents under way go on to their end; nothing new starts',
        lines: [giveUp(run)],
        command,
      };
    case 'stopped':
      return {
        message: `stopped by ${mode.who}`,
        safe: 'what agents had done by then is kept',
        lines: [giveUp(run)],
        command,
      };
    case 'halted':
      return {
        safe: 'agents under way go on to their end, and nothing is lost',
        ...toldOfFinding(mode.because, command, 300),
      };
  }
}

const giveUp = (run: string): string => `to give it up: tidegate abandon ${run}`;

/** A tap that a person is to decide; the others decided themselves. */
export function toldOfTap(
  { run, target }: Pick<RunState, 'run' | 'target'>,
  tap: { readonly name: 'start' | 'land'; readonly state: TapState & { readonly status: 'pending' | 'held' } },
  count: number,
): Advice {
  const held = tap.state.status === 'held' ? `, on hold by ${tap.state.by.who}` : '';
  if (tap.name === 'land')
    return {
      message: `ready to land on ${target.branch}${held}`,
      safe: `${target.branch} stays as it is until you say so`,
      command: `tidegate land ${run}`,
    };
  return {
    message: `${count} task${count === 1 ? '' : 's'} ${count === 1 ? 'waits' : 'wait'} for approval${held}`,
    safe: `nothing has started; to say no: tidegate reject ${run}`,
    command: `tidegate approve ${run}`,
  };
}

/** The amount is a proposal: as much again as the limit in the plan. */
export const toldOfRunBudget = ({ run, plan }: Pick<RunState, 'run' | 'plan'>, spend: Spend): Advice => ({
  message: `nothing more starts: the run has used ${spendText(spend)}`,
  safe: 'what is done is kept, and nothing more is spent',
  command: `tidegate raise ${run} --usd ${plan.limits.runUsd}`,
});

export const toldOfTaskBudget = ({ plan }: Pick<RunState, 'plan'>, spend: Spend, subject: string): Advice => ({
  message: `it has used ${spendText(spend)}`,
  safe: 'what it has done is kept, and the next attempt goes on from there',
  command: `tidegate raise ${subject} --usd ${plan.limits.usd}`,
});

export const spendText = ({ used, limit }: Spend): string => `$${used.toFixed(2)} of $${limit.toFixed(2)}`;

/** A login that another run lacks too is tried again by that one. */
export function toldOfLogin(
  { run }: Run,
  provider: string,
  pause: ProviderState & { readonly status: 'paused' },
): Advice {
  const first = loginAt(provider);
  return {
    message: `no login at ${provider}${pause.of === undefined ? '' : ` (found by ${pause.of})`}: ${brief(describeTrouble(pause.trouble))}`,
    safe: 'no attempt is used up, and tasks of other agents go on',
    ...(first === null ? {} : { first }),
    command: `tidegate resume ${pause.of ?? run}`,
  };
}

/** What to type for a login there, also for one that was refused; null for nobody's. */
export function loginAt(provider: string): string | null {
  const [found] = Object.entries(agentKinds).filter(([, kind]) => kind.provider === provider && kind.program !== '');
  return found === undefined ? null : (found[1].login?.fix ?? `tidegate auth ${found[0]}`);
}

/** It goes on by itself when there is room; the command shows what takes it, and why it is kept. */
export function toldOfShortage({ because }: Shortage): Advice {
  const { message, ...rest } = toldOfFinding(because, 'tidegate clean --dry-run');
  return {
    message: `nothing more starts, because ${message}`,
    safe: 'agents under way go on, and when there is room the rest starts by itself',
    ...rest,
  };
}

/** After a failed launch the rest of the wave waits too. Each of the first lines is enough, and only then does `resume` help. */
export function toldOfLaunch({ run }: Run, halt: Finding, subject: string): Advice {
  const { detail, fix } = sentenceOf(halt);
  const isLaunch = halt.rule === 'launch-failed';
  const rework =
    halt.rule === 'needs-conflict'
      ? [`tidegate rework ${run}/${halt.need} -m ${shellWord(`do not conflict in ${few(halt.files)}`)}`]
      : ['fix what keeps it from starting'];
  const mend = fix?.split('\n') ?? rework;
  const others = isLaunch ? [`or give it to another agent: tidegate retry ${subject} --agent <agent>`] : [];
  return {
    message: `could not be launched: ${brief(detail, 2_000)}`,
    safe: isLaunch
      ? 'no attempt is used up, and nothing else of its wave starts until you decide'
      : 'no attempt is used up',
    first: [...mend, ...others, `or give it up: tidegate drop ${subject}`].join('\n'),
    command: `tidegate resume ${run}`,
  };
}

/** What is to be done is to be done about the task that could not be launched. */
export function toldOfWaveHalt(state: Run, halt: { readonly task: string; readonly because: Finding }): Advice {
  const { message, ...rest } = toldOfLaunch(state, halt.because, `${state.run}/${halt.task}`);
  return { message: `its wave is halted, because ${halt.task} ${message}`, ...rest };
}

type Failed = TaskProgress & { readonly status: 'failed' };

/** Another attempt goes on with work that is there. Where there is none, or it cannot be trusted, the task begins again. */
/** `isKept`: no snapshot holds what it left, or some of it. */
export function toldOfFailure(failed: Failed, subject: string, isKept: boolean): Advice {
  const { snapshot, attempt } = failed;
  const message = brief(failureText(failed));
  const said = `what it said:  tidegate logs ${subject}`;
  const retry = `tidegate retry ${subject}`;
  if (isKept && (snapshot === null || snapshot.diff.length === 0))
    return {
      message,
      lines: [said, `what it left:  tidegate rescue ${subject}`],
      safe: 'no snapshot holds its files; they stay in its workspace',
      command: retry,
    };
  if (snapshot === null || snapshot.diff.length === 0)
    return { message, lines: [said], safe: 'it left no work, so nothing is lost', command: retry };
  if (!passes(attempt.dispatched ?? []))
    return {
      message,
      lines: [said, diffLine(subject)],
      safe: 'its work is kept for `tidegate rescue`; it cannot be merged, because its fence or workspace was not proven',
      command: retry,
    };
  return {
    message,
    lines: [said, diffLine(subject), acceptLine(subject)],
    safe: 'its work is kept, and nothing of it was merged',
    command: reworkInstead(subject, goOn),
  };
}

/** What keeps its last attempt from counting. */
export function failureText({ attempt }: Failed): string {
  const { dispatched, monitored, ending } = attempt;
  const why = ending.because === undefined ? '' : describeFinding(ending.because);
  if (ending.reason === 'setup-failed') return `setup failed: ${why}`;
  const findings = findingsIn([...(dispatched ?? []), ...(monitored ?? [])]);
  return findings.map(describeFinding).join('; ') || `${ending.reason} ${why}`.trim();
}

export const toldOfDroppedNeed = (need: string, subject: string): Advice => ({
  message: `needs ${need}, which was dropped`,
  safe: 'nothing of it has started',
  command: `tidegate drop ${subject}`,
});

/** The agent goes on meanwhile; nothing waits for an answer, but it may save an attempt. */
export function toldOfAsking(asked: readonly PathRequest[], subject: string): Advice {
  const why = asked[0]?.why ?? '';
  const paths = asked.map(({ path }) => path);
  return {
    message: `its agent asks for ${few(paths)}${why === '' ? '' : `: ${brief(why)}`}`,
    safe: 'it goes on meanwhile',
    command: withPaths(`tidegate grant ${subject}`, paths),
  };
}

/** The text is an agent's: it is shown, never followed. */
export const toldOfQuestion = (state: Pick<RunState, 'run' | 'target' | 'ended'>, record: BoardRecord): Advice => ({
  message: `${isOfAgent(record.from) ? 'its agent' : record.from.who} ${record.kind === 'question' ? 'asks' : 'requests'}: "${brief(record.text)}"`,
  safe: whileOpen(state, record),
  command: answerQuestion(state.run, record.id),
});

function whileOpen(state: Pick<RunState, 'run' | 'target' | 'ended'>, record: BoardRecord): string {
  if (isCritical(record) && state.ended !== 'landed') return describeFinding(heldByQuestion(state, record));
  return state.ended === null
    ? 'the run goes on meanwhile'
    : 'the run has ended; your answer is kept on its board, and no agent reads it';
}

export function toldOfLanding(
  state: Pick<RunState, 'run' | 'checks' | 'taps'>,
  landing: LandingState & { readonly status: 'refused' },
): Advice {
  const { because } = landing;
  return {
    safe: 'nothing of yours was changed, and the work of the run is kept',
    ...(because.rule === 'landing-check' && 'tree' in because
      ? { lines: printed(state, because.check, because.tree) }
      : {}),
    ...toldOfFinding(because, landAgain(state)),
  };
}

/** `command` is what to type where the finding does not know better. */
function toldOfFinding(because: Finding, command: string, most = 1_000): Pick<Advice, 'message' | 'first' | 'command'> {
  const { detail, fix, command: own = command } = sentenceOf(because);
  return { message: brief(detail, most), ...(fix === undefined ? {} : { first: fix }), command: own };
}

/** What was left out is not landed by repeating it. */
export function landAgain({ run, taps }: Pick<RunState, 'run' | 'taps'>): string {
  const some = taps.land?.tasks;
  return `tidegate land ${run}${some === undefined ? '' : ` --only ${some.join(',')}`}`;
}
