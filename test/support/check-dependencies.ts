import type { RunEvent } from '../../src/domain/ledger/events.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';

type Added = Extract<RunEvent, { type: 'dependency-added' }>;
type Resolved = Extract<RunEvent, { type: 'dependency-resolved' }>;

/** Nothing reaches a branch over an open dependency, none is settled by itself, and no runs wait for each other. */
export function checkDependencies(stored: readonly Stored[]): readonly Violation[] {
  const streams = Map.groupBy(stored, ({ stream }) => stream);
  const repository = streams.get('repo') ?? [];
  const runs = new Map([...streams].filter(([stream]) => stream !== 'repo' && !stream.includes(':')));
  return [
    ...[...runs.values()].flatMap((history) => [...heldUp(history), ...asked(history), ...ended(history)]),
    ...asked(repository),
    ...[...runs.values()].flatMap((history) => [...owed(history, new Map(streams)), ...takenBack(history, runs)]),
    ...[...runs.values()].flatMap((history) => ofBranch(history, repository)),
    ...landings(stored, runs),
    ...checkIds(stored),
    ...rings(stored),
  ];
}

const say = (seq: number, what: string): Violation => ({ invariant: 'I3', seq, what });

/** The last record of a stream that says how a dependency stands; a dependency without one is open. */
const lastWord = (past: readonly Stored[], dependency: string): RunEvent | undefined =>
  past.findLast(
    (one): one is Stored & { event: RunEvent } =>
      (one.event.type === 'dependency-resolved' ||
        one.event.type === 'dependency-cancelled' ||
        one.event.type === 'dependency-unmet') &&
      one.event.dependency === dependency,
  )?.event;

const isSettledIn = (past: readonly Stored[], dependency: string): boolean =>
  ['dependency-resolved', 'dependency-cancelled'].includes(lastWord(past, dependency)?.type ?? '');

/** Dependencies that the run requires and that are open right before `seq`. One of a dropped task counts no longer. */
const openBefore = (history: readonly Stored[], seq: number): readonly Added[] => {
  const past = history.filter((one) => one.seq < seq);
  return all(past, 'dependency-added')
    .map(({ event }) => event)
    .filter(({ dependency, required }) => required && !isSettledIn(past, dependency))
    .filter(({ task }) => task === undefined || !isDropped(past, task));
};

function isDropped(past: readonly Stored[], task: string): boolean {
  let dropped = false;
  for (const { event } of past) {
    if (event.type === 'task-dropped' && event.task === task) dropped = true;
    if (event.type === 'task-retried' && event.task === task) dropped = false;
    if (event.type === 'wave-relaunched' && event.starts.some((start) => start.task === task)) dropped = false;
    if (event.type === 'plan-replaced' && !event.keeps.some((kept) => kept === task)) dropped = false;
  }
  return dropped;
}

/** The wave of a task in the newest plan before `seq`; -1 for none. */
function waveAt(history: readonly Stored[], seq: number, task: string | undefined): number {
  const plans = history.flatMap(({ event, seq: at }) =>
    at < seq && (event.type === 'run-created' || event.type === 'plan-replaced') ? [event.plan] : [],
  );
  const waves = plans.at(-1)?.waves ?? [];
  return waves.findIndex(({ tasks, closure = [] }) => [...tasks, ...closure].some(({ id }) => id === task));
}

function heldUp(history: readonly Stored[]): readonly Violation[] {
  return history.flatMap(({ seq, event }) => {
    if (event.type !== 'merge-intended' && event.type !== 'wave-closed' && event.type !== 'landing-intended') return [];
    const closed = new Set(all(history, 'wave-closed').flatMap((one) => (one.seq < seq ? [one.event.wave] : [])));
    const held = openBefore(history, seq).filter(({ task, branch }) => {
      if (branch !== undefined) return event.type === 'landing-intended' && event.branch === branch;
      const wave = waveAt(history, seq, task);
      return event.type === 'landing-intended' ? wave < 0 || closed.has(wave) : wave <= event.wave;
    });
    return held.map(({ dependency }) => say(seq, `${event.type} while ${dependency} is open`));
  });
}

