import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { noUsage } from '../../domain/tool-calls/agent-event.ts';
import type { Executor, Hook, Launch, Seat } from '../../ports/executor.ts';
import { fieldsOf, textOf } from '../../adapters/files/untrusted-json.ts';
import { followCodex } from './stream.ts';
import { codexCall } from './tool-call.ts';

export const codexHook: Hook = {
  callIn(payload) {
    const asked = fieldsOf(payload);
    const tool = textOf(asked?.['tool_name']);
    if (asked === null || tool === null) return null;
    const call = codexCall(textOf(asked['tool_use_id']) ?? '', tool, fieldsOf(asked['tool_input']) ?? {});
    const directory = textOf(asked['cwd']);
    return directory === null ? call : { ...call, directory };
  },
  /** Exit 2 blocks the call, and what is on stderr is the reason; the client prints `stdout` there then. */
  answer(refusal, advice) {
    if (refusal !== null) return { stdout: [refusal, advice].filter(Boolean).join('\n'), exit: 2 };
    const said = { hookEventName: 'PreToolUse', additionalContext: advice };
    return { stdout: advice === null ? '' : JSON.stringify({ hookSpecificOutput: said }), exit: 0 };
  },
};

/** Codex, `exec --json`. Its own sandbox cannot work inside our fence, so the fence is the only one. */
export const codexExecutor: Executor = {
  name: 'codex',
  resolve: nativeProgram,
  prepare,
  follow: (talk, seat) => followCodex(talk, seat.session?.usage ?? noUsage),
  hook: codexHook,
};

function prepare(seat: Seat): Launch {
  const { job, session } = seat;
  const model = job.agent?.model ?? null;
  return {
    argv: [
      ...[seat.program, 'exec', '--json', '--skip-git-repo-check'],
      // Hooks that nobody has said yes to by hand are skipped without a word: ours must not be.
      ...['--dangerously-bypass-hook-trust', '--sandbox', 'danger-full-access'],
      ...(model === null ? [] : ['--model', model]),
      ...(session === null ? [] : ['resume', session.id]),
      '-',
    ],
    environment: { CODEX_HOME: `${seat.home}/codex` },
    files: codexFiles(seat, mcpServer(seat.client)),
    opening: null,
  };
}

/** Of a CODEX_HOME that is `codex` below the agent's home. */
export const codexFiles = (seat: Seat, more = ''): Launch['files'] => ({
  'codex/config.toml': `${settings(seat.variables['OPENAI_BASE_URL'])}${more}`,
  'codex/hooks.json': `${JSON.stringify(hooks(seat.client), null, 2)}\n`,
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

/** One that does not start is told to the model, and Codex goes on. An answer of a person may take the ten minutes of `ask`. */
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

/** The npm package's program only starts the real one and is left behind when that is killed. */
function nativeProgram(found: string): string {
  if (!found.endsWith('/bin/codex.js')) return found;
  const scope = dirname(dirname(dirname(found)));
  const packages = [join(scope, 'codex'), ...platformPackages(scope)];
  const programs = packages.flatMap((directory) => {
    const vendor = join(directory, 'vendor');
    return existsSync(vendor) ? readdirSync(vendor).map((triple) => join(vendor, triple, 'bin/codex')) : [];
  });
  return programs.find((path) => existsSync(path)) ?? found;
}

const platformPackages = (scope: string): readonly string[] =>
  readdirSync(scope)
    .filter((name) => name.startsWith(`codex-${process.platform}-${process.arch}`))
    .map((name) => join(scope, name));
