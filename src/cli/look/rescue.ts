import { discarded } from '../../domain/kept/discard.ts';
import { leftToLand } from '../../domain/landing/undo.ts';
import type { RunState } from '../../domain/run/run.ts';
import type { KeptSnapshot, RepositoryHandle } from '../../ports/repository-handle.ts';
import type { Text } from '../../ports/terminal.ts';
import { keptDocument, keptLines } from '../../view/kept-lines.ts';
import { done, type Outcome } from '../frame/command.ts';
import { runNamed, showEach } from '../frame/subject.ts';
import { partName } from '../frame/wording.ts';

/**
 * `tidegate rescue [run[/task]]`: every snapshot that was taken, also of what people changed by hand, merged work that has not landed,
 * how to make a branch of each, and files that no snapshot holds. Changes nothing.
 */
export const listSnapshots = (
  { subject }: { readonly subject: string | undefined },
  repo: RepositoryHandle,
): Promise<Outcome> => showEach(repo, subject, (given) => snapshotsOfOne(given, repo));

async function snapshotsOfOne(given: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const found = await runNamed(repo, 'rescue', given, 'newest');
  if (!found.ok) return found.error;
  const { run, task, state } = found.value;
  const snapshots = (await repo.patches.snapshots(run))
    .filter((kept) => (task === null || kept.task === task) && (kept.kind !== 'merged' || hasUnlanded(state)))
    .map((snapshot) => ({ ...snapshot, command: fetchCommand(repo, run, snapshot) }));
  const kept = keptDocument(state)
    .filter((one) => task === null || one.task === task)
    .map((one) => ({ ...one, place: `${repo.state.job(one.attempt)}/workspace` }));
  const left = keptLines(state, Number.POSITIVE_INFINITY, task);
  const places = [...new Set(kept.map(({ place }) => place))].map((place) => `  workspace: ${quoted(place)}`);
  if (snapshots.length === 0)
    return done([`No snapshot of ${partName({ run, task })} was taken yet.`, ...left, ...places], {
      run,
      snapshots,
      kept,
    });
  const lines = snapshots.flatMap((snapshot): readonly Text[] => {
    const name = snapshot.kind === 'attempt' ? snapshot.attempt : partName({ run, task: snapshot.task });
    const about = ` ${snapshot.commit.slice(0, 12)}, ${aboutOf(snapshot, state)}`;
    return [[{ text: name, tone: 'strong' }, about], `  ${snapshot.command}`];
  });
  return done([...lines, ...left, ...places], { run, snapshots, kept });
}

/** The run branch holds work that is on no branch of the person. */
const hasUnlanded = (state: RunState): boolean => leftToLand(state).length + discarded(state).length > 0;

function aboutOf(kept: KeptSnapshot, state: RunState): string {
  switch (kept.kind) {
    case 'attempt':
      return `its task is ${state.tasks[kept.task]?.progress.status ?? 'gone'}`;
    case 'edited':
      return `edited by hand (${kept.number})`;
    case 'dropped':
      return `without the paths that were dropped (${kept.number})`;
    case 'edited-landing':
      return `its landing as edited by hand (${kept.number})`;
    case 'merged':
      return 'merged and not landed';
  }
}

/** Makes a branch in the person's repository; what is there under that name is never replaced. */
function fetchCommand(repo: RepositoryHandle, run: string, kept: KeptSnapshot): string {
  return `git -C ${quoted(repo.checkout)} fetch ${quoted(repo.state.repository)} ${kept.ref}:refs/heads/rescue/${branchOf(run, kept)}`;
}

function branchOf(run: string, kept: KeptSnapshot): string {
  switch (kept.kind) {
    case 'attempt':
      return kept.attempt.replaceAll('.', '-');
    case 'edited':
    case 'dropped':
      return `${run}-${kept.task}-${kept.kind}-${kept.number}`;
    case 'edited-landing':
      return `${run}-edited-landing-${kept.number}`;
    case 'merged':
      return `${run}-merged`;
  }
}

/** A path as one word of a shell. */
const quoted = (path: string): string => (/^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
