import { hash as digest } from 'node:crypto';
import type { SnapshotEvidence } from '../../src/domain/gates/evidence.ts';
import type { RunEvent } from '../../src/domain/ledger/events.ts';
import type { FrozenPlan, PlannedTask } from '../../src/domain/plan/plan.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { checkAsked } from './check-asked.ts';
import { checkExternal } from './check-dcm.ts';
import { checkDefined } from './check-defined.ts';
import { checkDependencies } from './check-dependencies.ts';
import { checkDerived, madeBefore } from './check-derived.ts';
import { checkIntegrated } from './check-integrated.ts';
import { checkKept } from './check-kept.ts';
import { checkLanded } from './check-landed.ts';
import { checkOffered } from './check-offered.ts';
import { checkOrchestrator } from './check-orchestrator.ts';
import { checkClosedProven, checkLandedProven, checkProven } from './check-proven.ts';
import { checkQueue } from './check-queue.ts';
import { checkRecords } from './check-records.ts';
import { checkRelaunched, lastRelaunch } from './check-relaunch.ts';
import { checkLandingRoles, checkRepeated, checkRoles } from './check-roles.ts';
import { checkSetups } from './check-setups.ts';
import { checkUndone } from './check-undone.ts';
import { all, type Found } from './events-found.ts';
import { naiveMatch } from './naive-match.ts';
import { checkReplanned, isBack, isReused, versionAt } from './plan-versions.ts';
import { sortedJson } from './sorted-json.ts';
import { takenByHand } from './taken-by-hand.ts';

/**
 * Holds a whole ledger against the invariants I1 to I10. Written apart from the code that it judges: it knows the types
 * of events and nothing else of ours, so that a mistake in the fold, the gates or the proofs cannot vouch for itself.
 */
export function checkHistory(stored: readonly Stored[], world: World = {}): readonly Violation[] {
  const streams = [...new Set(stored.map((one) => one.stream))].filter((stream) => stream !== 'repo');
  const repository = stored.filter(({ stream }) => stream === 'repo');
  const histories = streams.map((stream) => stored.filter((one) => one.stream === stream));
  return [
    ...checkChain(stored),
    ...checkEpochs(stored),
    ...checkSecrets(stored, world.canaries ?? []),
    ...histories.flatMap((history) =>
      history[0]?.stream.startsWith('external:') ? checkExternal(history) : checkRun(history, world, repository),
    ),
    ...checkAsked(repository),
    ...checkQueue(stored),
    ...checkDependencies(stored),
    ...checkReachable(stored, world.git),
    ...checkProcesses(stored, world.processes ?? []),
  ].toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0));
}

export type Violation = {
  readonly invariant: 'I1' | 'I2' | 'I3' | 'I4' | 'I5' | 'I6' | 'I7' | 'I8' | 'I9' | 'I10';
  readonly seq: number | null;
  readonly what: string;
};

export type World = {
  readonly git?: GitFacts;
  /** Attempts that have a living process. */
  readonly processes?: readonly string[];
  /** Values that must not be found anywhere. */
  readonly canaries?: readonly string[];
};

export type GitFacts = {
  /** Every ref that can be seen, ours and the person's, with full names. */
  readonly refs: ReadonlyMap<string, string>;
  commit(id: string): { readonly parents: readonly string[]; readonly tree: string } | null;
};

// ── I1, I10: the ledger itself ─────────────────────────────────────────────────────────────────────────

function checkChain(stored: readonly Stored[]): readonly Violation[] {
  const found: Violation[] = [];
  const [first] = stored;
  if (first !== undefined && (first.event.type !== 'ledger-opened' || first.event.format !== 2))
    found.push({ invariant: 'I1', seq: first.seq, what: 'the ledger does not begin by naming its format' });
  const positions = new Map<string, number>();
  let previous = '0'.repeat(64);
  stored.forEach((one, index) => {
    const say = (what: string): number => found.push({ invariant: 'I1', seq: one.seq, what });
    if (one.seq !== index + 1) say(`seq ${one.seq} where ${index + 1} belongs`);
    const position = (positions.get(one.stream) ?? 0) + 1;
    if (one.position !== position) say(`position ${one.position} of ${one.stream} where ${position} belongs`);
    positions.set(one.stream, one.position);
    if (one.hash !== hashOf(previous, one)) say('its hash does not match from what is before it');
    previous = one.hash;
  });
  return found;
}

