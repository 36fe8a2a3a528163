import type { RunEvent } from '../../src/domain/ledger/events.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';

type Added = Extract<RunEvent, { type: 'dependency-added' }>;
type Resolved = Extract<RunEvent, { type: 'dependency-resolved' }>;

/** Nothing reaches a branch over an open dependency, none is settled by itself, and no runs wait for each other. */
export function checkDependencies(stored: readonly Stored[]): readonly Violation[] {
  const runs = new Map(
    [...Map.groupBy(stored, ({ stream }) => stream)].filter(([stream]) => stream !== 'repo' && !stream.includes(':')),
  );
  return [
    ...[...runs.values()].flatMap((history) => [...heldUp(history), ...asked(history), ...ended(history)]),
    ...[...runs.values()].flatMap((history) => owed(history, runs)),
    ...landings(stored, runs),
    ...checkIds(stored),
    ...rings(stored),
  ];
}

const say = (seq: number, what: string): Violation => ({ invariant: 'I3', seq, what });

/** Dependencies that the run requires and that are open right before `seq`. */
const openBefore = (history: readonly Stored[], seq: number): readonly Added[] => {
  const past = history.filter((one) => one.seq < seq);
  const over = new Set(
    [...all(past, 'dependency-resolved'), ...all(past, 'dependency-cancelled')].map(({ event }) => event.dependency),
  );
  return all(past, 'dependency-added')
    .map(({ event }) => event)
    .filter(({ dependency, required }) => required && !over.has(dependency));
};

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
    const held = openBefore(history, seq).filter(({ task }) => {
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
    if (event.type === 'dependency-added')
      return all(before, 'requested-dependency').some(({ event: request }) => request.text === event.text)
        ? []
        : [say(seq, `nobody asked for ${event.dependency}`)];
    const isOwn = all(before, 'dependency-added').some(
      (one) => 'dependency' in event && one.event.dependency === event.dependency,
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
    const over = new Set(
      [...all(past, 'dependency-resolved'), ...all(past, 'dependency-cancelled')].map((one) => one.event.dependency),
    );
    return all(past, 'dependency-owed')
      .filter(({ event: one }) => one.required && !over.has(one.dependency))
      .map(({ event: one }) => say(seq, `ended although ${one.of.run} waits for ${one.dependency}`));
  });
}

/** What a run owes is what another one requires of it. */
function owed(history: readonly Stored[], runs: ReadonlyMap<string, readonly Stored[]>): readonly Violation[] {
  const stream = history[0]?.stream;
  return all(history, 'dependency-owed').flatMap(({ seq, event }) => {
    const theirs = all(runs.get(event.of.run) ?? [], 'dependency-added').find(
      (one) => one.seq < seq && one.event.dependency === event.dependency,
    );
    const on = theirs?.event.on;
    const isIt = on !== undefined && 'run' in on && on.run === stream && on.task === event.task;
    return isIt ? [] : [say(seq, `${event.dependency} is owed to nobody`)];
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
    const target = all(runs.get(added?.stream ?? '') ?? [], 'run-created')[0]?.event.target.branch;
    const on = added?.event.type === 'dependency-added' ? added.event.on : undefined;
    const isOfIt = on !== undefined && 'run' in on && on.run === landed.run && on.task === landed.task;
    const moved = (runs.get(landed.run) ?? []).some(
      (one) => one.seq < seq && hasLanded(one.event, landed) && landed.branch === target,
    );
    return isOfIt && moved ? [] : [say(seq, `${event.dependency} was resolved by a landing that is not there`)];
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
  return all(stored, 'dependency-added').flatMap(({ seq, event }) => {
    const isKnown = ids.has(event.dependency);
    ids.add(event.dependency);
    return isKnown ? [say(seq, `${event.dependency} was given twice`)] : [];
  });
}

/** Follows the required dependencies that are open when another one is added. */
function rings(stored: readonly Stored[]): readonly Violation[] {
  const open = new Map<string, { readonly from: string; readonly to: string }>();
  return stored.flatMap(({ seq, stream, event }) => {
    const isOwn = event.type === 'dependency-resolved' || event.type === 'dependency-cancelled';
    if (isOwn && open.get(event.dependency)?.from === stream) open.delete(event.dependency);
    if (event.type !== 'dependency-added' || !event.required || !('run' in event.on)) return [];
    open.set(event.dependency, { from: stream, to: event.on.run });
    const reached = new Set<string>([event.on.run]);
    for (let size = 0; size !== reached.size; ) {
      size = reached.size;
      for (const { from, to } of open.values()) if (reached.has(from)) reached.add(to);
    }
    return reached.has(stream) ? [say(seq, `${event.dependency} makes runs wait for each other`)] : [];
  });
}
