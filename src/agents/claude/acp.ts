import { acpExecutor } from '../acp/executor.ts';
import { claudeEnvironment, claudeHook, claudeSettings } from './executor.ts';

/** Claude Code behind `claude-agent-acp`. A refusal over the protocol has no reason; one by Claude's own hook has, and the model reads it. */
export const claudeAcpExecutor = acpExecutor(
  ({ client, drives, home, job }) => ({
    environment: {
      ...claudeEnvironment(home),
      ...(drives === null ? {} : { CLAUDE_CODE_EXECUTABLE: drives }),
      ...(job.agent?.model == null ? {} : { ANTHROPIC_MODEL: job.agent.model }),
    },
    meta: { claudeCode: { options: { settings: claudeSettings(client), strictMcpConfig: true } } },
  }),
  claudeHook,
);
