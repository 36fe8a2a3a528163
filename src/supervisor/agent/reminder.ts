import { handoffCommands } from '../../domain/agents/handoff-commands.ts';

export const reminder = `You ended without a handoff, so your work cannot be judged yet. Your workspace is as you left it.
Finish what is missing, if anything, and then hand off with one of these commands:

${handoffCommands}

Without the command: write .tidegate/handoff.json with "status", "summary" and "nonce" (the value of $TIDEGATE_NONCE).
`;
