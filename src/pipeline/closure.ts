import type { CommitId, TaskId } from '../domain/base/ids.ts';
import { present } from '../domain/base/result.ts';
import { isLetPass, redefinedIn } from '../domain/checks/open-checks.ts';
import { isGood, type Standing, type Worse } from '../domain/checks/standing.ts';
import { openProofs, openRecords } from '../domain/closure/barriers.ts';
import { heldWave } from '../domain/dependencies/blocks.ts';
import { isVoid, standInFor } from '../domain/derived/derived-tasks.ts';
import type { FindingOf } from '../domain/findings/finding.ts';
import type { ClosureEvidence, RoundEntry } from '../domain/gates/evidence.ts';
import { judged } from '../domain/gates/judge.ts';
import { changersIn, changesBy } from '../domain/landing/earlier-definitions.ts';
import { isQueued } from '../domain/landing/landing.ts';
import type { RepairSubject } from '../domain/ledger/derived-task-events.ts';
import type { RunEvent } from '../domain/ledger/events.ts';
import { type Check, closureOf, type FrozenPlan, hasRatchet, isRatchet } from '../domain/plan/plan.ts';
import { dueInRound, promotionsOf } from '../domain/proofs/components.ts';
import { bisect, nextRoundSize } from '../domain/run/bisection.ts';
import { type BuiltRound, isRoundOpen, makerIn, type RoundStep, type Tip } from '../domain/run/round.ts';
import { currentWave, type RunState, tasksOfWave, type WaveState } from '../domain/run/run.ts';
import { isBlocked, isLive, isReadyToMerge, mayIntegrate } from '../domain/run/schedule.ts';
import { type Hold, isResolved, isSettled, snapshotOf, type TaskState } from '../domain/run/task.ts';
import { generatedPaths, generatorFailure } from '../domain/scope/claims.ts';
import { type CheckedTree, checkStep, checkTree, halt, outcomeOf, standingAt } from './check-tree.ts';
import { closeByRoles } from './closure-roles.ts';
import { contextOf, effect, fact, type Step } from './step.ts';

/** Phase 5: when no task of the wave is running, integrates its ready tasks and checks them as one tree. */
export function closure(state: RunState): readonly Step[] {
  const wave = currentWave(state);
  if (wave === undefined || state.branch === null) return [];
  const round = wave.rounds.at(-1);
  if (!isRoundOpen(round)) return openOrClose(state, wave);
  const [held] = round.status === 'merging' ? [] : heldWave(state, wave.index);
  if (held !== undefined) {
    const because = { rule: 'round-dependency', dependency: held.id } as const;
    return [fact({ type: 'round-abandoned', wave: wave.index, round: round.round, because })];
  }
  switch (round.status) {
    case 'opened': {
      const request = { do: 'build-candidate', run: state.run, wave: wave.index, round: round.round } as const;
      return [effect(`candidate ${wave.index}.${round.round}`, { do: 'ask-merger', request, answers: null })];
    }
    case 'built':
    case 'generated':
    case 'completed':
      return completeCandidate(state, wave.index, round);
    default:
      return [];
  }
}

