import type { Stored } from '../../src/ports/ledger.ts';
import { letsPass } from './check-compared.ts';
import type { GitFacts, Violation } from './checker.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/** I6: an exact undo puts back what was there before; any other was prepared and checked before it; each was intended. */
export function checkUndone(history: readonly Stored[], git: GitFacts | undefined): readonly Violation[] {
  const twice = all(history, 'requested-undo').flatMap(({ seq }): readonly Violation[] => {
    const answers = history.filter(({ event }) => 'request' in event && event.request === seq);
    return answers.length > 1 ? [{ invariant: 'I6', seq, what: 'the undo is answered more than once' }] : [];
  });
  const moved = all(history, 'undone').flatMap(({ seq, event }) => {
    const found: Violation[] = [];
    const say = (what: string): number => found.push({ invariant: 'I6', seq, what });
    const whole = all(history, 'undone').findLast((one) => one.seq < seq && one.event.task === null)?.seq ?? 0;
    const landed = all(history, 'landed').filter(
      (one) => one.seq > whole && one.seq < seq && one.event.branch === event.branch,
    );
    const [first, last] = [landed[0]?.event, landed.at(-1)?.event];
    const intent = all(history, 'undo-intended').findLast((one) => one.seq < seq);
    if (last === undefined) say('undone, but nothing had landed');
    if (intent?.event.old !== event.old || intent.event.new !== event.new) say('undone other than intended');
    if (event.exact) {
      const before = first?.old ?? '0'.repeat(event.new.length);
      if (event.new !== before) say(`restored ${event.new} instead of ${before}`);
      if (event.old !== last?.new) say('called exact, but the branch had moved');
    } else for (const what of unchecked(history, intent?.seq ?? seq, event, git)) say(what);
    return found;
  });
  return [...twice, ...moved];
}

/** Why the commits that revert something were not ready to be moved to when that was intended. */
function unchecked(
  history: readonly Stored[],
  intended: number,
  undone: { readonly task: string | null; readonly old: string; readonly new: string },
  git: GitFacts | undefined,
): readonly string[] {
  const before = history.filter((one) => one.seq < intended);
  const prepared = all(before, 'undo-prepared').findLast(({ event }) => event.task === undone.task)?.event;
  if (prepared === undefined) return ['moved to reverts that were never prepared'];
  const wrong: string[] = [];
  if (prepared.onto !== undone.old || prepared.commit !== undone.new)
    wrong.push('moved to other reverts than prepared');
  const held = git?.commit(undone.new)?.tree;
  if (held !== undefined && held !== prepared.tree) wrong.push('the reverts hold another tree than was checked');
  const { plan } = versionAt(history, intended);
  for (const check of plan.checks) {
    const trial = { check, tree: prepared.tree, against: prepared.baseline?.tree, isRequested: true };
    if (!letsPass(history, intended, trial)) wrong.push(`the check ${check.name} had not passed on the reverts`);
  }
  return wrong;
}
