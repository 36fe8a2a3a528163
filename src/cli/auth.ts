import type { Text } from '../ports/terminal.ts';
import { type Context, done, exitCodes, misused, type Outcome, type Register } from './command.ts';

export type AuthPorts = {
  /** As far as can be told without a call. */
  logins(context: Context): Promise<readonly Login[]>;
  /** Runs `claude setup-token` on this terminal: its exit code, null when there is no claude. */
  setupToken(): Promise<number | null>;
  /** Keeps the token for this person alone; returns where. */
  store(context: Context, name: string, token: string): Promise<string>;
};
type Login = {
  readonly name: string;
  readonly isLoggedIn: boolean;
  readonly found: string;
  readonly fix: string;
};

const variable = 'CLAUDE_CODE_OAUTH_TOKEN';

/** `tidegate auth [agent] [--check]`: how agents get their login. */
export const auth =
  (ports: AuthPorts): Register =>
  (command, does, context) => {
    command
      .argument('[agent]', 'claude, codex or opencode')
      .option('--check', 'show who is logged in, without a call')
      .action(
        does(async (agent: string | undefined, { check }: { check?: true }) => {
          if (agent === undefined || check) return summary(await ports.logins(context), agent);
          if (agent === 'claude') return await authClaude(ports, context);
          const told = instructions[agent];
          return told === undefined ? misused('unknown-agent', `auth knows claude, codex and opencode`) : done(told);
        }),
      );
  };

const instructions: Readonly<Record<string, readonly Text[]>> = {
  codex: [
    'With a ChatGPT plan:   codex login            (its file ~/.codex/auth.json is shown to agents, never copied)',
    'With an API key:       export CODEX_API_KEY=…',
    'As root the file is not readable for agents, which run as another user: use the key.',
  ],
  opencode: [
    'opencode auth login    (its file ~/.local/share/opencode/auth.json is shown to agents, never copied)',
    'or the variable of its provider, such as ANTHROPIC_API_KEY or OPENROUTER_API_KEY',
  ],
};

async function authClaude(ports: AuthPorts, context: Context): Promise<Outcome> {
  const { terminal } = context;
  if (!terminal.interactive || context.json)
    return misused('needs-terminal', `run \`claude setup-token\` on a terminal, then export ${variable}=<token>`);
  const code = await ports.setupToken();
  if (code === null) return misused('no-claude', 'there is no claude on the PATH');
  if (code !== 0) return { exit: exitCodes.failed, reason: 'setup-token-failed' };
  const token = (
    await terminal.ask(`Paste the token to keep it for Tidegate alone, or press Enter to keep nothing:`)
  )?.trim();
  if (!token) return done([`Nothing is kept. Before you run: export ${variable}=<token>`]);
  if (!/^\S{20,}$/.test(token)) return misused('not-a-token', 'that is no token; nothing is kept');
  const file = await ports.store(context, variable, token);
  return done([`Kept in ${file}, readable for you alone. Agents get it as ${variable}; delete the file to forget it.`]);
}

function summary(logins: readonly Login[], only: string | undefined): Outcome {
  const shown = logins.filter(({ name }) => only === undefined || name === only);
  const isReady = shown.some(({ isLoggedIn }) => isLoggedIn);
  const lines = shown.flatMap(({ name, isLoggedIn, found, fix }): readonly Text[] => [
    [{ text: isLoggedIn ? 'ok   ' : 'note ', tone: isLoggedIn ? 'good' : 'waiting' }, `${name.padEnd(17)} ${found}`],
    ...(isLoggedIn ? [] : [`${' '.repeat(23)}${fix}`]),
  ]);
  const needs = isReady
    ? []
    : [{ kind: 'login', task: null, message: 'no agent is logged in', command: 'tidegate auth claude' }];
  const [exit, reason] = isReady ? [exitCodes.done, 'done'] : [exitCodes.personNeeded, 'needs-login'];
  return { exit, reason, needs, lines, data: { logins: shown } };
}
