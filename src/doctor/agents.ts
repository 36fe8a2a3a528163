import { probeProgram } from '../adapters/fence/probe.ts';
import { findProgram } from '../adapters/process/program.ts';
import { agentKinds } from '../agents/agents.ts';
import type { AgentKind } from '../agents/facts.ts';
import { fixForLogin, loginOf, loginText } from '../agents/readiness.ts';
import type { Examined } from '../ports/repository-handle.ts';
import { type DoctorContext, type Examination, probePlace } from './context.ts';
import { hiddenProgramFix } from './toolchains.ts';

/** One line for each agent: program, version, login, how its calls are judged, and whether it starts in the fence. */
export const agentExaminations: readonly Examination[] = Object.entries(agentKinds)
  .filter(([name, kind]) => kind.program !== '' && (kind.executor !== 'acp' || name === kind.program))
  .map(
    ([name, kind]) =>
      (context) =>
        examineAgent(name, kind, context),
  );

async function examineAgent(name: string, kind: AgentKind, context: DoctorContext): Promise<Examined> {
  const { env } = context;
  const { resolve } = await kind.load();
  const program = findProgram(kind.program, env, resolve ?? ((path) => path));
  if (program === null)
    return { name, state: 'warning', found: `${kind.program} is not on the PATH`, fix: null, isMissing: true };
  const { version, problem, missing, lines } = probeProgram(env, program, await probePlace(context));
  if (version === null) {
    const found = `${program.path} does not start in the fence: ${problem}`;
    const fix = hiddenProgramFix(program.path, missing === null ? [] : [missing], env);
    return { name, state: 'warning', found, fix, lines };
  }
  const login = loginOf(kind, env);
  const found = `${version}, ${program.path}; ${loginText(login)}; ${kind.judged}; starts in the fence`;
  const isReady = login.by !== 'nothing' || (kind.login?.required === false && !login.hasFile);
  return isReady
    ? { name, state: 'good', found, fix: null }
    : { name, state: 'warning', found, fix: fixForLogin(login) };
}
