import type { SetupToken } from '../../agents/facts.ts';
import type { Text } from '../../ports/terminal.ts';
import { type Context, done, exitCodes, misused, type Outcome } from '../frame/command.ts';
import type { Program } from '../frame/definition.ts';
import type { AuthPorts, Login } from '../frame/ports.ts';

type AuthInput = { readonly agent: string | undefined; readonly variable: string | undefined; readonly check: boolean };

/** `tidegate auth [agent] [variable]`: how agents get their login. `secret` is for what no agent gets. */
export async function logIn(
  { agent, variable, check }: AuthInput,
  context: Context,
  { ports: { auth } }: Program,
): Promise<Outcome> {
  const ports = await auth();
  const logins = await ports.logins(context);
  if (agent === undefined) return summary(logins);
  if (agent === 'secret') return await keepSecret(ports, context, variable ?? '');
  const login = logins.find(({ name }) => name === agent);
  if (login === undefined) return misused('unknown-agent', `auth knows ${logins.map(({ name }) => name).join(', ')}`);
  if (check) return summary([login]);
  if (variable !== undefined) return await keep(ports, context, login, { variable, made: null });
  const { setupToken } = login;
  if (setupToken === null) return done(instructions(login));
  return await keep(ports, context, login, { variable: setupToken.variable, made: setupToken });
}

/** What to type, for agents whose own login command is not run from here. */
function instructions({ name, variables, takesFile, ownLogin: own }: Login): readonly Text[] {
  const file =
    own === null
      ? []
      : takesFile
        ? [`${own.command}    (its file ${own.file} is shown to agents, never copied)`]
        : [`Agents run as another user here, and cannot read the file of \`${own.command}\`.`];
  const [first = ''] = variables;
  const others = variables.length > 1 ? [`Any of these will do: ${variables.join(', ')}`] : [];
  const key = `tidegate auth ${name} ${first}    (asks for the value, and keeps it for Tidegate alone)`;
  return [...file, key, `export ${first}=<value>    (before you run)`, ...others];
}

/** Asks for the value of a variable and keeps it. `made`: the agent's own command prints the value first. */
async function keep(
  ports: AuthPorts,
  context: Context,
  login: Login,
  { variable, made }: { readonly variable: string; readonly made: SetupToken | null },
): Promise<Outcome> {
  const { terminal } = context;
  const command = made === null ? '' : [made.program, ...made.arguments].join(' ');
  if (!login.variables.includes(variable))
    return misused('unknown-variable', `${login.name} is logged in by ${login.variables.join(', ')}`);
  if (!terminal.interactive || context.json) {
    const first = made === null ? 'this asks on a terminal; or ' : `run \`${command}\` on a terminal, then `;
    return misused('needs-terminal', `${first}export ${variable}=<value>`);
  }
  if (made !== null) {
    terminal.line(
      `${made.program} has the terminal now. At its end it shows a token: copy that, and you are asked for it here.`,
    );
    terminal.line('To give up where it hears no Ctrl-C, close this terminal: nothing is kept.');
    const code = await ports.setupToken(made);
    if (code === null) return misused(`no-${made.program}`, `there is no ${made.program} on the PATH`);
    if (code !== 0) return failed(`\`${command}\` ended with ${code}; nothing is kept`);
  }
  const value = await terminal.askSecret(`Paste the value of ${variable}; it is not shown. Enter alone keeps nothing:`);
  if (!value) return done([`Nothing is kept. Before you run: export ${variable}=<value>`]);
  const wrong = mistakeIn(login, variable, value);
  if (wrong !== null) return misused('not-a-token', `${wrong}; nothing is kept`);
  const file = await ports.store(context, variable, value);
  const now = (await ports.logins(context)).find(({ name }) => name === login.name);
  return done([
    `Kept in ${file}, readable for you alone; delete the file to forget it.`,
    `${login.name}: ${now?.found ?? ''}`,
  ]);
}

/** What threads are asked for and webhooks are signed with, by the name that the configuration gives. */
async function keepSecret(ports: AuthPorts, context: Context, variable: string): Promise<Outcome> {
  const { terminal } = context;
  if (!/^[A-Z][A-Z0-9_]{0,63}$/.test(variable))
    return misused('unknown-variable', 'name the variable, in capitals: tidegate auth secret FORUM_TOKEN');
  if (!terminal.interactive || context.json)
    return misused('needs-terminal', `this asks on a terminal; or export ${variable}=<value>`);
  const value = await terminal.askSecret(`Paste the value of ${variable}; it is not shown. Enter alone keeps nothing:`);
  if (!value) return done([`Nothing is kept. Before you run: export ${variable}=<value>`]);
  if (!/^[\x21-\x7e]{1,4096}$/.test(value)) return misused('not-a-token', 'that is no token; nothing is kept');
  return done([`Kept in ${await ports.store(context, variable, value)}, readable for you alone.`]);
}

/** What people paste by mistake: a code, an address, a key of another kind, half of it. */
function mistakeIn({ name, setupToken }: Login, variable: string, value: string): string | null {
  if (!/^[\w.~+/=-]{20,}$/.test(value)) return 'that is no token';
  if (variable === setupToken?.variable && value.startsWith(setupToken.mistaken.prefix))
    return `that is an API key: tidegate auth ${name} ${setupToken.mistaken.variable}`;
  return null;
}

const failed = (message: string): Outcome => ({
  exit: exitCodes.failed,
  reason: 'setup-token-failed',
  problems: [`tidegate: ${message}`],
  data: { message },
});

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
