import type { Desk } from '../ports/desk.ts';
import type { Text } from '../ports/terminal.ts';
import { done, type Outcome } from './command.ts';
import { runNamed } from './subject.ts';

/** `tidegate rescue [run[/task]]`: every snapshot that was taken, and how to make a branch of it. Changes nothing. */
export async function listSnapshots(
  { subject }: { readonly subject: string | undefined },
  desk: Desk,
): Promise<Outcome> {
  const found = await runNamed(desk, 'rescue', subject, 'newest');
  if (!found.ok) return found.error;
  const { run, task, state } = found.value;
  const prefix = task === null ? `${run}.` : `${run}.${task}.`;
  const snapshots = (await desk.patches.snapshots(run))
    .filter(({ attempt }) => attempt.startsWith(prefix))
    .map((snapshot) => ({ ...snapshot, command: fetchCommand(desk, snapshot) }));
  if (snapshots.length === 0)
    return done([`No snapshot of ${task === null ? run : `${run}/${task}`} was taken yet.`], { run, snapshots });
  const lines = snapshots.flatMap(({ attempt, commit, command }): readonly Text[] => {
    const status = Object.values(state.tasks).find(({ id }) => id === attempt.split('.')[1])?.progress.status ?? 'gone';
    return [[{ text: attempt, tone: 'strong' }, ` ${commit.slice(0, 12)}, its task is ${status}`], `  ${command}`];
  });
  return done(lines, { run, snapshots });
}

/** Makes a branch in the person's repository; what is there under that name is never replaced. */
function fetchCommand(desk: Desk, { attempt, ref }: { readonly attempt: string; readonly ref: string }): string {
  const branch = `rescue/${attempt.replaceAll('.', '-')}`;
  return `git -C ${quoted(desk.checkout)} fetch ${quoted(desk.state.repository)} ${ref}:refs/heads/${branch}`;
}

/** A path as one word of a shell. */
const quoted = (path: string): string => (/^[\w./@%+=:,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
