import { acpExecutor } from '../acp/executor.ts';

/** Gemini CLI over the Agent Client Protocol. */
export const geminiExecutor = acpExecutor(({ home, job }) => ({
  // Only our own MCP server: one that the repository names would run without approval.
  args: ['--model', job.agent?.model ?? 'gemini-2.5-pro', '--allowed-mcp-server-names', 'tidegate'],
  environment: {
    GEMINI_CLI_HOME: home,
    // Otherwise it asks whether it may work here.
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_CLI_NO_RELAUNCH: 'true',
  },
  files: { '.gemini/settings.json': JSON.stringify(settings) },
  // It opens a new file for the session that it is about to load. If the session began within the same minute, that is the session's
  // own file, and it is emptied; later, both are deleted when it tidies up. Under another name it leaves the session alone.
  lastSession: 'latest',
  forgetsCancelledTurns: true,
}));

const settings = {
  security: { auth: { selectedType: 'gemini-api-key' } },
  general: { disableAutoUpdate: true, disableUpdateNag: true, maxAttempts: 3, sessionRetention: { enabled: false } },
  context: { fileName: ['GEMINI.md', 'AGENTS.md'] },
  privacy: { usageStatisticsEnabled: false },
};
