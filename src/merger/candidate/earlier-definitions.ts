import { openObjects } from '../../adapters/git/process/index.ts';
import {
  type Change,
  internalAuthor,
  readChanges,
  takeBack,
  writeBlob,
  writeCommit,
} from '../../adapters/git/write/index.ts';
import type { CommitId, TaskId, TreeId } from '../../domain/base/ids.ts';
import { compileDefinitions, mayTouch, touchedDefinition } from '../../domain/check-definitions/definition.ts';
import type { DefinitionChange, EarlierDefinitions } from '../../domain/landing/earlier-definitions.ts';
import { grantPattern } from '../../domain/scope/claims.ts';
import { matches, type Pattern, pattern } from '../../domain/scope/pattern.ts';
import { eventsOf, type History, judgedPhases, planInForce } from '../proof/history.ts';

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
