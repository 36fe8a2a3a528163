import { explain } from '../domain/explain/explain.ts';
import { discardCommand } from '../domain/kept/discard.ts';
import type { RunState } from '../domain/run/run.ts';
import type { Text } from '../ports/terminal.ts';

/** Files that no snapshot holds, for programs. */
export const keptDocument = (state: RunState) =>
  state.kept.map(({ task, attempt, path, why }) => ({
    task,
    attempt,
    path,
    why: explain(why).detail,
    command: discardCommand(state.run, { task, path }),
  }));

/** The same for people, the first few of them, and where the rest is listed. */
export function keptLines(state: RunState, most: number, task: string | null = null): readonly Text[] {
  const kept = keptDocument(state).filter((one) => task === null || one.task === task);
  const more = kept.length - most;
  return [
    ...kept
      .slice(0, most)
      .flatMap(({ attempt, path, why, command }): readonly Text[] => [
        [{ text: 'in no snapshot', tone: 'waiting' }, `: ${path} of ${attempt}: ${why}`],
        `  it stays in its workspace; to discard it: ${command}`,
      ]),
    ...(more > 0 ? [`and ${more} more files in no snapshot: tidegate rescue ${state.run}`] : []),
  ];
}
