import type { TaskId } from '../../src/domain/base/ids.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { branchBefore, landsUnasked, letsPass } from './check-compared.ts';
import type { GitFacts, Violation } from './checker.ts';
import { all, type Found } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/** I4: the person's branch moves only by recorded moves, as far as it is we who move it, and only to what was proven. */
export function checkLanded(history: readonly Stored[], git: GitFacts | undefined): readonly Violation[] {
  return all(history, 'landed').flatMap((landed) => {
    const { seq, event } = landed;
    const found: Violation[] = [];
    const say = (what: string): number => found.push({ invariant: 'I4', seq, what });
    const intent = all(history, 'landing-intended').findLast((one) => one.seq < seq);
    if (intent === undefined) say('landed without an intent');
    else if (intent.event.branch !== event.branch || intent.event.old !== event.old || intent.event.new !== event.new)
      say('landed other than intended');
    const before = history.filter((one) => one.seq < (intent?.seq ?? seq));
    const rebuilt = all(before, 'landing-rebuilt').findLast((one) => one.event.commit === event.new);
    const merged = all(before, 'merged').some((one) => one.event.new === event.new);
    if (rebuilt === undefined && !merged)
      say(`landed ${event.new}, the run branch is at ${all(before, 'merged').at(-1)?.event.new}`);
    const yes = all(before, 'tap-decided').findLast((one) => one.event.tap === 'land');
    const isChoice = rebuilt?.event.tasks !== undefined || yes?.event.tasks !== undefined;
    // under a new version of the plan the definitions are compared again
    const { plan, since } = versionAt(history, seq);
    const isCompared = rebuilt?.event.asMerged === true && rebuilt.seq > Math.max(yes?.seq ?? 0, since);
    if (rebuilt !== undefined && (!merged || isChoice || isCompared))
      for (const name of unchecked(before, rebuilt)) say(`the check ${name} had not passed on what was rebuilt`);
    const own = plan.land === 'branch' || plan.land === 'pr';
    const tree = rebuilt?.event.tree ?? branchBefore(history, intent?.seq ?? seq);
    if (!own && landsUnasked(history, intent?.seq ?? seq, tree)) say('a check is red on it, and no person said yes');
    if (isChoice) for (const what of wrongChoice(before, landed, rebuilt, git)) say(what);
    else if (event.tasks.join() !== leftBefore(history, seq).join()) say('not all that was left is named as landed');
    for (const task of droppedSinceMerged(before))
      if (event.tasks.includes(task)) say(`${task} landed, though a person had dropped it by name`);
    for (const edit of all(before, 'landing-edited'))
      if (!isAskedByHand(before, edit)) say('what a person made fit by hand was not asked for by anybody');
    if (git !== undefined && git.commit(event.new) === null) say(`the landed commit ${event.new} does not exist`);
    return [...found, ...landedTwice(history, landed)];
  });
}

function unchecked(before: readonly Stored[], { event, seq }: Found<'landing-rebuilt'>): readonly string[] {
  const { plan } = versionAt(before, seq);
  const against = event.baseline?.tree;
  const end = (before.at(-1)?.seq ?? 0) + 1;
  const tasks = all(before, 'merged').flatMap((one) => one.event.tasks.map(({ task, by = task }) => by));
  return plan.checks
    .filter(
      (check) =>
        !letsPass(before, end, { check, tree: event.tree, against, tasks }) ||
        (event.before !== undefined && !letsPass(before, end, { check, tree: event.before.tree, against })),
    )
    .map(({ name }) => name);
}

