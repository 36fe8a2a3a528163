import { acpExecutor } from '../acp/executor.ts';
import { codexFiles, codexHook } from './executor.ts';

/** Codex behind `codex-acp`. In the one mode that works inside our fence it asks nobody, but Codex's own hook does. */
export const codexAcpExecutor = acpExecutor(
  (context) => ({
    environment: {
      CODEX_HOME: `${context.home}/codex`,
      // Codex's own sandbox cannot work inside our fence, and its other modes need it.
      INITIAL_AGENT_MODE: 'agent-full-access',
      CODEX_CONFIG: JSON.stringify({
        // Codex silently skips hooks that nobody confirmed by hand: ours must run.
        bypass_hook_trust: true,
        ...(context.job.agent?.model == null ? {} : { model: context.job.agent.model }),
      }),
      NO_BROWSER: '1',
      ...(context.drives === null ? {} : { CODEX_PATH: context.drives }),
    },
    files: codexFiles(context),
  }),
  codexHook,
);