/** The stored text: keys in order, nothing beyond ASCII. Every type of event is of its first version. */
function hashOf(previous: string, { at, epoch, event, position, seq, stream }: Stored): string {
  const text = sortedJson({ at, epoch, event: { ...event, v: 1 }, position, seq, stream });
  const ascii = text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return digest('sha256', previous + ascii, 'hex');
}

function checkEpochs(stored: readonly Stored[]): readonly Violation[] {
  const found: Violation[] = [];
  let highest = 0;
  for (const { seq, stream, epoch, event } of stored) {
    const needsNone =
      event.type.startsWith('requested-') || stream.startsWith('external:') || event.type === 'ledger-opened';
    if (needsNone && epoch !== 0) found.push({ invariant: 'I10', seq, what: `${event.type} under epoch ${epoch}` });
    if (!needsNone && epoch === 0) found.push({ invariant: 'I10', seq, what: `${event.type} without an epoch` });
    if (!needsNone && epoch < highest)
      found.push({ invariant: 'I10', seq, what: `${event.type} of epoch ${epoch} after epoch ${highest}` });
    highest = Math.max(highest, epoch);
  }
  return found;
}

// ── I8: secrets ────────────────────────────────────────────────────────────────────────────────────────

const secretShapes = [
  /\bsk-[A-Za-z0-9_-]{20,}/,
  /\bAKIA[0-9A-Z]{16}\b/,
  /\bgh[pousr]_[A-Za-z0-9]{36,}/,
  /\bxox[abprs]-[A-Za-z0-9-]{10,}/,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
];

function checkSecrets(stored: readonly Stored[], canaries: readonly string[]): readonly Violation[] {
  return stored.flatMap(({ seq, event }) => {
    const text = JSON.stringify(event);
    const shape = secretShapes.find((pattern) => pattern.test(text));
    const canary = canaries.some((value) => text.includes(value));
    return shape === undefined && !canary
      ? []
      : [{ invariant: 'I8', seq, what: `${event.type} holds a secret` } as const];
  });
}

// ── one run ────────────────────────────────────────────────────────────────────────────────────────────

function checkRun(history: readonly Stored[], { git }: World, repository: readonly Stored[]): readonly Violation[] {
  const created = all(history, 'run-created')[0];
  if (created === undefined)
    return history.some(({ event }) => !event.type.startsWith('requested-'))
      ? [{ invariant: 'I1', seq: history[0]?.seq ?? null, what: 'facts without a run' }]
      : [];
  const { run, target } = created.event;
  return [
    ...checkReplanned(history),
    ...checkStarts(history),
    ...checkAsked(history),
    ...checkMerged(history),
    ...checkDerived(history),
    ...checkRoles(history),
    ...checkRecords(history, repository),
    ...checkOrchestrator(history),
    ...checkLandingRoles(history),
    ...checkRepeated(history),
    ...checkProven(history),
    ...checkClosedProven(history),
    ...checkLandedProven(history),
    ...checkRelaunched(history),
    ...checkIntegrated(history, git),
    ...checkSetups(history),
    ...checkKept(history),
    ...checkClosed(history),
    ...checkRunBranch(history, target.commit, git?.refs.get(`refs/tidegate/runs/${run}`), git),
    ...checkLanded(history, git),
    ...checkDefined(history),
    ...checkOffered(history, git),
    ...checkUndone(history, git),
  ];
}

const passed = (verdicts: readonly { readonly outcome: string }[]): boolean =>
  verdicts.length > 0 && verdicts.every((verdict) => verdict.outcome === 'pass');

const waveOf = (plan: FrozenPlan, task: string): number =>
  plan.waves.findIndex((wave) => [...wave.tasks, ...(wave.closure ?? [])].some((planned) => planned.id === task));

const plannedOf = (plan: FrozenPlan, task: string): PlannedTask | undefined =>
  plan.waves.flatMap((wave) => [...wave.tasks, ...(wave.closure ?? [])]).find((planned) => planned.id === task);

