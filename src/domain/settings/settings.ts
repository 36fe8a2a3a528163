import { defaultAgents } from '../../agents/agents.ts';
import { writtenParse } from '../checks/written-parse.ts';
import { closureRoles } from '../closure/roles.ts';
import { sizePattern } from '../kept/disk.ts';
import { canonicalJson, type Role, roles } from '../plan/plan.ts';
import { rootPattern } from '../plan/repo-claim.ts';
import { type WrittenClosure, writtenClosure, writtenOrchestrator, writtenResolver } from './closure-settings.ts';
import {
  add,
  anything,
  atLeastSize,
  atMostAllowed,
  atMostDuration,
  atMostPerson,
  atMostSize,
  fewerItems,
  fewerRatchets,
  narrowerNetwork,
  notInstead,
  type RepositoryRule,
  tighten,
  unchanged,
  unchangedOrNone,
} from './repository-rules.ts';
import {
  agentName,
  argv,
  described,
  durationPattern,
  either,
  fields,
  flag,
  list,
  map,
  none,
  nullable,
  oneOf,
  pathPattern,
  pathPatterns,
  positive,
  type Shape,
  text,
  whole,
  words,
} from './shapes.ts';

/** One key of the configuration: everything that is known about it. Its variable is `TIDEGATE_` and the key in capitals. */
export type Setting<T = unknown> = {
  readonly shape: Shape<T>;
  readonly default: T;
  readonly about: string;
  readonly repository: RepositoryRule<T>;
};
export type SettingTree = { readonly [name: string]: Setting | SettingTree };

const key = <T>(
  shape: Shape<T>,
  value: NoInfer<T>,
  repository: RepositoryRule<NoInfer<T>>,
  about: string,
): Setting<T> => ({ shape, default: value, repository, about });

const minutes = whole(1, 10_080);
const duration = text({ matches: durationPattern });
const capabilityName = /^[a-z0-9][a-z0-9._-]{0,63}$/i;
const size = text({ matches: sizePattern });
const address = text({ min: 1, max: 2000 }, 'https address; http only on this machine.');
const host = text({ min: 1, max: 260 }, 'example.org, *.example.org, example.org:8443, 10.0.0.5 or [::1]:3000.');
/** In capitals, so that nobody writes the secret itself by mistake. */
const variable = text({ matches: /^[A-Z][A-Z0-9_]{0,63}$/ }, 'Name of a variable, never the secret itself.');

/** Is a closure role of the person missing, or another one by the same name? */
const losesRole = (value: WrittenClosure, person: WrittenClosure): boolean =>
  closureRoles.some(
    (role) => person[role] !== undefined && canonicalJson(person[role]) !== canonicalJson(value[role] ?? null),
  );

/** A repository may leave out what the person chose, and neither add nor replace it. A plan, which is shown and approved, may add it. */
const personsChoice = tighten<unknown>(
  (value, { allowed }) => allowed !== undefined && value !== null && canonicalJson(value) !== canonicalJson(allowed),
);

/** The values of `land`, in the order of how much a run does without asking. */
const landings = ['branch', 'pr', 'ask', 'auto', 'wave'] as const;

