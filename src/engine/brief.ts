import type { FrozenPlan, PlannedTask } from '../domain/plan.ts';
import type { Attempt } from '../domain/task.ts';

/** The prompt of one attempt, built by code from the frozen directive. Never names other tasks. */
export function buildBrief(plan: FrozenPlan, task: PlannedTask, attempt: Attempt, findings: readonly string[]): string {
  const sections = [task.directive.text.trim(), scope(plan, task), before(findings), ending(plan, attempt)];
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`;
}

function scope(plan: FrozenPlan, task: PlannedTask): string {
  const lines = ['## Scope', ''];
  if (task.owns === null)
    lines.push(
      'Change only what this task is about. Paths that belong to other tasks or are protected will be refused.',
    );
  else if (task.owns.length === 0) lines.push('This task is read-only: change no file. Your handoff is the result.');
  else
    lines.push('Change only these paths; anything else is held back:', ...task.owns.map((pattern) => `- ${pattern}`));
  if (task.shares.length > 0) lines.push('You may also change:', ...task.shares.map((pattern) => `- ${pattern}`));
  if (plan.forbid.length > 0) lines.push('Never:', ...plan.forbid.map((rule) => `- ${rule}`));
  return lines.join('\n');
}

/** What the gates said of the attempt before, or what a person asks for. */
function before(findings: readonly string[]): string {
  if (findings.length === 0) return '';
  return [
    '## What is still wrong',
    '',
    'The workspace holds the earlier work. Mend this:',
    ...findings.map((finding) => `- ${finding}`),
  ].join('\n');
}

function ending(plan: FrozenPlan, attempt: Attempt): string {
  return [
    '## When you are through',
    '',
    'Run `tidegate handoff done -m "<what you did>"`, or `partial` or `failed` with what remains.',
    `Without the command, write .tidegate/handoff.json with "status", "summary" and "nonce": "${attempt.nonce}".`,
    `You have ${plan.limits.minutes} minutes. Without a handoff nothing of this counts as done.`,
  ].join('\n');
}
