import { safeLine } from '../../domain/base/safe-text.ts';
import { shellPath, shellWord } from '../../domain/base/shell-word.ts';
import { isOfAgent, recordById } from '../../domain/board/board.ts';
import { undecidedTap } from '../../domain/decide/answer-before-made.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import { runSpend, taskSpend } from '../../domain/run/costs.ts';
import { isLive } from '../../domain/run/schedule.ts';
import { snapshotOf, type TaskState } from '../../domain/run/task.ts';
import type { Subjects } from '../../engine/actions/action.ts';
import type { ActionInputs, ActionKinds, ActionName } from '../../engine/actions/actions.ts';
import { money } from '../../view/agent-lines.ts';
import { fenceText } from '../../view/run-view.ts';
import { afterGrant, wildGrant } from '../decide/grant-wording.ts';

type Wording<Subject, Input> = {
  /** The command that a person types for it, behind `tidegate`. */
  command(subject: Subject, input: Input): string;
  /** The line that a person reads once it was accepted, worded from how the run stood before. */
  accepted(subject: Subject, input: Input): string;
};

/** Holds the words that people read about each action. */
export const wordings: { readonly [N in ActionName]: Wording<Subjects[ActionKinds[N]], ActionInputs[N]> } = {
  approve: {
    command: ({ run }) => `approve ${run}`,
    accepted: ({ run, state }, { tap }) => {
      const plan = `plan ${state.hash.slice(0, 12)}, ${fenceText(state)}`;
      return `Approved ${decidedOn(state, tap)} (${plan}). Follow it: tidegate watch ${run}`;
    },
  },
  reject: {
    command: ({ run }) => `reject ${run}`,
    accepted: ({ state }, { tap }) => `Rejected ${decidedOn(state, tap)}.`,
  },
  hold: {
    command: ({ run }) => `hold ${run}`,
    accepted: ({ run, state }, { tap }) => `On hold: ${decidedOn(state, tap)}. Later: tidegate approve ${run}`,
  },
  grant: {
    command: (subject, { paths }) => ['grant', partName(subject), ...paths.map(shellPath)].join(' '),
    accepted: (subject, { paths }) =>
      `Granted ${paths.join(' ')} to ${partName(subject)}; ${afterGrant(subject, paths)}.${wildGrant(paths)}`,
  },
  drop: {
    command: (subject, { paths }) => ['drop', partName(subject), ...paths.map(shellPath)].join(' '),
    accepted: (subject, { paths }) =>
      paths.length === 0
        ? `Dropped ${partName(subject)}. ${leftText(subject)}`
        : `Taken out of ${partName(subject)}: ${paths.join(' ')}; what is left is judged again.`,
  },
  discard: {
    command: (subject, { paths }) => ['clean --discard', partName(subject), ...paths.map(shellPath)].join(' '),
    accepted: (subject, { paths }) => `Discarded ${paths.join(' ')} of ${partName(subject)}.${stillText(subject)}`,
  },
  retry: {
    command: (subject) => `retry ${partName(subject)}`,
    accepted: (subject) => `${partName(subject)} begins again from its base.`,
  },
  'switch-agent': {
    command: (subject, { agent }) => `retry ${partName(subject)} --agent ${shellWord(agent)}`,
    accepted: (subject, { agent }) =>
      subject.state.tasks[subject.task]?.progress.status === 'waiting'
        ? `${partName(subject)} goes on, by ${agent}.`
        : `${partName(subject)} begins again from its base, by ${agent}.`,
  },
  rework: {
    command: (subject, { message }) => `rework ${partName(subject)} -m ${shellWord(message)}`,
    accepted: (subject, { message }) => `${partName(subject)} goes on from its snapshot: ${cut(safeLine(message))}`,
  },
  accept: {
    command: (subject, { snapshot }) => `accept ${partName(subject)} --snapshot ${snapshot.slice(0, 12)}`,
    accepted: (subject, { snapshot }) =>
      `Took snapshot ${snapshot.slice(0, 8)} of ${partName(subject)}; its other gates judge it now. See: tidegate why ${partName(subject)}`,
  },
  edit: {
    command: (subject) => `edit ${partName(subject)}`,
    accepted: (subject) =>
      `Took your changes to ${partName(subject)}; its other gates judge it now. See: tidegate why ${partName(subject)}`,
  },
  'edit-landing': {
    command: ({ run }) => `edit ${run}`,
    accepted: ({ run }) =>
      `Took your changes; the checks run on the result before it lands. Land it: tidegate land ${run}`,
  },
  send: {
    command: (subject, { message }) => `send ${partName(subject)} ${shellWord(message)}`,
    accepted: (subject, { message }) => {
      const name = partName(subject);
      return `The agent of ${name} has it: ${safeLine(message)}. See: tidegate attach --tail ${name}`;
    },
  },
  post: {
    command: (subject, { text }) => `post ${partName(subject)} -m ${shellWord(text)}`,
    accepted: ({ run, task }, { text, target = task ?? 'all' }) =>
      `On the board for ${target === 'all' ? `all tasks of ${run}` : target}: ${safeLine(text)}. See: tidegate board ${run}`,
  },
  answer: {
    command: ({ run }, { record, text }) =>
      text === null ? `answer ${run}/${record} --close` : `answer ${run}/${record} -m ${shellWord(text)}`,
    accepted: ({ run, state }, { record, text }) => {
      const from = recordById(state, record)?.from;
      if (text === null) return `Closed ${run}/${record}.`;
      if (state.ended !== null)
        return `Answered ${run}/${record}. The run has ended: the answer is kept on its board (tidegate board ${run}).`;
      const author = from !== undefined && isOfAgent(from) ? state.tasks[from.task] : undefined;
      if (author !== undefined && hasFinished(author))
        return `Answered ${run}/${record}. The task ${author.id} has ended: the answer is kept on the board, for a rework.`;
      return `Answered ${run}/${record}; ${author === undefined ? run : `${run}/${author.id}`} finds it in its inbox.`;
    },
  },
  raise: {
    command: (subject, { usd }) => `raise ${partName(subject)} --usd ${usd}`,
    accepted: (subject, { usd }) => {
      const { state, task } = subject;
      const one = task === null ? undefined : state.tasks[task];
      const { used, limit } = one === undefined ? runSpend(state) : taskSpend(state, one);
      return `${partName(subject)} may use ${money(limit + usd)}, ${money(used)} of it used.`;
    },
  },
  pause: {
    command: ({ run }) => `pause ${run}`,
    accepted: ({ run }) => `Paused ${run}: nothing new starts. Go on: tidegate resume ${run}`,
  },
  resume: {
    command: ({ run }) => `resume ${run}`,
    accepted: ({ run }) => `${run} goes on.`,
  },
  replan: {
    command: ({ run }) => `resume ${run} --replan`,
    accepted: ({ run }, { order, differences, vain, reused }) => {
      const merged = vain.length === 0 ? '' : `; ${vain.join(', ')}: merged already, what it says now has no effect`;
      const kept = reused.length === 0 ? '' : `; unchanged, so their work is kept: ${reused.join(', ')}`;
      return `${run} has a new plan, ${order.hash.slice(0, 12)} (${shortened(differences)})${merged}${kept}`;
    },
  },
  stop: {
    command: ({ run }) => `stop ${run}`,
    accepted: ({ run }) => `Stopping ${run}: agents end, their work is kept. Go on: tidegate resume ${run}`,
  },
  abandon: {
    command: ({ run }) => `abandon ${run}`,
    accepted: ({ run }) => `Abandoned ${run}: what has landed stays, everything else is kept: tidegate rescue ${run}`,
  },
  land: {
    command: ({ run }) => `land ${run}`,
    accepted: ({ run }) => `Landing ${run}.`,
  },
  undo: {
    command: (subject) => `undo ${partName(subject)}`,
    accepted: (subject) => `Undone: ${partName(subject)}.`,
  },
};

