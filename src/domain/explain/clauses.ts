import type { Clause, Directive } from '../plan/plan.ts';

/** The directive as people see it: its text, then each clause that the text does not contain yet. */
export function directiveText({ text, clauses }: Directive, forbid: readonly string[]): string {
  const missing = clauseTexts(clauses, forbid).filter((clause) => !text.includes(clause));
  return `${[text.trimEnd(), ...missing].join('\n\n')}\n`;
}

/** The clauses in the order in which agents get them. `forbid` comes from the plan. */
export const clauseTexts = (clauses: readonly Clause[], forbid: readonly string[]): readonly string[] =>
  clauses.map((clause) => wordings[clause](forbid));

const wordings: Readonly<Record<Clause, (forbid: readonly string[]) => string>> = {
  'merge-gate': () => `<!-- tidegate:merge-gate -->
## Merge gate

- Work only in this workspace, and only on the paths that you own.
- Never commit to, merge into, rebase, push, delete or move a branch or a tag. Tidegate takes a snapshot of your files,
  checks it and integrates it.
- When you have finished, hand off: \`tidegate handoff done -m "what you did"\`. If you did not finish,
  use \`partial\` or \`failed\` and say what remains. Work without a handoff does not count as done.`,
  forbid: (forbid) =>
    ['Never do any of the following:', ...forbid.map((line) => `- ${line.replaceAll('\n', ' ')}`)].join('\n'),
};
