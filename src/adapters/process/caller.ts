import type { By } from '../../domain/ledger/requests.ts';

export type Caller = {
  /** The agent that our process was started by; null for a person or a plain script. */
  readonly agent: string | null;
  /** Approve, grant, drop, land and the like. */
  readonly mayDecide: boolean;
  readonly by: By;
};

/**
 * Who calls. Agents set these variables for what they start; deciding is not theirs, unless the person lets them. An agent that
 * we started never decides: it would judge its own work.
 */
export function callerOf(
  env: Readonly<Record<string, string | undefined>>,
  person: { readonly name: string; readonly terminal: boolean; readonly letsAgentsDecide?: boolean },
): Caller {
  const agent = agentIn(env);
  return {
    agent,
    mayDecide: agent === null || (agent !== ours && person.letsAgentsDecide === true),
    by: {
      who: agent === null ? person.name : `${agent} as ${person.name}`,
      via: person.terminal && agent === null ? 'terminal' : 'command',
    },
  };
}

const ours = 'tidegate-attempt';

/**
 * First match wins: an agent of ours is recognised before the tool it uses. Variables that people set in their own shell to
 * configure these tools are left out; whatever else an agent's prefix has counts as a sign.
 */
const signs: readonly { readonly agent: string; readonly variable: RegExp }[] = [
  { agent: ours, variable: /^TIDEGATE_(ATTEMPT|NONCE|TASK)$/ },
  {
    agent: 'claude-code',
    variable:
      /^(CLAUDECODE|CLAUDE_CODE_(?!OAUTH|USE_|MAX_|DISABLE_|ENABLE_|API_|SKIP_|AUTO_|SHELL|SUBAGENT_|SSE_PORT).+)$/,
  },
  { agent: 'codex', variable: /^CODEX_(?!HOME$|API_KEY$|ACCESS_TOKEN$).+$/ },
  { agent: 'opencode', variable: /^OPENCODE(_(?!CONFIG|API_KEY$|DISABLE_|ENABLE_).+)?$/ },
  { agent: 'gemini-cli', variable: /^GEMINI_CLI$/ },
  { agent: 'cursor', variable: /^CURSOR_AGENT$/ },
  { agent: 'agent', variable: /^(AGENT|AI_AGENT)$/ },
];

function agentIn(env: Readonly<Record<string, string | undefined>>): string | null {
  const names = Object.keys(env).filter((name) => env[name] !== undefined && env[name] !== '');
  return signs.find(({ variable }) => names.some((name) => variable.test(name)))?.agent ?? null;
}
