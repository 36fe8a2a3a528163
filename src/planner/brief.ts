import type { Role } from '../domain/plan/plan.ts';

/** The brief of a planned task: what, within what, until when. */
export function taskBrief(task: {
  readonly goal: string;
  readonly asks: string;
  readonly role: Role;
  readonly owns: readonly string[] | null;
  /** Whether it may write tests of what it changes. */
  readonly tests: boolean;
  /** Whether it makes several files of one. */
  readonly divides: boolean;
  readonly files: number;
  readonly forbid: readonly string[];
}): string {
  const { role, owns, tests, divides, forbid } = task;
  // the old file, the new ones, and a test of each
  const files = divides ? task.files * 2 : task.files;
  const accepted = [...(acceptance[role] ?? (tests ? doneWithTests : done)), ...(divides && owns !== null ? kept : [])];
  const [goal, asks] = [onOneLine(task.goal), onOneLine(task.asks)];
  const whole = asks.includes(goal) ? [] : [`It is a part of this: ${goal}`];
  return [
    ['## Goal', asks, ...whole].join('\n\n'),
    ['## Scope', [...scopeLines(owns, files), ...forbid.map((action) => `- Never: ${action}`)].join('\n')].join('\n\n'),
    ['## Acceptance', accepted.map((line) => `- ${line}`).join('\n')].join('\n\n'),
  ].join('\n\n');
}

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

function scopeLines(owns: readonly string[] | null, files: number): readonly string[] {
  if (owns?.length === 0) return ['- Change nothing: the handoff is the result.'];
  const where = owns === null ? 'what the goal needs' : owns.map((path) => `\`${path}\``).join(', ');
  const isOpen = owns === null || owns.some((path) => /\*|\/$/.test(path));
  const most = `- Change at most ${files} ${files === 1 ? 'file' : 'files'}; if it takes more, hand off as partial and say why.`;
  return [`- Change only ${where}.`, ...(isOpen ? [most] : [])];
}

const judged = [
  'The handoff lists each deviation from the goal with its file and line and the steps that show it, or says that there is none.',
];
const found = [
  'The handoff names the files and lines that the goal is about, what each of them does, and what stands in the way.',
  'It tells what was seen apart from what is supposed.',
];
const goalMet = 'All that the goal says is true, in every case that it names.';
const checksPass = 'The checks of the project pass.';
const done = [goalMet, checksPass];
const doneWithTests = [
  goalMet,
  'Where the project has tests for such code, each case has one that fails without the change.',
  checksPass,
];
/** Whoever imports it is not the task's to change. */
const kept = ['What other files import from the old path works as before, without a change to them.'];
const acceptance: Partial<Readonly<Record<Role, readonly string[]>>> = {
  discovery: found,
  design: [
    'The handoff states the constraints that were found, the options with their costs, and the one to take.',
    'It is concrete enough that somebody else can build it without asking.',
  ],
  docs: [
    'All that the goal asks for is written down where a reader would look for it.',
    'Every command, name and claim agrees with the code as it is now.',
  ],
  quality: [
    'Each case that the goal names has a test that fails when the behaviour is broken.',
    'No test was weakened, skipped or deleted.',
  ],
  infra: ['All that the goal says is true.', 'Each step can be repeated and taken back, and versions are pinned.'],
  deploy: ['The handoff has each step as a command, how to see that it worked, and how to go back.'],
  qa: judged,
  security: judged,
};
