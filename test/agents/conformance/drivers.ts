import { agentKinds } from '../../../src/agents/agents.ts';

/** An agent as plans name it, and what it takes to put a scripted model before it. One entry, and it is in every suite here. */
export type Driver = {
  readonly name: string;
  /** The pinned programs that it is made of; each is put on the PATH under the name that it is looked for by. */
  readonly programs: Readonly<Record<string, string>>;
  readonly model: string | null;
  readonly variables: (url: string) => Readonly<Record<string, string>>;
  /** The variable that logs it in. */
  readonly key: string;
  /** That of a subscription, where it tells more of a rate limit then. */
  readonly subscription?: string;
  /** Seconds that it may be silent while it starts on a machine that is busy. */
  readonly patience: number;
  /** The file by which a project instructs it. */
  readonly instructions: string;
};

export const drivers: readonly Driver[] = [
  {
    name: 'claude',
    programs: { claude: 'claude' },
    model: null,
    variables: (url) => ({ ANTHROPIC_BASE_URL: url }),
    key: 'ANTHROPIC_API_KEY',
    subscription: 'CLAUDE_CODE_OAUTH_TOKEN',
    patience: 10,
    instructions: 'CLAUDE.md',
  },
  {
    name: 'codex',
    programs: { codex: 'codex' },
    // Its default model writes JavaScript instead of calling tools.
    model: 'gpt-5.5',
    variables: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    key: 'OPENAI_API_KEY',
    patience: 6,
    instructions: 'AGENTS.md',
  },
  {
    name: 'opencode',
    programs: { opencode: 'opencode' },
    model: 'openai/scripted-model',
    variables: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    key: 'OPENAI_API_KEY',
    patience: 60,
    instructions: 'AGENTS.md',
  },
  {
    name: 'gemini',
    programs: { gemini: 'gemini' },
    model: 'gemini-2.5-pro',
    variables: (url) => ({ GOOGLE_GEMINI_BASE_URL: url }),
    key: 'GEMINI_API_KEY',
    patience: 30,
    instructions: 'GEMINI.md',
  },
  {
    name: 'opencode-acp',
    programs: { opencode: 'opencode' },
    model: 'openai/scripted-model',
    variables: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    key: 'OPENAI_API_KEY',
    patience: 60,
    instructions: 'AGENTS.md',
  },
  {
    name: 'claude-agent-acp',
    programs: { 'claude-agent-acp': 'claude-agent-acp', claude: 'claude' },
    model: null,
    variables: (url) => ({ ANTHROPIC_BASE_URL: url }),
    key: 'ANTHROPIC_API_KEY',
    subscription: 'CLAUDE_CODE_OAUTH_TOKEN',
    patience: 15,
    instructions: 'CLAUDE.md',
  },
  {
    name: 'codex-acp',
    programs: { 'codex-acp': 'codex-acp', codex: 'codex' },
    model: 'gpt-5.5',
    variables: (url) => ({ OPENAI_BASE_URL: `${url}/v1` }),
    key: 'OPENAI_API_KEY',
    // Longer, and Codex goes on without its tool.
    patience: 6,
    instructions: 'AGENTS.md',
  },
];

export function driverOf(name: string): Driver {
  const found = drivers.find((driver) => driver.name === name);
  if (found === undefined) throw new Error(`no driver ${name}`);
  return found;
}

export function kindOf({ name }: Driver) {
  const kind = agentKinds[name];
  if (kind === undefined) throw new Error(`plans cannot name ${name}`);
  return kind;
}
