import type { DefinitionChange } from '../../src/domain/landing/earlier-definitions.ts';
import type { Stored } from '../../src/ports/ledger.ts';
import { letsPass } from './check-compared.ts';
import type { Violation } from './checker.ts';
import { all } from './events-found.ts';
import { versionAt } from './plan-versions.ts';

/**
 * I4: where a merged task changed a check definition that nobody granted, what lands was compared with the branch after people last
 * agreed to it, and every check passed with both definitions.
 */
export function checkDefined(history: readonly Stored[]): readonly Violation[] {
  return [...all(history, 'landed'), ...all(history, 'branch-made')].flatMap(({ seq, event }): readonly Violation[] => {
    const before = history.filter((one) => one.seq < seq);
    const { plan, since } = versionAt(history, seq);
    const isOwn = plan.land === 'branch' || plan.land === 'pr';
    const tasks: readonly string[] | null = isOwn || event.type === 'branch-made' ? null : event.tasks;
    if (plan.checks.length === 0 || ungranted(before, tasks).length === 0) return [];
    const agreed = all(before, 'tap-decided').findLast((one) => one.event.tap === 'land')?.seq ?? 0;
    const compared = all(before, 'landing-rebuilt').findLast(
      (one) => one.event.commit === event.new && one.seq > Math.max(agreed, since),
    );
    const say = (what: string): Violation => ({ invariant: 'I4', seq, what });
    if (compared === undefined) return [say(`${event.new} redefines checks and was not compared with the branch`)];
    const { tree, before: earlier, baseline } = compared.event;
    const merged = all(before, 'merged').flatMap((one) => one.event.tasks.map(({ task, by = task }) => by));
    const own = { tree, against: baseline?.tree, tasks: merged };
    const trials = earlier === undefined ? [own] : [own, { tree: earlier.tree, against: baseline?.tree }];
    return trials.flatMap((trial) =>
      plan.checks
        .filter((check) => !letsPass(history, seq, { check, ...trial }))
        .map(({ name }) => say(`${event.new} redefines checks, and ${name} did not pass on ${trial.tree}`)),
    );
  });
}

/** Changes of definitions by these tasks, or by any, in rounds that were merged. */
function ungranted(before: readonly Stored[], tasks: readonly string[] | null): readonly DefinitionChange[] {
  const candidates = [...all(before, 'candidate-built'), ...all(before, 'candidate-completed')];
  return all(before, 'merged').flatMap(({ event: { wave, round } }) =>
    candidates
      .filter(({ event }) => event.wave === wave && event.round === round)
      .flatMap(({ event }) => event.before?.changes ?? [])
      .filter((change) =>
        change.tasks.some((task) => (tasks === null || tasks.includes(task)) && !isGranted(before, task, change.path)),
      ),
  );
}

const isGranted = (before: readonly Stored[], task: string, path: string): boolean =>
  all(before, 'task-granted').some(({ event }) => event.task === task && event.paths.includes(path));