/** I2: lint, ownership and approval of the same plan hash come before every start. */
function checkStarts(history: readonly Stored[]): readonly Violation[] {
  const judged = all(history, 'phase-judged');
  return all(history, 'attempt-intended').flatMap(({ seq, event }) => {
    const { plan, hash, since } = versionAt(history, seq);
    const wave = madeBefore(history, seq, event.task)?.wave ?? waveOf(plan, event.task);
    const say = (what: string): Violation => ({ invariant: 'I2', seq, what: `${event.attempt}: ${what}` });
    const found: Violation[] = [];
    for (const phase of ['preflight', 'ownership', 'approval'] as const) {
      const last = judged.findLast(
        (one) =>
          one.seq > since &&
          one.seq < seq &&
          one.event.phase === phase &&
          'wave' in one.event &&
          one.event.wave === wave,
      );
      if (last === undefined || !passed(last.event.verdicts)) found.push(say(`no ${phase} that passed before it`));
    }
    const tap = plan.taps.start === 'run' ? 'start' : `start-${wave}`;
    const decided = all(history, 'tap-decided').filter(
      (one) => one.seq > since && one.seq < seq && one.event.tap === tap,
    );
    const yes = decided.find((one) => one.event.decision === 'approved' && one.event.hash === hash);
    if (yes === undefined) found.push(say('nobody approved this plan'));
    else if (!isAskedFor(history, yes)) found.push(say('the approval was not asked for by anybody'));
    return found;
  });
}

/** A yes is a person's: who approved had asked for it, for this very plan. */
const isAskedFor = (history: readonly Stored[], { seq, event }: Found<'tap-decided'>): boolean =>
  all(history, 'requested-approve').some(
    (asked) =>
      asked.seq < seq &&
      asked.event.tap === event.tap &&
      asked.event.hash === event.hash &&
      asked.event.by.who === event.by.who,
  ) ||
  all(history, 'requested-run').some(
    (ordered) =>
      ordered.seq < seq &&
      ordered.event.approves.includes(event.tap === 'land' ? 'land' : 'start') &&
      ordered.event.hash === event.hash &&
      ordered.event.by.who === event.by.who,
  );

/** I3, I5: what is merged was proven, and once. */
function checkMerged(history: readonly Stored[]): readonly Violation[] {
  const seen = new Set<string>();
  return all(history, 'merged').flatMap(({ seq, event }) =>
    event.tasks.flatMap(({ task, by }) => {
      // a closure role judges every candidate of its wave, and adds one commit to each at most
      const isRole = versionAt(history, seq).plan.waves[event.wave]?.closure?.some(({ id }) => id === task) === true;
      const once = isRole ? `${task} ${event.round}` : task;
      const twice = seen.has(once);
      seen.add(once);
      const found: Violation[] = twice ? [{ invariant: 'I5', seq, what: `${task} is merged a second time` }] : [];
      const opened = all(history, 'round-opened').findLast(
        (one) => one.seq < seq && one.event.wave === event.wave && one.event.round === event.round,
      );
      const added = all(history, 'candidate-extended').findLast(
        (one) =>
          one.seq < seq && one.event.wave === event.wave && one.event.round === event.round && one.event.task === task,
      );
      const snapshot = opened?.event.tasks.find((entry) => entry.task === task)?.snapshot ?? added?.event.snapshot;
      const before = history.filter((one) => one.seq < seq);
      // work that is merged for another task repairs a snapshot that was proven itself
      const own = by === undefined ? snapshot : madeBefore(history, seq, by)?.inputs.snapshot;
      for (const what of unproven(before, task, own)) found.push({ invariant: 'I3', seq, what: `${task}: ${what}` });
      for (const what of by === undefined ? [] : unproven(before, by, snapshot))
        found.push({ invariant: 'I3', seq, what: `${by}: ${what}` });
      if (by !== undefined && seen.has(by)) found.push({ invariant: 'I5', seq, what: `${by} is merged a second time` });
      if (by !== undefined) seen.add(by);
      return found;
    }),
  );
}

