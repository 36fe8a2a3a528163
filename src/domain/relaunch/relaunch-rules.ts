import type { RunId, TaskId } from '../base/ids.ts';
import type { ClosureRole } from '../closure/roles.ts';
import type { Finding } from '../findings/finding.ts';
import type { AttemptOutcome } from '../run/task.ts';
import type { RelaunchPhase } from './phases.ts';

/** Refusals of a selection of what runs again, and reasons why something runs next. */
export type RelaunchRules = {
  /** The wave has no such closure role; `roles` holds those that it has. */
  'relaunch-role': {
    readonly run: RunId;
    readonly wave: number;
    readonly role: ClosureRole;
    readonly roles: readonly ClosureRole[];
  };
  /** The selection names nothing that could run again. */
  'relaunch-nothing': { readonly run: RunId };
  'relaunch-empty': unknown;
  'relaunch-phase': { readonly phases: readonly RelaunchPhase[] };
  /** A person selected the task to start again. */
  'next-selected': { readonly who: string };
  /** The attempt before did not finish the task. */
  'next-again': { readonly outcome: AttemptOutcome };
  'next-first': unknown;
  /** It continues at no cost, because only these components keep the wave open. */
  'next-continues': { readonly components: readonly string[] };
  /** The barrier is the next one to be removed, and the task can remove it. */
  'next-barrier': { readonly id: string; readonly task: TaskId; readonly because: Finding };
};
