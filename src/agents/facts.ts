import type { ToolchainRow } from '../domain/toolchains/table.ts';
import type { Executor } from '../ports/executor.ts';

/** Everything known about one agent that needs no code: `facts.ts` in its folder. Other layers read it through `agents.ts`. */
export type AgentFacts = {
  /** Name in plans and on the command line. */
  readonly name: string;
  readonly kind: AgentKind;
  /** The same agent started by other programs or over another protocol, by their names in plans. */
  readonly variants?: Readonly<Record<string, AgentKind>>;
  /** Set when a task that names no agent may get this one. */
  readonly isDefault?: true;
  /** Set where plans cannot name it: an agent for tests. */
  readonly isHidden?: true;
  /** A variable that the agent sets for processes it starts, and the name by which its requests are recorded. */
  readonly caller?: { readonly name: string; readonly variable: RegExp };
  readonly configuration?: AgentConfiguration;
  /** The places in which its own installer puts it. */
  readonly toolchains?: readonly ToolchainRow[];
  /** Its own login command and the file that the command writes, as shown to people. */
  readonly ownLogin?: { readonly command: string; readonly file: string };
  readonly setupToken?: SetupToken;
};

/** Files and directories that steer an agent, at any depth of a repository. */
type AgentConfiguration = {
  /** Read when it starts. Where the repository has none, the fence shows an empty one, so that no agent can create it. */
  readonly atStart: readonly string[];
  readonly later: readonly string[];
};

/** A command of the agent that prints a token for programs, and the variable which takes the token. */
export type SetupToken = {
  readonly program: string;
  readonly arguments: readonly string[];
  readonly variable: string;
  /** A key of another kind that people paste by mistake, and the variable it belongs to. */
  readonly mistaken: { readonly prefix: string; readonly variable: string };
};

/** An agent that a plan may name, and how it is started. */
export type AgentKind = {
  /** Name of the executor in jobs. */
  readonly executor: string;
  /** Loads the executor. Only supervisors and `doctor` do. */
  readonly load: () => Promise<Executor>;
  /** Describes in `doctor` how its tool calls are judged. */
  readonly judged: string;
  /** Program on the PATH; empty where the plan's `command` names it. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** Command that installs it; absent where the plan's `command` names the program. */
  readonly install?: string;
  /** Program that this one starts; the person's own, if there is one. */
  readonly drives?: string;
  /** Agents of one provider share its rate limits. */
  readonly provider: string;
  /** Variables that log it in: passed into its fence, with values that are never shown. */
  readonly credentials: readonly string[];
  /** Variables that configure it and are not secret. */
  readonly variables: readonly string[];
  /** Files among the agents' configuration that it must be able to open, or it exits. The fence shows them empty. */
  readonly standIns?: readonly string[];
  /** Set when it takes messages during its turn or right after it. */
  readonly hears?: true;
  /** Absent for agents that need no login, or only variables. */
  readonly login?: AgentLogin;
};

/** The ways to log an agent in, as far as they can be known without asking its provider. */
export type AgentLogin = {
  /** The file that its own login command writes: in the directory named by `variable` when that is set, else below the home. */
  readonly file: { readonly variable: string | null; readonly directory: string; readonly name: string };
  /** The same file below the agent's own home in a fence. */
  readonly inside: string;
  /** False where some of its models need no login. */
  readonly required: boolean;
  /** Host of its models unless the variable `baseUrl` names another; null when they may be anywhere. */
  readonly host: string | null;
  readonly baseUrl: string | null;
  /** Credentials that count only when `baseUrl` is set. */
  readonly behindBaseUrl: readonly string[];
  /** Command to type when there is no login, and when there is a file that agents cannot read. */
  readonly fix: string;
  readonly fixWithoutFile: string;
};

const registered: AgentFacts[] = [];

export const registerAgent = (facts: AgentFacts): void => void registered.push(facts);

/** Complete once `list.ts` is loaded: read it through `agents.ts`. */
export const registeredAgents: readonly AgentFacts[] = registered;
