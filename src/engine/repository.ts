import type { RunId } from '../domain/base/ids.ts';
import { unknownRequest } from '../domain/decide/answer.ts';
import { type Dependency, isDependencyOpen, otherRun } from '../domain/dependencies/dependency.ts';
import { addBranchDependency, addDependency } from '../domain/dependencies/dependency-requests.ts';
import { branchFact, type LinkedRuns, requirementsOn } from '../domain/dependencies/link.ts';
import { isRequest } from '../domain/ledger/events.ts';
import type { RequestEvent } from '../domain/ledger/requests.ts';
import type { RepositoryState } from '../domain/repository/repository.ts';
import { answerOnRepository } from '../domain/repository/repository-board.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Effect } from '../pipeline/step.ts';
import type { Clock } from '../ports/clock.ts';
import { isRunStream, type Ledger, repositoryStream, type Stored } from '../ports/ledger.ts';
import type { GitReader } from '../ports/merger.ts';
import { concernsOthers } from './coordinator-state.ts';
import type { EnginePorts } from './engine-ports.ts';
import { openRepositoryLog, type RepositoryLog, type RunLog } from './run-log.ts';

type Options = {
  readonly ledger: Ledger;
  readonly ports: Pick<EnginePorts, 'git' | 'epoch'>;
  readonly clock: Clock;
  logs(): readonly RunLog[];
  failed(cause: unknown): void;
};

/** The repository beside its runs: its own stream, and whatever is decided for all runs together. */
export type Attendant = Pick<RepositoryLog, 'state'> & {
  readonly addDependency: AddDependency;
  /**
   * Answers all requests to the repository, in order, and records what the runs mean for the dependencies of its branches. One call at a
   * time; a call during another one follows it.
   */
  attend(): Promise<void>;
  /** Attends in the background, if an event of any stream may concern the repository. */
  take(stored: Stored): void;
};

export function repositoryAttendant({ ledger, ports, clock, logs, failed }: Options): Attendant {
  const log = openRepositoryLog(ledger, ports.epoch);
  const states = () => logs().flatMap((one) => one.state() ?? []);
  const { toRun, toBranch } = dependencyAdder(ports.git, states, log.state);
  let last: Promise<void> = Promise.resolve();
  const attendOnce = (): Promise<void> => {
    last = last.catch(() => undefined).then(() => attend(log, { clock, logs, addDependency: toBranch }));
    return last;
  };
  return {
    state: log.state,
    addDependency: toRun,
    attend: attendOnce,
    take: ({ stream, event }) => {
      const isAsked = stream === repositoryStream && isRequest(event);
      const isAwaited = isRunStream(stream) && concernsOthers(event) && openBranchDependencies(log).length > 0;
      if (isAsked || isAwaited) attendOnce().catch(failed);
    },
  };
}

const openBranchDependencies = (log: RepositoryLog): readonly Dependency[] =>
  (log.state().dependencies ?? []).filter(isDependencyOpen);

async function attend(
  log: RepositoryLog,
  { clock, logs, addDependency }: Pick<Options, 'clock' | 'logs'> & { readonly addDependency: AddBranchDependency },
): Promise<void> {
  await log.catchUp();
  for (let next = log.state().pending[0]; next !== undefined; next = log.state().pending[0]) {
    const { seq, request } = next;
    if (request.type === 'requested-dependency' && answerOnRepository(log.state(), request).ok) {
      await addDependency(log, request, seq);
      continue;
    }
    await log.record((state) => {
      if (!state.pending.some((one) => one.seq === seq)) return [];
      const decided = answerOnRepository(state, request, clock.now());
      return decided.ok && decided.value !== 'later'
        ? [...decided.value, { type: 'request-accepted', request: seq }]
        : [{ type: 'request-refused', request: seq, because: decided.ok ? unknownRequest(request) : decided.error }];
    });
  }
  const owing = openBranchDependencies(log).flatMap((one) => otherRun(one) ?? []);
  for (const one of logs()) if (owing.includes(one.run)) await one.catchUp();
  const stateOf = (run: RunId) =>
    logs()
      .find((one) => one.run === run)
      ?.state() ?? null;
  const factOf = ({ dependencies = [] }: RepositoryState) => branchFact(dependencies, stateOf);
  while (factOf(log.state()) !== null)
    await log.record((state) => {
      const next = factOf(state);
      return next === null ? [] : [next];
    });
}

type Adding = Effect & { readonly do: 'add-dependency' };

/** Adds a dependency to the run of the log, and answers the request for it. */
export type AddDependency = (log: RunLog, effect: Adding) => Promise<void>;

/** Adds a dependency of a branch to the repository, and answers the request for it. */
type AddBranchDependency = (
  log: RepositoryLog,
  request: RequestEvent & { readonly type: 'requested-dependency' },
  number: number,
) => Promise<void>;

/**
 * Adds dependencies one after the other. Only the holder of the epoch adds any, so each is decided with all earlier ones known: ids
 * are unique in the repository, and no runs are made to wait for each other.
 */
function dependencyAdder(
  git: GitReader,
  runs: () => readonly RunState[],
  repository: () => RepositoryState,
): { readonly toRun: AddDependency; readonly toBranch: AddBranchDependency } {
  let before: Promise<unknown> = Promise.resolve();
  const oneByOne = (add: () => Promise<void>): Promise<void> => {
    const mine = before.then(add);
    before = mine.catch(() => undefined);
    return mine;
  };
  const isBranch = async (name: string): Promise<boolean> => (await git.branchTip(name)) !== null;
  return {
    toRun: (log, { request, number }) =>
      oneByOne(async () => {
        const isOn = await isBranch(request.on);
        await log.record((state) => {
          if (state === null || !state.pending.some(({ seq }) => seq === number)) return null;
          const others = runs().filter(({ run }) => run !== state.run);
          const branches = repository().dependencies ?? [];
          const added = addDependency(state, request, { runs: [...others, state], branches, isBranch: isOn });
          return added.ok
            ? [added.value, { type: 'request-accepted', request: number }]
            : [{ type: 'request-refused', request: number, because: added.error }];
        });
      }),
    toBranch: (log, request, number) =>
      oneByOne(async () => {
        const isOn = await isBranch(request.on);
        const isDependent = request.branch !== undefined && (await isBranch(request.branch));
        await log.record(({ pending, dependencies: branches = [] }) => {
          if (!pending.some(({ seq }) => seq === number)) return [];
          const added = addBranchDependency(request, { runs: runs(), branches, isBranch: isOn, isDependent });
          return added.ok
            ? [added.value, { type: 'request-accepted', request: number }]
            : [{ type: 'request-refused', request: number, because: added.error }];
        });
      }),
  };
}

/** Returns the other runs and the dependencies of branches, for the dependencies of this one. */
export function linkedTo(
  runs: readonly RunState[],
  { run }: RunState,
  branches: readonly Dependency[] = [],
): LinkedRuns {
  const others = runs.filter((other) => other.run !== run);
  return {
    stateOf: (id) => others.find((other) => other.run === id) ?? null,
    requiring: others.flatMap((state) => requirementsOn(state, run).map((dependency) => ({ state, dependency }))),
    branches,
  };
}
