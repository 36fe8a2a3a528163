import { safeText } from '../domain/base/safe-text.ts';
import { roles } from '../domain/plan/plan.ts';

/** What an agent is told that drafts a plan. It gets what the rules made of the goal, to begin with. */
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