function unproven(history: readonly Stored[], task: string, integrated?: string): readonly string[] {
  const { plan, since: planned } = versionAt(history, Number.POSITIVE_INFINITY);
  const attempt = all(history, 'attempt-intended').findLast(({ event }) => event.task === task);
  if (attempt === undefined || (attempt.seq < planned && !isReused(history, task, attempt.seq)))
    return ['merged without an attempt under this plan'];
  const again = lastRelaunch(history, task);
  if (attempt.seq < again.starts) return ['merged without the attempt that a person selected'];
  const ended = all(history, 'attempt-ended').findLast(({ event }) => event.attempt === attempt.event.attempt);
  if (ended === undefined) return ['merged before its last attempt ended'];
  const { ending, handoff } = ended.event;
  const since = history.filter(({ seq }) => seq > ended.seq);
  const replaced = [...all(since, 'paths-dropped'), ...all(since, 'task-edited')]
    .toSorted((a, b) => a.seq - b.seq)
    .findLast(({ event }) => event.task === task);
  const snapshot = replaced?.event.snapshot ?? ended.event.snapshot;
  const judgement = all(history, 'phase-judged').findLast(
    ({ event }) => event.phase === 'monitor' && event.task === task,
  );
  const monitor = judgement?.event;
  const wrong: string[] = [];
  if ((judgement?.seq ?? 0) < again.judged) wrong.push('its reused result was not judged again');
  const { accepts, edits, forged } = takenByHand(history, since, { task, attempt: attempt.event.attempt });
  wrong.push(...forged);
  if (!accepts.includes(snapshot?.commit ?? '')) {
    if (ending.reason !== 'exited' || ending.code !== 0)
      wrong.push(`its last attempt ended by ${ending.reason} ${ending.code}`);
    if (handoff.kind !== 'given') wrong.push('no handoff');
    else {
      if (handoff.handoff.nonce !== attempt.event.nonce) wrong.push('the handoff is of another attempt');
      if (handoff.handoff.status !== 'done') wrong.push(`the handoff says ${handoff.handoff.status}`);
    }
  }
  if (snapshot === null) return [...wrong, 'no snapshot'];
  if (monitor?.phase !== 'monitor' || !passed(monitor.verdicts)) wrong.push('its gates did not pass');
  else if (monitor.evidence.snapshot?.commit !== snapshot.commit) wrong.push('its gates judged another snapshot');
  if (integrated !== snapshot.commit) wrong.push('another snapshot was integrated');
  const underPlan = history.filter(({ seq }) => seq > planned);
  return [...wrong, ...outside(underPlan, plan, task, { ...snapshot, edited: edits })];
}

/** The scope recomputed: owned, shared, locked or granted; without `owns` what no sibling has and nothing protects. */
function outside(
  history: readonly Stored[],
  plan: FrozenPlan,
  task: string,
  snapshot: SnapshotEvidence & { readonly edited: readonly string[] },
): readonly string[] {
  const made = all(history, 'task-derived').findLast(({ event }) => event.task === task)?.event.planned;
  const planned = plannedOf(plan, task) ?? made;
  if (planned === undefined) return ['it is not in the plan'];
  if (planned.owns?.length === 0) return ['a read-only task is merged'];
  const granted = all(history, 'task-granted')
    .filter(({ event }) => event.task === task)
    .flatMap(({ event }) => event.paths);
  const named = [...planned.shares, ...planned.locks];
  const own = [...(planned.owns ?? []), ...named];
  const siblings = (plan.waves[waveOf(plan, task)]?.tasks ?? []).filter((other) => other.id !== task);
  const claimed = siblings.flatMap((other) => [...(other.owns ?? []), ...other.locks]);
  const may = (path: string): boolean => {
    if (path.startsWith('.tidegate/') || path in plan.generated || snapshot.edited.includes(path)) return true;
    const grants = granted.filter(
      (grant) => grant === path || naiveMatch(grant, path) || path.startsWith(`${grant.replace(/\/$/, '')}/`),
    );
    const isProtected = plan.protect.some((pattern) => naiveMatch(pattern, path));
    if (grants.some((grant) => !/[*?]/.test(grant) || !isProtected)) return true;
    if (own.some((pattern) => naiveMatch(pattern, path))) return true;
    return planned.owns === null && ![...claimed, ...plan.protect].some((pattern) => naiveMatch(pattern, path));
  };
  return snapshot.diff.filter(({ path }) => !may(path)).map(({ path }) => `${path} is out of its scope`);
}

/** I3: a wave closes only when each of its tasks is merged, done without a change, or dropped by name. */
function checkClosed(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'wave-closed').flatMap(({ seq, event }) => {
    const { plan } = versionAt(history, seq);
    const before = history.filter((one) => one.seq < seq);
    const open = (plan.waves[event.wave]?.tasks ?? []).filter((task) => !isResolved(before, task));
    return open.map((task) => ({ invariant: 'I3', seq, what: `the wave closes, but ${task.id} is open` }) as const);
  });
}

