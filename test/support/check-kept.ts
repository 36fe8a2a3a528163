import type { Stored } from '../../src/ports/ledger.ts';
import type { Violation } from './checker.ts';
import { all, type Found } from './events-found.ts';

/**
 * I7: the end of an attempt names each file that it left and that no snapshot holds, or says why there is no snapshot and names the
 * whole workspace; a file is taken off that list only as somebody asked for it, and only for the attempt that left it.
 */
export function checkKept(history: readonly Stored[]): readonly Violation[] {
  const kept = new Set<string>();
  return history.flatMap(({ seq, event }): readonly Violation[] => {
    const say = (what: string): Violation => ({ invariant: 'I7', seq, what });
    if (event.type === 'attempt-ended') {
      const named = event.kept.map(({ path }) => path);
      for (const path of named) kept.add(`${event.attempt} ${path}`);
      const left = leftBy(history, { seq, event });
      const isSame = left.toSorted().join('\n') === named.toSorted().join('\n');
      return [
        ...(isSame ? [] : [say(`${event.attempt} left ${left.join(', ')}, and ${named.join(', ')} is kept`)]),
        ...(event.kept.some(({ path, why }) => why.where !== path) ? [say('a file is kept for another one')] : []),
        ...whyNone(history, { seq, event }).map(say),
      ];
    }
    if (event.type !== 'kept-discarded') return [];
    return event.kept.flatMap(({ attempt, path }) => {
      const isKept = kept.delete(`${attempt} ${path}`);
      const isAsked = all(history, 'requested-discard').some(
        (one) =>
          one.seq < seq &&
          one.event.task === event.task &&
          one.event.by.who === event.by.who &&
          one.event.paths.some((asked) => asked === '.' || asked === path || path.startsWith(`${asked}/`)),
      );
      return [
        ...(isKept ? [] : [say(`${path} of ${attempt} is discarded and was not kept`)]),
        ...(isAsked ? [] : [say(`nobody asked to discard ${path} of ${attempt}`)]),
      ];
    });
  });
}

/** These hold nothing, or nothing that the snapshot does not hold. */
const empty = new Set(['special-file', 'two-spellings']);

function leftBy(history: readonly Stored[], { seq, event }: Found<'attempt-ended'>): readonly string[] {
  const { attempt, snapshot, snapshotProblem } = event;
  if (snapshot === null) {
    const isUnsure = snapshotProblem !== null && snapshotProblem.rule !== 'no-workspace';
    return isUnsure || hasStarted(history, attempt, seq) ? ['.'] : [];
  }
  return snapshot.refused.flatMap((finding) => {
    const isElsewhere = finding.rule === 'submodule-changed' && finding.files.every((file) => file === finding.where);
    return empty.has(finding.rule) || isElsewhere || finding.where === undefined ? [] : [finding.where];
  });
}

function whyNone(history: readonly Stored[], { seq, event }: Found<'attempt-ended'>): readonly string[] {
  const { attempt, snapshot, snapshotProblem } = event;
  if (snapshot !== null) return snapshotProblem === null ? [] : [`${attempt} has a snapshot, and why it has none`];
  const isMissing = snapshotProblem === null && hasStarted(history, attempt, seq);
  return isMissing ? [`${attempt} has no snapshot, and nothing says why`] : [];
}

const hasStarted = (history: readonly Stored[], attempt: string, before: number): boolean =>
  all(history, 'attempt-started').some((one) => one.event.attempt === attempt && one.seq < before);
