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
