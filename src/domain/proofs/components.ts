import type { TaskId } from '../base/ids.ts';
import type { Barrier } from '../closure/barriers.ts';
import type { BundleEvidence } from '../closure/exit-contract.ts';
import type { Finding, FindingOf } from '../findings/finding.ts';
import type { ClosureEvidence } from '../gates/evidence.ts';
import { type Maturity, maturity } from '../plan/maturity.ts';
import type { FrozenPlan } from '../plan/plan.ts';
import { type RunState, selectedWaves, tasksOfWave, type WaveState } from '../run/run.ts';
import type { TaskState } from '../run/task.ts';
import { standingBundles } from './bundle.ts';
import { type LevelChange, levelBefore } from './matrix.ts';

/** A component that a wave promotes, with the tasks that all have to be proven for it. */
export type Promotion = LevelChange & { readonly owners: readonly TaskId[] };

/** The id of the barrier that an unproven component is. */
export const componentBarrier = (component: string): string => `component-${component}`;

/** The promotions of a wave, by the name of the component. Lint has made sure that all owners name one level. */
export function promotionsOf(plan: FrozenPlan, wave: number): readonly Promotion[] {
  const found = new Map<string, Promotion>();
  for (const { id, promotes = {} } of plan.waves[wave]?.tasks ?? [])
    for (const [component, to] of Object.entries(promotes)) {
      const from = levelBefore(to);
      if (from === null) continue;
      const owners = [...(found.get(component)?.owners ?? []), id];
      found.set(component, { component, from, to, owners });
    }
  return [...found.values()].toSorted((a, b) => (a.component < b.component ? -1 : 1));
}

/** From here on a level is about a running system, so a person has to prove it. */
const firstLive: Maturity = 'pilot-live';
export const needsBundle = (level: Maturity): boolean => maturity.indexOf(level) >= maturity.indexOf(firstLive);

type Integrated = { readonly inRound: readonly TaskId[]; readonly finished: readonly TaskId[] };

/** Promotions whose owners are all there: the round has one, and every other is in it or finished before it. */
export const completePromotions = (
  plan: FrozenPlan,
  wave: number,
  { inRound, finished }: Integrated,
): readonly Promotion[] =>
  promotionsOf(plan, wave).filter(
    ({ owners }) =>
      owners.some((owner) => inRound.includes(owner)) &&
      owners.every((owner) => inRound.includes(owner) || finished.includes(owner)),
  );

/** Those of them that a round makes. A component that an earlier wave did not promote would skip a level. */
const duePromotions = (
  plan: FrozenPlan,
  wave: number,
  round: Integrated & { readonly skipped: ReadonlySet<string> },
): readonly Promotion[] =>
  completePromotions(plan, wave, round).filter(({ component }) => !round.skipped.has(component));

/** Components that one of these waves was to promote and did not. `made`: the components that a wave promoted. */
export const skippedIn = (
  plan: FrozenPlan,
  waves: readonly number[],
  made: (wave: number) => readonly string[],
): ReadonlySet<string> =>
  new Set(
    waves.flatMap((wave) =>
      promotionsOf(plan, wave)
        .map(({ component }) => component)
        .filter((component) => !made(wave).includes(component)),
    ),
  );

function skippedBefore(state: RunState, wave: number): ReadonlySet<string> {
  const earlier = selectedWaves(state).map(({ index }) => index);
  return skippedIn(
    state.plan,
    earlier.filter((index) => index < wave),
    (index) => promotedIn(state.waves[index]),
  );
}

const promotedIn = (wave: WaveState | undefined): readonly string[] =>
  (wave?.rounds ?? []).flatMap((round) => (round.status === 'merged' ? Object.keys(round.promoted?.levels ?? {}) : []));

const isFinished = ({ progress }: TaskState): boolean => progress.status === 'merged' || progress.status === 'done';

/** Tells whether a person decided that the wave closes without promoting this component. It stays at its level. */
const isWaived = (wave: WaveState | undefined, component: string): boolean =>
  wave?.resolved?.some(({ barrier }) => barrier === componentBarrier(component)) === true;

/** The same for a round of a run, without what a person waived: nobody has proven it. */
export function dueInRound(
  state: RunState,
  wave: number,
  steps: readonly { readonly task: TaskId }[],
): readonly Promotion[] {
  const finished = tasksOfWave(state, wave)
    .filter(isFinished)
    .map(({ id }) => id);
  const inRound = steps.map(({ task }) => task);
  return duePromotions(state.plan, wave, { inRound, finished, skipped: skippedBefore(state, wave) }).filter(
    ({ component }) => !isWaived(state.waves[wave], component),
  );
}

type Code = FindingOf<'component-open'>['code'];

