import { checkOutput } from '../../domain/explain/hold.ts';
import type { LogEvidence } from '../../domain/gates/evidence.ts';
import { generatedPaths } from '../../domain/scope/generated.ts';
import { howEnded } from '../../view/event-line.ts';
import { checkDocument, endingDocument } from '../../view/told-evidence.ts';
import type { MadeRun } from '../frame/subject.ts';

/** The output of something that ran for the whole run: where it is, and its last lines. */
export type JobLog = {
  readonly title: string;
  readonly log: LogEvidence;
  readonly tail: string;
  readonly data: object;
};

/** The last run of a check, or why there is none to show. */
export function lastCheck({ state, stored }: MadeRun, name: string): JobLog | string {
  const ran = stored.flatMap(({ event }) => (event.type === 'check-ended' ? [event] : []));
  const last = ran.findLast(({ check }) => check.name === name);
  if (last !== undefined) {
    const { check, purpose } = last;
    const title = `${name} ${check.outcome} on the ${purpose}, tree ${check.tree.slice(0, 12)}`;
    return { title, log: check.log, tail: checkOutput(check), data: { check: checkDocument(check) } };
  }
  const known = state.plan.checks.map((check) => check.name);
  if (known.length === 0) return `no check ${name}; the plan has none`;
  return known.includes(name) ? `${name} has not run yet` : `no check ${name}; there are ${known.join(', ')}`;
}

/** The last time that generated files were rebuilt, or why there is nothing to show. */
export function lastGenerated({ state, stored }: MadeRun): JobLog | string {
  const last = stored.findLast(({ event }) => event.type === 'generator-ended')?.event;
  if (last?.type === 'generator-ended') {
    const title = `generated files of wave ${last.wave}: ${howEnded(last.ending)}`;
    const ending = endingDocument(last.ending);
    return { title, log: last.log, tail: last.tail, data: { generated: { ending, log: last.log } } };
  }
  const paths = generatedPaths(state.plan);
  if (paths.length === 0) return 'the plan has no generated files';
  return `${paths.join(', ')} ${paths.length === 1 ? 'has' : 'have'} not been rebuilt yet`;
}
