import type { SnapshotEvidence } from '../../src/domain/gates/evidence.ts';
import type { FrozenPlan, PlannedTask } from '../../src/domain/plan/plan.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all, type Found } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/** The levels of an exit contract and of components, from the lowest on, written down a second time. */
const levels: Readonly<Record<string, readonly string[]>> = {
  completion: ['contract', 'integrated', 'authoritative', 'live'],
  durability: ['none', 'ephemeral', 'durable'],
  proof: ['unit', 'integration', 'live'],
  docs: ['none', 'owned', 'shared-plan'],
};
const ladder = [
  'inventoried',
  'contract-frozen',
  'repo-landed',
  'baseline-proved',
  'pilot-live',
  'qa-proved',
  'fleet-ready',
  'cutover-ready',
  'deprecation-ready',
];
const isOfRunningSystem = (level: string): boolean => ladder.indexOf(level) >= ladder.indexOf('pilot-live');

type Round = { readonly wave: number; readonly round: number };
const isOf =
  ({ wave, round }: Round) =>
  (one: { readonly event: Round }): boolean =>
    one.event.wave === wave && one.event.round === round;

/** I3: the run branch takes only work that keeps its exit contract, and writes only levels that all owners have proven. */
export function checkProven(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'merge-intended').flatMap(({ seq, event }) => {
    const { plan, since } = versionAt(history, seq);
    const before = history.filter((one) => one.seq < seq);
    const merged =
      all(before, 'candidate-built')
        .findLast(isOf(event))
        ?.event.steps.map(({ task }) => task) ?? [];
    const entries = all(before, 'round-opened').findLast(isOf(event))?.event.tasks ?? [];
    const core = coreOf(before, event);
    const wrong = merged.flatMap((id) => {
      const task = taskIn(plan, id);
      const snapshot = entries.find((entry) => entry.task === id)?.snapshot;
      const at = { plan, since, core, snapshot };
      return task === undefined ? [] : openContract(before, task, at).map((what) => `${id}: ${what}`);
    });
    return [...wrong, ...openPromotions(before, { plan, since, merged, of: event })].map(
      (what) => ({ invariant: 'I3', seq, what: `merged, but ${what}` }) as const,
    );
  });
}

/** I3: a wave closes when each of its components is promoted, and each of its tasks is proven, or a person decided instead. */
export function checkClosedProven(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'wave-closed').flatMap(({ seq, event: { wave } }) => {
    const { plan } = versionAt(history, seq);
    const before = history.filter((one) => one.seq < seq);
    const isDecided = (barrier: string): boolean => isResolved(before, { barrier, since: 0, tree: null });
    const dropped = new Set(all(before, 'task-dropped').map(({ event }) => event.task));
    const unproven = (plan.waves[wave]?.tasks ?? []).filter(
      (task) =>
        !dropped.has(task.id) &&
        neededBundle(task) !== null &&
        !isDecided(`proof-${task.id}`) &&
        !hasBundle(before, task, lastSnapshot(before, task.id)),
    );
    const promoted = all(before, 'components-promoted').filter(({ event }) => all(before, 'merged').some(isOf(event)));
    const components = [...ownersIn(plan, wave)].filter(
      ([component, { level }]) =>
        !promoted.some(({ event }) => event.wave === wave && event.levels[component] === level) &&
        !isDecided(`component-${component}`),
    );
    return [
      ...unproven.map(({ id }) => `${id} lacks the proof of a person`),
      ...components.map(([component]) => `${component} is not promoted`),
    ].map((what) => ({ invariant: 'I3', seq, what: `the wave closes, but ${what}` }) as const);
  });
}

/** I3: nothing lands whose proof was revoked since. */
export function checkLandedProven(history: readonly Stored[]): readonly Violation[] {
  return all(history, 'landing-intended').flatMap(({ seq }) => {
    const { plan } = versionAt(history, seq);
    const before = history.filter((one) => one.seq < seq);
    const landed = all(history, 'landed').find((one) => one.seq > seq)?.event.tasks;
    return all(before, 'merged').flatMap(({ event }) => {
      const tree = coreOf(before, event);
      const isDecided = (barrier: string): boolean => isResolved(before, { barrier, tree, since: 0 });
      const left = event.tasks.map(({ task }) => task).filter((task) => landed?.includes(task));
      const tasks = left.flatMap((id) => {
        const task = taskIn(plan, id);
        const snapshot = all(before, 'round-opened')
          .findLast(isOf(event))
          ?.event.tasks.find((one) => one.task === id)?.snapshot;
        const isOpen = task !== undefined && neededBundle(task) !== null && !isDecided(`proof-${id}`);
        return isOpen && !hasBundle(before, task, snapshot) ? [`the proof of ${id} is revoked`] : [];
      });
      const levelsOf = all(before, 'components-promoted').findLast(isOf(event))?.event.levels ?? {};
      const components = [...ownersIn(plan, event.wave)].filter(
        ([component, { level, owners }]) =>
          levelsOf[component] === level &&
          isOfRunningSystem(level) &&
          owners.some((owner) => left.some((id) => id === owner)) &&
          !isDecided(`component-${component}`) &&
          !isComponentProven(before, component, level, owners),
      );
      return [...tasks, ...components.map(([component]) => `the proof of ${component} is revoked`)].map(
        (what) => ({ invariant: 'I3', seq, what: `it lands, but ${what}` }) as const,
      );
    });
  });
}

