import { spawn } from 'node:child_process';
import { personsHome } from '../../adapters/process/caller.ts';
import { agentKinds, agents } from '../../agents/agents.ts';
import type { LoginState } from '../../agents/common/login.ts';
import type { AgentKind } from '../../agents/facts.ts';
import type { Context } from '../../cli/frame/command.ts';
import type { AuthPorts, Examine } from '../../cli/frame/ports.ts';
import { explain } from '../../domain/explain/explain.ts';
import type { AgentReadiness } from '../../domain/gates/preflight.ts';
import type { Examined } from '../../ports/repository-handle.ts';

/** One line for each agent: program, version, login, how its calls are judged, and whether it starts in the fence. */
export const agentExaminations: readonly Examine[] = Object.entries(agentKinds)
  .filter(([name, kind]) => kind.program !== '' && (kind.executor !== 'acp' || name === kind.program))
  .map(
    ([name, kind]) =>
      (context: Context) =>
        examineAgent(name, kind, context),
  );

async function examineAgent(name: string, kind: AgentKind, context: Context): Promise<Examined> {
  const { env } = context;
  const [{ findProgram }, { probeProgram }, { hiddenProgramFix, probePlace }] = await Promise.all([
    import('../../agents/common/program.ts'),
    import('../../adapters/fence/probe.ts'),
    import('./toolchains.ts'),
  ]);
  const { resolve } = await kind.load();
  const program = findProgram(kind.program, env, resolve ?? ((path) => path));
  if (program === null)
    return { name, state: 'warning', found: `${kind.program} is not on the PATH`, fix: null, isMissing: true };
  const { version, problem, missing, lines } = probeProgram(env, program, await probePlace(context));
  if (version === null) {
    const found = `${program.path} does not start in the fence: ${problem}`;
    return {
      name,
      state: 'warning',
      found,
      fix: await hiddenProgramFix(program.path, missing === null ? [] : [missing], env),
      lines,
    };
  }
  const login = await loginOf(kind, env);
  const found = `${version}, ${program.path}; ${loginText(login)}; ${kind.judged}; starts in the fence`;
  const isReady = login.by !== 'nothing' || (kind.login?.required === false && !login.hasFile);
  return isReady
    ? { name, state: 'good', found, fix: null }
    : { name, state: 'warning', found, fix: login.by === 'nothing' ? fixOf(login) : null };
}

/** `kept`: the file with the token, if Tidegate keeps it. `open`: the file of tokens, when others can read it. */
type KnownLogin = LoginState & { readonly kept?: string; readonly open?: string };
type NoLogin = KnownLogin & { readonly by: 'nothing' };

async function loginOf(kind: AgentKind, env: Context['env']): Promise<KnownLogin> {
  const [{ findLogin, isPrivate, tokensFile, withStoredTokens }, { agentUser }] = await Promise.all([
    import('../../agents/common/login.ts'),
    import('../../adapters/fence/index.ts'),
  ]);
  const file = tokensFile(env, personsHome());
  const login = findLogin(kind, withStoredTokens(env, kind.credentials, file), agentUser(''));
  if (login.by === 'variable' && !env[login.name]) return { ...login, kept: file };
  if (login.by !== 'nothing' || isPrivate(file)) return login;
  return { ...login, open: file };
}

/** Checks before anything is created what the supervisor checks again before it launches. */
export async function agentReady(name: string, env: Context['env']): Promise<AgentReadiness> {
  const kind = agentKinds[name];
  if (kind === undefined || kind.program === '') return { ready: true };
  const { findProgram } = await import('../../agents/common/program.ts');
  const { program, login } = kind;
  if (findProgram(program, env, (path) => path) === null)
    return { ready: false, installed: false, because: { rule: 'program-not-found', program } };
  if (login?.required !== true) return { ready: true };
  const found = await loginOf(kind, env);
  if (found.by !== 'nothing') return { ready: true };
  return { ready: false, installed: true, because: found.because };
}

const fixOf = ({ open, because }: NoLogin): string =>
  open === undefined ? (explain(because).fix ?? '') : `chmod 600 ${open}`;

function loginText(login: KnownLogin): string {
  if (login.by === 'variable')
    return `logged in by ${login.name}${login.kept === undefined ? '' : `, kept in ${login.kept}`}`;
  if (login.by === 'file') return `logged in by ${login.path}`;
  const why = login.hasFile ? `: ${explain(login.because).detail}` : '';
  return `not logged in${why}${login.open === undefined ? '' : `; ${login.open} is open to others, so it is not used`}`;
}

export const authPorts: AuthPorts = {
  logins: async ({ env }) => {
    const { variablesOf } = await import('../../agents/common/login.ts');
    const withProgram = agents.filter(({ name, kind }) => name === kind.program);
    return await Promise.all(
      withProgram.map(async ({ name, kind, ownLogin = null, setupToken = null }) => {
        const login = await loginOf(kind, env);
        return {
          name,
          isLoggedIn: login.by !== 'nothing',
          found: loginText(login),
          fix: login.by === 'nothing' ? fixOf(login) : '',
          variables: variablesOf(kind, env),
          takesFile: process.getuid?.() !== 0,
          ownLogin,
          setupToken,
        };
      }),
    );
  },
  setupToken: ({ program, arguments: args }) =>
    new Promise((resolve) => {
      const child = spawn(program, args, { stdio: 'inherit' });
      child.once('error', () => resolve(null));
      child.once('exit', (code) => resolve(code ?? 1));
    }),
  store: async ({ env }, name, token) => {
    const { storeToken, tokensFile } = await import('../../agents/common/login.ts');
    const file = tokensFile(env, personsHome());
    storeToken(file, name, token);
    return file;
  },
};