function openOrClose(state: RunState, wave: WaveState): readonly Step[] {
  if (wave.approval === null) return [];
  const tasks = tasksOfWave(state, wave.index);
  // a landing in progress is of the waves closed before it; the next landing takes what is merged and closed after it
  if (isQueued(state.landing) || heldWave(state, wave.index).length + openRecords(state, wave).length > 0) return [];
  const derived = Object.values(state.derived ?? {})
    .flatMap((one) => (one.wave === wave.index ? (state.tasks[one.task] ?? []) : []))
    .filter((task) => isUnderWay(task) || !isVoid(state, task.id));
  if (tasks.every(isResolved) && !derived.some(isUnderWay))
    return openProofs(state, wave).length > 0 ? [] : [fact({ type: 'wave-closed', wave: wave.index })];
  const isBusy = [...tasks, ...derived].some(
    (task) => isBeingEdited(state, task) || (!isSettled(task) && !isBlocked(state, task)),
  );
  const ready = inOrder(
    tasks.filter((task) => mayIntegrate(state, task)),
    state,
  );
  const unresolved = tasks.some((task) => !isResolved(task) && !isReadyToMerge(state, task));
  if (isBusy || ready.length === 0 || state.branch === null || state.mode.mode !== 'active') return [];
  if (mergesWhole(state, wave.index) && unresolved) return [];
  const entries = ready.slice(0, nextRoundSize(wave.rounds) ?? ready.length).flatMap((task) => entryOf(state, task));
  return [
    fact({
      type: 'round-opened',
      wave: wave.index,
      round: wave.rounds.length + 1,
      base: state.branch.commit,
      tasks: entries,
    }),
  ];
}

/** The snapshot that a round takes for a task: its own, or that of the derived task that stands for it. */
function entryOf(state: RunState, { id, progress }: TaskState): readonly RoundEntry[] {
  if (progress.status === 'ready') return [{ task: id, snapshot: progress.snapshot.commit }];
  const maker = standInFor(state, id);
  return maker === null ? [] : [{ task: id, snapshot: maker.progress.snapshot.commit, by: maker.id }];
}

/** An agent works on it, or its gates have yet to judge it. */
const isUnderWay = (task: TaskState): boolean => isLive(task) || task.progress.status === 'ended';

/** Tells whether nothing of a wave is merged before all of it is. */
const mergesWhole = ({ plan }: RunState, wave: number): boolean => plan.partial === 'hold' || isJudgedWhole(plan, wave);

/** Closure roles and components judge a wave as a whole. */
const isJudgedWhole = (plan: FrozenPlan, wave: number): boolean =>
  closureOf(plan, wave).length + promotionsOf(plan, wave).length > 0;

/** True while the merger takes a person's edit of the snapshot: a round with the old snapshot could not be proven. */
const isBeingEdited = ({ pending }: RunState, { id }: TaskState): boolean =>
  pending.some(({ request }) => request.type === 'requested-edit' && request.task === id);

/** Sorts tasks as in the plan, but none before a task that it needs. */
function inOrder(tasks: readonly TaskState[], state: RunState): readonly TaskState[] {
  const placed: TaskState[] = [];
  const place = (task: TaskState): void => {
    if (placed.includes(task)) return;
    const needs = state.plan.waves[task.wave]?.tasks.find((planned) => planned.id === task.id)?.needs ?? [];
    for (const need of tasks.filter((other) => needs.includes(other.id))) place(need);
    placed.push(task);
  };
  tasks.forEach(place);
  return placed;
}

/** Rebuilds generated files, then runs the checks: a candidate is checked only with its generated files. */
function completeCandidate(state: RunState, wave: number, round: BuiltRound): readonly Step[] {
  const at = { wave, round: round.round };
  const { tip } = round;
  const abandoned = { type: 'round-abandoned', ...at, because: { rule: 'round-conflicts' } } as const;
  // the tasks that conflict are held, and roles judge the wave as a whole
  const isPart = round.status === 'built' && round.conflicts.length > 0 && isJudgedWhole(state.plan, wave);
  if (isPart) return [fact(abandoned)];
  if (tip === null) {
    const stuck = round.tasks.filter(({ task, by = task }) => state.tasks[by]?.progress.status === 'ready');
    if (stuck.length === 0) return [fact(abandoned)];
    // Otherwise the same round would be opened for ever.
    const because = { rule: 'nothing-integrated', tasks: stuck.map(({ task }) => task) } as const;
    return [fact(abandoned, { type: 'run-halted', because })];
  }
  return rebuildGenerated(state, at, round) ?? promote(state, at, round) ?? verifyCandidate(state, at, round, tip);
}

type At = { readonly wave: number; readonly round: number };

