import { shellPath } from '../../../domain/base/safe-text.ts';
import { discarded } from '../../../domain/kept/discard.ts';
import { leftToLand } from '../../../domain/landing/undo.ts';
import type { RunState } from '../../../domain/run/run.ts';
import type { KeptSnapshot, RepositoryHandle } from '../../../ports/repository-handle.ts';
import type { Text } from '../../../ports/terminal.ts';
import { keptDocument, keptLines } from '../../../view/run-view.ts';
import { aRunOrTask, command, done, type Outcome } from '../../frame/command.ts';
import { resolveRun, showEach } from '../../frame/subject.ts';
import { partName } from '../../frame/wording.ts';

export const rescueCommand = command({
  name: 'rescue',
  group: 'keep',
  summary: 'list all snapshots, and how to make a branch of each',
  arguments: {
    subject: { ...aRunOrTask, about: 'run or run/task (default: the live or newest run)' },
  },
  help: 'Also lists merged work that has not landed, and files that no snapshot holds. Changes nothing.',
  looks: ({ subject }, repo) => showEach(repo, subject, (typed) => snapshotsOfOne(typed, repo)),
});

async function snapshotsOfOne(typed: string | undefined, repo: RepositoryHandle): Promise<Outcome> {
  const subject = await resolveRun(repo, 'rescue', typed, 'newest');
  if (!subject.ok) return subject.error;
  const { run, task, state } = subject.value;
  const snapshots = (await repo.patches.snapshots(run))
    .filter((kept) => (task === null || kept.task === task) && (kept.kind !== 'merged' || hasUnlanded(state)))
    .map((snapshot) => ({ ...snapshot, command: fetchCommand(repo, run, snapshot) }));
  const kept = keptDocument(state)
    .filter((one) => task === null || one.task === task)
    .map((one) => ({ ...one, place: `${repo.state.job(one.attempt)}/workspace` }));
  const left = keptLines(state, Number.POSITIVE_INFINITY, task);
  const places = [...new Set(kept.map(({ place }) => place))].map((place) => `  workspace: ${shellPath(place)}`);
  if (snapshots.length === 0)
    return done([`${partName({ run, task })} has no snapshot yet.`, ...left, ...places], {
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

/** The run branch holds work that has not landed. */
const hasUnlanded = (state: RunState): boolean => leftToLand(state).length + discarded(state).length > 0;

function aboutOf(kept: KeptSnapshot, state: RunState): string {
  switch (kept.kind) {
    case 'attempt':
      return `its task is ${state.tasks[kept.task]?.progress.status ?? 'gone'}`;
    case 'edited':
      return `edited by hand (${kept.number})`;
    case 'dropped':
      return `without the dropped paths (${kept.number})`;
    case 'edited-landing':
      return `its landing as edited by hand (${kept.number})`;
    case 'merged':
      return 'merged but not landed';
  }
}

/** Creates a branch in the person's repository and never replaces one. */
function fetchCommand(repo: RepositoryHandle, run: string, kept: KeptSnapshot): string {
  return `git -C ${shellPath(repo.checkout)} fetch ${shellPath(repo.state.repository)} ${kept.ref}:refs/heads/rescue/${branchOf(run, kept)}`;
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
