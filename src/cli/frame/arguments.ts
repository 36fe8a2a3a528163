import type { Argument } from './definition.ts';

/** Arguments that several commands have. */

export const aRun = {
  about: 'a run or the beginning of its name; without it the live one',
  completes: 'runs',
} as const satisfies Argument;

export const aTask = {
  about: 'run/task, or a task of the live run',
  required: true,
  shown: 'run/task',
  completes: 'runs',
} as const satisfies Argument;

export const aRunOrTask = {
  about: 'run or run/task; without it the live run',
  shown: 'run[/task]',
  completes: 'runs',
} as const satisfies Argument;

export const aPlan = {
  about: 'the plan, or markdown files that are a task each; without it tidegate.plan.yaml',
  variadic: true,
  shown: 'plan | task.md',
} as const satisfies Argument;
