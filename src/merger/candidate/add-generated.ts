import { openObjects } from '../../adapters/git/process/index.ts';
import { readAuthor } from '../../adapters/git/read/index.ts';
import {
  type Change,
  internalAuthor,
  keepReachable,
  readChanges,
  readCommits,
  readManyChanges,
  takeBack,
  writeBlob,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import { failpoint } from '../../adapters/process/failpoint.ts';
import type { CommitId, RunId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { err, ok, type Result } from '../../domain/base/result.ts';
import { safeLine } from '../../domain/base/safe-text.ts';
import { compileDefinitions, mayTouch, touchedDefinition } from '../../domain/check-definitions/definition.ts';
import type { ObjectGap } from '../../domain/findings/merger-rules.ts';
import type { DefinitionChange, EarlierDefinitions } from '../../domain/landing/earlier-definitions.ts';
import type { RunEvent } from '../../domain/ledger/events.ts';
import type { By } from '../../domain/ledger/requests.ts';
import { refs } from '../../domain/ledger/state-dir.ts';
import { commitSubject, generatedSubject } from '../../domain/plan/commit-subject.ts';
import type { FrozenPlan, PlannedTask } from '../../domain/plan/plan.ts';
import { grantPattern } from '../../domain/scope/claims.ts';
import { matches, type Pattern, pattern } from '../../domain/scope/pattern.ts';
import type { MergerAnswer } from '../../ports/merger.ts';
import { type MergerOrder, mergerDone, recordFacts, refused } from '../open-run.ts';
import {
  eventsOf,
  type History,
  type JudgedPhase,
  judgedPhases,
  planInForce,
  type RecordedEvent,
} from '../proof/history.ts';

/**
 * Makes one commit on top of the round's steps, in which exactly the generated paths are as their commands left them; other changes
 * of these commands are left out. If nothing differs, the last step is used instead. Nothing moves but a ref that keeps the commit.
 */
export async function addGenerated(order: MergerOrder, wave: number, round: number): Promise<MergerAnswer> {
  const { repository } = order.state;
  const history = await order.ledger.read(order.run);
  const isThis = (event: { wave: number; round: number }) => event.wave === wave && event.round === round;
  if (eventsOf(history, 'candidate-completed').some(({ event }) => isThis(event))) return mergerDone;
  const built = eventsOf(history, 'candidate-built').findLast(({ event }) => isThis(event))?.event;
  const ended = eventsOf(history, 'generator-ended').findLast(({ event }) => isThis(event));
  const last = built?.steps.at(-1);
  const snapshot = ended?.event.snapshot;
  if (last === undefined || ended === undefined || !snapshot) return refused({ rule: 'nothing-rebuilt', wave, round });
  if (snapshot.base !== last.commit)
    return refused({ rule: 'rebuilt-elsewhere', expected: last.commit, actual: snapshot.base });

  const { plan } = planInForce(history);
  const generated = new Set(Object.keys(plan.generated));
  const taken = (await readChanges(repository, last.tree, snapshot.tree)).filter(({ path }) => generated.has(path));
  const same = { type: 'candidate-completed', wave, round, commit: last.commit, tree: last.tree } as const;
  const ref = refs.candidate(order.run, wave, round);
  const tasks = built?.steps.map(({ task }) => task) ?? [];
  const define = (top: Pick<typeof last, 'commit' | 'tree'>) =>
    definedBefore(repository, history, { base: built?.base ?? last.commit, top, tasks });
  if (taken.length === 0) {
    const defined = await define(last);
    if (defined.before !== undefined) await keepReachable(repository, ref, defined.before.commit);
    return await recordFacts(order, { ...same, ...defined });
  }
  const author = await readAuthor(order.checkout, order.env);
  if (!author.ok) return refused(author.error);
  const tree = await takeBack(repository, last.tree, taken.map(reversed));
  const date = `${Math.floor(Date.parse(ended.at) / 1000)} +0000`;
  const message = generatedMessage(plan, wave, { run: order.run, proof: ended.hash });
  const commit = await writeCommit(repository, { tree, parent: last.commit, message, date, ...author.value });
  const defined = await define({ commit, tree });
  failpoint('merger-generated-written');
  await keepReachable(repository, ref, defined.before?.commit ?? commit);
  failpoint('merger-generated-kept');
  return await recordFacts(order, { ...same, commit, tree, ...defined });
}

/** Taken back, this puts the new side onto a tree that has the old one. */
const reversed = ({ path, oldMode, newMode, oldId, newId }: Change): Change => ({
  path,
  oldMode: newMode,
  newMode: oldMode,
  oldId: newId,
  newId: oldId,
});

/**
 * True when the commit that completes a candidate is what the ledger says: it is a child of the last step, differs from it in
 * generated paths only, and has those exactly as the snapshot of the commands that ran on that step.
 */
export async function verifyGeneratedObjects(
  repository: string,
  history: History,
  of: { readonly wave: number; readonly round: number },
): Promise<Result<null, ObjectGap>> {
  const generated = new Set(Object.keys(planInForce(history).plan.generated));
  if (generated.size === 0) return ok(null);
  const isThis = (event: { wave: number; round: number }) => event.wave === of.wave && event.round === of.round;
  const last = eventsOf(history, 'candidate-built')
    .findLast(({ event }) => isThis(event))
    ?.event.steps.at(-1);
  const snapshot = eventsOf(history, 'generator-ended').findLast(({ event }) => isThis(event))?.event.snapshot;
  const completed = eventsOf(history, 'candidate-completed').findLast(({ event }) => isThis(event))?.event;
  if (last === undefined || !snapshot || completed === undefined) return err({ gap: 'nothing-rebuilt' });

  const commits = await readCommits(repository, [...new Set([last.commit, snapshot.commit, completed.commit])]);
  const [before, taken, made] = [last, snapshot, completed].map(({ commit }) => commits.get(commit));
  if (before === undefined || taken === undefined || made === undefined) return err({ gap: 'rebuilt-missing' });
  if (taken.tree !== snapshot.tree) return err({ gap: 'rebuilt-tree' });
  if (taken.parents.length !== 1 || taken.parents[0] !== last.commit) return err({ gap: 'rebuilt-parent' });
  if (made.tree !== completed.tree) return err({ gap: 'completed-tree' });
  if (made.id !== last.commit && (made.parents.length !== 1 || made.parents[0] !== last.commit))
    return err({ gap: 'completed-parent' });

  const [added = [], left = []] = await readManyChanges(repository, [
    [before.tree, made.tree],
    [taken.tree, made.tree],
  ]);
  const hidden = added.find(({ path }) => !generated.has(path));
  if (hidden !== undefined) return err({ gap: 'path-not-generated', path: hidden.path });
  const other = left.find(({ path }) => generated.has(path));
  return other === undefined ? ok(null) : err({ gap: 'path-not-as-rebuilt', path: other.path });
}

type Tip = { readonly commit: CommitId; readonly tree: TreeId };

/**
 * Returns the same tree with the check definitions of `base`, if tasks changed them and no person granted that: a check that only
 * passes by its new definition has proven nothing yet. Empty when nothing differs.
 */
export async function definedBefore(
  repository: string,
  history: History,
  { base, top, tasks }: { readonly base: CommitId; readonly top: Tip; readonly tasks: readonly TaskId[] },
): Promise<{ readonly before?: EarlierDefinitions }> {
  const { plan } = planInForce(history);
  const definitions = compileDefinitions(plan.checks);
  if (definitions.length === 0) return {};
  const open = (plan.unprotect ?? []).map(pattern);
  const isJudged = ({ path }: Change) =>
    mayTouch(definitions, path) && !Object.hasOwn(plan.generated, path) && !open.some((one) => matches(one, path));
  const redefined = (await readChanges(repository, base, top.commit)).filter(isJudged);
  if (redefined.length === 0) return {};
  // the parsers are large, and most rounds change no definition
  const { keysBetweenTexts, withKeysOfText } = await import('../../adapters/files/structured-text.ts');
  await using objects = openObjects(repository);
  const textOf = async (mode: string, id: string): Promise<string | null> =>
    mode.startsWith('100') ? ((await objects.read(id))?.toString('utf8') ?? null) : null;
  const restored: Change[] = [];
  const changes: DefinitionChange[] = [];
  for (const change of redefined) {
    const { path, oldMode, newMode } = change;
    const [old, now] = [await textOf(oldMode, change.oldId), await textOf(newMode, change.newId)];
    const isPlain = [oldMode, newMode].every((mode) => mode === '000000' || mode.startsWith('100'));
    const keys = isPlain ? keysBetweenTexts(path, old, now) : null;
    const touched = touchedDefinition(definitions, path, keys);
    const by =
      touched === null ? [] : tasks.filter((task) => changed(history, task, path) && !isPersons(history, task, path));
    if (touched === null || by.length === 0) continue;
    changes.push({ path, ...(touched.keys === undefined ? {} : { keys: touched.keys }), tasks: by });
    const text = touched.keys === undefined ? null : withKeysOfText(path, { before: old, after: now }, touched.keys);
    restored.push(text === null ? change : { ...change, oldMode: newMode, oldId: await writeBlob(repository, text) });
  }
  if (changes.length === 0) return {};
  const tree = await takeBack(repository, top.tree, restored);
  if (tree === top.tree) return {};
  const message = 'restore the definitions of the checks\n';
  const commit = await writeCommit(repository, {
    tree,
    parent: top.commit,
    message,
    by: internalAuthor,
    date: '0 +0000',
  });
  return { before: { commit, tree, changes } };
}

const lastJudged = (history: History, task: TaskId) =>
  judgedPhases(history, 'monitor').findLast(({ event }) => event.task === task)?.event.evidence;

const changed = (history: History, task: TaskId, path: string): boolean =>
  lastJudged(history, task)?.snapshot?.diff.some((entry) => entry.path === path) ?? false;

/** A person granted it by its name, or wrote it by hand. */
const isPersons = (history: History, task: TaskId, path: string): boolean =>
  (lastJudged(history, task)?.acceptance?.edited.includes(path) ?? false) ||
  eventsOf(history, 'task-granted').some(
    ({ event }) => event.task === task && event.paths.some((one) => isNamedBy(grantPattern(one), path)),
  );

/** A wildcard was written for something else. */
const isNamedBy = (granted: Pattern, path: string): boolean => granted.literal && matches(granted, path);

type Trailers = {
  readonly run: RunId;
  readonly task: string;
  readonly proof: string;
  /** Trailers of people who took the work by hand, as whole lines. */
  readonly taken?: readonly string[];
};

/** One line that says what the task was about, as the plan's `commit` words it, then who vouches for it. */
export function commitMessage(plan: FrozenPlan, task: PlannedTask, trailers: Trailers): string {
  return `${commitSubject(plan, trailers.run, task)}\n\n${trailerLines(trailers)}`;
}

function trailerLines({ run, task, proof, taken = [] }: Trailers): string {
  const lines = [`Tidegate-Run: ${run}`, `Tidegate-Task: ${task}`, ...taken, `Tidegate-Proof: ${proof}`];
  return `${lines.join('\n')}\n`;
}

/** Returns the message with one more trailer at its end. */
export const withTrailer = (message: string, line: string): string => `${message.trimEnd()}\n${line}\n`;

/** The message of the commit of generated files; `proof` is the record of the commands that made them. */
const generatedMessage = (plan: FrozenPlan, wave: number, { run, proof }: Pick<Trailers, 'run' | 'proof'>): string =>
  `${generatedSubject(plan, run, wave)}\n\nTidegate-Run: ${run}\nTidegate-Proof: ${proof}\n`;

export function readTrailer(message: string, name: string): string | undefined {
  const paragraph = message.trimEnd().split('\n\n').at(-1) ?? '';
  return paragraph
    .split('\n')
    .findLast((line) => line.startsWith(`${name}: `))
    ?.slice(name.length + 2);
}

/** Lines of a commit message that say who took this work by hand, and which commits they were shown and left. */
export function takenTrailers(
  history: History,
  { position, event }: RecordedEvent<JudgedPhase<'monitor'>>,
): readonly string[] {
  const { task, evidence } = event;
  if (evidence.acceptance === undefined) return [];
  const isOfIt = (one: RecordedEvent<Taking>): boolean =>
    one.position < position && one.event.task === task && one.event.attempt === evidence.attempt;
  const edits = eventsOf(history, 'task-edited').filter(isOfIt);
  const accepted = eventsOf(history, 'task-accepted').findLast(
    (one) => isOfIt(one) && one.event.snapshot === evidence.snapshot?.commit,
  );
  return [
    ...edits.map(({ event: { by, from, snapshot } }) => editTrailer(by, from, snapshot.commit)),
    ...(accepted === undefined
      ? []
      : [`Tidegate-Accepted-by: ${nameOf(accepted.event.by)} ${accepted.event.snapshot}`]),
  ];
}

export const editTrailer = (by: By, from: CommitId, left: CommitId): string =>
  `Tidegate-Edited-by: ${nameOf(by)} ${from}..${left}`;

type Taking = Extract<RunEvent, { type: 'task-accepted' | 'task-edited' }>;

/** Returns a name on one line, whatever characters it has. */
const nameOf = ({ who }: By): string => safeLine(who).trim().slice(0, 100);
