import type { AgentName } from './installed.ts';

/** What is asked of an agent that runs alone, without Tidegate. */
export interface Ask {
  readonly prompt: string;
  /** Of the model server, without a path. */
  readonly url: string;
  readonly home: string;
  /** Continues the agent's own session. */
  readonly session?: string;
  /** Refuses every write and command below `forbidden/`, by the agent's own means. */
  readonly guarded?: boolean;
  readonly args?: readonly string[];
  /** More variables, or others. */
  readonly env?: Readonly<Record<string, string>>;
}

/** How an agent is started: arguments after its program, environment beside PATH, HOME and TMPDIR, files below its home. */
export interface Invocation {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, string>>;
}

export const invocations: Readonly<Record<AgentName, (ask: Ask) => Invocation>> = { claude, codex, opencode, gemini };

/** A hook of Claude's and Codex's that refuses what names `forbidden/`; 2 is the exit code that blocks. */
const guard = 'if grep -q forbidden/; then echo "forbidden/ is out of scope" >&2; exit 2; fi';
const preToolUse = (extra: object) =>
  JSON.stringify({
    hooks: { PreToolUse: [{ matcher: '.*', hooks: [{ type: 'command', command: guard, ...extra }] }] },
  });

function claude({ prompt, url, home, session, guarded, args = [] }: Ask): Invocation {
  return {
    args: [
      ...['-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'],
      ...(guarded ? ['--settings', `${home}/guard.json`] : []),
      ...(session === undefined ? [] : ['--resume', session]),
      ...args,
      ...['--', prompt],
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'test-key',
      CLAUDE_CONFIG_DIR: `${home}/.claude`,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      CLAUDE_CODE_MAX_RETRIES: '2',
      // Otherwise bypassPermissions is refused to root.
      IS_SANDBOX: '1',
    },
    files: { 'guard.json': preToolUse({ onFailure: 'block' }) },
  };
}

function codex({ prompt, url, home, session, guarded, args = [] }: Ask): Invocation {
  return {
    args: [
      ...['exec', '--json', '-s', 'danger-full-access'],
      ...(guarded ? ['--dangerously-bypass-hook-trust'] : []),
      ...args,
      ...(session === undefined ? ['--', prompt] : ['resume', session, '--', prompt]),
    ],
    env: { CODEX_HOME: `${home}/.codex`, SCRIPTED_KEY: 'test-key' },
    files: {
      '.codex/config.toml': codexConfig(url),
      ...(guarded ? { '.codex/hooks.json': preToolUse({}) } : {}),
    },
  };
}

const codexConfig = (url: string) => `
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[features]
plugins = false
apps = false
[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
request_max_retries = 2
stream_max_retries = 1
`;

function opencode({ prompt, url, session, guarded, args = [] }: Ask): Invocation {
  const options = { baseURL: `${url}/v1`, apiKey: 'test-key' };
  const model = { name: 'scripted-model', limit: { context: 200_000, output: 8_000 } };
  const config = {
    model: 'scripted/scripted-model',
    small_model: 'scripted/scripted-model',
    provider: {
      scripted: { npm: '@ai-sdk/openai-compatible', name: 'scripted', options, models: { 'scripted-model': model } },
    },
    ...(guarded
      ? {
          permission: {
            edit: { '*': 'allow', 'forbidden/**': 'deny' },
            bash: { '*': 'allow', '*forbidden*': 'deny' },
          },
        }
      : {}),
  };
  return {
    args: ['run', '--format', 'json', ...(session === undefined ? [] : ['-s', session]), ...args, '--', prompt],
    env: {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    files: {},
  };
}

function gemini({ prompt, url, session, guarded, args = [] }: Ask): Invocation {
  const settings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    general: { disableAutoUpdate: true, disableUpdateNag: true, maxAttempts: 3 },
    privacy: { usageStatisticsEnabled: false },
    ...(guarded
      ? { hooks: { BeforeTool: [{ matcher: '.*', hooks: [{ type: 'command', command: guard, name: 'guard' }] }] } }
      : {}),
  };
  return {
    args: [
      ...['-m', 'gemini-2.5-pro', '--output-format', 'stream-json', '--approval-mode', 'yolo'],
      ...(session === undefined ? [] : ['--resume', session]),
      ...args,
      ...['-p', prompt],
    ],
    env: { GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
    files: { '.gemini/settings.json': JSON.stringify(settings) },
  };
}
