import { isOver, runSpend, type Spend, taskSpend } from './budget.ts';
import { currentWave, plannedStates, type RunState } from './run.ts';
import { blockingNeed } from './schedule.ts';
import { shellPath, shellWord } from './shell-word.ts';
import { type Hold, isResolved, type TaskState } from './task.ts';
import { describeVerdict } from './verdict.ts';

/** Something that only a person can bring on, with the command that does it. */
export type Need = {
  readonly kind: NeedKind;
  readonly task: string | null;
  readonly message: string;
  readonly command: string;
};
export type NeedKind =
  | 'approve'
  | 'land'
  | 'held'
  | 'failed'
  | 'blocked'
  | 'launch'
  | 'paused'
  | 'stopped'
  | 'halted'
  | 'disk'
  | 'login'
  | 'budget'
  | 'scope'
  | 'landing';

/** What a run waits for from people; empty while it goes on by itself or has ended and nothing was asked of it since. */
export function needsOf(state: RunState): readonly Need[] {
  if (state.ended !== null) return state.mode.mode === 'halted' ? modeNeeds(state) : landingNeeds(state);
  return [
    ...modeNeeds(state),
    ...diskNeeds(state),
    ...loginNeeds(state),
    ...tapNeeds(state),
    ...budgetNeeds(state),
    ...taskNeeds(state),
    ...landingNeeds(state),
    ...scopeNeeds(state),
  ];
}

/** While it keeps something from starting. The amount is a proposal: as much again as the limit in the plan. */
function budgetNeeds(state: RunState): readonly Need[] {
  const spend = runSpend(state);
  const waits = plannedStates(state).some(({ progress }) => progress.status === 'waiting');
  if (!isOver(spend) || !waits) return [];
  return [
    {
      kind: 'budget',
      task: null,
      message: `nothing more starts: the run has used ${spendText(spend)}`,
      command: `tidegate raise ${state.run} --usd ${state.plan.limits.runUsd}`,
    },
  ];
}

export const spendText = ({ used, limit }: Spend): string => `$${used.toFixed(2)} of $${limit.toFixed(2)}`;

/** The agent goes on meanwhile; nothing waits for an answer, but it may save an attempt. */
function scopeNeeds(state: RunState): readonly Need[] {
  return Object.values(state.tasks).flatMap((task): readonly Need[] => {
    const [first] = task.asked;
    if (first === undefined) return [];
    const paths = task.asked.map(({ path }) => path);
    return [
      {
        kind: 'scope',
        task: task.id,
        message: `its agent asks for ${paths.join(' ')}${first.why === '' ? '' : `: ${first.why}`}`,
        command: `tidegate grant ${state.run}/${task.id} ${paths.slice(0, 3).map(shellPath).join(' ')}`,
      },
    ];
  });
}

function modeNeeds(state: RunState): readonly Need[] {
  const command = `tidegate resume ${state.run}`;
  switch (state.mode.mode) {
    case 'active':
      return [];
    case 'paused':
    case 'stopped':
      return [{ kind: state.mode.mode, task: null, message: `${state.mode.mode} by ${state.mode.who}`, command }];
    case 'halted':
      return [{ kind: 'halted', task: null, message: haltedMessage(state.mode, command), command }];
  }
}

function loginNeeds(state: RunState): readonly Need[] {
  return Object.entries(state.providers).flatMap(([provider, pause]): readonly Need[] =>
    pause.status !== 'paused' || pause.until !== null
      ? []
      : [
          {
            kind: 'login',
            task: null,
            message: `no login at ${provider}: ${pause.trouble.detail}`,
            command: `tidegate resume ${state.run}`,
          },
        ],
  );
}

/** Whatever mends it, `resume` is what brings the run on afterwards. */
const haltedMessage = (mode: RunState['mode'] & { readonly mode: 'halted' }, command: string): string =>
  mode.fix === command || mode.fix === '' ? mode.why : `${mode.why} (${mode.fix})`;

/** It goes on by itself when there is room; the command shows what takes it, and why it is kept. */
const diskNeeds = ({ shortage }: RunState): readonly Need[] =>
  shortage === null
    ? []
    : [
        {
          kind: 'disk',
          task: null,
          message: `nothing more starts, because ${shortage.why}: ${shortage.fix}`,
          command: 'tidegate clean --dry-run',
        },
      ];