/**
 * Writes the new levels of components into the matrix. Null when it is done, or no component is due. When a person waives a component
 * whose level is written already, the round is made anew without it.
 */
function promote(state: RunState, at: At, { promoted, steps }: BuiltRound): readonly Step[] | null {
  const due = dueInRound(state, at.wave, steps).map(({ component }) => component);
  const waived = Object.keys(promoted?.levels ?? {}).find((component) => !due.includes(component));
  if (waived !== undefined)
    return [fact({ type: 'round-abandoned', ...at, because: { rule: 'round-component', component: waived } })];
  if (promoted !== undefined || due.length === 0) return null;
  const request = { do: 'promote', run: state.run, ...at } as const;
  return [effect(`promote ${at.wave}.${at.round}`, { do: 'ask-merger', request, answers: null })];
}

/** Runs all checks on the candidate; when one fails, searches for the task that breaks it. */
function verifyCandidate(state: RunState, at: At, round: BuiltRound, tip: Tip): readonly Step[] {
  const { steps } = round;
  const compared = { against: state.branch, redefined: hasRatchet(state.plan) ? redefinedIn(state, round) : [] };
  const checked = checkTree(state, {
    ...compared,
    purpose: 'candidate',
    at: tip,
    failed: (check, worse) =>
      holdRole(at, round, check, worse) ?? findCulprit(state, at, { ...round, tip, ...compared }, check, worse),
    unclear: (check) => (isLetPass(state, check, tip.tree) ? null : []),
  });
  if ('step' in checked) return checked.step;
  const before = verifyBefore(state, at, round);
  if ('step' in before) return before.step;
  const roles = closeByRoles(state, at, { ...round, tip });
  if ('step' in roles) return roles.step;
  // a candidate that is judged is merged, and a stopped run merges nothing
  if (state.mode.mode === 'stopped') return [];
  const tasks = round.tasks.filter((entry) => steps.some((step) => step.task === entry.task));
  const evidence = {
    round: round.round,
    base: round.base,
    candidate: tip.commit,
    tree: tip.tree,
    tasks,
    checks: checked.outcomes,
    ...(hasRatchet(state.plan) ? baselineEvidence(state, round, compared) : {}),
    ...before.evidence,
    ...roles.evidence,
  };
  return [fact(judged(contextOf(state), { phase: 'closure', wave: at.wave, evidence }))];
}

/** The tree passed without the last closure role, so that role breaks the check. Null when no role has changed anything. */
function holdRole(at: At, { roles = [], tip }: BuiltRound, check: Check, worse: Worse | null): readonly Step[] | null {
  const last = roles.at(-1);
  if (last === undefined || tip === null) return null;
  return [blame(at, { tasks: [] }, [last], check, { tree: tip.tree, ...shownWorse(worse) })];
}

type Compared = Required<Pick<CheckedTree, 'against' | 'redefined'>>;

/** Empty when no check is compared. */
function baselineEvidence(
  state: RunState,
  { tip, before }: BuiltRound,
  { against, redefined }: Compared,
): Pick<ClosureEvidence, 'baseline'> {
  const compared = state.plan.checks.filter(isRatchet);
  if (against === null || compared.length === 0) return {};
  const resolved = [tip, before].flatMap((at) =>
    at === null || at === undefined
      ? []
      : compared
          .filter((check) => isLetPass(state, check, at.tree))
          .map(({ name }) => ({ check: name, tree: at.tree })),
  );
  return {
    baseline: {
      tree: against.tree,
      checks: compared.flatMap((check) => outcomeOf(state, against.tree, check) ?? []),
      ...(redefined.length === 0 ? {} : { redefined }),
      ...(resolved.length === 0 ? {} : { resolved }),
    },
  };
}

type Before = { readonly step: readonly Step[] } | { readonly evidence: Pick<ClosureEvidence, 'before'> };

/**
 * Runs the checks by their definitions from before this round, if its tasks changed these. A task that changed them is held if a
 * check fails.
 */
