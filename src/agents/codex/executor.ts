import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Fields, listOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { noUsage, type ToolCall } from '../../domain/tool-calls/agent-event.ts';
import type { Executor, Hook, Launch, LaunchContext } from '../../ports/executor.ts';
import { callInPayload, inputKey, patchedPaths } from '../common/tool-call.ts';
import { followCodex } from './stream.ts';

export const codexHook: Hook = {
  callIn: (payload) => callInPayload(payload, codexCall),
  /** Exit 2 blocks the call, and stderr is the reason; the client then prints `stdout` there. */
  answer(refusal, advice) {
    if (refusal !== null) return { stdout: [refusal, advice].filter(Boolean).join('\n'), exit: 2 };
    const output = { hookEventName: 'PreToolUse', additionalContext: advice };
    return { stdout: advice === null ? '' : JSON.stringify({ hookSpecificOutput: output }), exit: 0 };
  },
};

/** Codex, `exec --json`. Its own sandbox cannot work inside our fence, so the fence is the only one. */
export const codexExecutor: Executor = {
  name: 'codex',
  resolve: nativeProgram,
  prepare,
  follow: (callbacks, context) => followCodex(callbacks, context.session?.usage ?? noUsage),
  hook: codexHook,
};

function prepare(context: LaunchContext): Launch {
  const { job, session } = context;
  const model = job.agent?.model ?? null;
  return {
    argv: [
      ...[context.program, 'exec', '--json', '--skip-git-repo-check'],
      // Codex silently skips hooks that nobody confirmed by hand: ours must run.
      ...['--dangerously-bypass-hook-trust', '--sandbox', 'danger-full-access'],
      ...(model === null ? [] : ['--model', model]),
      ...(session === null ? [] : ['resume', session.id]),
      '-',
    ],
    environment: { CODEX_HOME: `${context.home}/codex` },
    files: codexFiles(context, mcpServer(context.client)),
    opening: null,
  };
}

/** Files of a CODEX_HOME that is `codex` below the agent's home. */
export const codexFiles = (context: LaunchContext, more = ''): Launch['files'] => ({
  'codex/config.toml': `${settings(context.variables['OPENAI_BASE_URL'])}${more}`,
  'codex/hooks.json': `${JSON.stringify(hooks(context.client), null, 2)}\n`,
});

const settings = (baseUrl: string | undefined): string => `check_for_update_on_startup = false
${baseUrl === undefined ? '' : 'model_provider = "tidegate"\n'}
[analytics]
enabled = false

[features]
plugins = false
apps = false
${baseUrl === undefined ? '' : provider(baseUrl)}`;

/** A gateway that the person names by OPENAI_BASE_URL. */
const provider = (baseUrl: string): string => `
[model_providers.tidegate]
name = "OPENAI_BASE_URL"
base_url = ${JSON.stringify(baseUrl)}
env_key = "OPENAI_API_KEY"
wire_api = "responses"
request_max_retries = 3
stream_max_retries = 3
`;

/** If the server does not start, Codex tells the model and continues. A person's answer may take the ten minutes of `ask`. */
const mcpServer = (client: string): string => `
[mcp_servers.tidegate]
command = ${JSON.stringify(client)}
args = ["mcp"]
startup_timeout_sec = 10
tool_timeout_sec = 660
`;

const hooks = (client: string) => ({
  hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command: `${client} hook`, timeout: 30 }] }] },
});

/** The npm package's program only starts the real one, and stays behind when that is killed. */
function nativeProgram(program: string): string {
  if (!program.endsWith('/bin/codex.js')) return program;
  const scope = dirname(dirname(dirname(program)));
  const packages = [join(scope, 'codex'), ...platformPackages(scope)];
  const programs = packages.flatMap((directory) => {
    const vendor = join(directory, 'vendor');
    return existsSync(vendor) ? readdirSync(vendor).map((triple) => join(vendor, triple, 'bin/codex')) : [];
  });
  return programs.find((path) => existsSync(path)) ?? program;
}

const platformPackages = (scope: string): readonly string[] =>
  readdirSync(scope)
    .filter((name) => name.startsWith(`codex-${process.platform}-${process.arch}`))
    .map((name) => join(scope, name));

/** Reads a tool call in a hook of Codex: a patch, a command, or something else. */
function codexCall(id: string, tool: string, input: Fields): ToolCall {
  const command = commandIn(input);
  const isPatch = tool === 'apply_patch' || command.startsWith('*** Begin Patch');
  const runs = !isPatch && command !== '';
  return {
    id,
    tool,
    kind: isPatch ? 'write' : runs ? 'run' : 'other',
    paths: isPatch ? patchedPaths(command) : [],
    command: runs ? command : null,
    lines: null,
    input: inputKey(input),
  };
}

const commandIn = (input: Fields): string => {
  const command = input['command'] ?? input['cmd'] ?? input['input'] ?? input['patch'];
  return textOf(command) ?? listOf(command).map(textOf).join(' ');
};