function tapNeeds(state: RunState): readonly Need[] {
  return Object.entries(state.taps).flatMap(([name, tap]): readonly Need[] => {
    if (tap?.status !== 'pending' && tap?.status !== 'held') return [];
    const held = tap.status === 'held' ? `, on hold by ${tap.by.who}` : '';
    if (name === 'land')
      return [
        {
          kind: 'land',
          task: null,
          message: `ready to land on ${state.target.branch}${held}`,
          command: `tidegate land ${state.run}`,
        },
      ];
    const count = plannedStates(state).filter((task) => !isResolved(task)).length;
    return [
      {
        kind: 'approve',
        task: null,
        message: `${count} task${count === 1 ? '' : 's'} wait for approval${held}`,
        command: `tidegate approve ${state.run}`,
      },
    ];
  });
}

function taskNeeds(state: RunState): readonly Need[] {
  const wave = currentWave(state);
  return Object.values(state.tasks).flatMap((task): readonly Need[] => {
    const subject = `${state.run}/${task.id}`;
    const { progress } = task;
    if (progress.status === 'held') return [{ kind: 'held', task: task.id, ...heldNeed(progress.hold, subject) }];
    if (progress.status === 'failed')
      return [{ kind: 'failed', task: task.id, message: progress.why, command: `tidegate retry ${subject}` }];
    if (progress.status !== 'waiting' || task.wave !== wave?.index) return [];
    const spend = taskSpend(state, task);
    if (isOver(spend))
      return [
        {
          kind: 'budget',
          task: task.id,
          message: `it has used ${spendText(spend)}`,
          command: `tidegate raise ${subject} --usd ${state.plan.limits.usd}`,
        },
      ];
    if (progress.next.halt !== null)
      return [
        {
          kind: 'launch',
          task: task.id,
          message: `could not be launched: ${progress.next.halt}`,
          command: `tidegate resume ${state.run}`,
        },
      ];
    return blocked(state, task, subject);
  });
}

function blocked(state: RunState, task: TaskState, subject: string): readonly Need[] {
  const need = blockingNeed(state, task);
  if (need === null || state.tasks[need]?.progress.status !== 'dropped') return [];
  return [
    {
      kind: 'blocked',
      task: task.id,
      message: `needs ${need}, which was dropped`,
      command: `tidegate drop ${subject}`,
    },
  ];
}

/** What to type for the output of a check; `subject` is the run or a task of it. */
export const checkLog = (subject: string, check: string): string =>
  `tidegate logs ${subject.split('/')[0]} --check ${shellWord(check)}`;

function heldNeed(hold: Hold, subject: string): { readonly message: string; readonly command: string } {
  switch (hold.because) {
    case 'gate': {
      const message = hold.verdicts.flatMap(describeVerdict).join('; ');
      const scope = hold.verdicts.find((verdict) => verdict.gate === 'scope');
      const findings = scope?.outcome === 'fail' ? scope.findings : [];
      const paths = findings.flatMap((finding) => finding.where ?? []).slice(0, 3);
      if (paths.length === 0) return { message, command: `tidegate rework ${subject} -m "…"` };
      const grantable = findings.every((finding) => finding.fix?.startsWith('tidegate grant') === true);
      return {
        message,
        command: `tidegate ${grantable ? 'grant' : 'drop'} ${subject} ${paths.map(shellPath).join(' ')}`,
      };
    }
    case 'conflict':
      return { message: `conflicts in ${hold.files.join(', ')}`, command: `tidegate retry ${subject}` };
    case 'check':
      return {
        message: `breaks the check ${hold.check} (${checkLog(subject, hold.check)})`,
        command: `tidegate rework ${subject} -m "…"`,
      };
    case 'needs':
      return { message: `stands on ${hold.task}, which is held`, command: `tidegate retry ${subject}` };
  }
}

function landingNeeds(state: RunState): readonly Need[] {
  if (state.landing.status !== 'refused') return [];
  const files = state.landing.files.length === 0 ? '' : `: ${state.landing.files.slice(0, 5).join(', ')}`;
  return [
    { kind: 'landing', task: null, message: `${state.landing.why}${files}`, command: `tidegate land ${state.run}` },
  ];
}
