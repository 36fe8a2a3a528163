import { loginAgents } from '../../../agents/agents.ts';
import type { SetupToken } from '../../../agents/facts.ts';
import type { Text } from '../../../ports/terminal.ts';
import { type Context, command, done, exitCodes, failure, type Outcome, usageError } from '../../frame/command.ts';
import type { AuthPorts, Login } from '../../frame/ports.ts';

export const authCommand = command({
  name: 'auth',
  group: 'begin',
  summary: 'log an agent in, or show which agents are logged in',
  arguments: {
    agent: { about: `${loginAgents.map(({ name }) => name).join(', ')}; or secret, for threads and webhooks` },
    variable: { about: 'ask for the value of this variable and store it for Tidegate only' },
  },
  options: { check: { about: 'show whether the agent is logged in, without calling it' } },
  run: async ({ agent, variable, check }, context, { ports: { auth } }) => {
    const ports = await auth();
    const logins = await ports.logins(context);
    if (agent === undefined) return summary(logins);
    if (agent === 'secret') return await storeSecret(ports, context, variable ?? '');
    const login = logins.find(({ name }) => name === agent);
    if (login === undefined)
      return usageError(
        'unknown-agent',
        `auth: unknown agent ${agent}; use ${logins.map(({ name }) => name).join(', ')}`,
      );
    if (check) return summary([login]);
    if (variable !== undefined) return await storeLogin(ports, context, login, { variable, setup: null });
    const { setupToken: setup } = login;
    if (setup === null) return done(instructions(login));
    return await storeLogin(ports, context, login, { variable: setup.variable, setup });
  },
});

/** Returns the commands to type for an agent whose own login command is not run from here. */
function instructions({ name, variables, takesFile, ownLogin: own }: Login): readonly Text[] {
  const file =
    own === null
      ? []
      : takesFile
        ? [`${own.command}    (agents can read its file ${own.file}; it is never copied)`]
        : [`Agents run as another user here and cannot read the file that \`${own.command}\` writes.`];
  const [first = ''] = variables;
  const others = variables.length > 1 ? [`Any of these works: ${variables.join(', ')}`] : [];
  const key = `tidegate auth ${name} ${first}    (asks for the value and stores it for Tidegate only)`;
  return [...file, key, `export ${first}=<value>    (before each run)`, ...others];
}

/** Asks for the value of a variable and stores it. `setup`: the agent's own command prints the value first. */
async function storeLogin(
  ports: AuthPorts,
  context: Context,
  login: Login,
  { variable, setup }: { readonly variable: string; readonly setup: SetupToken | null },
): Promise<Outcome> {
  const { terminal } = context;
  const command = setup === null ? '' : [setup.program, ...setup.arguments].join(' ');
  if (!login.variables.includes(variable))
    return usageError('unknown-variable', `auth: ${login.name} takes ${login.variables.join(', ')}`);
  if (!terminal.interactive || context.json) {
    const first = setup === null ? 'this needs a terminal. Without one: ' : `run \`${command}\` in a terminal, then: `;
    return usageError('needs-terminal', `${first}export ${variable}=<value>`);
  }
  if (setup !== null) {
    terminal.line(`${setup.program} now uses this terminal. It ends with a token: copy it, then paste it here.`);
    terminal.line('If Ctrl-C does not work, close the terminal. Nothing is stored.');
    const code = await ports.setupToken(setup);
    if (code === null) return usageError(`no-${setup.program}`, `${setup.program} is not on the PATH`);
    if (code !== 0) return failure('setup-token-failed', `\`${command}\` exited with ${code}; nothing is stored`);
  }
  const value = await askValue(context, variable);
  if (!value) return nothingStored(variable);
  const wrong = mistakeIn(login, variable, value);
  if (wrong !== null) return usageError('not-a-token', `${wrong}; nothing is stored`);
  const file = await ports.store(context, variable, value);
  const now = (await ports.logins(context)).find(({ name }) => name === login.name);
  return done([
    `Stored in ${file}, readable only by you. Delete the file to forget it.`,
    `${login.name}: ${now?.found ?? ''}`,
  ]);
}

/** Stores the secret of a thread or a webhook, under the name that the configuration uses. */
async function storeSecret(ports: AuthPorts, context: Context, variable: string): Promise<Outcome> {
  if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(variable))
    return usageError(
      'unknown-variable',
      'name the variable in capitals, for example: tidegate auth secret FORUM_TOKEN',
    );
  if (!context.terminal.interactive || context.json)
    return usageError('needs-terminal', `this needs a terminal. Without one: export ${variable}=<value>`);
  const value = await askValue(context, variable);
  if (!value) return nothingStored(variable);
  if (!/^[\x21-\x7e]{1,4096}$/.test(value))
    return usageError('not-a-token', 'that does not look like a token; nothing is stored');
  return done([`Stored in ${await ports.store(context, variable, value)}, readable only by you.`]);
}

const askValue = ({ terminal }: Context, variable: string): Promise<string | null> =>
  terminal.askSecret(`Paste the value of ${variable} (not shown; Enter alone stores nothing):`);

const nothingStored = (variable: string): Outcome =>
  done([`Nothing is stored. Before each run: export ${variable}=<value>`]);

/** Catches common mistakes: a code, an address, another kind of key, half a token. Null when it looks right. */
function mistakeIn({ name, setupToken }: Login, variable: string, value: string): string | null {
  if (!/^[\w.~+/=-]{20,}$/.test(value)) return 'that does not look like a token';
  if (variable === setupToken?.variable && value.startsWith(setupToken.mistaken.prefix))
    return `that is an API key. Store it with: tidegate auth ${name} ${setupToken.mistaken.variable}`;
  return null;
}

function summary(logins: readonly Login[]): Outcome {
  const isReady = logins.some(({ isLoggedIn }) => isLoggedIn);
  const lines = logins.flatMap(({ name, isLoggedIn, found, fix }): readonly Text[] => [
    [{ text: isLoggedIn ? 'ok   ' : 'note ', tone: isLoggedIn ? 'good' : 'waiting' }, `${name.padEnd(17)} ${found}`],
    ...(isLoggedIn ? [] : [`${' '.repeat(23)}${fix}`]),
  ]);
  const [first] = logins;
  const message = logins.length === 1 ? `${first?.name} is not logged in` : 'no agent is logged in';
  const needs = isReady ? [] : [{ kind: 'login', task: null, message, command: first?.fix ?? 'tidegate auth' }];
  const [exit, reason] = isReady ? [exitCodes.done, 'done'] : [exitCodes.personNeeded, 'needs-login'];
  const shown = logins.map(({ name, isLoggedIn, found, fix }) => ({ name, isLoggedIn, found, fix }));
  return { exit, reason, needs, lines, data: { logins: shown } };
}
