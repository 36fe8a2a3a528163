import type { RunId } from '../domain/base/ids.ts';
import { dependenciesOf, isOfBranch, openDependencies } from '../domain/dependencies/blocks.ts';
import { type Dependency, endName, otherRun } from '../domain/dependencies/dependency.ts';
import { brief } from '../domain/explain/text.ts';
import { theRepository } from '../domain/repository/repository.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Text } from '../ports/terminal.ts';

/** One line per open dependency of a run, at either end. */
export const dependencyLines = (state: RunState): readonly Text[] =>
  openDependencies(state).map((one): Text => {
    const { id, side, other, required, text } = one;
    const waiting = isOfBranch(one) ? `the branch ${one.branch} depends` : 'depends';
    const debtor = 'branch' in other ? `the branch ${other.branch}` : endName(other);
    const what = side === 'requires' ? `${waiting} on ${endName(other)}` : `${debtor} depends on it`;
    return [{ text: id, tone: 'waiting' }, `: ${what}${required ? '' : ' (optional)'}: ${brief(text)}`];
  });

/** A dependency for programs, as one of its runs has it. */
export function dependencyDocument(run: RunId, dependency: Dependency) {
  const { id, side, task, other, required, text, by, status, unmet, settled } = dependency;
  const isWaiting = isOfBranch(dependency);
  const own = isWaiting ? (dependency.branch ?? '') : endName(task === null ? { run } : { run, task });
  const ends = side === 'requires' ? { from: own, on: endName(other) } : { from: endName(other), on: own };
  return {
    id,
    ...ends,
    ...('branch' in other && side === 'requires' ? { branch: true as const } : {}),
    ...(isWaiting || ('branch' in other && side === 'owes') ? { fromBranch: true as const } : {}),
    required,
    status,
    ...(unmet === undefined ? {} : { unmet }),
    text,
    by: by.who,
    ...(settled === undefined ? {} : { settled: settledDocument(settled) }),
  };
}

const settledDocument = ({ by, reason, landed }: NonNullable<Dependency['settled']>) => ({
  by: by.who,
  ...(reason === undefined ? {} : { reason }),
  ...(landed === undefined ? {} : { landed: { branch: landed.branch, commit: landed.commit } }),
});

/** All dependencies of a repository, or those with one end at this run, each once. */
export function repositoryDependencies(
  runs: readonly RunState[],
  run: RunId | null,
  ofBranches: readonly Dependency[] = [],
) {
  const target = runs.find((state) => state.run === run)?.target.branch;
  const concerned = ofBranches.filter((one) => run === null || one.branch === target || otherRun(one) === run);
  const found = runs.flatMap((state) =>
    dependenciesOf(state)
      .filter(
        (one) =>
          one.side === 'requires' && !isOfBranch(one) && (run === null || state.run === run || otherRun(one) === run),
      )
      .map((one) => dependencyDocument(state.run, one)),
  );
  const branches = concerned.map((one) => dependencyDocument(theRepository, one));
  const dependencies = [...found, ...branches].toSorted((a, b) => Number(a.id.slice(1)) - Number(b.id.slice(1)));
  return { dependencies, lines: dependencies.flatMap(listedLines) };
}

function listedLines({ id, from, on, required, status, text, by, settled, unmet }: DependencyText): readonly Text[] {
  const word = status === 'unmet' ? `needs you (the other end: ${unmet ?? ''})` : status;
  const reason = settled === undefined ? [] : [settledText(settled)];
  return [
    `${id}  ${from} on ${on}  ${required ? 'required' : 'optional'}  ${word}`,
    ...[`${by}: ${text}`, ...reason].map((line): Text => [{ text: `    ${brief(line, 1_000)}`, tone: 'dim' }]),
  ];
}

type DependencyText = ReturnType<typeof dependencyDocument>;

const settledText = ({ by, reason, landed }: NonNullable<DependencyText['settled']>): string =>
  landed === undefined ? `${by}: ${reason ?? ''}` : `landed on ${landed.branch} as ${landed.commit.slice(0, 8)}`;
