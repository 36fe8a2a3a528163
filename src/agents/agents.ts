/** Every agent that a plan may name, and what is needed to start it. */
export type AgentKind = {
  readonly executor: 'command' | 'claude' | 'codex' | 'opencode' | 'acp';
  /** Looked for on the PATH; empty where the plan's `command` names it. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** What to type to install it; absent where the plan's `command` names the program. */
  readonly install?: string;
  /** A program that it starts in turn; the person's own, if there is one. */
  readonly drives?: string;
  /** Agents of one provider share its rate limits. */
  readonly provider: string;
  /** Variables that log it in: passed into its fence, and their values never shown. */
  readonly credentials: readonly string[];
  /** Variables that steer it and are no secret. */
  readonly variables: readonly string[];
  /** Files that it wants to make where agents' configuration lies, and without which it ends: they are there, and empty. */
  readonly standIns?: readonly string[];
  /** It takes messages while it works, if only to hear them when its turn is over. */
  readonly hears?: true;
  /** Absent for what needs none, or is logged in by variables alone. */
  readonly login?: AgentLogin;
};

/** What is known of how a person logs an agent in, without asking its provider. */
export type AgentLogin = {
  /** Where its own login command leaves what it got. `variable` names the directory when it is set, else it lies below the home. */
  readonly file: { readonly variable: string | null; readonly directory: string; readonly name: string };
  /** The same file below the agent's own home in a fence. */
  readonly inside: string;
  /** Without any it cannot work; false where some of its models ask for none. */
  readonly required: boolean;
  /** Its models are there, unless the variable `baseUrl` says otherwise; null when they may be anywhere. */
  readonly host: string | null;
  readonly baseUrl: string | null;
  /** Credentials that count only when `baseUrl` is set. */
  readonly behindBaseUrl: readonly string[];
  /** What a person types when there is no login, and when there is a file that agents cannot read. */
  readonly fix: string;
  readonly fixWithoutFile: string;
};

const anthropic = {
  provider: 'anthropic',
  credentials: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
  variables: ['ANTHROPIC_BASE_URL', 'ANTHROPIC_MODEL'],
  login: {
    file: { variable: 'CLAUDE_CONFIG_DIR', directory: '.claude', name: '.credentials.json' },
    inside: 'claude/.credentials.json',
    required: true,
    host: 'api.anthropic.com',
    baseUrl: 'ANTHROPIC_BASE_URL',
    behindBaseUrl: [],
    fix: 'tidegate auth claude',
    fixWithoutFile: 'tidegate auth claude',
  },
};
const openai = {
  provider: 'openai',
  credentials: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
  variables: ['OPENAI_BASE_URL'],
  login: {
    file: { variable: 'CODEX_HOME', directory: '.codex', name: 'auth.json' },
    inside: 'codex/auth.json',
    required: true,
    host: 'api.openai.com',
    baseUrl: 'OPENAI_BASE_URL',
    behindBaseUrl: ['OPENAI_API_KEY'],
    fix: 'tidegate auth codex',
    fixWithoutFile: 'tidegate auth codex CODEX_API_KEY',
  },
};

/** Any of these may be behind its models. */
const opencode = {
  provider: 'opencode',
  credentials: [
    ...['OPENCODE_API_KEY', 'ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'OPENROUTER_API_KEY', 'GEMINI_API_KEY'],
    ...['GOOGLE_GENERATIVE_AI_API_KEY', 'GROQ_API_KEY', 'MISTRAL_API_KEY', 'DEEPSEEK_API_KEY', 'XAI_API_KEY'],
  ],
  variables: ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL'],
  standIns: ['.opencode/.gitignore'],
  login: {
    file: { variable: 'XDG_DATA_HOME', directory: '.local/share', name: 'opencode/auth.json' },
    inside: 'data/opencode/auth.json',
    required: false,
    host: null,
    baseUrl: null,
    behindBaseUrl: [],
    fix: 'tidegate auth opencode',
    fixWithoutFile: 'tidegate auth opencode',
  },
};

const google = {
  provider: 'google',
  credentials: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
  variables: ['GOOGLE_GEMINI_BASE_URL'],
};
const nobody = { provider: '', credentials: [], variables: [] };

const npm = (name: string): string => `npm install -g ${name}`;

export const agentKinds: Readonly<Record<string, AgentKind>> = {
  command: { executor: 'command', program: '', arguments: [], ...nobody },
  claude: {
    executor: 'claude',
    program: 'claude',
    arguments: [],
    install: npm('@anthropic-ai/claude-code'),
    ...anthropic,
    hears: true,
  },
  codex: { executor: 'codex', program: 'codex', arguments: [], install: npm('@openai/codex'), ...openai },
  opencode: { executor: 'opencode', program: 'opencode', arguments: [], install: npm('opencode-ai'), ...opencode },
  acp: { executor: 'acp', program: '', arguments: [], ...nobody, hears: true },
  gemini: {
    executor: 'acp',
    program: 'gemini',
    arguments: ['--acp'],
    install: npm('@google/gemini-cli'),
    ...google,
    hears: true,
  },
  'opencode-acp': {
    executor: 'acp',
    program: 'opencode',
    arguments: ['acp'],
    install: npm('opencode-ai'),
    ...opencode,
    hears: true,
  },
  'claude-agent-acp': {
    executor: 'acp',
    program: 'claude-agent-acp',
    arguments: [],
    install: npm('@agentclientprotocol/claude-agent-acp'),
    drives: 'claude',
    ...anthropic,
    hears: true,
  },
  'codex-acp': {
    executor: 'acp',
    program: 'codex-acp',
    arguments: [],
    install: npm('@agentclientprotocol/codex-acp'),
    drives: 'codex',
    ...openai,
    hears: true,
  },
};

/** Whether the plan has to name the program. */
export const takesCommand = (agent: string): boolean => agentKinds[agent]?.program === '';

/** Whether it tells of its turns, so that a limit of them can be kept. A command only runs. */
export const countsTurns = (agent: string): boolean => agentKinds[agent]?.executor !== 'command';

/** What an agent may reach when nothing is said: those that talk to a model need a network, a command does not. */
export const usualNetwork = (agent: string): 'on' | 'off' => (agent === 'command' ? 'off' : 'on');
