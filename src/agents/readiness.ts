import { spawn } from 'node:child_process';
import { agentUser } from '../adapters/fence/index.ts';
import { personsHome } from '../adapters/process/caller.ts';
import { findProgram } from '../adapters/process/program.ts';
import { explain } from '../domain/explain/explain.ts';
import type { AgentReadiness } from '../domain/gates/preflight.ts';
import { agentKinds, loginAgents } from './agents.ts';
import {
  findLogin,
  isPrivate,
  type LoginState,
  storeToken,
  tokensFile,
  variablesOf,
  withStoredTokens,
} from './common/login.ts';
import type { AgentKind, SetupToken } from './facts.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Checks before anything is created what the supervisor checks again before it launches. */
export function agentReady(name: string, env: Environment): AgentReadiness {
  const kind = agentKinds[name];
  if (kind === undefined || kind.program === '') return { ready: true };
  const { program } = kind;
  if (findProgram(program, env, (path) => path) === null)
    return { ready: false, installed: false, because: { rule: 'program-not-found', program } };
  if (kind.login?.required !== true) return { ready: true };
  const login = loginOf(kind, env);
  if (login.by !== 'nothing') return { ready: true };
  return { ready: false, installed: true, because: login.because };
}

/** `kept`: the file with the token, if Tidegate keeps it. `open`: the file of tokens, when others can read it. */
type KnownLogin = LoginState & { readonly kept?: string; readonly open?: string };

export function loginOf(kind: AgentKind, env: Environment): KnownLogin {
  const file = tokensFile(env, personsHome());
  const login = findLogin(kind, withStoredTokens(env, kind.credentials, file), agentUser(''));
  if (login.by === 'variable' && !env[login.name]) return { ...login, kept: file };
  if (login.by !== 'nothing' || isPrivate(file)) return login;
  return { ...login, open: file };
}

export function loginText(login: KnownLogin): string {
  if (login.by === 'variable')
    return `logged in by ${login.name}${login.kept === undefined ? '' : `, kept in ${login.kept}`}`;
  if (login.by === 'file') return `logged in by ${login.path}`;
  const why = login.hasFile ? `: ${explain(login.because).detail}` : '';
  return `not logged in${why}${login.open === undefined ? '' : `; ${login.open} is open to others, so it is not used`}`;
}

/** Returns the command that logs the agent in. Null when it is logged in. */
export function fixForLogin(login: KnownLogin): string | null {
  if (login.by !== 'nothing') return null;
  return login.open === undefined ? (explain(login.because).fix ?? '') : `chmod 600 ${login.open}`;
}

/** Lists the logins of all agents that have a program of their own. */
export function loginsOf(env: Environment) {
  return loginAgents.map(({ name, kind, ownLogin = null, setupToken = null }) => {
    const login = loginOf(kind, env);
    return {
      name,
      isLoggedIn: login.by !== 'nothing',
      found: loginText(login),
      fix: fixForLogin(login) ?? '',
      variables: variablesOf(kind, env),
      takesFile: process.getuid?.() !== 0,
      ownLogin,
      setupToken,
    };
  });
}

/** Runs the agent's own command for a token on this terminal and returns its exit code. Null when there is no such program. */
export const runSetupToken = ({ program, arguments: args }: SetupToken): Promise<number | null> =>
  new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'inherit' });
    child.once('error', () => resolve(null));
    child.once('exit', (code) => resolve(code ?? 1));
  });

/** Stores a token for this person and returns the file. */
export function storePersonsToken(env: Environment, variable: string, token: string): string {
  const file = tokensFile(env, personsHome());
  storeToken(file, variable, token);
  return file;
}
