/** How an agent hands off, in its prompt and when it is reminded. */
export const handoffCommands = `  tidegate handoff done -m "what you did"
  tidegate handoff partial -m "what you did" --remaining "what is left"
  tidegate handoff failed -m "why it cannot be done"`;