function verifyBefore(state: RunState, at: At, round: BuiltRound): Before {
  const { before, tip } = round;
  if (before === undefined || tip === null) return { evidence: {} };
  const { tree, changes } = before;
  const suspects = changersIn(changes).map((task) => ({ task }));
  const defined = { passedOn: tip.tree, changes };
  const checked = checkTree(state, {
    purpose: 'candidate',
    at: before,
    against: state.branch,
    failed: (check, worse) => [blame(at, round, suspects, check, { tree, defined, ...shownWorse(worse) })],
    unclear: (check) => (isLetPass(state, check, tree) ? null : []),
  });
  return 'step' in checked ? checked : { evidence: { before: { tree, changes, checks: checked.outcomes } } };
}

function findCulprit(
  state: RunState,
  at: At,
  round: Pick<BuiltRound, 'steps' | 'tasks' | 'base'> & { readonly tip: Tip } & Compared,
  check: Check,
  worse: Worse | null,
): readonly Step[] {
  const { steps, tip } = round;
  const sought = worse !== null && 'tests' in worse && isRatchet(check) ? worse.tests[0] : undefined;
  const tasks = steps.map(({ task }) => task);
  if (generatedPaths(state.plan).length > 0 && tasks.length > 1)
    return [blameTogether(state, at, tasks, { rule: 'round-check', check: check.name, tasks })];
  const found = bisect(steps.length, (prefix) => {
    const step = steps[prefix - 1];
    const standing = step === undefined ? null : standingAt(state, check, { ...round, at: step });
    if (standing === null || standing.is === 'unrun') return 'unknown';
    return isGood(standing) || !breaks(standing, sought) ? 'passed' : 'failed';
  });
  if (found.next === 'check') {
    const step = steps[found.prefix - 1];
    if (step === undefined) return [];
    const tried = outcomeOf(state, step.tree, check);
    return tried === undefined ? [checkStep(check, step)] : halt(state, tried);
  }
  const suspects =
    found.next === 'culprit' ? steps.slice(found.index, found.index + 1) : steps.slice(found.from, found.to + 1);
  const failed = (suspects.length === 1 ? suspects : steps).at(-1);
  // with all its steps it is the whole checked candidate, generated files included
  const { commit, tree } = failed === steps.at(-1) ? tip : (failed ?? tip);
  const standing = standingAt(state, check, { ...round, at: { tree } });
  const broken = shownWorse(standing.is === 'failed' ? (standing.worse ?? null) : worse);
  return [blame(at, round, suspects, check, { tree, ...broken, ...repairOf(state, round, suspects, commit) })];
}

/** True for a prefix that fails the sought test, or that cannot be compared. Without a test, any failure counts. */
function breaks(standing: Standing, sought: string | undefined): boolean {
  if (sought === undefined || standing.is !== 'failed' || standing.worse === undefined) return true;
  return !('tests' in standing.worse) || standing.worse.tests.includes(sought);
}

/** The most tests that an event names. */
const mostNamed = 20;

const shownWorse = (worse: Worse | null): { readonly worse?: Worse } =>
  worse === null ? {} : { worse: 'tests' in worse ? { tests: worse.tests.slice(0, mostNamed) } : worse };

/** Returns the work that a resolver may repair: the one task that breaks the check, on top of the work before it. */
function repairOf(
  state: RunState,
  { steps, base }: Pick<BuiltRound, 'steps' | 'base'>,
  suspects: readonly RoundStep[],
  failing: CommitId,
): { readonly repair?: RepairSubject } {
  const [culprit, ...others] = suspects;
  const task = culprit === undefined ? undefined : state.tasks[culprit.task];
  if (state.plan.resolver === undefined || culprit === undefined || others.length > 0 || task === undefined) return {};
  const onto = steps[steps.indexOf(culprit) - 1]?.commit ?? base;
  const generated = new Set(generatedPaths(state.plan));
  const paths = (snapshotOf(task)?.diff ?? []).map(({ path }) => path).filter((path) => !generated.has(path));
  return { repair: { onto, failing, paths } };
}