type At = {
  readonly plan: FrozenPlan;
  readonly since: number;
  readonly core: string | undefined;
  readonly snapshot: string | undefined;
};

/** What the contract of a task lacks, by its last attempt, the checks, and the proofs of people. */
function openContract(history: readonly Stored[], task: PlannedTask, at: At): readonly string[] {
  const { exit, id, artifacts = [] } = task;
  const { plan, since, core } = at;
  const snapshot = snapshotNamed(history, id, at.snapshot);
  const wrong: string[] = [];
  if (!isResolved(history, { barrier: `contract-${id}`, tree: snapshot?.tree, since })) {
    const attempt = all(history, 'attempt-intended').findLast(({ event }) => event.task === id)?.event;
    const handoff = all(history, 'attempt-ended').findLast(({ event }) => event.attempt === attempt?.attempt)?.event
      .handoff;
    const own = handoff?.kind === 'given' && handoff.handoff.nonce === attempt?.nonce ? handoff.handoff.claims : {};
    const claims: Readonly<Record<string, string | undefined>> = own ?? {};
    for (const [part, level] of Object.entries(exit)) {
      const known = levels[part] ?? [];
      if (level === null || !known.includes(level)) continue;
      if (known.indexOf(claims[part] ?? '') < known.indexOf(level)) wrong.push(`it claims no ${part} ${level}`);
    }
    const isContracted = Object.entries(exit).some(([part, level]) => level !== null && levels[part]?.includes(level));
    if (isContracted && claims['state'] === 'gap') wrong.push('it reports a gap');
    for (const { path } of artifacts) {
      const taken = snapshot?.proofs?.find((proof) => proof.path === path);
      if (taken === undefined || !('sha256' in taken)) wrong.push(`it left no ${path}`);
    }
    if (exit.proof === 'unit' && !isChecked(history, plan, snapshot?.tree, since))
      wrong.push('its own tree is not checked');
  }
  const onCandidate = exit.completion === 'integrated' || exit.proof === 'integration';
  if (onCandidate && plan.checks.length === 0) wrong.push('there are no checks');
  const needed = neededBundle(task);
  const isDecided = isResolved(history, { barrier: `proof-${id}`, tree: core, since });
  if (needed !== null && !isDecided && !hasBundle(history, task, at.snapshot)) wrong.push('nobody proved it');
  return wrong;
}

const isChecked = (history: readonly Stored[], { checks }: FrozenPlan, tree: string | undefined, since: number) =>
  checks.length > 0 &&
  checks.every(({ name }) =>
    all(history, 'check-ended').some(
      ({ seq, event: { check } }) =>
        seq > since && check.name === name && check.tree === tree && check.outcome === 'passed',
    ),
  );

/** Exactly the components whose last owner is in this round are promoted, with a proof where a person has to give one. */
function openPromotions(
  history: readonly Stored[],
  { plan, since, merged, of }: Pick<At, 'plan' | 'since'> & { readonly merged: readonly string[]; readonly of: Round },
): readonly string[] {
  const written = all(history, 'components-promoted').findLast(isOf(of))?.event.levels ?? {};
  return [...ownersIn(plan, of.wave)].flatMap(([component, { level, owners }]) => {
    const isThere = (task: string): boolean => merged.includes(task) || isFinished(history, task);
    const isDue = owners.some((owner) => merged.includes(owner)) && owners.every(isThere);
    if (!isDue) return component in written ? [`${component} is promoted without all its owners`] : [];
    const isDecided = isResolved(history, { barrier: `component-${component}`, tree: null, since, wave: of.wave });
    if (isDecided) return component in written ? [`${component} is promoted, although a person waived it`] : [];
    if (isSkipped(history, plan, component, of.wave)) {
      if (component in written) return [`${component} skips a level`];
      return [`${component} waits for an earlier wave`];
    }
    if (written[component] !== level) return [`${component} is not promoted to ${level}`];
    if (!isOfRunningSystem(level)) return [];
    return isComponentProven(history, component, level, owners) ? [] : [`nobody proved ${component} ${level}`];
  });
}

