import { foldPath } from '../../domain/base/paths.ts';
import { safeLine, shellPath, shellWord } from '../../domain/base/safe-text.ts';
import { isOfAgent, recordById, recordsOf } from '../../domain/board/board.ts';
import { undecidedTap } from '../../domain/decide/answer-before-made.ts';
import { plannedIn } from '../../domain/derived/derived-tasks.ts';
import { needsOf } from '../../domain/explain/needs.ts';
import { changesText } from '../../domain/explain/overrides.ts';
import type { TapName } from '../../domain/ledger/requests.ts';
import { runSpend, taskSpend } from '../../domain/run/costs.ts';
import type { RunState } from '../../domain/run/run.ts';
import { isLive } from '../../domain/run/schedule.ts';
import { snapshotOf, type TaskState } from '../../domain/run/task.ts';
import { grantPattern } from '../../domain/scope/claims.ts';
import { protectedConfig } from '../../domain/scope/ownership.ts';
import type { Subjects } from '../../engine/actions/action.ts';
import type { ActionInputs, ActionKinds, ActionName } from '../../engine/actions/actions.ts';
import { grantedIn } from '../../pipeline/step.ts';
import { money } from '../../view/agent-lines.ts';
import { fenceText } from '../../view/run-view.ts';

type Wording<Subject, Input> = {
  /** Returns the command that a person types, without `tidegate`. */
  command(subject: Subject, input: Input): string;
  /** Returns the line for an accepted request, worded from the state before it. */
  accepted(subject: Subject, input: Input): string;
};

