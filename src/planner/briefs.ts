import { safeText } from '../domain/base/safe-text.ts';
import { isReadOnly, type Role, roles } from '../domain/plan/plan.ts';

/** Writes the brief of a planned task: goal, scope and acceptance. */
export function taskBrief(task: {
  readonly goal: string;
  readonly asks: string;
  readonly role: Role;
  readonly owns: readonly string[] | null;
  /** True when it may write tests for its changes. */
  readonly tests: boolean;
  /** True when it splits one file into several. */
  readonly divides: boolean;
  readonly files: number;
  readonly forbid: readonly string[];
}): string {
  const { role, owns, tests, divides, forbid } = task;
  // the old file, the new ones, and a test of each
  const files = divides ? task.files * 2 : task.files;
  const accepted = [
    ...(acceptance[role] ?? (tests ? doneWithTests : done)),
    ...(divides && owns !== null ? sameImports : []),
  ];
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
  if (isReadOnly({ owns })) return ['- Change nothing: the handoff is the result.'];
  const where = owns === null ? 'the files that the goal needs' : owns.map((path) => `\`${path}\``).join(', ');
  const isOpen = owns === null || owns.some((path) => /\*|\/$/.test(path));
  const most = `- Change at most ${files} ${files === 1 ? 'file' : 'files'}; if it takes more, hand off as partial and say why.`;
  return [`- Change only ${where}.`, ...(isOpen ? [most] : [])];
}

const deviations = [
  'The handoff lists each deviation from the goal with its file and line and the steps that show it, or says that there is none.',
];
const goalMet = 'All that the goal says is true, in every case that it names.';
const checksPass = 'The checks of the project pass.';
const done = [goalMet, checksPass];
const doneWithTests = [
  goalMet,
  'Where the project has tests for such code, each case has one that fails without the change.',
  checksPass,
];
/** The files that import it are not the task's to change. */
const sameImports = ['Imports of the old path in other files work as before, without a change to those files.'];
const acceptance: Partial<Readonly<Record<Role, readonly string[]>>> = {
  discovery: [
    'The handoff names the files and lines that the goal is about, what each of them does, and the obstacles.',
    'It keeps observations apart from assumptions.',
  ],
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
  infra: ['All that the goal says is true.', 'Each step can be repeated and undone, and versions are pinned.'],
  deploy: ['The handoff has each step as a command, how to see that it worked, and how to go back.'],
  qa: deviations,
  security: deviations,
};

/** Writes the directive of an agent that drafts a plan. `ruled`: the plan that fixed rules made of the goal, as a start. */
export function draftDirective(draft: {
  readonly goal: string;
  readonly file: string;
  readonly ruled: string;
}): string {
  return `## Goal

Write a plan for Tidegate into \`${draft.file}\`: waves of tasks that together reach this, and nothing else:

${quoted(safeText(draft.goal))}

## Scope

- Change only \`${draft.file}\`. Read the repository as far as you need, and begin nothing of the work itself.

## Acceptance

- It is one YAML document with the keys \`name\` and \`waves\`. A wave has \`name\` and \`tasks\`, a mapping from ids (lower-case letters, digits and \`-\`) to tasks.
- A task has \`do\` (its brief in markdown, with the sections Goal, Scope and Acceptance), \`role\` (one of ${roles.join(', ')}), \`owns\` and, where it must
  wait for another task of its wave or of an earlier one, \`needs\`. It has no other key.
- \`owns\` lists paths of this repository (\`*\`, \`?\`, a whole segment \`**\`, a trailing \`/\`); \`[]\` is a task that only reads. Tasks of one wave own no common path.
- Each task is small enough for 5 to 15 minutes, at most 5 of a wave work side by side, and each brief names the files, numbers or behaviour that it is about.
- Every task is needed for the goal, and nothing that the goal asks for is missing.

## To begin with

Fixed rules that know nothing of this repository made the following of the goal. Keep what fits and replace the rest:

${fenced(draft.ruled)}`;
}

const quoted = (text: string): string =>
  text
    .trim()
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');

/** With a fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}yaml\n${text.trimEnd()}\n${fence}`;
}
