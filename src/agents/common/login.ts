import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeDurably } from '../../adapters/files/durable-file.ts';
import type { Finding } from '../../domain/findings/finding.ts';
import type { AgentLogin } from '../facts.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The login of an agent, as far as it can be known without a call to its provider. */
export type LoginState =
  | { readonly by: 'variable'; readonly name: string }
  /** The person's own file: shown in the fence as it is and never copied, because a copied refresh token logs the person out. */
  | { readonly by: 'file'; readonly path: string }
  /** `hasFile`: there is a login file, but agents cannot read it. */
  | {
      readonly by: 'nothing';
      readonly because: Finding;
      readonly hasFile: boolean;
    };

type Agent = { readonly program: string; readonly credentials: readonly string[]; readonly login?: AgentLogin };

/** Names of the variables that log it in now: some count only behind a gateway. */
export function variablesOf({ credentials, login }: Omit<Agent, 'program'>, ours: Variables): readonly string[] {
  const isBehindGateway = login?.baseUrl != null && Boolean(ours[login.baseUrl]);
  const useless = isBehindGateway ? [] : (login?.behindBaseUrl ?? []);
  return credentials.filter((variable) => !useless.includes(variable));
}

/** `reader` is the user that the agent runs as. */
export function findLogin(agent: Agent, ours: Variables, reader: { readonly uid: number }): LoginState {
  const variables = variablesOf(agent, ours);
  const name = variables.find((variable) => ours[variable]);
  if (name !== undefined) return { by: 'variable', name };
  const path = agent.login ? loginFile(agent.login, ours) : null;
  if (path === null || !existsSync(path)) {
    const because: Finding = { rule: 'not-logged-in', program: agent.program, file: path, variables };
    return { by: 'nothing', because, hasFile: false };
  }
  if (!isOpenTo(path, reader.uid)) {
    const because: Finding = { rule: 'login-file-closed', program: agent.program, file: path, uid: reader.uid };
    return { by: 'nothing', because, hasFile: true };
  }
  return { by: 'file', path };
}

/** Path of the login file; null when there can be none. */
export function loginFile({ file }: AgentLogin, ours: Variables): string | null {
  const named = file.variable === null ? undefined : ours[file.variable];
  if (named?.startsWith('/')) return join(named, file.name);
  const home = ours['HOME'];
  return home?.startsWith('/') ? join(home, file.directory, file.name) : null;
}

/** Values in the file that must never be shown. Empty when there is no file, or it is not understood. */
export function secretsIn(path: string | null): readonly string[] {
  if (path === null || !existsSync(path)) return [];
  const secrets: string[] = [];
  const look = (key: string, value: unknown): void => {
    if (typeof value === 'string' && /token|key|secret|password|access|refresh/i.test(key) && !isDate(value))
      secrets.push(value);
    if (typeof value !== 'object' || value === null) return;
    for (const [name, field] of Object.entries(value)) look(Array.isArray(value) ? key : name, field);
  };
  look('', contentOf(path));
  return secrets;
}

function contentOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code !== undefined) return null;
    throw error;
  }
}

const isDate = (text: string): boolean => /^\d{4}-\d\d-\d\dT/.test(text);

/** True when the user may read and write the file: a token that is renewed in a fence must reach the person's file. */
function isOpenTo(path: string, uid: number): boolean {
  const { mode, uid: owner } = statSync(path);
  return owner === uid ? (mode & 0o600) === 0o600 : (mode & 0o006) === 0o006;
}

/**
 * File of the tokens that a person gave to `tidegate auth`, by the variable of the agent. It lies beside the person's configuration, never
 * in a repository or a state directory.
 */
export function tokensFile(environment: Variables, home: string): string {
  const base = environment['XDG_CONFIG_HOME'];
  return join(base?.startsWith('/') ? base : join(home, '.config'), 'tidegate', 'tokens.json');
}

/** The stored tokens; none when others can read the file, because they could have written it too. */
export function storedTokens(file: string): Readonly<Record<string, string>> {
  if (!isPrivate(file)) return {};
  try {
    const stored: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return Object.fromEntries(Object.entries(stored ?? {}).filter(([, value]) => typeof value === 'string'));
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code !== undefined) return {};
    throw error;
  }
}

export function isPrivate(file: string): boolean {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats === undefined || ((stats.mode & 0o077) === 0 && stats.uid === process.getuid?.());
}

export function storeToken(file: string, name: string, token: string): void {
  const stored = storedTokens(file);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeDurably(file, `${JSON.stringify({ ...stored, [name]: token }, null, 2)}\n`);
}

/** Adds stored tokens to the variables, unless a credential of the agent is set already. */
export function withStoredTokens(ours: Variables, credentials: readonly string[], file: string): Variables {
  if (credentials.some((name) => ours[name])) return ours;
  const stored = storedTokens(file);
  const own = credentials.flatMap((name) => (stored[name] === undefined ? [] : [[name, stored[name]] as const]));
  return { ...ours, ...Object.fromEntries(own) };
}