/** A dependency is added and decided by people; only a landing resolves one without them. */
function asked(history: readonly Stored[]): readonly Violation[] {
  return history.flatMap(({ seq, event }) => {
    const before = history.filter((one) => one.seq < seq);
    // what a run records about the branch that it lands on is held against the repository
    if (event.type === 'dependency-added' && event.branch !== undefined && history[0]?.stream !== 'repo') return [];
    if (event.type === 'dependency-added')
      return all(before, 'requested-dependency').some(({ event: request }) => request.text === event.text)
        ? []
        : [say(seq, `nobody asked for ${event.dependency}`)];
    const isOwn = all(before, 'dependency-added').some(
      (one) =>
        'dependency' in event &&
        one.event.dependency === event.dependency &&
        (one.event.branch === undefined || history[0]?.stream === 'repo'),
    );
    const isDecided =
      event.type === 'dependency-cancelled' || (event.type === 'dependency-resolved' && event.landed === undefined);
    if (!isDecided || !isOwn) return [];
    const end = event.type === 'dependency-cancelled' ? 'cancelled' : 'resolved';
    return all(before, 'requested-dependency-end').some(
      ({ event: request }) => request.dependency === event.dependency && request.end === end,
    )
      ? []
      : [say(seq, `nobody decided ${event.dependency}`)];
  });
}

/** A run does not end as done or landed while another one waits for it, as far as its own stream knows. */
function ended(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'run-ended').flatMap(({ seq, event }) => {
    if (event.outcome !== 'done' && event.outcome !== 'landed') return [];
    const past = history.filter((one) => one.seq < seq);
    return all(past, 'dependency-owed')
      .filter(({ event: one }) => one.required && !isSettledIn(past, one.dependency))
      .map(({ event: one }) => say(seq, `ended although somebody waits for ${one.dependency}`));
  });
}

/** What a run owes is what another one requires of it. */
function owed(history: readonly Stored[], runs: ReadonlyMap<string, readonly Stored[]>): readonly Violation[] {
  const stream = history[0]?.stream;
  return all(history, 'dependency-owed').flatMap(({ seq, event }) => {
    const theirs = all(runs.get('run' in event.of ? event.of.run : 'repo') ?? [], 'dependency-added').find(
      (one) => one.seq < seq && one.event.dependency === event.dependency,
    );
    const on = theirs?.event.on;
    const isIt = on !== undefined && 'run' in on && on.run === stream && on.task === event.task;
    return isIt ? [] : [say(seq, `${event.dependency} is owed to nobody`)];
  });
}

/** The landing of a run on a branch, and what its stream says about the dependencies of that branch, agree with the repository. */
function ofBranch(history: readonly Stored[], repository: readonly Stored[]): readonly Violation[] {
  const stream = history[0]?.stream;
  const theirs = (id: string) => all(repository, 'dependency-added').find(({ event }) => event.dependency === id);
  return history.flatMap(({ seq, event }) => {
    if (event.type === 'landing-intended')
      return openBefore(repository, seq)
        .filter(({ branch, on }) => branch === event.branch && !('run' in on && on.run === stream))
        .map(({ dependency }) => say(seq, `landed on ${event.branch} while ${dependency} is open`));
    if (event.type === 'dependency-added' && event.branch !== undefined)
      return theirs(event.dependency)?.event.branch === event.branch
        ? []
        : [say(seq, `${event.dependency} is of no branch`)];
    const isEnd = event.type === 'dependency-cancelled' || event.type === 'dependency-resolved';
    if (!isEnd || theirs(event.dependency) === undefined) return [];
    const isOwing = event.type === 'dependency-resolved' && event.landed?.run === stream;
    const isSettled = repository.some(
      (one) => one.seq < seq && one.event.type === event.type && one.event.dependency === event.dependency,
    );
    return isOwing || isSettled ? [] : [say(seq, `${event.dependency} was settled by a run that only lands there`)];
  });
}

/** The landing that resolves a dependency is in the ledger before it, of the run that owes it, on the branch that is waited for. */
function landings(stored: readonly Stored[], runs: ReadonlyMap<string, readonly Stored[]>): readonly Violation[] {
  return all(stored, 'dependency-resolved').flatMap(({ seq, event }) => {
    const { landed } = event;
    if (landed === undefined) return [];
    const added = stored.find(
      (one) => one.event.type === 'dependency-added' && one.event.dependency === event.dependency,
    );
    const created = all(runs.get(added?.stream ?? '') ?? [], 'run-created')[0]?.event.target.branch;
    const { on, branch: target = created } = added?.event.type === 'dependency-added' ? added.event : {};
    const isOfIt = on !== undefined && 'run' in on && on.run === landed.run && on.task === landed.task;
    const moved = (runs.get(landed.run) ?? []).some(
      (one) => one.seq < seq && hasLanded(one.event, landed) && landed.branch === target,
    );
    return isOfIt && moved ? [] : [say(seq, `${event.dependency} was resolved by a landing that is not there`)];
  });
}

