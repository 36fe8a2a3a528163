import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/**
 * I3: a setup counts against a tree only where it passed on what the run branch was at, and a task is blamed only for a check that
 * is recorded to fail.
 */
export function checkSetups(history: readonly Stored[]): readonly Violation[] {
  const ended = all(history, 'check-ended');
  const setups = ended.flatMap(({ seq, event }): readonly Violation[] => {
    if (event.check.outcome !== 'failed' || event.check.because === undefined) return [];
    const say = (what: string): Violation => ({ invariant: 'I3', seq, what: `${event.check.name}: ${what}` });
    if (event.check.because.rule !== 'setup-failed') return [say('it failed for no reason of its own')];
    if (event.purpose === 'base') return [say('a setup that fails on the base is held against it')];
    const { plan, since } = versionAt(history, seq);
    const mayFail = (name: string): boolean => plan.checks.some((one) => one.name === name && one.policy === 'ratchet');
    const tree = branchTree(history.filter((one) => one.seq < seq));
    const isSetUp = ended.some(({ seq: at, event: { check } }) => {
      const hasRun = check.outcome === 'passed' || (check.outcome === 'failed' && mayFail(check.name));
      return at > since && at < seq && check.tree === tree && hasRun;
    });
    return isSetUp ? [] : [say('its setup fails, and never passed on the run branch')];
  });
  const blames = all(history, 'culprit-found').flatMap(({ seq, event }): readonly Violation[] => {
    const last = ended.findLast(
      (one) => one.seq < seq && one.event.check.tree === event.tree && one.event.check.name === event.check,
    );
    const outcome = last?.event.check.outcome;
    // a check that only counts can be worse and exit with 0
    if (outcome === 'failed' || outcome === 'timed-out' || event.worse !== undefined) return [];
    return [{ invariant: 'I3', seq, what: `${event.task} is blamed for ${event.check}, which did not fail` }];
  });
  return [...setups, ...blames];
}

/** The tree of the run branch after these events. */
function branchTree(history: readonly Stored[]): string | undefined {
  const merged = all(history, 'merged').at(-1)?.event;
  if (merged === undefined) return all(history, 'run-branch-made').at(-1)?.event.tree;
  const steps = all(history, 'candidate-built').flatMap(({ event }) => event.steps);
  const later = (['candidate-completed', 'components-promoted', 'candidate-extended'] as const).flatMap((type) =>
    all(history, type).map(({ event }) => event),
  );
  return [...steps, ...later].findLast(({ commit }) => commit === merged.new)?.tree;
}
