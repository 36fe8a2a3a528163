import type { RunId } from '../base/ids.ts';
import type { DependencyStatus, UnmetCause } from '../dependencies/dependency.ts';
import type { RunOutcome } from '../ledger/events.ts';

/** Dependencies between runs and branches. */
export type DependencyRules = {
  /** The run, or the branch that it lands on, waits for the other end, `named`. `words` is the text of the person. */
  'dependency-open': OpenDependency;
  /** Another run waits for this one. */
  'dependency-owed': OpenDependency;
  /** A round was abandoned, because a dependency keeps its wave open now. */
  'round-dependency': { readonly dependency: string };
  // reasons why a request is refused
  'dependency-on': unknown;
  'dependency-unknown': { readonly named: string };
  'dependency-ambiguous': { readonly named: string; readonly open: readonly string[] };
  'dependency-self': { readonly run: RunId };
  /** The same one is open already. */
  'dependency-known': { readonly dependency: string; readonly named: string };
  'dependency-met': { readonly named: string; readonly branch: string };
  'dependency-over': { readonly run: RunId; readonly outcome: RunOutcome };
  /** The task was dropped or has landed. */
  'dependency-task': { readonly run: RunId; readonly task: string };
  /** `ring`: the runs by which the other end requires this run already. */
  'dependency-cycle': { readonly run: RunId; readonly ring: readonly string[] };
  'dependency-reason': unknown;
  'no-such-dependency': { readonly run: RunId; readonly named: string; readonly known: readonly string[] };
  'dependency-settled': { readonly dependency: string; readonly status: DependencyStatus };
  /** `branch`: the branch that depends on it, instead of the run. */
  'dependency-elsewhere': { readonly dependency: string; readonly run: RunId; readonly branch?: string };
  /** A branch that depends on something must exist. */
  'dependency-branch': { readonly named: string };
  'dependency-same-branch': { readonly branch: string };
};

type OpenDependency = {
  readonly run: RunId;
  readonly dependency: string;
  readonly named: string;
  readonly words: string;
  readonly branch?: string;
  readonly unmet?: UnmetCause;
};