/** `tree` is the tree that failed. With several suspects it is the whole candidate. Nothing repairs a repair. */
function blame(
  at: At,
  round: Pick<BuiltRound, 'tasks'>,
  suspects: readonly Pick<RoundStep, 'task'>[],
  check: Check,
  seen: Pick<Hold & { readonly because: 'check' }, 'tree' | 'defined' | 'worse' | 'repair'>,
): Step {
  const { tree, defined, repair } = seen;
  const worse = present({ worse: seen.worse });
  const ownPart = (task: TaskId): Pick<typeof seen, 'defined'> =>
    defined === undefined ? {} : { defined: { ...defined, changes: changesBy(task, defined.changes) } };
  const culprits = suspects.flatMap(({ task }): readonly RunEvent[] => {
    const maker = makerIn(round, task);
    const own = { ...ownPart(task), ...(maker === task ? present({ repair }) : {}) };
    return [
      { type: 'culprit-found', ...at, task: maker, check: check.name, tree, ...worse },
      { type: 'task-held', task: maker, hold: { because: 'check', check: check.name, tree, ...own, ...worse } },
    ];
  });
  const because = { rule: 'round-check', check: check.name, tasks: suspects.map(({ task }) => task) } as const;
  return fact(...culprits, { type: 'round-abandoned', ...at, because });
}

/**
 * Part of phase 5: rebuilds generated files on the integrated tree, so that the checks see the tree that will be merged. Null when
 * there is nothing to rebuild, or it is done. When the commands fail, smaller rounds look for the task that makes them fail. The
 * failure itself holds no task: the commands may be wrong, so a person looks at it. After `resume` a new round tries again.
 */
function rebuildGenerated(state: RunState, at: At, round: BuiltRound): readonly Step[] | null {
  const { run, plan } = state;
  const key = `${at.wave}.${at.round}`;
  if (round.status === 'built') {
    if (round.tip === null || generatedPaths(plan).length === 0) return null;
    return [effect(`generate ${key}`, { do: 'generate', ...at, commit: round.tip.commit })];
  }
  if (round.status === 'completed') return null;
  const failure = generatorFailure(plan, round.outcome);
  if (failure !== null) {
    const tasks = round.steps.map(({ task }) => task);
    const failed: Failed = { rule: 'round-generated', paths: generatedPaths(plan), because: failure };
    const isTheirs = round.outcome.ending.reason === 'exited';
    return [isTheirs ? blameTogether(state, at, tasks, failed) : giveUp(state, at, tasks, failed)];
  }
  const request = { do: 'add-generated', run, ...at } as const;
  return [effect(`add-generated ${key}`, { do: 'ask-merger', request, answers: null })];
}

type Failed = FindingOf<'round-check' | 'round-generated'>;

/**
 * The tasks of a candidate with generated files fail together. The next rounds take fewer of them, until one task is found to be
 * the cause. With `partial: hold` nothing may be merged before everything is, so a person looks at it: no task is held, and
 * dropping the task that breaks it lets the others be integrated.
 */
function blameTogether(state: RunState, at: At, tasks: readonly TaskId[], because: Failed): Step {
  if (tasks.length < 2 || mergesWhole(state, at.wave)) return giveUp(state, at, tasks, because);
  return fact({ type: 'round-abandoned', ...at, because, suspects: tasks.length });
}

/** Recorded in one append, so that no round is opened again before a person has seen it. A stopped run stays stopped. */
function giveUp({ run, mode }: RunState, at: At, tasks: readonly TaskId[], because: Failed): Step {
  const abandoned = { type: 'round-abandoned', ...at, because } as const;
  return mode.mode === 'active'
    ? fact(abandoned, { type: 'run-halted', because: { rule: 'round-unblamed', run, tasks, because } })
    : fact(abandoned);
}
