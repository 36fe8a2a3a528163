import { sizeBytes } from '../kept/disk.ts';
import { canonicalJson, type Network } from '../plan/plan.ts';
import { listCovers } from './network-hosts.ts';
import { durationSeconds } from './shapes.ts';

/**
 * A rule says what the files of a repository may set without asking the person. Whoever wrote the repository wrote them. So a value is
 * harmless, only ever adds a restriction, or counts as far as it does not loosen fence, approval, spending or the machine.
 * docs/security.md gives the reason for each key.
 */
export type RepositoryRule<T = unknown> =
  | { readonly may: 'anything' }
  /** Layers add up: nothing is ever taken away. */
  | { readonly may: 'add' }
  | { readonly may: 'tighten'; loosens(value: T, against: Against<T>): boolean };

/** The values that a repository's value is compared with. */
export type Against<T> = {
  /** The value without this layer. */
  readonly below: T;
  /** The value in the person's own configuration; undefined when it has none. */
  readonly person: T | undefined;
  /**
   * The most that the person allows without being asked. A plan is shown and approved as a whole before anything starts, so there it
   * is the person's value. Configuration is not looked at each time, so there it is the default when the person has none.
   */
  readonly allowed: T | undefined;
};

export const anything: RepositoryRule = { may: 'anything' };
export const add: RepositoryRule = { may: 'add' };
export const tighten = <T>(loosens: (value: T, against: Against<T>) => boolean): RepositoryRule<T> => ({
  may: 'tighten',
  loosens,
});

/** No item that is not there already. */
export const fewerItems = tighten<readonly string[]>(
  (value, { below }) => !value.every((item) => below.includes(item)),
);

/** The value below it. */
export const unchanged = tighten((value, { below }) => canonicalJson(value) !== canonicalJson(below));

/** Null, or the value below it. */
export const unchangedOrNone = tighten<string | null>((value, { below }) => value !== null && value !== below);

/** No more than the person says. Null: no limit. */
export const atMostPerson = tighten<number | null>(
  (value, { person }) => person !== undefined && (value ?? Infinity) > (person ?? Infinity),
);

/** No check that need not pass, beside those that the person has. */
export const fewerRatchets = tighten<readonly RatchetCheck[]>(
  (value, { allowed }) =>
    allowed !== undefined &&
    value.some(
      ({ name, policy }) =>
        policy === 'ratchet' && !allowed.some((one) => one.name === name && one.policy === 'ratchet'),
    ),
);

type RatchetCheck = { readonly name: string; readonly policy?: 'green' | 'ratchet' | undefined };

/** No more than the person allows. */
export const atMostAllowed = tighten<number>((value, { allowed }) => allowed !== undefined && value > allowed);

/** No longer than the person says. */
export const atMostDuration = tighten<string>(
  (value, { person }) => person !== undefined && durationSeconds(value) > durationSeconds(person),
);

/** Not `value` where the person says `chosen`. */
export const notInstead = <T>(value: T, chosen: T): RepositoryRule<T> =>
  tighten((wanted, { person }) => person === chosen && wanted === value);

export const atMostSize = tighten<string>((value, { below }) => sizeBytes(value) > sizeBytes(below));
export const atLeastSize = tighten<string>((value, { below }) => sizeBytes(value) < sizeBytes(below));

/** Null leaves `command` and checks without network and gives it to the rest, so only `off` is surely narrower. */
export const narrowerNetwork = tighten<Network | null>((value, { below }) => {
  if (value === 'off' || below === 'on' || canonicalJson(value) === canonicalJson(below)) return false;
  return !(Array.isArray(value) && Array.isArray(below) && listCovers(below, value));
});