/** Components of the wave that keep it from closing. */
export function openComponents(state: RunState, wave: WaveState): readonly Barrier[] {
  const promoted = new Set(promotedIn(wave));
  return promotionsOf(state.plan, wave.index)
    .filter(({ component }) => !promoted.has(component) && !isWaived(wave, component))
    .flatMap((promotion): readonly Barrier[] => {
      const open = whyOpen(state, wave, promotion);
      if (open === null) return [];
      return [barrierOf(state, promotion, open)];
    });
}

type Open = { readonly code: Code; readonly tasks: readonly TaskId[] };

function barrierOf(
  { run }: RunState,
  { component, to: level }: Pick<Promotion, 'component' | 'to'>,
  open: Open,
): Barrier {
  const [waitsFor] = open.tasks;
  const owner = open.code === 'shared-component-sibling-pending' && waitsFor !== undefined ? waitsFor : 'person';
  return {
    id: componentBarrier(component),
    kind: 'component',
    owner,
    ...(waitsFor === undefined ? {} : { task: waitsFor }),
    because: { rule: 'component-open', run, component, level, ...open },
  };
}

/** Components that a merged round promoted to these levels, whose proof was revoked since, and that have an owner among `left`. */
export const lostComponents = (
  state: RunState,
  wave: number,
  { levels, left }: { readonly levels: Readonly<Record<string, Maturity>>; readonly left: readonly TaskId[] },
): readonly Barrier[] =>
  promotionsOf(state.plan, wave)
    .filter(({ component, to }) => levels[component] === to && needsBundle(to))
    .flatMap((promotion) => {
      const { component, to, owners } = promotion;
      const bundles = owners.flatMap((owner) => standingBundles(state, owner));
      const tasks = owners.filter((owner) => left.includes(owner));
      if (tasks.length === 0 || provesComponent(bundles, component, to)) return [];
      return [barrierOf(state, promotion, { code: 'component-proof-missing', tasks })];
    });

function whyOpen(state: RunState, wave: WaveState, { component, to, owners }: Promotion): Open | null {
  const byStatus = (...statuses: readonly TaskState['progress']['status'][]): readonly TaskId[] =>
    owners.filter((owner) => statuses.some((status) => state.tasks[owner]?.progress.status === status));
  const dropped = byStatus('dropped');
  const proven = byStatus('ready', 'done', 'merged');
  const pending = owners.filter((owner) => !dropped.includes(owner) && !proven.includes(owner));
  if (dropped.length > 0) return { code: 'component-promotion-gap', tasks: dropped };
  if (pending.length > 0)
    return proven.length === 0 ? null : { code: 'shared-component-sibling-pending', tasks: pending };
  if (skippedBefore(state, wave.index).has(component)) return { code: 'component-current-level-stale', tasks: owners };
  const bundles = owners.flatMap((owner) => standingBundles(state, owner));
  if (needsBundle(to) && !provesComponent(bundles, component, to))
    return { code: 'component-proof-missing', tasks: owners };
  const isOver = tasksOfWave(state, wave.index).every(
    ({ progress }) => progress.status === 'dropped' || progress.status === 'merged' || progress.status === 'done',
  );
  return isOver ? { code: 'missing-component-promotions', tasks: owners } : null;
}

const provesComponent = (bundles: readonly BundleEvidence[], component: string, level: Maturity): boolean =>
  bundles.some(({ components = {} }) => components[component] === level);

/** Judges recorded evidence: the promotions of a round with their owners and proofs. */
export function componentFindings(
  promotion: Promotion,
  { tasks, closure, bundles: given = [] }: Pick<ClosureEvidence, 'tasks' | 'closure' | 'bundles'>,
): readonly Finding[] {
  const { component, to: level, owners } = promotion;
  const open = (code: Code, which: readonly TaskId[]): readonly Finding[] => [
    { rule: 'component-open', component, level, code, tasks: which },
  ];
  const claimed = closure?.components?.find((one) => one.component === component);
  if (claimed === undefined || claimed.level !== level) return open('missing-component-promotions', owners);
  const missing = owners.filter(
    (owner) =>
      !claimed.owners.some(
        ({ task, snapshot }) =>
          task === owner && (tasks.find((entry) => entry.task === owner)?.snapshot ?? snapshot) === snapshot,
      ),
  );
  if (missing.length > 0) return open('shared-component-sibling-pending', missing);
  const bundles = given.filter(({ task, snapshot }) =>
    claimed.owners.some((owner) => owner.task === task && owner.snapshot === snapshot),
  );
  return needsBundle(level) && !provesComponent(bundles, component, level)
    ? open('component-proof-missing', owners)
    : [];
}