/** Keys that plans and configuration share. */
export const runSettings = {
  base: key<string | null>(words, null, anything, 'Branch to start from and land on. Default: the current branch.'),
  land: key(
    oneOf('ask', 'auto', 'branch', 'pr', 'wave'),
    'ask',
    tighten((value, { allowed }) => allowed !== undefined && landings.indexOf(value) > landings.indexOf(allowed)),
    'How finished work reaches your branch. branch and pr leave your branch alone; wave lands after every wave.',
  ),
  agent: key(list(agentName, 1), defaultAgents, anything, 'An agent, or a list of agents to fall back on.'),
  model: key(nullable(words), null, anything, 'Model for tasks that name none. null: the default of the agent.'),
  command: key(nullable(argv), null, anything, 'Program and arguments for agent: command or acp.'),
  dispatch: key(
    oneOf('isolated', 'worktree', 'sequential', 'commit-as-you-go'),
    'isolated',
    tighten((value, { below }) => value !== 'isolated' && below === 'isolated'),
    'How tasks are kept apart. isolated: every task has its own workspace.',
  ),
  schedule: key(
    oneOf('strict', 'eager'),
    'strict',
    anything,
    'strict runs wave after wave. eager also starts later tasks that touch nothing of the open ones.',
  ),
  strict: key(flag, false, notInstead(false, true), 'Require owns and a complete directive file for every task.'),
  partial: key(
    oneOf('merge', 'hold'),
    'merge',
    anything,
    'Whether ready tasks are merged or wait when another task of the wave has failed.',
  ),
  commit: key(
    nullable(text({ max: 200 })),
    null,
    anything,
    'Template of commit subjects, with {task}, {title}, {run}, {plan}, {wave} and {role}.',
  ),
  resolver: key(
    nullable(writtenResolver),
    null,
    personsChoice,
    'Agent that resolves conflicts between tasks and repairs a task that breaks a check. null: you do it.',
  ),
  orchestrator: key(
    nullable(writtenOrchestrator),
    null,
    personsChoice,
    'Resident orchestrator: an agent that writes guidance to the board while tasks run, and can do nothing else. null: none.',
  ),
  repair: key(nullable(agentName), null, anything, 'Not in this version.'),
  fence: {
    mode: key(
      oneOf('auto', 'none'),
      'auto',
      tighten((value, { below }) => value === 'none' && below !== 'none'),
      'none runs agents without a fence.',
    ),
    network: key(
      either(oneOf('on', 'off'), list(host), none),
      null,
      narrowerNetwork,
      'Network of agents and command: on, off or a list of hosts. null: off for command and checks, on for the rest.',
    ),
    read: key(list(words), [], fewerItems, 'More absolute or ~/ paths that can be read inside the fence.'),
    write: key(list(words), [], fewerItems, 'More absolute or ~/ paths that can be written inside the fence.'),
    env: key(
      list(text({ matches: /^[A-Za-z_][A-Za-z0-9_]*$/ })),
      [],
      fewerItems,
      'Names of environment variables that are passed into the fence.',
    ),
  },
  limits: {
    parallel: key(whole(1, 1000), 4, atMostPerson, 'Tasks that may run at the same time.'),
    agents: key(
      map(agentName, whole(1, 1000)),
      {},
      tighten((value, { person = {} }) =>
        Object.entries(person).some(([agent, most]) => (value[agent] ?? Infinity) > most),
      ),
      'Attempts of one agent that may run at the same time, by the name of the agent.',
    ),
    attempts: key(whole(1, 100), 2, atMostPerson, 'Attempts per task.'),
    minutes: key(minutes, 60, atMostPerson, 'Minutes that one attempt may take.'),
    silence: key(minutes, 15, atMostPerson, 'Minutes that an agent may go without output.'),
    usd: key(positive, 10, atMostAllowed, 'US dollars per task.'),
    turns: key(nullable(whole(1)), null, atMostPerson, 'Turns of one attempt. null: no limit.'),
    files: key(nullable(whole(1)), null, atMostPerson, 'Files that one task may change. null: no limit.'),
    run: { usd: key(positive, 50, atMostAllowed, 'US dollars per run.') },
  },
  taps: {
    start: key(oneOf('run', 'wave'), 'run', notInstead('run', 'wave'), 'Ask for approval per run, or per wave.'),
    expires: key(duration, '24h', atMostDuration, 'Time after which an unanswered question expires: 30m, 24h or 7d.'),
  },
  board: {
    acknowledge: key(
      duration,
      '5m',
      atMostDuration,
      'Time that a running agent has to acknowledge a record for its task: 90s, 5m or 1h.',
    ),
    stale: key(duration, '30m', atMostDuration, 'Time after which a record for a task that is not settled is stale.'),
    answer: key(duration, '30m', atMostDuration, 'Time after which a record that waits for you is overdue.'),
    preferred: key(
      map(text({ matches: capabilityName }), list(words, 1)),
      {},
      anything,
      'Tasks that get the records for a capability first, by capability. Only tasks that have it count.',
    ),
  },
  setup: key(
    nullable(either(words, fields({ run: words, inputs: list(pathPattern, 1) }, {}))),
    null,
    anything,
    'Shell command that prepares each workspace. inputs: the files that its result depends on.',
  ),
  teardown: key(nullable(words), null, anything, 'Shell command that runs in the workspace after the agent.'),
  checks: key(
    list(
      fields(
        {
          name: text({ matches: /^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/ }),
          run: { ...words, about: 'Shell command that runs in the fence on the integrated tree.' },
        },
        {
          minutes,
          defines: { ...pathPatterns, about: 'More files that define what this check proves.' },
          parse: writtenParse,
          policy: described(
            oneOf('green', 'ratchet'),
            'green: it must pass. ratchet: it must be no worse than on the base, so a run can start from a base where it fails.',
          ),
        },
      ),
    ),
    [],
    fewerRatchets,
    'Commands that must pass before work is merged.',
  ),
  generated: key(map(pathPattern, words), {}, anything, 'Shell command that rebuilds each generated file, by path.'),
  protect: key(pathPatterns, ['.github/**'], add, 'Paths that tasks without owns may not change. Layers add up.'),
  unprotect: key(pathPatterns, [], fewerItems, 'Protected paths that tasks may change after you confirmed them.'),
  forbid: key(
    list(words),
    [],
    add,
    'Actions that agents must never do. Commands with these words are denied. Layers add up.',
  ),
  block: key(list(words), [], add, 'Commands that agents may not run. Layers add up.'),
  breaker: key(
    oneOf('normal', 'strict'),
    'normal',
    notInstead('normal', 'strict'),
    'normal warns an agent that loops and stops it at the second sign. strict stops it at the first.',
  ),
  matrix: key<string | null>(
    nullable(pathPattern),
    null,
    anything,
    'JSON file with the current level of each component. Tasks cannot change it; Tidegate writes promoted levels.',
  ),
  sharedDocs: key(pathPatterns, [], add, 'Docs whose changes the docs role has to close by name. Layers add up.'),
  closure: key<WrittenClosure>(
    writtenClosure,
    {},
    tighten((value, { person = {} }) => losesRole(value, person)),
    'Roles that judge the work of a wave before it is merged: eval, security, integration, docs, infra, deploy, qa.',
  ),
  repo: {
    root: key(
      nullable(text({ matches: rootPattern })),
      null,
      anything,
      'First commit of the repository, or the beginning of its id.',
    ),
    remote: key(nullable(words), null, anything, 'Address of one of its remotes.'),
  },
  thread: {
    intake: key(
      nullable(address),
      null,
      unchangedOrNone,
      'Address that opens the thread of a wave. It answers with an `id`.',
    ),
    threads: key(
      nullable(address),
      null,
      unchangedOrNone,
      'Address that opens the thread when the intake fails. Posts go to <threads>/<id>/posts.',
    ),
    tokenFrom: key(nullable(variable), null, unchangedOrNone, 'Variable that holds the bearer token for both.'),
  },
} as const satisfies SettingTree;

