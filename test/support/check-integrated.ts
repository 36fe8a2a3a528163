import type { Stored } from '../../src/ports/ledger.ts';
import { branchBefore, letsPass } from './check-compared.ts';
import type { GitFacts, Violation } from './checker.ts';
import { all, type Found } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/** I3, I4: what moves the run branch is the whole candidate, with its generated files, and exactly that was checked. */
export function checkIntegrated(history: readonly Stored[], git: GitFacts | undefined): readonly Violation[] {
  return all(history, 'merged').flatMap(({ seq, event }) => {
    const { plan } = versionAt(history, seq);
    const found: Violation[] = [];
    const before = history.filter((one) => one.seq < seq);
    const isThis = (one: { readonly event: { readonly wave: number; readonly round: number } }): boolean =>
      one.event.wave === event.wave && one.event.round === event.round;
    const built = all(before, 'candidate-built').findLast(isThis)?.event.steps.at(-1);
    const rebuilt = all(before, 'generator-ended').findLast(isThis);
    const completed = all(before, 'candidate-completed').findLast(isThis);
    const generates = Object.keys(plan.generated).length > 0;
    const core = generates ? completed?.event : built;
    const promoted = all(before, 'components-promoted').findLast(isThis)?.event;
    const top = core && (all(before, 'candidate-extended').findLast(isThis)?.event ?? promoted ?? core);
    if (built === undefined || top === undefined)
      return [{ invariant: 'I4', seq, what: 'merged without a whole candidate' } as const];
    if (event.new !== top.commit)
      found.push({ invariant: 'I4', seq, what: `merged ${event.new}, the candidate is ${top.commit}` });
    if (generates)
      for (const what of notRebuilt(built, rebuilt, completed, git)) found.push({ invariant: 'I4', seq, what });
    const opened = all(before, 'round-opened').findLast(isThis);
    const tasks = (opened?.event.tasks ?? []).map(({ task, by = task }) => by);
    const against = branchBefore(history, opened?.seq ?? seq);
    for (const check of plan.checks)
      if (!letsPass(history, seq, { check, tree: top.tree, against, tasks }))
        found.push({ invariant: 'I3', seq, what: `merged, but ${check.name} did not pass on it` });
    const whole = generates ? completed : all(before, 'candidate-built').findLast(isThis);
    const defined = promoted?.before ?? whole?.event.before;
    for (const check of defined === undefined ? [] : plan.checks)
      if (!letsPass(history, seq, { check, tree: defined?.tree, against }))
        found.push({ invariant: 'I3', seq, what: `merged, but ${check.name} did not pass as it was defined before` });
    return found;
  });
}

function notRebuilt(
  built: { readonly commit: string; readonly tree: string },
  rebuilt: Found<'generator-ended'> | undefined,
  completed: Found<'candidate-completed'> | undefined,
  git: GitFacts | undefined,
): readonly string[] {
  const { ending, snapshot } = rebuilt?.event ?? { ending: null, snapshot: null };
  const wrong: string[] = [];
  if (ending?.reason !== 'exited' || ending.code !== 0) wrong.push('its generated files were not rebuilt');
  if (snapshot?.base !== built.commit) wrong.push('its generated files were rebuilt on another commit');
  if ((completed?.seq ?? 0) < (rebuilt?.seq ?? 0)) wrong.push('it was completed before its files were rebuilt');
  const made = git?.commit(completed?.event.commit ?? '');
  if (made && completed?.event.commit !== built.commit && made.parents.join() !== built.commit)
    wrong.push('its generated files do not stand on its last step');
  if (made && made.tree !== completed?.event.tree) wrong.push('its tree is not the recorded one');
  return wrong;
}
