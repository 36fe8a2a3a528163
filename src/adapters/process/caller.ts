import { homedir, userInfo } from 'node:os';
import { agents } from '../../agents/agents.ts';
import type { By } from '../../domain/ledger/requests.ts';

export type Caller = {
  /** The agent that started our process; null for a person or a plain script. */
  readonly agent: string | null;
  /** Approve, grant, drop, land and the like. */
  readonly mayDecide: boolean;
  readonly by: By;
};

/**
 * Finds out whether a person or an agent calls: agents set variables for the processes they start. Agents may decide only if the
 * person allows it. An agent that we started never decides, because it would judge its own work.
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
 * Variables that show who started our process; the first match wins, so an agent of ours is recognised before the tool it uses.
 * Variables that people set in their own shell to configure these tools do not count.
 */
const signs: readonly { readonly name: string; readonly variable: RegExp }[] = [
  { name: ours, variable: /^TIDEGATE_(ATTEMPT|NONCE|TASK)$/ },
  ...agents.flatMap(({ caller }) => caller ?? []),
  { name: 'cursor', variable: /^CURSOR_AGENT$/ },
  { name: 'agent', variable: /^(AGENT|AI_AGENT)$/ },
];

function agentIn(env: Readonly<Record<string, string | undefined>>): string | null {
  const names = Object.keys(env).filter((name) => env[name] !== undefined && env[name] !== '');
  return signs.find(({ variable }) => names.some((name) => variable.test(name)))?.name ?? null;
}

/**
 * In containers a uid often has no entry in the user database, and then the system gives neither a name nor a home. The name is that of the
 * environment then, or `uid-<number>`.
 */
export const personsName = (env: Readonly<Record<string, string | undefined>>): string =>
  known(() => userInfo().username) ?? (env['USER'] || env['LOGNAME'] || `uid-${process.getuid?.() ?? 0}`);

/** The home of the user who calls; `/` for one who has none. */
export const personsHome = (): string => known(homedir) ?? '/';

function known(look: () => string): string | null {
  try {
    return look();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_SYSTEM_ERROR') throw error;
    return null;
  }
}