/** Some of the tasks land: a person chose exactly these, and what lands is made of exactly these and what they need. */
function wrongChoice(
  before: readonly Stored[],
  { event, seq }: Found<'landed'>,
  rebuilt: Found<'landing-rebuilt'> | undefined,
  git: GitFacts | undefined,
): readonly string[] {
  const { tasks } = event;
  const same = (other: readonly string[] | undefined): boolean => other?.join() === tasks.join();
  const yes = all(before, 'tap-decided').findLast((one) => one.event.tap === 'land');
  const merged = all(before, 'merged').flatMap((one) => one.event.tasks.map(({ task }) => task));
  const dropped = droppedSinceMerged(before);
  // who asks for all that is left, after some of it was dropped by name, asks for the rest
  const left = leftBefore(before, seq).filter((task) => !dropped.includes(task));
  const asked = all(before, 'requested-land').some(
    (one) =>
      same(one.event.tasks ?? (dropped.length > 0 ? left : undefined)) &&
      one.seq < (yes?.seq ?? 0) &&
      one.event.by.who === yes?.event.by.who,
  );
  const wrong: string[] = [];
  if (yes?.event.decision !== 'approved' || !same(yes.event.tasks)) wrong.push('nobody said yes to these tasks');
  else if (!asked) wrong.push('the choice was not asked for by anybody');
  if (rebuilt === undefined || !same(rebuilt.event.tasks) || rebuilt.seq < (yes?.seq ?? 0))
    wrong.push('it was not rebuilt of these tasks');
  const there = new Set([...tasks, ...landedBefore(before, seq)]);
  const { plan } = versionAt(before, seq);
  for (const task of plan.waves.flatMap((wave) => wave.tasks).filter(({ id }) => tasks.includes(id)))
    for (const need of task.needs)
      if (merged.includes(need) && !there.has(need)) wrong.push(`${task.id} landed without ${need}`);
  for (const task of tasks) if (!merged.includes(task)) wrong.push(`${task} landed, but is not merged`);
  const generated = all(before, 'merged').filter((one) => one.event.new !== one.event.tasks.at(-1)?.commit).length;
  const commits = git === undefined || rebuilt === undefined ? null : between(git, rebuilt.event.onto, event.new);
  if (commits !== null && (commits < tasks.length || commits > tasks.length + generated))
    wrong.push(`${commits} commits landed for ${tasks.length} tasks`);
  return wrong;
}

function droppedSinceMerged(before: readonly Stored[]): readonly TaskId[] {
  return all(before, 'merged').flatMap((merged) =>
    merged.event.tasks
      .map(({ task }) => task)
      .filter((task) => all(before, 'task-dropped').some((one) => one.seq > merged.seq && one.event.task === task)),
  );
}

/** I5: between two undos of the whole run a task lands once. */
function landedTwice(history: readonly Stored[], { seq, event }: Found<'landed'>): readonly Violation[] {
  const earlier = landedBefore(history, seq);
  return event.tasks
    .filter((task) => earlier.has(task))
    .map((task) => ({ invariant: 'I5', seq, what: `${task} lands a second time` }));
}

function landedBefore(history: readonly Stored[], seq: number): ReadonlySet<string> {
  const undone = all(history, 'undone').findLast((one) => one.seq < seq && one.event.task === null)?.seq ?? 0;
  const landings = all(history, 'landed').filter((one) => one.seq > undone && one.seq < seq);
  return new Set(landings.flatMap((one) => one.event.tasks));
}

/** Merged, and not landed since the last undo of the whole run. */
function leftBefore(history: readonly Stored[], seq: number): readonly TaskId[] {
  const landed = landedBefore(history, seq);
  return all(history, 'merged')
    .flatMap((one) => (one.seq < seq ? one.event.tasks.map(({ task }) => task) : []))
    .filter((task) => !landed.has(task));
}

function between(git: GitFacts, from: string, to: string): number {
  let count = 0;
  for (let id: string | undefined = to; id !== undefined && id !== from; count += 1) id = git.commit(id)?.parents[0];
  return count;
}

function isAskedByHand(before: readonly Stored[], { seq, event }: Found<'landing-edited'>): boolean {
  const { from, copy, by } = event;
  const requests = all(before, 'requested-landing-edit').filter((asked) => asked.seq < seq);
  const asked = requests.some(
    (one) => one.event.from === from && one.event.copy === copy && one.event.by.who === by.who,
  );
  return asked && ['terminal', 'command', 'api'].includes(by.via);
}