/** Nothing lands on a landing that was undone before, and only an undo opens a dependency again. */
function takenBack(history: readonly Stored[], runs: ReadonlyMap<string, readonly Stored[]>): readonly Violation[] {
  const isUndone = (run: string, task: string | undefined, seq: number): boolean => {
    const moves = (runs.get(run) ?? []).filter((one) => one.seq < seq);
    const last = moves.findLast(({ event }) => {
      if (event.type === 'undone') return event.task === null || task === undefined || event.task === task;
      const landed = event.type === 'landed' || event.type === 'pull-request-landed' ? event.tasks : [];
      return task === undefined ? landed.length > 0 : landed.some((one) => one === task);
    });
    return last?.event.type === 'undone';
  };
  return history.flatMap(({ seq, event }) => {
    const past = history.filter((one) => one.seq < seq);
    if (event.type === 'dependency-unmet' && event.because === 'undone') {
      const added = all(past, 'dependency-added').find((one) => one.event.dependency === event.dependency)?.event.on;
      const isIt = added === undefined || ('run' in added && isUndone(added.run, added.task, seq));
      return isIt ? [] : [say(seq, `${event.dependency} is open again although nothing was undone`)];
    }
    if (event.type !== 'landing-intended' && event.type !== 'merge-intended') return [];
    const closed = new Set(all(past, 'wave-closed').map((one) => one.event.wave));
    return all(past, 'dependency-added').flatMap(({ event: { dependency, required, task } }) => {
      const wave = waveAt(history, seq, task);
      const counts = event.type === 'landing-intended' ? wave < 0 || closed.has(wave) : wave <= event.wave;
      if (!required || !counts || (task !== undefined && isDropped(past, task))) return [];
      const word = lastWord(past, dependency);
      const landed = word?.type === 'dependency-resolved' ? word.landed : undefined;
      return landed !== undefined && isUndone(landed.run, landed.task, seq)
        ? [say(seq, `${event.type} on a landing that was undone: ${dependency}`)]
        : [];
    });
  });
}

const hasLanded = (event: Stored['event'], { branch, commit, task }: NonNullable<Resolved['landed']>): boolean => {
  if (event.type !== 'landed' && event.type !== 'pull-request-landed') return false;
  const tip = event.type === 'landed' ? event.new : event.commit;
  const ofTask = event.commits.some((one) => one.task === task && one.commit === commit);
  return event.branch === branch && (task === undefined ? tip === commit : ofTask);
};

function checkIds(stored: readonly Stored[]): readonly Violation[] {
  const ids = new Set<string>();
  // runs record the dependencies of their branch under the id that they have in the repository
  const own = all(
    stored.filter(({ stream, event }) => stream === 'repo' || !('branch' in event) || event.branch === undefined),
    'dependency-added',
  );
  return own.flatMap(({ seq, event }) => {
    const isKnown = ids.has(event.dependency);
    ids.add(event.dependency);
    return isKnown ? [say(seq, `${event.dependency} was given twice`)] : [];
  });
}

/** Follows the required dependencies that are open when another one is added. */
function rings(stored: readonly Stored[]): readonly Violation[] {
  const open = new Map<string, { readonly from: string; readonly to: string }>();
  const keyOf = (stream: string, dependency: string): string => `${stream} ${dependency}`;
  return stored.flatMap(({ seq, stream, event }) => {
    const isOwn = event.type === 'dependency-resolved' || event.type === 'dependency-cancelled';
    if (isOwn) open.delete(keyOf(stream, event.dependency));
    if (event.type !== 'dependency-added' || !event.required || !('run' in event.on) || stream === 'repo') return [];
    open.set(keyOf(stream, event.dependency), { from: stream, to: event.on.run });
    const reached = new Set<string>([event.on.run]);
    for (let size = 0; size !== reached.size; ) {
      size = reached.size;
      for (const { from, to } of open.values()) if (reached.has(from)) reached.add(to);
    }
    return reached.has(stream) ? [say(seq, `${event.dependency} makes runs wait for each other`)] : [];
  });
}