/** `run` or `run/task`, as people type it. */
export const partName = ({ run, task }: Pick<Subjects['part'], 'run' | 'task'>): string =>
  task === null ? run : `${run}/${task}`;

/** No agent works on it any more. */
const hasFinished = ({ progress }: TaskState): boolean =>
  ['ready', 'done', 'merged', 'dropped'].includes(progress.status);

/** A list that may be long, on one line. */
export const shortened = (differences: readonly string[]): string =>
  differences.length <= 6
    ? differences.join('; ')
    : `${differences.slice(0, 6).join('; ')} and ${differences.length - 6} more`;

type State = Subjects['run']['state'];
const decidedTap = (state: State, tap: TapName | undefined): TapName | null => tap ?? undecidedTap(state);

/** A launch that failed before its agent began leaves nothing. */
function leftText(subject: Subjects['task']): string {
  const { state, task: id } = subject;
  const task = state.tasks[id];
  if (task === undefined || task.launches === 0) return 'It had not started.';
  const isInSnapshot = snapshotOf(task) !== null || isLive(task);
  const isKept = isInSnapshot || state.kept.some((one) => one.task === id);
  return `${isKept ? 'Its work is kept' : 'What earlier attempts left'}: tidegate rescue ${partName(subject)}`;
}

/** Without the file its task waits for a person all the same. */
function stillText({ state, task }: Subjects['task']): string {
  const need = needsOf(state).find((one) => one.task === task && (one.kind === 'held' || one.kind === 'failed'));
  if (need === undefined) return '';
  return ` The task ${need.kind === 'held' ? 'is still held' : 'has failed'}; next: ${need.command}`;
}

const decidedOn = (state: State, tap: TapName | undefined): string =>
  decidedTap(state, tap) === 'land' ? `the landing of ${state.run} on ${state.target.branch}` : state.run;

const cut = (line: string): string => (line.length <= 200 ? line : `${line.slice(0, 199)}…`);