export const newsKinds = ['needs-you', 'failed', 'done'] as const;
export type NewsKind = (typeof newsKinds)[number];

const notifyWays = fields(
  { webhook: { ...address, about: 'Address that gets each notice as a signed POST.' } },
  {
    command: argv,
    secretFrom: { ...variable, about: 'Variable that holds the secret that deliveries are signed with.' },
    on: { ...list(oneOf(...newsKinds), 1), about: 'Notices that the webhook gets. Default: all of them.' },
  },
);

const stages = ['explore', 'implement', 'validate'] as const;
/** The purpose of a kind of agent, and so the part of a plan that it works in. */
export type Stage = (typeof stages)[number];

const agentType = fields(
  {},
  {
    name: { ...words, about: 'Name in prompts.' },
    keywords: {
      ...list(words),
      about: 'Words and phrases of goals that are for it. `profil*` matches every word with that beginning.',
    },
    stage: { ...oneOf(...stages), about: 'Whether it explores, implements or validates.' },
    role: { ...oneOf<readonly Role[]>(...roles), about: 'Role of its tasks in a plan.' },
    files: { ...whole(1, 1000), about: 'Most files that it is to change.' },
    forbid: { ...list(words), about: 'Actions that it must never do.' },
    model: { ...nullable(words), about: 'Model of its tasks. null: chosen by the complexity of the work.' },
  },
);

