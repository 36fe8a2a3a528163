import { sizeBytes } from '../kept/disk.ts';
import { canonicalJson, type Network } from '../plan/plan.ts';
import { listCovers } from './network-hosts.ts';
import { durationMinutes, type ResolvedSettings } from './settings.ts';

const add: Decision = { may: 'add' };

/**
 * What the files of a repository may say without asking the person, key by key. Whoever wrote the repository wrote them, so
 * each is harmless for a reason, only ever adds a restriction, or counts as far as it does not loosen fence, approval,
 * spending or the machine. A key without a decision does not compile.
 */
export const repositoryMay: { readonly [K in SettingKey]: Decision } = {
  base: anything('the target is shown before the start, and landing is asked'),
  land: tighten('how far a run goes without you', (value, { allowed }) =>
    allowed === undefined ? false : landFreedom(value) > landFreedom(allowed),
  ),
  agent: anything('every agent is in the same fence, under the same limits'),
  model: anything('the limits of money hold for every model'),
  command: anything('runs in the fence'),
  dispatch: tighten('tasks stay apart', (value, { below }) => value !== 'isolated' && below === 'isolated'),
  schedule: anything('only the order of starts'),
  strict: tighten('what you ask of directives', (value, { said }) => said === true && value === false),
  partial: anything('only what the run branch gets first'),
  commit: anything('only the words of commit subjects'),
  repair: anything('what it makes is approved again'),
  'fence.mode': tighten('the boundary itself', (value, { below }) => value === 'none' && below !== 'none'),
  'fence.network': tighten('where agents can connect', (value, { below }) =>
    widens(value as Network | null, below as Network | null),
  ),
  'fence.read': tighten('what of your machine can be read', isNotWithin),
  'fence.write': tighten('what of your machine can be written', isNotWithin),
  'fence.env': tighten('your variables, secrets among them', isNotWithin),
  'limits.parallel': tighten('the load that you allow', isOverSaid),
  'limits.attempts': tighten('the launches that you allow', isOverSaid),
  'limits.minutes': tighten('the time that you allow', isOverSaid),
  'limits.silence': tighten('the time that you allow', isOverSaid),
  'limits.usd': tighten('your money', isOverAllowed),
  'limits.run.usd': tighten('your money', isOverAllowed),
  'limits.agents': tighten('the load that you allow', (value, { said }) =>
    Object.entries((said ?? {}) as Counts).some(([agent, most]) => ((value as Counts)[agent] ?? Infinity) > most),
  ),
  'limits.turns': tighten('the turns that you allow', isOverSaid),
  'limits.files': tighten('the size of a change that you allow', isOverSaid),
  'taps.start': tighten('how often you are asked', (value, { said }) => said === 'wave' && value === 'run'),
  'taps.expires': tighten(
    'how long a question stays open',
    (value, { said }) => said !== undefined && durationMinutes(String(value)) > durationMinutes(String(said)),
  ),
  setup: anything('runs in the fence, without your variables'),
  teardown: anything('runs in the fence, without your variables'),
  checks: anything('run in the fence, without your variables and without network'),
  generated: anything('runs in the fence, without your variables'),
  protect: add,
  unprotect: tighten('what a task cannot change without you', isNotWithin),
  forbid: add,
  block: add,
  breaker: tighten('when a spinning agent is stopped', (value, { said }) => said === 'strict' && value === 'normal'),
  'repo.root': anything('it only ever refuses a run'),
  'repo.remote': anything('it only ever refuses a run'),
  'thread.intake': tighten('where news of your runs is sent', isAnother),
  'thread.threads': tighten('where news of your runs is sent', isAnother),
  'thread.tokenFrom': tighten('a secret of yours that is sent', isAnother),
  notify: tighten(
    'a command that runs as you, outside of any fence, and where news of your runs is sent',
    (value, { below }) => canonicalJson(value) !== canonicalJson(below),
  ),
  'disk.cap': tighten('your disk', (value, { below }) => sizeBytes(String(value)) > sizeBytes(String(below))),
  'disk.free': tighten('your disk', (value, { below }) => sizeBytes(String(value)) < sizeBytes(String(below))),
  'machine.agents': tighten('how much of your machine is used', (value, { below }) => Number(value) > Number(below)),
  registry: anything('only the words of plans and prompts, which are shown before they are used'),
};

type Decision =
  | { readonly may: 'anything'; readonly because: string }
  /** Layers add up: nothing is ever taken away. */
  | { readonly may: 'add' }
  | { readonly may: 'tighten'; readonly guards: string; readonly loosens: Loosens };

type Loosens = (value: unknown, against: Against) => boolean;

/** What a value of a repository is held against. */
type Against = {
  /** What holds without it. */
  readonly below: unknown;
  /** What the person's own configuration says; undefined when it is silent. */
  readonly said: unknown;
  /**
   * What the person allows without being asked. A plan is shown and approved as a whole before anything starts, so there it
   * is only what they said; configuration is not looked at each time, so there it is the default otherwise.
   */
  readonly allowed: unknown;
};

/** Every key that can be set, dotted. Lists and tables are one key. */
export type SettingKey = Dotted<Omit<ResolvedSettings, Tables>> | Tables;

type Tables = 'generated' | 'registry';

type Dotted<T, Prefix extends string = ''> = {
  [K in keyof T & string]: `${Prefix}${K}` extends 'limits.agents'
    ? `${Prefix}${K}`
    : NonNullable<T[K]> extends readonly unknown[]
      ? `${Prefix}${K}`
      : NonNullable<T[K]> extends object
        ? Dotted<NonNullable<T[K]>, `${Prefix}${K}.`>
        : `${Prefix}${K}`;
}[keyof T & string];

type Counts = Readonly<Record<string, number>>;

function anything(because: string): Decision {
  return { may: 'anything', because };
}

function tighten(guards: string, loosens: Loosens): Decision {
  return { may: 'tighten', guards, loosens };
}

function isNotWithin(value: unknown, { below }: Against): boolean {
  return !(value as readonly string[]).every((item) => (below as readonly string[]).includes(item));
}

function isAnother(value: unknown, { below }: Against): boolean {
  return value !== null && value !== below;
}

function isOverSaid(value: unknown, { said }: Against): boolean {
  return said !== undefined && limitOf(value) > limitOf(said);
}

function isOverAllowed(value: unknown, { allowed }: Against): boolean {
  return allowed !== undefined && limitOf(value) > limitOf(allowed);
}

/** null: no limit. */
const limitOf = (value: unknown): number => (value === null ? Infinity : Number(value));

/** null leaves `command` and checks without network and gives it to the rest, so only `off` is surely narrower. */
function widens(value: Network | null, below: Network | null): boolean {
  if (value === 'off' || below === 'on' || canonicalJson(value) === canonicalJson(below)) return false;
  return !(Array.isArray(value) && Array.isArray(below) && listCovers(below, value));
}

/** How far a run goes without asking. */
function landFreedom(value: unknown): number {
  return ['branch', 'pr', 'ask', 'auto', 'wave'].indexOf(String(value));
}
