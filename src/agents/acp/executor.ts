import type { Executor, Launch, Seat } from '../../ports/executor.ts';
import { claudeHook } from '../claude/executor.ts';
import { codexHook } from '../codex/executor.ts';
import { followAcp } from './conversation.ts';
import { presetOf } from './presets.ts';

/** Any agent that speaks the Agent Client Protocol, version 1, on stdin and stdout. */
export const acpExecutor = (program: string): Executor => ({
  name: 'acp',
  resolve: null,
  prepare,
  follow: followAcp,
  // A refusal over the protocol has no reason; that of Claude's own hook has, and reaches the model. codex-acp asks nobody in
  // the one mode that works inside our fence; Codex's own hook does.
  hook: program === 'claude-agent-acp' ? claudeHook : codexHook,
});

function prepare(seat: Seat): Launch {
  const { args, environment, files } = presetOf(seat);
  const always = seat.job.agent?.arguments ?? [];
  return { argv: [seat.program, ...always, ...args], environment, files, opening: '' };
}