function isResolved(history: readonly Stored[], task: PlannedTask): boolean {
  if (all(history, 'merged').some(({ event }) => event.tasks.some((merged) => merged.task === task.id))) return true;
  const ofTask = (event: RunEvent): boolean => 'task' in event && event.task === task.id;
  const last = history.findLast(
    ({ event }) =>
      ['task-dropped', 'task-retried', 'task-reworked', 'attempt-intended'].includes(event.type) &&
      ofTask(event as RunEvent),
  );
  if (last?.event.type === 'task-dropped')
    return !isBack(history, task.id, last.seq) && last.seq > lastRelaunch(history, task.id).starts;
  const judged = all(history, 'phase-judged').findLast(
    ({ event }) => event.phase === 'monitor' && event.task === task.id,
  );
  const isEmpty =
    task.allowEmpty && judged?.event.phase === 'monitor' && judged.event.evidence.snapshot?.diff.length === 0;
  return (
    (task.owns?.length === 0 || isEmpty) &&
    last?.event.type === 'attempt-intended' &&
    last.seq > lastRelaunch(history, task.id).starts &&
    (last.seq > versionAt(history, Number.POSITIVE_INFINITY).since || isReused(history, task.id, last.seq)) &&
    judged !== undefined &&
    judged.seq > lastRelaunch(history, task.id).judged &&
    passed(judged.event.verdicts)
  );
}

/** I4: the run branch moves only by recorded moves that fit one onto the other. */
function checkRunBranch(
  history: readonly Stored[],
  start: string,
  ref: string | undefined,
  git: GitFacts | undefined,
): readonly Violation[] {
  const found: Violation[] = [];
  const made = all(history, 'run-branch-made');
  let tip: string | null = null;
  for (const { seq, event } of made) {
    if (tip !== null) found.push({ invariant: 'I4', seq, what: 'the run branch is made a second time' });
    if (event.commit !== start && !descends(git, event.commit, start))
      found.push({ invariant: 'I4', seq, what: 'the run branch does not begin at the target' });
    tip = event.commit;
  }
  for (const { seq, event } of all(history, 'merged')) {
    const say = (what: string): number => found.push({ invariant: 'I4', seq, what });
    const intent = all(history, 'merge-intended').findLast(
      (one) => one.seq < seq && one.event.wave === event.wave && one.event.round === event.round,
    )?.event;
    if (intent === undefined) say('merged without an intent');
    else if (intent.old !== event.old || intent.new !== event.new) say('merged other than intended');
    if (event.old !== tip) say(`merged from ${event.old}, the run branch was at ${tip}`);
    tip = event.new;
    if (git !== undefined && git.commit(event.new) === null) say(`the merged commit ${event.new} does not exist`);
  }
  const pending = all(history, 'merge-intended').at(-1);
  const last = all(history, 'merged').at(-1);
  const open = pending !== undefined && (last === undefined || last.seq < pending.seq) ? pending.event.new : null;
  if (git !== undefined && tip !== null && ref !== tip && (open === null || ref !== open))
    found.push({ invariant: 'I4', seq: null, what: `the run branch is at ${ref}, the ledger says ${tip}` });
  return found;
}

/** The target may have gone on since the run was ordered. */
function descends(git: GitFacts | undefined, from: string, ancestor: string): boolean {
  for (const waiting = [from], seen = new Set<string>(); waiting.length > 0; ) {
    const id = waiting.pop() ?? '';
    if (id === ancestor) return true;
    if (!seen.has(id)) waiting.push(...(git?.commit(id)?.parents ?? []));
    seen.add(id);
  }
  return false;
}

// ── I7, I9: the world ──────────────────────────────────────────────────────────────────────────────────

/** Every snapshot is reachable, also of tasks that were dropped and workspaces that were cleaned. */
function checkReachable(stored: readonly Stored[], git: GitFacts | undefined): readonly Violation[] {
  if (git === undefined) return [];
  const reachable = new Set<string>();
  const visit = [...git.refs.values()];
  for (let id = visit.pop(); id !== undefined; id = visit.pop()) {
    if (reachable.has(id)) continue;
    reachable.add(id);
    visit.push(...(git.commit(id)?.parents ?? []));
  }
  return [...all(stored, 'attempt-ended'), ...all(stored, 'task-edited')].flatMap(({ seq, event }) => {
    if (event.snapshot === null || reachable.has(event.snapshot.commit)) return [];
    return [{ invariant: 'I7', seq, what: `the work of ${event.attempt} is not reachable` } as const];
  });
}

function checkProcesses(stored: readonly Stored[], processes: readonly string[]): readonly Violation[] {
  const living = new Set(processes);
  return all(stored, 'attempt-ended').flatMap(({ seq, event }) =>
    living.has(event.attempt)
      ? [{ invariant: 'I9', seq, what: `${event.attempt} has ended and is alive` } as const]
      : [],
  );
}
