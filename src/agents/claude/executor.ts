import type { Executor, Hook, Launch, Seat } from '../../ports/executor.ts';
import { fieldsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { followClaude, userMessage } from './stream.ts';
import { claudeCall } from './tool-call.ts';

export const claudeHook: Hook = {
  callIn(payload) {
    const asked = fieldsOf(payload);
    const tool = textOf(asked?.['tool_name']);
    if (asked === null || tool === null) return null;
    const call = claudeCall(textOf(asked['tool_use_id']) ?? '', tool, fieldsOf(asked['tool_input']) ?? {});
    const directory = textOf(asked['cwd']);
    return directory === null ? call : { ...call, directory };
  },
  answer(refusal, advice) {
    const said =
      refusal !== null
        ? { permissionDecision: 'deny', permissionDecisionReason: [refusal, advice].filter(Boolean).join('\n') }
        : advice === null
          ? null
          : { additionalContext: advice };
    return {
      stdout: said === null ? '' : JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...said } }),
      exit: 0,
    };
  },
};

/** Claude Code, headless. Its hook and settings lie outside the workspace; the project's own CLAUDE.md and skills are read. */
export const claudeExecutor: Executor = {
  name: 'claude',
  resolve: null,
  prepare,
  follow: (talk, seat) => followClaude(talk, seat.session?.usage.usd ?? 0),
  hook: claudeHook,
};

function prepare(seat: Seat): Launch {
  const { job, session } = seat;
  const model = job.agent?.model ?? null;
  const turns = job.agent?.turns ?? null;
  const usd = job.agent?.usd ?? null;
  return {
    argv: [
      seat.program,
      ...['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'],
      // What it may touch is judged by hook, fence and snapshot; a prompt would have nobody to answer it.
      ...['--permission-mode', 'bypassPermissions'],
      ...['--settings', `${seat.home}/settings.json`, '--setting-sources', 'project'],
      // ours and no other: what the repository names would run unasked
      ...['--mcp-config', `${seat.home}/mcp.json`, '--strict-mcp-config'],
      ...(session === null ? [] : ['--resume', session.id]),
      ...(model === null ? [] : ['--model', model]),
      ...(turns === null ? [] : ['--max-turns', String(turns)]),
      ...(usd === null ? [] : ['--max-budget-usd', (usd + (session?.usage.usd ?? 0)).toFixed(4)]),
    ],
    environment: {
      ...claudeEnvironment(seat.home),
      // The fence is the sandbox: without this Claude refuses to run without prompts as some uids.
      IS_SANDBOX: '1',
    },
    files: {
      'settings.json': `${JSON.stringify(claudeSettings(seat.client), null, 2)}\n`,
      'mcp.json': `${JSON.stringify(claudeServers(seat.client), null, 2)}\n`,
    },
    opening: userMessage(seat.prompt),
  };
}

/** A home of its own, and no traffic that nobody asked for. */
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

/** A hook that cannot be asked must not mean yes: `onFailure` makes Claude refuse the call then. */
export const claudeSettings = (client: string) => ({
  disableAllHooks: false,
  hooks: {
    PreToolUse: [
      { matcher: '*', hooks: [{ type: 'command', command: `${client} hook`, timeout: 30, onFailure: 'block' }] },
    ],
  },
});