/** Holds the words that people read about each action. */
export const wordings: { readonly [N in ActionName]: Wording<Subjects[ActionKinds[N]], ActionInputs[N]> } = {
  approve: {
    command: ({ run }) => `approve ${run}`,
    accepted: ({ run, state }, { tap }) => {
      const plan = `plan ${state.hash.slice(0, 12)}, ${fenceText(state)}`;
      return `Approved ${tapName(state, tap)} (${plan}). Follow it: tidegate watch ${run}`;
    },
  },
  reject: {
    command: ({ run }) => `reject ${run}`,
    accepted: ({ state }, { tap }) => `Rejected ${tapName(state, tap)}.`,
  },
  hold: {
    command: ({ run }) => `hold ${run}`,
    accepted: ({ run, state }, { tap }) => `On hold: ${tapName(state, tap)}. Later: tidegate approve ${run}`,
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
        ? `Dropped ${partName(subject)}. ${keptText(subject)}`
        : `Dropped ${paths.join(' ')} from ${partName(subject)}; the rest is judged again.`,
  },
  discard: {
    command: (subject, { paths }) => ['clean --discard', partName(subject), ...paths.map(shellPath)].join(' '),
    accepted: (subject, { paths }) => `Discarded ${paths.join(' ')} of ${partName(subject)}.${stillText(subject)}`,
  },
  retry: {
    command: (subject) => `retry ${partName(subject)}`,
    accepted: (subject) => `${partName(subject)} starts again from its base.`,
  },
  'switch-agent': {
    command: (subject, { agent }) => `retry ${partName(subject)} --agent ${shellWord(agent)}`,
    accepted: (subject, { agent }) =>
      subject.state.tasks[subject.task]?.progress.status === 'waiting'
        ? `${partName(subject)} continues with ${agent}.`
        : `${partName(subject)} starts again from its base, with ${agent}.`,
  },
  relaunch: {
    command: ({ run }, { only = [], from, clear = [] }) =>
      [
        `retry ${run}`,
        ...(only.length === 0 ? [] : [`--only ${shellWord(only.join(','))}`]),
        ...(from === undefined ? [] : [`--from ${shellWord(from)}`]),
        ...(clear.length === 0 ? [] : [`--clear ${shellWord(clear.join(','))}`]),
      ].join(' '),
    accepted: ({ run }) => `${run} runs again as selected. To see the next starts: tidegate why ${run} --all`,
  },
  rework: {
    command: (subject, { message }) => `rework ${partName(subject)} -m ${shellWord(message)}`,
    accepted: (subject, { message }) => `${partName(subject)} continues from its snapshot: ${cut(safeLine(message))}`,
  },
  accept: {
    command: (subject, { snapshot }) => `accept ${partName(subject)} --snapshot ${snapshot.slice(0, 12)}`,
    accepted: (subject, { snapshot }) =>
      `Accepted snapshot ${snapshot.slice(0, 8)} of ${partName(subject)}; its other gates judge it now. See: tidegate why ${partName(subject)}`,
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
      return `Sent to the agent of ${name}: ${safeLine(message)}. See: tidegate attach --tail ${name}`;
    },
  },
  post: {
    command: (subject, { text }) => `post ${partName(subject)} -m ${shellWord(text)}`,
    accepted: ({ run, task }, { text, target = task ?? 'all' }) =>
      `Posted for ${target === 'all' ? `all tasks of ${run}` : target}: ${safeLine(text)}. See: tidegate board ${run}`,
  },
  answer: {
    command: ({ run }, { record, text }) =>
      text === null ? `answer ${run}/${record} --close` : `answer ${run}/${record} -m ${shellWord(text)}`,
    accepted: ({ run, state }, { record, text }) => {
      const from = recordById(state, record)?.from;
      if (text === null) return `Closed ${run}/${record}.`;
      if (state.ended !== null)
        return `Answered ${run}/${record}. The run has ended; the answer stays on its board: tidegate board ${run}`;
      const author = from !== undefined && isOfAgent(from) ? state.tasks[from.task] : undefined;
      if (author !== undefined && hasFinished(author))
        return `Answered ${run}/${record}. The task ${author.id} has ended; a rework will see the answer.`;
      return `Answered ${run}/${record}; the answer is in the inbox of ${author === undefined ? run : `${run}/${author.id}`}.`;
    },
  },
  record: {
    command: recordCommand,
    accepted: (subject, input) => `${recordDone(subject, input)} See: tidegate board ${subject.run}`,
  },
  'post-above': {
    command: (_, { text }) => `post --repository -m ${shellWord(text)}`,
    accepted: (_, { text, target = 'all' }) =>
      `Posted for ${target === 'all' ? 'all runs' : target}: ${safeLine(text)}. See: tidegate board --repository`,
  },
  'answer-above': {
    command: ({ run }, { record, text }) =>
      text === null ? `answer ${run}/${record} --close` : `answer ${run}/${record} -m ${shellWord(text)}`,
    accepted: ({ run }, { record, text }) =>
      text === null ? `Closed ${run}/${record}.` : `Answered ${run}/${record}. Live runs get the answer.`,
  },
  'record-above': {
    command: recordCommand,
    accepted: (subject, input) => `${recordDone(subject, input)} See: tidegate board --repository`,
  },
  resolve: {
    command: ({ run }, { barrier, reason }) => `resolve ${run}/${barrier} -m ${shellWord(reason)}`,
    accepted: ({ run, state }, { barrier }) =>
      recordsOf(state).some(({ id, kind }) => `${kind}-${id}` === barrier)
        ? `Dismissed the record of ${run}/${barrier}. See: tidegate board ${run}`
        : `Resolved ${run}/${barrier} for the present candidate.${changesText(state, barrier)} See: tidegate why --all ${run}`,
  },
  prove: {
    command: (subject, { level, attestation }) =>
      `proof add ${partName(subject)} --level ${level} -m ${shellWord(attestation)}`,
    accepted: (subject, { level }) =>
      `Registered a ${level} proof of ${partName(subject)}. See: tidegate proof list ${subject.run}`,
  },
  'revoke-proof': {
    command: ({ run }, { bundle, reason }) => `proof revoke ${run}/${bundle} -m ${shellWord(reason)}`,
    accepted: ({ run }, { bundle }) => `Revoked ${run}/${bundle}. See: tidegate why --all ${run}`,
  },
  'add-dependency': {
    command: (subject, { on, required, text }) =>
      `dep add ${partName(subject)} --on ${shellWord(on)}${required ? '' : ' --optional'} -m ${shellWord(text)}`,
    accepted: (subject, { on, required }) =>
      `${partName(subject)} now depends on ${on}${required ? '' : ' (optional)'}. See: tidegate dep list ${subject.run}`,
  },
  'end-dependency': {
    command: (_, { dependency, end, reason }) =>
      `dep ${end === 'resolved' ? 'resolve' : 'cancel'} ${dependency} -m ${shellWord(reason)}`,
    accepted: ({ run }, { dependency, end }) =>
      `${end === 'resolved' ? 'Resolved' : 'Cancelled'} ${dependency}. See: tidegate why --all ${run}`,
  },
  'add-branch-dependency': {
    command: (_, { branch, on, required, text }) =>
      `dep add ${shellWord(branch)} --on ${shellWord(on)}${required ? '' : ' --optional'} -m ${shellWord(text)}`,
    accepted: (_, { branch, on, required }) =>
      `The branch ${branch} now depends on ${on}${required ? '' : ' (optional)'}. See: tidegate dep list`,
  },
  'end-branch-dependency': {
    command: (_, { dependency, end, reason }) =>
      `dep ${end === 'resolved' ? 'resolve' : 'cancel'} ${dependency} -m ${shellWord(reason)}`,
    accepted: (_, { dependency, end }) =>
      `${end === 'resolved' ? 'Resolved' : 'Cancelled'} ${dependency}. See: tidegate dep list`,
  },
  raise: {
    command: (subject, { usd }) => `raise ${partName(subject)} --usd ${usd}`,
    accepted: (subject, { usd }) => {
      const { state, task } = subject;
      const one = task === null ? undefined : state.tasks[task];
      const { used, limit } = one === undefined ? runSpend(state) : taskSpend(state, one);
      return `Raised the budget of ${partName(subject)} to ${money(limit + usd)}; ${money(used)} is used.`;
    },
  },
  pause: {
    command: ({ run }) => `pause ${run}`,
    accepted: ({ run }) => `Paused ${run}: nothing new starts. Continue: tidegate resume ${run}`,
  },
  resume: {
    command: ({ run }) => `resume ${run}`,
    accepted: ({ run }) => `${run} continues.`,
  },
  replan: {
    command: ({ run }) => `resume ${run} --replan`,
    accepted: ({ run }, { order, differences, vain, reused }) => {
      const merged = vain.length === 0 ? '' : `; ${vain.join(', ')}: merged already, so the change has no effect`;
      const kept = reused.length === 0 ? '' : `; unchanged tasks keep their work: ${reused.join(', ')}`;
      return `${run} has a new plan, ${order.hash.slice(0, 12)} (${shortened(differences)})${merged}${kept}`;
    },
  },
  stop: {
    command: ({ run }) => `stop ${run}`,
    accepted: ({ run }) => `Stopping ${run}: agents end, their work is kept. Continue: tidegate resume ${run}`,
  },
  abandon: {
    command: ({ run }) => `abandon ${run}`,
    accepted: ({ run }) => `Abandoned ${run}: landed work stays, everything else is kept: tidegate rescue ${run}`,
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

/** Returns `run` or `run/task`, as people type it. */
export const partName = ({ run, task }: Pick<Subjects['part'], 'run' | 'task'>): string =>
  task === null ? run : `${run}/${task}`;

/** No agent works on the task any more. */
const hasFinished = ({ progress }: TaskState): boolean =>
  ['ready', 'done', 'merged', 'dropped'].includes(progress.status);

/** Shortens a long list to one line. */
export const shortened = (differences: readonly string[]): string =>
  differences.length <= 6
    ? differences.join('; ')
    : `${differences.slice(0, 6).join('; ')} and ${differences.length - 6} more`;

type State = Subjects['run']['state'];
const decidedTap = (state: State, tap: TapName | undefined): TapName | null => tap ?? undecidedTap(state);

/** A launch that failed before its agent started leaves nothing. */
function keptText(subject: Subjects['task']): string {
  const { state, task: id } = subject;
  const task = state.tasks[id];
  if (task === undefined || task.launches === 0) return 'It had not started.';
  const isInSnapshot = snapshotOf(task) !== null || isLive(task);
  const isKept = isInSnapshot || state.kept.some((one) => one.task === id);
  return `${isKept ? 'Its work is kept' : 'Work of earlier attempts'}: tidegate rescue ${partName(subject)}`;
}

/** Says that the task still waits for a person. */
function stillText({ state, task }: Subjects['task']): string {
  const need = needsOf(state).find((one) => one.task === task && (one.kind === 'held' || one.kind === 'failed'));
  if (need === undefined) return '';
  return ` The task ${need.kind === 'held' ? 'is still held' : 'has failed'}; next: ${need.command}`;
}

const tapName = (state: State, tap: TapName | undefined): string =>
  decidedTap(state, tap) === 'land' ? `the landing of ${state.run} on ${state.target.branch}` : state.run;

const cut = (line: string): string => (line.length <= 200 ? line : `${line.slice(0, 199)}…`);

/** Says what follows from a grant, worded from the state before it. */
function afterGrant({ state, task: id }: Subjects['task'], paths: readonly string[]): string {
  const task = state.tasks[id];
  switch (task?.progress.status) {
    case 'launching':
    case 'running':
      return whileLive(state, task, paths);
    case 'held':
    case 'ended':
    case undefined:
      return 'its snapshot is judged again';
    case 'waiting':
      return 'its next attempt may change them';
    case 'failed':
      return 'it has failed, so this takes effect when it is retried';
    case 'merged':
      return 'it is merged already, so nothing is judged again; a check definition that it changed takes effect now';
    case 'ready':
    case 'done':
    case 'dropped':
      return `it is ${task.progress.status}, so nothing is judged again`;
  }
}

/** Files that steer agents are read-only in the fence of an attempt until it ends. */
function whileLive(state: RunState, task: TaskState, paths: readonly string[]): string {
  const planned = plannedIn(state, task.id);
  const isFenced = state.plan.fence.mode !== 'none';
  const closed = planned === undefined || !isFenced ? [] : protectedConfig(state.plan, planned, grantedIn(state));
  const names = new Set(closed.map(foldPath));
  const later = paths.filter((path) => names.has(grantPattern(path).prefix[0] ?? ''));
  if (later.length === 0) return 'its agent may change them now';
  const open = later.length === paths.length ? '' : 'its agent may change the others now; ';
  return `${open}read-only until its next attempt: ${later.join(' ')}`;
}

const wildGrant = (paths: readonly string[]): string =>
  paths.every((path) => grantPattern(path).literal)
    ? ''
    : ' A wildcard never includes protected files and check definitions: grant those by name.';

type RecordWords = {
  readonly record: string;
  readonly act: string;
  readonly text?: string | undefined;
  readonly to?: string | undefined;
};

function recordCommand({ run }: { readonly run: string }, { record, act, text, to }: RecordWords): string {
  const target = to === undefined ? [] : [`--to ${to}`];
  const words = text === undefined ? [] : [`-m ${shellWord(text)}`];
  return [`record ${run}/${record} ${act}`, ...target, ...words].join(' ');
}

const recordDone = ({ run }: { readonly run: string }, { record, act, to }: RecordWords): string =>
  to === undefined ? `Done: ${act}, record ${run}/${record}.` : `Record ${run}/${record} is for ${to} now.`;