/** Keys of the machine and of the planner. They are not about one run, so no plan has them. */
export const machineSettings = {
  notify: key(
    either(oneOf('off'), argv, notifyWays, none),
    null,
    unchanged,
    'A program that gets each notice as JSON on stdin, or a webhook. off: no bell and no desktop notice either.',
  ),
  disk: {
    cap: key(size, '20GB', atMostSize, 'Room for all workspaces and products of setup: 500MB, 20GB or 1TB.'),
    free: key(size, '500MB', atLeastSize, 'Room that must be free on the disk before an attempt starts.'),
  },
  machine: {
    agents: key(
      whole(1, 1000),
      8,
      tighten((value, { below }) => value > below),
      'Attempts that may run at the same time, over all runs of a repository.',
    ),
  },
  registry: key(
    map(text({ matches: /^[A-Za-z][A-Za-z0-9_-]{0,63}$/ }), nullable(agentType)),
    {},
    anything,
    'Kinds of agents that the planner chooses from, besides its own. null removes one of its own.',
  ),
} as const satisfies SettingTree;

const settingTree = { ...runSettings, ...machineSettings };

type Resolved<T> = { readonly [K in keyof T]: T[K] extends Setting<infer V> ? V : Resolved<T[K]> };
export type Layered<T> = { readonly [K in keyof T]?: (T[K] extends Setting<infer V> ? V : Layered<T[K]>) | undefined };
/** The keys that one layer sets: a plan, a configuration file, the environment. An absent key is left to the layer below. */
export type Settings = Layered<typeof settingTree>;
/** Every key filled in. `base` is null where no layer sets it: then it is the current branch. */
export type ResolvedSettings = Resolved<typeof settingTree>;

export type SetupSetting = ResolvedSettings['setup'];
export type NotifySetting = ResolvedSettings['notify'];
export type NotifyWays = Exclude<NotifySetting, readonly string[] | string | null>;
export type RegistrySettings = ResolvedSettings['registry'];
export type AgentTypeSettings = NonNullable<RegistrySettings[string]>;

export const setupCommand = (setup: SetupSetting): string | null =>
  typeof setup === 'string' ? setup : (setup?.run ?? null);

export const isSetting = (node: Setting | SettingTree): node is Setting => 'repository' in node;

const entriesOf = (tree: SettingTree, prefix = ''): readonly (readonly [string, Setting])[] =>
  Object.entries(tree).flatMap(([name, node]) =>
    isSetting(node) ? [[`${prefix}${name}`, node] as const] : entriesOf(node, `${prefix}${name}.`),
  );

/** Every key with what is known about it, in the order of the documentation. */
export const settingTable: ReadonlyMap<string, Setting> = new Map(entriesOf(settingTree));
export const settingKeys: readonly string[] = [...settingTable.keys()];

const defaultsIn = (tree: SettingTree): object =>
  Object.fromEntries(
    Object.entries(tree).map(([name, node]) => [name, isSetting(node) ? node.default : defaultsIn(node)]),
  );
export const defaultSettings = defaultsIn(settingTree) as ResolvedSettings;
