import type { Executor, Hook, Launch, LaunchContext } from '../../ports/executor.ts';
import { callInPayload } from '../common/tool-call.ts';
import { claudeCall, followClaude, userMessage } from './stream.ts';

export const claudeHook: Hook = {
  callIn: (payload) => callInPayload(payload, claudeCall),
  answer(refusal, advice) {
    const output =
      refusal !== null
        ? { permissionDecision: 'deny', permissionDecisionReason: [refusal, advice].filter(Boolean).join('\n') }
        : advice === null
          ? null
          : { additionalContext: advice };
    return {
      stdout: output === null ? '' : JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...output } }),
      exit: 0,
    };
  },
};

/** Claude Code, headless. Its hook and settings lie outside the workspace; the project's own CLAUDE.md and skills are read. */
export const claudeExecutor: Executor = {
  name: 'claude',
  resolve: null,
  prepare,
  follow: (callbacks, context) => followClaude(callbacks, context.session?.usage.usd ?? 0),
  hook: claudeHook,
};

function prepare(context: LaunchContext): Launch {
  const { job, session } = context;
  const model = job.agent?.model ?? null;
  const turns = job.agent?.turns ?? null;
  const usd = job.agent?.usd ?? null;
  return {
    argv: [
      context.program,
      ...['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'],
      // Hook, fence and snapshot judge what it touches; nobody would answer a prompt.
      ...['--permission-mode', 'bypassPermissions'],
      ...['--settings', `${context.home}/settings.json`, '--setting-sources', 'project'],
      // Only our own MCP server: one that the repository names would run without approval.
      ...['--mcp-config', `${context.home}/mcp.json`, '--strict-mcp-config'],
      ...(session === null ? [] : ['--resume', session.id]),
      ...(model === null ? [] : ['--model', model]),
      ...(turns === null ? [] : ['--max-turns', String(turns)]),
      ...(usd === null ? [] : ['--max-budget-usd', (usd + (session?.usage.usd ?? 0)).toFixed(4)]),
    ],
    environment: {
      ...claudeEnvironment(context.home),
      // The fence is the sandbox: without this Claude refuses to run without prompts as some uids.
      IS_SANDBOX: '1',
    },
    files: {
      'settings.json': `${JSON.stringify(claudeSettings(context.client), null, 2)}\n`,
      'mcp.json': `${JSON.stringify(claudeServers(context.client), null, 2)}\n`,
    },
    opening: userMessage(context.prompt),
  };
}

/** Gives it a home of its own, and turns off traffic that the task does not need. */
export const claudeEnvironment = (home: string): Readonly<Record<string, string>> => ({
  CLAUDE_CONFIG_DIR: `${home}/claude`,
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  CLAUDE_CODE_MAX_RETRIES: '3',
});

/** Its tools are called `mcp__tidegate__handoff` and so on. */
const claudeServers = (client: string) => ({
  mcpServers: { tidegate: { type: 'stdio', command: client, args: ['mcp'] } },
});

/** `onFailure` makes Claude refuse a call when the hook cannot run: silence must not mean yes. */
export const claudeSettings = (client: string) => ({
  disableAllHooks: false,
  hooks: {
    PreToolUse: [
      { matcher: '*', hooks: [{ type: 'command', command: `${client} hook`, timeout: 30, onFailure: 'block' }] },
    ],
  },
});
