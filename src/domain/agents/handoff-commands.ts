import { type ClosureRole, roleWords } from '../closure/roles.ts';

/** The commands for a handoff, shown in an agent's prompt and in reminders. */
export const handoffCommands = `  tidegate handoff done -m "what you did"
  tidegate handoff partial -m "what you did" --remaining "what is left"
  tidegate handoff failed -m "why it cannot be done"`;

/** Sent to an agent that exited without a handoff. */
export const reminder = `You ended without a handoff, so your work cannot be judged yet. Your workspace is as you left it.
Finish what is missing, if anything, and then hand off with one of these commands:

${handoffCommands}

Without the command: write .tidegate/handoff.json with "status", "summary" and "nonce" (the value of $TIDEGATE_NONCE).
`;

/** How a closure role reports, with its own words. */
export const verdictCommands = (role: ClosureRole): string =>
  `  tidegate verdict ${roleWords[role].words.join('|')} -m "your conclusion" --finding "a finding" --finding "another"`;

/** Sent to a closure role that exited without a report. */
export const verdictReminder = (
  role: ClosureRole,
): string => `You ended without a report, so the wave cannot be judged. Report with this command:

${verdictCommands(role)}

Without the command: write .tidegate/handoff.json with "status": "done", "summary", "nonce" (the value of $TIDEGATE_NONCE) and
"report": { "word": "…", "findings": [] }.
`;