/** An earlier wave was to promote it and did not. */
const isSkipped = (history: readonly Stored[], plan: FrozenPlan, component: string, wave: number): boolean =>
  plan.waves.some(
    (_, earlier) =>
      earlier < wave &&
      ownersIn(plan, earlier).has(component) &&
      !all(history, 'components-promoted').some(
        ({ event }) => event.wave === earlier && component in event.levels && all(history, 'merged').some(isOf(event)),
      ),
  );

/** Merged before, or done without a change. */
function isFinished(history: readonly Stored[], task: string): boolean {
  if (all(history, 'merged').some(({ event }) => event.tasks.some((one) => one.task === task))) return true;
  const dropped = all(history, 'task-dropped').findLast(({ event }) => event.task === task)?.seq ?? 0;
  const settled = all(history, 'attempt-settled').findLast(({ event }) => event.task === task);
  return settled !== undefined && settled.seq > dropped && settled.event.decision.becomes === 'done';
}

function ownersIn(plan: FrozenPlan, wave: number) {
  const found = new Map<string, { readonly level: string; readonly owners: readonly string[] }>();
  for (const { id, promotes = {} } of plan.waves[wave]?.tasks ?? [])
    for (const [component, level] of Object.entries(promotes))
      found.set(component, { level, owners: [...(found.get(component)?.owners ?? []), id] });
  return found;
}

/** The level that only a person can prove. */
function neededBundle({ exit }: PlannedTask): 'live' | 'authoritative' | null {
  if (exit.proof === 'live' || exit.completion === 'live') return 'live';
  return exit.completion === 'authoritative' ? 'authoritative' : null;
}

function hasBundle(history: readonly Stored[], task: PlannedTask, snapshot: string | undefined): boolean {
  const enough = neededBundle(task) === 'live' ? ['live'] : ['authoritative', 'live'];
  return standing(history).some(
    ({ event }) => event.task === task.id && event.snapshot === snapshot && enough.includes(event.level),
  );
}

const isComponentProven = (
  history: readonly Stored[],
  component: string,
  level: string,
  owners: readonly string[],
): boolean =>
  standing(history).some(
    ({ event }) =>
      owners.includes(event.task) &&
      event.snapshot === lastSnapshot(history, event.task) &&
      event.components?.[component] === level,
  );

/** Proofs that a person asked for by hand, and that nobody revoked or replaced. */
function standing(history: readonly Stored[]): readonly Found<'proof-registered'>[] {
  const over = new Set([
    ...all(history, 'proof-revoked').map(({ event }) => event.bundle),
    ...all(history, 'proof-registered').map(({ event }) => event.supersedes),
  ]);
  return all(history, 'proof-registered').filter(
    ({ seq, event }) =>
      !over.has(event.bundle) &&
      all(history, 'requested-proof').some(
        (asked) =>
          asked.seq < seq &&
          asked.event.task === event.task &&
          asked.event.snapshot === event.snapshot &&
          asked.event.level === event.level &&
          asked.event.by.who === event.by.who,
      ),
  );
}

type Resolution = {
  readonly barrier: string;
  readonly tree: string | undefined | null;
  readonly since: number;
  readonly wave?: number;
};

/** A person asked for it, for this tree. A tree of null: for any. */
const isResolved = (history: readonly Stored[], { barrier, tree, since, wave }: Resolution): boolean =>
  all(history, 'barrier-resolved').some(
    ({ seq, event }) =>
      seq > since &&
      event.barrier === barrier &&
      (wave === undefined || event.wave === wave) &&
      (tree === null || event.tree === tree) &&
      all(history, 'requested-resolve').some(
        (asked) => asked.seq < seq && asked.event.barrier === barrier && asked.event.by.who === event.by.who,
      ),
  );

const coreOf = (history: readonly Stored[], of: Round): string | undefined =>
  all(history, 'components-promoted').findLast(isOf(of))?.event.tree ??
  all(history, 'candidate-completed').findLast(isOf(of))?.event.tree ??
  all(history, 'candidate-built').findLast(isOf(of))?.event.steps.at(-1)?.tree;

const taskIn = (plan: FrozenPlan, task: string): PlannedTask | undefined =>
  plan.waves.flatMap((wave) => wave.tasks).find(({ id }) => id === task);

const snapshotsOf = (history: readonly Stored[], task: string): readonly SnapshotEvidence[] =>
  [...all(history, 'attempt-ended'), ...all(history, 'paths-dropped'), ...all(history, 'task-edited')]
    .toSorted((a, b) => a.seq - b.seq)
    .flatMap(({ event }) => (event.task === task && event.snapshot !== null ? [event.snapshot] : []));

const lastSnapshot = (history: readonly Stored[], task: string): string | undefined =>
  snapshotsOf(history, task).at(-1)?.commit;

const snapshotNamed = (history: readonly Stored[], task: string, commit: string | undefined) =>
  snapshotsOf(history, task).findLast((one) => one.commit === commit);
